"""Search and gate: once for a question, and again only to explain why it is refused."""

from __future__ import annotations

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
class Search:
    """One search and what the gate said of it."""

    kind: str
    evidence: Evidence
    decision: Decision


@dataclass
class SearchLog:
    """The searches of one question, in order, and what went wrong meanwhile."""

    config: RetrievalConfig
    gate: Gate | None = None
    taken: list[Search] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def search_and_gate(
    query: Query, gate: Gate, searches: SearchLog, *, kind: str = FIRST
) -> Decision:
    """Search and decide, and keep both. Raises as `decide_on`."""
    return decide_on(query, find(query, searches, kind=kind), gate, searches, kind=kind)


def find(query: Query, searches: SearchLog, *, kind: str = FIRST) -> Evidence:
    """Return the passages for a question, in no more than one search."""
    config = explaining_search(searches.config) if kind == EXPLAINING else searches.config
    return retrieve(query, config)


def decide_on(
    query: Query, evidence: Evidence, gate: Gate, searches: SearchLog, *, kind: str = FIRST
) -> Decision:
    """Read what was found, decide whether it is good enough, and keep both.

    Raises `GateUnavailable` where the search read another encoder than the gate is made for: one
    took another's place meanwhile.
    """
    if not fits_encoder(gate, evidence.trace.encoder):
        raise GateUnavailable("The gate has no calibration for the encoder that was searched.")
    if kind == FIRST:
        for note in misfit(gate, evidence.trace.fingerprint):
            searches.note(note)
    reading = read(query.text, evidence.hits)
    evidence = replace(evidence, hits=reading.told(evidence.hits))
    together = logistic(reading.answerable) if gate.of_list else None
    decision = decide(evidence, calibration=gate.scale, threshold=gate.threshold, together=together)
    decision = replace(decision, reading=reading)
    searches.taken.append(Search(kind, evidence, decision))
    return decision


def explaining_search(config: RetrievalConfig) -> RetrievalConfig:
    """Return the search that only explains a refusal: it asks no model but the encoders."""
    return replace(config, multi_query=0, hyde=False, reranker="none")
