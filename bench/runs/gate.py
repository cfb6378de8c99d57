"""Hand the site's gate to a child process as JSON: only the users' database has calibrations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from chat.gate.decision import Gate, GateUnavailable
from chat.gate.records import gate_in_use
from chat.gate.scorers import Calibration, Learned
from corpus.encoders.registry import EncoderUnavailable


def gate_written() -> dict[str, Any]:
    """Return the gate that the site answers with, as JSON; empty where it has none.

    Runs two queries. What its calibration promises is left out, since an evaluation searches in
    other ways too.
    """
    try:
        gate = gate_in_use()
    except (GateUnavailable, EncoderUnavailable):
        return {}
    scale = gate.scale
    written = {"threshold": gate.threshold, "version": scale.version}
    if isinstance(scale, Calibration):
        return {**written, "calibration": asdict(scale)}
    return {**written, "learned": asdict(scale)}


def gate_named(gate: Gate) -> dict[str, Any]:
    """Identify a gate by `{version, threshold, fingerprint}`.

    The fingerprint is 16 hex digits over the scale (with the encoder it was fitted on) and the
    threshold; gates with other fingerprints decide otherwise.
    """
    decides = {"scale": gate.scale.as_dict(), "threshold": gate.threshold}
    digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
    return {
        "version": gate.scale.version,
        "threshold": gate.threshold,
        "fingerprint": digest[:16],
    }


def gate_read(written: Mapping[str, Any]) -> Gate:
    """Build the gate from what `gate_written` returned. Raises GateUnavailable if that is empty."""
    if not written:
        raise GateUnavailable("This site has no gate for its encoder.")
    if "learned" in written:
        return Gate(Learned(**written["learned"]), written["threshold"])
    values = written["calibration"]
    knots = tuple((float(score), float(p)) for score, p in values["knots"])
    return Gate(Calibration(**(values | {"knots": knots})), written["threshold"])
