"""Test that a stored turn replays the same, and that a change is named by its first step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from chat.ask import turn_ask
from chat.models import AuditEvent, Channel, Reason, Turn, TurnStatus
from chat.replay import NotReplayable, turn_replay
from corpus.models import Document
from corpus.services.lifecycle import document_withdraw
from retrieval.types import Filters
from tests.chat.generation.writing_model import says_verbatim, writes
from tests.corpora import publish
from tests.llm.server import Endpoint, endpoint, says
from tests.models import set_model

DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
TEXT = f"# Pneumonia in adults\n## Treatment\n{DOSE}\n## Other\nCall the ward."
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"
UNANSWERABLE = "What is the boiling point of tungsten?"

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(db: None) -> Document:
    return publish(TEXT, population="adult", collection="chest")


def asked(question: str = QUESTION, **arguments: Any) -> Turn:
    how = {"user": None, "channel": Channel.COMMAND} | arguments
    return Turn.objects.get(pk=turn_ask(question, **how).pk)


@pytest.mark.parametrize("question", [QUESTION, UNANSWERABLE])
def test_an_unchanged_corpus_gives_no_difference(document: Document, question: str) -> None:
    turn = asked(question)
    replay = turn_replay(turn)
    assert replay.difference is None
    assert Turn.objects.count() == 1
    assert AuditEvent.objects.filter(action="replay", subject=f"turn:{turn.pk}").exists()


def test_what_an_older_release_said_of_the_question_is_no_difference(document: Document) -> None:
    turn = asked()
    turn.trace["searches"][0]["analysis"] |= {"complexity": "simple", "reasons": ["is short"]}
    assert turn_replay(turn).difference is None


def test_who_asked_where_and_what_for_is_kept(document: Document, alice: User) -> None:
    filters = Filters(populations=("adult",))
    for mode in ("standard", "faithful"):
        turn = asked(user=alice, collections=("chest",), filters=filters, mode=mode)
        assert turn.status == TurnStatus.ANSWERED
        assert turn_replay(turn).difference is None


def test_another_document_is_a_difference_of_the_corpus(document: Document) -> None:
    turn = asked()
    publish("# Asthma\n## Treatment\nInhale salbutamol.", collection="chest")
    difference = turn_replay(turn).difference
    assert difference is not None
    assert difference.place.startswith("corpus.")


def test_a_withdrawal_is_a_difference_of_the_corpus(document: Document) -> None:
    turn = asked()
    document_withdraw(document, by=None, reason="It was wrong.")
    difference = turn_replay(turn).difference
    assert difference is not None
    assert difference.place.startswith("corpus.")


def test_what_decides_precedence_belongs_to_the_corpus(document: Document) -> None:
    turn = asked()
    Document.objects.filter(pk=document.pk).update(issuer="Another hospital")
    difference = turn_replay(turn).difference
    assert difference is not None
    assert difference.place.startswith("corpus.")


@pytest.mark.parametrize("name", ["warnings", "nearest"])
def test_what_stood_beside_is_compared(document: Document, name: str) -> None:
    turn = asked(QUESTION if name == "warnings" else UNANSWERABLE)
    setattr(turn, name, [{"code": "conflict", "text": "A lie.", "chunk": "x"}])
    difference = turn_replay(turn).difference
    assert difference is not None
    assert difference.place.startswith(f"outcome.{name}")


@pytest.fixture
def model(settings: LazySettings) -> Iterator[Endpoint]:
    """Serve a language model that copies the dose from its passages."""
    with endpoint(writes(says_verbatim(DOSE))) as server:
        settings.GENERATOR = "llm"
        set_model(settings, "generate", server.url, model="writer-1")
        yield server


def test_what_a_model_wrote_is_read_again_and_not_asked_for(
    document: Document, model: Endpoint
) -> None:
    turn = asked()
    assert turn.status == TurnStatus.ANSWERED
    assert turn.trace["generation"]["model"] == "writer-1"
    model.asked.clear()
    assert turn_replay(turn).difference is None
    assert not model.asked
    assert turn_replay(turn, regenerate=True).difference is None
    assert model.asked


def test_a_model_that_failed_is_not_asked_and_what_it_said_is_kept(
    document: Document, model: Endpoint
) -> None:
    model.default = says("no JSON at all")
    turn = asked()
    assert turn.reason == Reason.GENERATOR_UNAVAILABLE
    assert "no JSON at all" in turn.trace["generation"]["raw"]
    assert turn.trace["usage"]["calls"] == 1
    model.asked.clear()
    assert turn_replay(turn).difference is None
    assert not model.asked


def test_another_setting_is_a_difference_of_the_fingerprint(
    document: Document, settings: LazySettings
) -> None:
    turn = asked()
    settings.GATE_THRESHOLD = 0.99
    difference = turn_replay(turn).difference
    assert difference is not None
    assert difference.place == "fingerprint"


def test_a_changed_record_is_found(document: Document) -> None:
    turn = asked()
    turn.trace["searches"][0]["rankings"][0]["entries"][0]["rank"] = 7
    difference = turn_replay(turn).difference
    assert difference is not None
    assert difference.place == "searches.0.rankings.0.entries.0.rank"
    assert (difference.stored, difference.now) == (7, 1)


def test_a_blocked_question_and_an_old_turn_say_why_not(
    document: Document, settings: LazySettings
) -> None:
    settings.IDENTIFIERS = "block"
    blocked = asked("What is the dose for Mr John Smith, born 12/03/1956?")
    with pytest.raises(NotReplayable, match="blocked"):
        turn_replay(blocked)
    old = asked()
    del old.trace["asked"]
    with pytest.raises(NotReplayable, match="older release"):
        turn_replay(old)


def test_the_command_says_that_it_is_the_same(document: Document) -> None:
    turn, out = asked(), StringIO()
    call_command("replay", str(turn.pk), stdout=out)
    assert "the same in every step" in out.getvalue()
    event = AuditEvent.objects.get(action="replay")
    assert json.loads(event.payload) == {"difference": None, "regenerated": False}


def test_the_command_names_the_difference_and_fails(
    document: Document, settings: LazySettings
) -> None:
    turn, out = asked(), StringIO()
    settings.GATE_THRESHOLD = 0.99
    with pytest.raises(CommandError, match="differs from the stored answer"):
        call_command("replay", str(turn.pk), stdout=out)
    assert "first difference is at fingerprint" in out.getvalue()


@pytest.mark.parametrize("number", ["x", "0b9f2f3e-6f5a-4d0e-8a50-2b0a4d1f6c11"])
def test_an_unknown_turn_is_said(db: None, number: str) -> None:
    with pytest.raises(CommandError, match="no turn"):
        call_command("replay", number)
