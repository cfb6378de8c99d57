"""Search and gate: the first look at a question, and the second where the first was near.

The second is at most one, over a wider search, judged by the same gate and the same threshold: it
may find what the first overlooked, and never lowers the bar. (Corrective retrieval: Yan et al.,
2024.)
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from chat.calibration_records import fits_encoder, misfit
from chat.gate import Decision, Gate, GateUnavailable, decide
from chat.second_search import explaining_search, second_search
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Query

logger = logging.getLogger(__name__)

FIRST, SECOND, EXPLAINING = "first", "second", "explaining"


@dataclass(frozen=True)
class Look:
    """One search and what the gate said of it."""

    kind: str
    evidence: Evidence
    decision: Decision


@dataclass
class Looks:
    """Everything that was looked at for a question, in order, and what went wrong meanwhile."""

    config: RetrievalConfig
    gate: Gate | None = None
    began: float = field(default_factory=time.perf_counter)
    taken: list[Look] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def look(query: Query, gate: Gate, looks: Looks) -> Decision:
    """The decision on what is in force for the reader; a second search is in it."""
    first = look_once(query, gate, looks, kind=FIRST)
    config = looks.config
    if not (config.corrective and first.is_near):
        return first
    if time.perf_counter() - looks.began > config.corrective_before_s:
        looks.note("There was no time for a second search.")
        return first
    try:
        second = look_once(query, gate, looks, kind=SECOND)
    except Exception as error:  # noqa: BLE001 - what the first search decided stands: a refusal
        logger.error("The second search failed: %s", type(error).__name__)
        looks.note(f"The second search failed: {type(error).__name__}.")
        return first
    return max(first, second, key=lambda decision: decision.probability)


def look_once(query: Query, gate: Gate, looks: Looks, *, kind: str) -> Decision:
    """Search and decide, and keep both.

    Raises `GateUnavailable` where the search read another encoder than the gate is made for: one
    took another's place meanwhile.
    """
    config = _config(looks, kind)
    evidence = retrieve(query, config)
    if not fits_encoder(gate, evidence.trace.encoder):
        raise GateUnavailable("The gate has no calibration for the encoder that was searched.")
    if kind == FIRST:
        for note in misfit(gate, config, evidence.trace.fingerprint):
            looks.note(note)
    decision = decide(
        evidence,
        calibration=gate.scale,
        threshold=gate.threshold,
        margin=looks.config.corrective_margin,
    )
    looks.taken.append(Look(kind, evidence, decision))
    return decision


def _config(looks: Looks, kind: str) -> RetrievalConfig:
    if kind == EXPLAINING:
        return explaining_search(looks.config)
    if kind == SECOND:
        return second_search(looks.config, looks.taken[0].evidence.trace)
    return looks.config
