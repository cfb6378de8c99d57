"""Make up calibrations, and store them as the command does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User

from chat.gate.calibration import Fitted, Judged
from chat.gate.records import Provenance, calibration_store
from chat.gate.scorers import Calibration
from chat.models import CalibrationRecord
from corpus.encoders.registry import encoder_facts


def made_up_fit(**values: Any) -> Fitted:
    """Return an invented fit with two judged questions; `values` are its weights by name."""
    return Fitted(
        calibration=replace(Calibration(-9.0, 11.0, 8.0), **values),
        method="platt",
        risk=0.05,
        guarantee="conformal",
        conformal_threshold=0.4,
        judged=(Judged("a", 0.9, answerable=True), Judged("b", 0.2, answerable=False)),
        counts={"questions": 4, "answerable": 2, "judged": 2, "judged_unanswerable": 1},
        metrics={"auroc": 1.0, "brier": 0.025},
    )


def kept(
    *, encoder: str = "", retrieval: str = "f" * 16, by: User | None = None, **values: Any
) -> CalibrationRecord:
    """Store an invented calibration, for the encoder in use unless another is named."""
    provenance = Provenance(
        testset="ward.json",
        testset_digest="d" * 64,
        encoder=encoder or encoder_facts().fingerprint,
        retrieval=retrieval,
    )
    return calibration_store(made_up_fit(**values), provenance, by=by)
