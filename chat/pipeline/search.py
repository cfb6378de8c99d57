"""Search and gate: once for a question, and again to explain a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chat.gate.decision import Decision, Gate, decide
from chat.gate.records import misfit
from chat.models import Reason
from chat.pipeline.told import NOTHING_TOLD, Told
from chat.reader.choose import read
from corpus.models import AnsweringStop
from corpus.stops import Stops
from retrieval.asked.spelling import words_not_found
from retrieval.asked.unknown import medicines_not_known
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Query

FIRST, EXPLAINING = "first", "explaining"
HEEDED = 3  # best passages, as many as a refusal shows: who would have read them is told of a stop


@dataclass(frozen=True)
class Search:
    """One search and the gate's decision on it."""

    kind: str
    evidence: Evidence
    decision: Decision


@dataclass
class SearchLog:
    """The searches of one question, in order, with notes on what went wrong."""

    config: RetrievalConfig
    gate: Gate | None = None
    stops: Stops = field(default_factory=Stops)
    # Stops on the best that was found, by key, each with the SHA-256 of a document of it.
    met: dict[int, tuple[AnsweringStop, str]] = field(default_factory=dict)
    taken: list[Search] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def search_and_gate(
    query: Query, gate: Gate, searches: SearchLog, *, kind: str = FIRST
) -> Decision:
    """Search, decide, and log both."""
    return decide_on(query, find(query, searches, kind=kind), gate, searches, kind=kind)


def find(query: Query, searches: SearchLog, *, kind: str = FIRST) -> Evidence:
    """Return the passages for a question, in one search; none that answering is stopped from."""
    config = explaining_search(searches.config) if kind == EXPLAINING else searches.config
    evidence = retrieve(query, config)
    stopped = {hit.key: searches.stops.on(hit.document_id, hit.collection) for hit in evidence.hits}
    if kind == FIRST:
        best = ((stopped[hit.key], hit.sha256) for hit in evidence.hits[:HEEDED])
        searches.met |= {stop.pk: (stop, sha256) for stop, sha256 in best if stop}
    return replace(evidence, hits=tuple(h for h in evidence.hits if stopped[h.key] is None))


def decide_on(
    query: Query,
    evidence: Evidence,
    gate: Gate,
    searches: SearchLog,
    *,
    kind: str = FIRST,
    told: Told = NOTHING_TOLD,
) -> Decision:
    """Read the evidence, decide whether it is good enough, and log both."""
    if kind == FIRST:
        for note in misfit(gate, evidence.trace.fingerprint):
            searches.note(note)
    reading = read(query.text, evidence.hits, query.plain).without(told.answers_no_more)
    evidence = replace(evidence, hits=reading.with_odds(evidence.hits))
    decision = decide(evidence, gate, together=reading.answerable)
    decision = _refused_for_words(replace(decision, reading=reading), query)
    searches.taken.append(Search(kind, evidence, decision))
    return decision


def _refused_for_words(decision: Decision, query: Query) -> Decision:
    """Close the gate if the question names a thing, first of all a medicine, unknown here.

    Of a gate that is closed already only an unknown medicine is told.
    """
    shown = [f"{hit.context}\n{hit.text}" for hit in decision.passages]
    if unknown := medicines_not_known(query, shown):
        decision = replace(decision, is_unknown_medicine=True)
    missing = unknown or (words_not_found(query, shown) if decision.reason is None else ())
    if not missing:
        return decision
    return replace(decision, reason=decision.reason or Reason.WEAK_EVIDENCE, not_found=missing)


def explaining_search(config: RetrievalConfig) -> RetrievalConfig:
    """Return the configuration to explain a refusal with: no model but the encoders."""
    return replace(config, multi_query=0, hyde=False, reranker="none")
