"""The second search: when it is done, what it may change, and what it never may."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest
from django.conf import LazySettings

from chat import looking
from chat.models import AuditEvent, Channel, Reason, Turn, TurnStatus
from chat.scales import log_odds
from chat.second_search import explaining_search
from chat.services import turn_ask
from corpus.models import Document, Lifecycle
from retrieval.config import RetrievalConfig, config_from, widened
from retrieval.models import LexiconEntry
from retrieval.pipeline import retrieve
from retrieval.services import lexicon_entry_save
from retrieval.types import Evidence, Query
from tests.corpora import publish
from tests.corpus.llm_server import Endpoint, endpoint, says, status

pytestmark = pytest.mark.django_db

QUESTION = "What dose of demonstracillin treats pneumonia in adults?"
UNANSWERABLE = "What is the boiling point of tungsten?"
ANSWER = (
    "# Pneumonia in adults\nGive demonstracillin 500 mg by mouth every 8 hours to adults with "
    "pneumonia."
)
# Names the question's words more often than the answer does, so that BM25 puts it first; the gate
# finds it near and not enough, and the answer enough.
DECOY = (
    "# Missed doses of demonstracillin\nA missed dose of demonstracillin in adults is written on "
    "the chart; a second missed dose of demonstracillin is reported."
)
FOUND_SECOND = "dense=no k=1"  # a search that gives the decoy alone


@pytest.fixture
def documents(db: None) -> list[Document]:
    """The decoy, the answer, and one with nothing of either."""
    rash = "# Rash\nCall the ward when a rash appears in adults."
    return [publish(DECOY), publish(ANSWER, population="adult"), publish(rash)]


@pytest.fixture
def narrow(settings: LazySettings) -> None:
    settings.RETRIEVAL = FOUND_SECOND


def ask(question: str = QUESTION) -> Turn:
    return turn_ask(question, user=None, channel=Channel.COMMAND)


def looks(turn: Turn) -> list[str]:
    return [search["look"] for search in turn.trace["searches"]]


def gates(turn: Turn) -> list[float]:
    return [search["gate"]["probability"] for search in turn.trace["searches"]]


class Failing:
    """Searches as usual until the search with that number, counted from 1."""

    def __init__(self, *numbers: int, error: Exception | None = None) -> None:
        self.numbers, self.calls = numbers, 0
        self.error = error or RuntimeError("demonstracillin")

    def __call__(self, query: Query, config: RetrievalConfig | None = None) -> Evidence:
        self.calls += 1
        if self.calls in self.numbers:
            raise self.error
        return retrieve(query, config)


# When it is done, and what it finds


def test_a_question_that_needs_it_is_answered(documents: list[Document], narrow: None) -> None:
    turn = ask()
    assert turn.status == TurnStatus.ANSWERED
    assert looks(turn) == ["first", "second"]
    first, second = gates(turn)
    assert 0.25 <= first < 0.6 <= second
    assert {c.document_id for claim in turn.claims.all() for c in claim.citations.all()} == {
        documents[1].pk
    }


def test_both_searches_are_in_the_trace_with_their_own_fingerprints(
    documents: list[Document], narrow: None
) -> None:
    first, second = Turn.objects.get(pk=ask().pk).trace["searches"]
    assert len(first["hits"]) == 1 and len(second["hits"]) == 2
    assert first["gate"]["threshold"] == second["gate"]["threshold"] == 0.6
    assert first["gate"]["reason"] == Reason.WEAK_EVIDENCE and second["gate"]["reason"] is None
    assert first["fingerprint"] != second["fingerprint"]


def test_it_can_be_switched_off(documents: list[Document], settings: LazySettings) -> None:
    settings.RETRIEVAL = f"{FOUND_SECOND} corrective=no"
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
    assert "second" not in looks(turn)


def test_one_far_below_is_refused_at_once(documents: list[Document]) -> None:
    turn = ask(UNANSWERABLE)
    assert turn.reason == Reason.WEAK_EVIDENCE
    assert looks(turn) == ["first", "explaining"]


@pytest.mark.parametrize(("off", "seconds"), [(-0.05, 0), (0.05, 1)])
def test_the_margin_says_what_is_near(
    documents: list[Document], settings: LazySettings, off: float, seconds: int
) -> None:
    settings.RETRIEVAL = f"{FOUND_SECOND} corrective=no"
    distance = log_odds(0.6) - log_odds(gates(ask())[0])
    settings.RETRIEVAL = f"{FOUND_SECOND} corrective_margin={distance + off}"
    assert looks(ask()).count("second") == seconds


def test_one_that_opens_at_once_is_not_looked_at_twice(documents: list[Document]) -> None:
    assert looks(ask()) == ["first"]


def test_it_is_done_once_and_only_for_what_is_in_force(
    documents: list[Document], narrow: None
) -> None:
    """The answer has ended, and the decoy stays near: neither is a reason to look a third time."""
    Document.objects.filter(pk=documents[1].pk).update(lifecycle=Lifecycle.WITHDRAWN)
    turn = ask()
    assert turn.reason == Reason.ONLY_OUT_OF_DATE
    assert looks(turn) == ["first", "second", "explaining"]


# What it never may


def test_the_bar_is_the_same(documents: list[Document], settings: LazySettings) -> None:
    settings.RETRIEVAL, settings.GATE_THRESHOLD = FOUND_SECOND, 0.93
    settings.RETRIEVAL += " corrective_margin=9"
    turn = ask()
    assert turn.status == TurnStatus.ABSTAINED
    assert {search["gate"]["threshold"] for search in turn.trace["searches"]} == {0.93}
    first, second, _ = gates(turn)
    assert first < second < 0.93
    assert turn.confidence == pytest.approx(second, abs=1e-4)  # the nearer one is shown
    assert turn.nearest[0]["document"] == documents[1].title


def test_what_fails_in_it_leaves_the_first_decision(
    documents: list[Document],
    narrow: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(looking, "retrieve", Failing(2))
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
    assert looks(turn) == ["first", "explaining"]
    assert turn.confidence == pytest.approx(gates(turn)[0], abs=1e-4)
    assert turn.trace["notes"] == ["The second search failed: RuntimeError."]
    payload = json.loads(AuditEvent.objects.get().payload)
    assert payload["notes"] == turn.trace["notes"]
    assert "demonstracillin" not in caplog.text + str(payload)


def test_a_late_question_is_not_looked_at_again(
    documents: list[Document], settings: LazySettings
) -> None:
    settings.RETRIEVAL = f"{FOUND_SECOND} corrective_before_s=0"
    turn = ask()
    assert turn.reason == Reason.WEAK_EVIDENCE
    assert "second" not in looks(turn)
    assert turn.trace["notes"] == ["There was no time for a second search."]


def test_the_simple_gate_looks_twice_too(documents: list[Document], settings: LazySettings) -> None:
    settings.RETRIEVAL, settings.GATE, settings.GATE_COSINE = FOUND_SECOND, "cosine", 0.01
    decoy = ask().trace["searches"][0]["hits"][0]["cosine"]
    settings.GATE_COSINE = decoy + 0.05
    turn = ask()
    assert turn.status == TurnStatus.ANSWERED
    assert looks(turn) == ["first", "second"]
    settings.GATE_COSINE = decoy + 0.15
    turn = ask()
    assert (turn.reason, looks(turn)) == (Reason.WEAK_EVIDENCE, ["first", "explaining"])


def test_asking_twice_gives_the_same(documents: list[Document], narrow: None) -> None:
    first, second = ask(), ask()
    assert first.fingerprint == second.fingerprint
    assert gates(first) == gates(second)
    assert [claim.text for claim in first.claims.all()] == [
        claim.text for claim in second.claims.all()
    ]


# A search that fails


@pytest.mark.parametrize("error", [RuntimeError("demonstracillin"), TimeoutError(), MemoryError()])
def test_a_search_that_fails_is_a_stored_refusal(
    documents: list[Document],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(looking, "retrieve", Failing(1, error=error))
    turn = Turn.objects.get(pk=ask().pk)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.SEARCH_UNAVAILABLE)
    assert (turn.trace["searches"], turn.trace["failure"]) == ([], type(error).__name__)
    assert (turn.nearest, turn.owner, turn.confidence) == ([], {}, 0.0)
    assert len(turn.fingerprint) == 16
    assert AuditEvent.objects.get().action == "turn.abstained"
    assert "demonstracillin" not in caplog.text


def test_a_refusal_that_can_not_be_explained_stays_one(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "retrieve", Failing(2))
    turn = ask(UNANSWERABLE)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
    assert turn.trace["notes"] == ["The refusal could not be explained: RuntimeError."]


def test_what_a_search_notes_is_in_the_log(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "The reranker took longer than 5 s; the order of the fusion stands."

    def search(query: Query, config: RetrievalConfig | None = None) -> Evidence:
        found = retrieve(query, config)
        return replace(found, trace=replace(found.trace, notes=(note,)))

    monkeypatch.setattr(looking, "retrieve", search)
    ask(UNANSWERABLE)  # two searches with one note
    assert json.loads(AuditEvent.objects.get().payload)["notes"] == [note]


# How it is widened


def test_it_only_widens() -> None:
    base = RetrievalConfig(rrf_k=10, fusion="sum", reranker="llm", encoders=("a",), dense=False)
    wide = widened(base)
    changed = {n: v for n, v in asdict(wide).items() if v != getattr(base, n)}
    for name, value in changed.items():
        before: Any = getattr(base, name)
        grows = value is True if isinstance(before, bool) else value > before
        assert grows or name == "corrective", name
    assert not {"dense", "encoders", "fusion", "rrf_k", "reranker", "hyde", "multi_query"} & set(
        changed
    )
    assert wide.neighbours and wide.rules
    assert not wide.corrective  # there is no third search


def test_it_stays_within_what_pgvector_takes() -> None:
    assert widened(config_from("ef_search=700")).ef_search == 1000


# A language model's wordings


@pytest.fixture
def model(settings: LazySettings) -> Iterator[Endpoint]:
    """Writes one wording for each question."""
    wording = {"wordings": ["demonstracillin dosing for community acquired pneumonia"]}
    with endpoint(says(json.dumps(wording))) as server:
        settings.REWRITE_LLM_URL, settings.REWRITE_LLM_MODEL = server.url, "m"
        yield server


def test_a_model_is_asked_for_no_wordings_that_the_site_has_not_asked_for(
    documents: list[Document], narrow: None, model: Endpoint
) -> None:
    assert looks(ask()) == ["first", "second"]
    assert model.asked == []


def test_a_model_is_asked_once_a_question(
    documents: list[Document], settings: LazySettings, model: Endpoint
) -> None:
    settings.RETRIEVAL = f"{FOUND_SECOND} multi_query=1 corrective_margin=9 corrective_before_s=60"
    settings.GATE_THRESHOLD = 0.999
    turn = ask()
    assert looks(turn) == ["first", "second", "explaining"]
    assert len(model.asked) == 1
    wordings = [[v["name"] for v in search["variants"]] for search in turn.trace["searches"]]
    assert ["llm:1" in names for names in wordings] == [True, True, False]
    rewriting = [search["rewriting"] for search in turn.trace["searches"]]
    assert [(one["calls"], one["cached"]) for one in rewriting] == [(1, 0), (0, 1), (0, 0)]


def test_a_model_that_fails_is_waited_for_once(
    documents: list[Document], settings: LazySettings, model: Endpoint
) -> None:
    model.default = status(401)
    settings.RETRIEVAL = f"{FOUND_SECOND} multi_query=1 hyde=yes corrective_before_s=60"
    turn = ask()
    assert (turn.status, looks(turn)) == (TurnStatus.ANSWERED, ["first", "second"])
    assert len(model.asked) == 2  # one for the wordings and one for the passage
    first, second = turn.trace["searches"]
    assert len(first["notes"]) == 2 and not second["notes"]


def test_a_refusal_is_explained_without_the_reranker() -> None:
    config = config_from("reranker=llm multi_query=2 hyde=yes k=7")
    assert explaining_search(config) == RetrievalConfig(k=7)


# What names it


def test_the_turn_is_named_by_every_search_and_the_lexicon(
    documents: list[Document], narrow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask()
    searched = [search["fingerprint"] for search in before.trace["searches"]]
    changes = {"short": "dmc", "words": "demonstracillin"}
    lexicon_entry_save(LexiconEntry(), by=None, changes=changes)
    after = ask()
    assert [search["fingerprint"] for search in after.trace["searches"]] == searched
    assert after.fingerprint != before.fingerprint
    monkeypatch.setattr("chat.second_search.widened", lambda config: replace(config, k=9))
    assert ask().fingerprint != after.fingerprint
