"""Test how a question is searched: once, and again only to explain a refusal."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings

from chat.ask import turn_ask
from chat.models import AuditEvent, Channel, Reason, Turn, TurnStatus
from chat.pipeline import search as looking
from chat.pipeline.search import explaining_search
from chat.types import AskedQuestion
from corpus.models import Document
from retrieval.config import RetrievalConfig, config_from
from retrieval.models import LexiconEntry
from retrieval.pipeline import retrieve
from retrieval.services import lexicon_entry_save
from retrieval.types import Evidence, Query
from tests.corpora import publish
from tests.llm.server import Endpoint, endpoint, says, status
from tests.models import set_model

pytestmark = pytest.mark.django_db

QUESTION = "What dose of demonstracillin treats pneumonia in adults?"
UNANSWERABLE = "What is the boiling point of tungsten?"
ANSWER = (
    "# Pneumonia in adults\nGive demonstracillin 500 mg by mouth every 8 hours to adults with "
    "pneumonia."
)
# BM25 ranks it first, since it has the question's words more often than the answer has. The gate
# opens for the answer and not for the decoy.
DECOY = (
    "# Missed doses of demonstracillin\nA missed dose of demonstracillin in adults is written on "
    "the chart; a second missed dose of demonstracillin is reported."
)
DECOY_ALONE = "dense=no k=1"  # a search that finds only the decoy


@pytest.fixture(autouse=True)
def documents(db: None) -> list[Document]:
    """Publish a decoy, the answer, and a document with neither."""
    rash = "# Rash\nCall the ward when a rash appears in adults."
    return [publish(DECOY), publish(ANSWER, population="adult"), publish(rash)]


def ask(question: str = QUESTION) -> Turn:
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))


def looks(turn: Turn) -> list[str]:
    return [search["look"] for search in turn.trace["searches"]]


def gates(turn: Turn) -> list[float]:
    return [search["gate"]["probability"] for search in turn.trace["searches"]]


class Failing:
    """Search as usual, but raise at the searches with these numbers, counted from 1."""

    def __init__(self, *numbers: int, error: Exception | None = None) -> None:
        self.numbers, self.calls = numbers, 0
        self.error = error or RuntimeError("demonstracillin")

    def __call__(self, query: Query, config: RetrievalConfig | None = None) -> Evidence:
        self.calls += 1
        if self.calls in self.numbers:
            raise self.error
        return retrieve(query, config)


@pytest.mark.parametrize(("question", "search"), [(QUESTION, DECOY_ALONE), (UNANSWERABLE, "")])
def test_a_shut_gate_is_a_refusal_at_once(
    settings: LazySettings, question: str, search: str
) -> None:
    settings.RETRIEVAL = search
    turn = ask(question)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
    assert looks(turn) == ["first", "explaining"]
    assert turn.confidence == pytest.approx(gates(turn)[0], abs=1e-4)


def test_one_that_opens_is_looked_at_once() -> None:
    turn = ask()
    assert (turn.status, looks(turn)) == (TurnStatus.ANSWERED, ["first"])


@pytest.mark.parametrize("error", [RuntimeError("demonstracillin"), TimeoutError(), MemoryError()])
def test_a_search_that_fails_is_a_stored_refusal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
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


def test_a_refusal_that_can_not_be_explained_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "retrieve", Failing(2))
    turn = ask(UNANSWERABLE)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
    assert turn.trace["notes"] == ["The refusal could not be explained: RuntimeError."]


def test_what_a_search_notes_is_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    note = "The reranker took longer than 5 s; the order of the fusion stands."

    def search(query: Query, config: RetrievalConfig | None = None) -> Evidence:
        found = retrieve(query, config)
        return replace(found, trace=replace(found.trace, notes=(note,)))

    monkeypatch.setattr(looking, "retrieve", search)
    ask(UNANSWERABLE)  # two searches with one note
    assert json.loads(AuditEvent.objects.get().payload)["notes"] == [note]


@pytest.fixture
def model(settings: LazySettings) -> Iterator[Endpoint]:
    """Serve a model that returns one wording for each question."""
    wording = {"wordings": ["demonstracillin dosing for community acquired pneumonia"]}
    with endpoint(says(json.dumps(wording))) as server:
        set_model(settings, "rewrite", server.url, model="m")
        yield server


def test_a_model_is_asked_for_no_wordings_that_the_site_has_not_asked_for(model: Endpoint) -> None:
    assert looks(ask()) == ["first"]
    assert model.asked == []


def test_a_model_is_asked_once_a_question(settings: LazySettings, model: Endpoint) -> None:
    settings.RETRIEVAL = f"{DECOY_ALONE} multi_query=1"
    settings.GATE_THRESHOLD = 0.999
    turn = ask()
    assert looks(turn) == ["first", "explaining"]
    assert len(model.asked) == 1
    wordings = [[v["name"] for v in search["variants"]] for search in turn.trace["searches"]]
    assert ["llm:1" in names for names in wordings] == [True, False]
    rewriting = [search["rewriting"] for search in turn.trace["searches"]]
    assert [(one["calls"], one["cached"]) for one in rewriting] == [(1, 0), (0, 0)]


def test_a_model_that_fails_is_waited_for_once(settings: LazySettings, model: Endpoint) -> None:
    model.default = status(401)
    settings.RETRIEVAL = f"{DECOY_ALONE} multi_query=1 hyde=yes"
    turn = ask()
    assert (turn.status, looks(turn)) == (TurnStatus.ABSTAINED, ["first", "explaining"])
    assert len(model.asked) == 2  # one for the wordings and one for the passage
    first, explaining = turn.trace["searches"]
    assert len(first["notes"]) == 2 and not explaining["notes"]


def test_a_refusal_is_explained_without_the_reranker() -> None:
    config = config_from("reranker=llm multi_query=2 hyde=yes k=7")
    assert explaining_search(config) == RetrievalConfig(k=7)


def test_the_turn_is_named_by_the_search_and_the_lexicon(settings: LazySettings) -> None:
    before = ask()
    searched = [search["fingerprint"] for search in before.trace["searches"]]
    changes = {"short": "dmc", "words": "demonstracillin"}
    lexicon_entry_save(LexiconEntry(), by=None, changes=changes)
    after = ask()
    assert [search["fingerprint"] for search in after.trace["searches"]] == searched
    assert after.fingerprint != before.fingerprint
    settings.RETRIEVAL = "k=9"
    assert ask().fingerprint != after.fingerprint
