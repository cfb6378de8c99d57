"""Search and gate: one look at a question, and those that only explain why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from chat.gate.decision import Decision, Gate, GateUnavailable, decide
from chat.gate.records import fits_encoder, misfit
from chat.gate.scorers import logistic
from chat.reader.choose import read
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Query

FIRST, EXPLAINING = "first", "explaining"


@dataclass(frozen=True)
class Look:
    """One search and what the gate said of it."""

    kind: str
    evidence: Evidence
    decision: Decision


@dataclass
class SearchLog:
    """Everything that was looked at for a question, in order, and what went wrong meanwhile."""

    config: RetrievalConfig
    gate: Gate | None = None
    taken: list[Look] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _ignored(evidence: Evidence) -> None:
    """Do nothing with what was found."""


def look(
    query: Query,
    gate: Gate,
    looks: SearchLog,
    *,
    found: Callable[[Evidence], None] = _ignored,
) -> Decision:
    """Return the decision on what is in force for the reader. Raises as `search_and_gate`."""
    return search_and_gate(query, gate, looks, kind=FIRST, found=found)


def search_and_gate(
    query: Query,
    gate: Gate,
    looks: SearchLog,
    *,
    kind: str,
    found: Callable[[Evidence], None] = _ignored,
) -> Decision:
    """Search and decide, and keep both; `found` is called in between.

    Raises `GateUnavailable` where the search read another encoder than the gate is made for: one
    took another's place meanwhile.
    """
    config = explaining_search(looks.config) if kind == EXPLAINING else looks.config
    evidence = retrieve(query, config)
    found(evidence)
    if not fits_encoder(gate, evidence.trace.encoder):
        raise GateUnavailable("The gate has no calibration for the encoder that was searched.")
    if kind == FIRST:
        for note in misfit(gate, evidence.trace.fingerprint):
            looks.note(note)
    reading = read(query.text, evidence.hits)
    evidence = replace(evidence, hits=reading.told(evidence.hits))
    together = logistic(reading.answerable) if gate.of_list else None
    decision = decide(evidence, calibration=gate.scale, threshold=gate.threshold, together=together)
    decision = replace(decision, reading=reading)
    looks.taken.append(Look(kind, evidence, decision))
    return decision


def explaining_search(config: RetrievalConfig) -> RetrievalConfig:
    """Return the search that only explains a refusal: it asks no model but the encoders."""
    return replace(config, multi_query=0, hyde=False, reranker="none")
