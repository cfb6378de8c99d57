"""Test that a stored turn replays the same, and that every change is told, by groups."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction

from chat.ask import turn_ask
from chat.audit import log as audit
from chat.models import AuditEvent, Channel, Claim, Reason, Turn, TurnStatus
from chat.replays.comparison import Difference, Sameness
from chat.replays.corpus_changes import corpus_movement
from chat.replays.replay import Changed, NotReplayable, Replay, turn_replay
from chat.types import AskedQuestion
from corpus.models import Chunk, Collection, Document
from corpus.services.lifecycle import document_withdraw
from retrieval.types import Filters
from tests.chat.generation.writing_model import says_verbatim, writes
from tests.corpora import publish
from tests.llm.server import Endpoint, endpoint, says
from tests.models import set_model
from tests.people import narrow

DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
TEXT = f"# Pneumonia in adults\n## Treatment\n{DOSE}\n## Other\nCall the ward."
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"
UNANSWERABLE = "What is the boiling point of tungsten?"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def document(db: None) -> Document:
    return publish(TEXT, population="adult", collection="chest")


def asked(question: str = QUESTION, **arguments: Any) -> Turn:
    how = {"user": None, "channel": Channel.COMMAND} | arguments
    return Turn.objects.get(pk=turn_ask(AskedQuestion(question, **how)).pk)


@pytest.mark.parametrize("question", [QUESTION, UNANSWERABLE])
@pytest.mark.usefixtures("computed_anew")
def test_an_unchanged_corpus_gives_no_difference(question: str) -> None:
    turn = asked(question)
    replay = turn_replay(turn)
    assert not replay.changed
    assert Turn.objects.count() == 1
    assert AuditEvent.objects.filter(action="replay", subject=f"turn:{turn.pk}").exists()


def test_what_an_older_release_said_of_the_question_is_no_difference() -> None:
    turn = asked()
    turn.trace["searches"][0]["analysis"] |= {"complexity": "simple", "reasons": ["is short"]}
    assert not turn_replay(turn).changed


def test_who_asked_where_and_what_for_is_kept(alice: User) -> None:
    filters = Filters(populations=("adult",))
    for mode in ("standard", "faithful"):
        turn = asked(user=alice, collections=("chest",), filters=filters, mode=mode)
        assert turn.status == TurnStatus.ANSWERED
        assert not turn_replay(turn).changed


def groups(replay: Replay) -> dict[str, Changed]:
    return {str(one.group): one for one in replay.changed}


def test_an_unrelated_guideline_is_growth_and_not_the_end() -> None:
    turn = asked()
    published("# Asthma\n## Treatment\nInhale salbutamol.", collection="chest")
    turn.confidence = 0.123  # a difference after the corpus
    replay = turn_replay(turn)
    assert replay.verdict == Sameness(outcome=True, statements=True, citations=True)
    found = groups(replay)
    assert list(found) == ["corpus", "scores"]
    moved, came = found["corpus"].sentences
    assert moved == "The corpus has grown from 1 to 2 documents in force."
    assert came.startswith("Asthma (1.0): published on ")
    assert found["scores"].differences[-1].place == "outcome.confidence"
    assert corpus_movement(turn) == moved  # what the turn's page says


def test_titles_are_those_that_the_reader_may_know(bob: User) -> None:
    turn = asked()
    published("# Secret sepsis\nGive nothing.", collection="closed")
    narrow(Collection.objects.get(slug="closed"), "searchers", "Ward")
    (changed,) = [one for one in turn_replay(turn, by=bob).changed if one.group == "corpus"]
    assert "Secret" not in str(changed)
    assert changed.sentences[1].startswith("a document that is not open to you: published on ")


def published(text: str, **fields: Any) -> None:
    new = publish(text, **fields)
    with transaction.atomic():
        audit.record("document.published", actor=None, subject=f"document:{new.pk}", payload={})


def test_a_withdrawal_is_told_of_the_corpus_and_changes_the_answer(document: Document) -> None:
    turn = asked()
    document_withdraw(document, by=None, reason="It was wrong.")
    replay = turn_replay(turn)
    assert replay.verdict == Sameness(outcome=False, statements=False, citations=False)
    moved, went = groups(replay)["corpus"].sentences
    assert moved == "The corpus has shrunk from 1 to 0 documents in force."
    assert went.startswith("Pneumonia in adults (1.0): withdrawn on ")
    assert [one.now for one in groups(replay)["texts"].differences if one.stored == ""] == [
        "ONLY_OUT_OF_DATE"
    ]


def test_what_decides_precedence_belongs_to_the_corpus(document: Document) -> None:
    turn = asked()
    Document.objects.filter(pk=document.pk).update(issuer="Another hospital")
    (changed,) = turn_replay(turn).changed
    assert changed.sentences == (
        "The corpus has changed: documents in force are 1 as then, not all the same.",
    )


@pytest.mark.parametrize("name", ["warnings", "nearest"])
def test_what_stood_beside_is_compared(name: str) -> None:
    turn = asked(QUESTION if name == "warnings" else UNANSWERABLE)
    setattr(turn, name, [{"code": "conflict", "text": "A lie.", "chunk": "x"}])
    replay = turn_replay(turn)
    assert replay.verdict.is_whole
    texts = groups(replay)["texts"].differences
    assert any(one.place.startswith(f"outcome.{name}") for one in texts)


@pytest.fixture
def model(settings: LazySettings) -> Iterator[Endpoint]:
    """Serve a language model that copies the dose from its passages."""
    with endpoint(writes(says_verbatim(DOSE))) as server:
        settings.GENERATOR = "llm"
        set_model(settings, "generate", server.url, model="writer-1")
        yield server


def test_what_a_model_wrote_is_read_again_and_not_asked_for(model: Endpoint) -> None:
    turn = asked()
    assert turn.status == TurnStatus.ANSWERED
    assert turn.trace["generation"]["model"] == "writer-1"
    model.asked.clear()
    assert not turn_replay(turn).changed
    assert not model.asked
    assert not turn_replay(turn, regenerate=True).changed
    assert model.asked


def test_a_model_that_failed_is_not_asked_and_what_it_said_is_kept(model: Endpoint) -> None:
    model.default = says("no JSON at all")
    turn = asked()
    assert turn.reason == Reason.GENERATOR_UNAVAILABLE
    assert "no JSON at all" in turn.trace["generation"]["raw"]
    assert turn.trace["usage"]["calls"] == 1
    model.asked.clear()
    assert not turn_replay(turn).changed
    assert not model.asked


def test_each_setting_that_differs_has_both_values(settings: LazySettings) -> None:
    turn = asked()
    settings.GATE_THRESHOLD = 0.99
    settings.RETRIEVAL = "k=7"
    replay = turn_replay(turn)
    found = {one.place: one for one in groups(replay)["settings"].differences}
    assert (found["gate.threshold"].stored, found["gate.threshold"].now) == (0.44, 0.99)
    assert (found["retrieval.k"].stored, found["retrieval.k"].now) == (20, 7)
    assert "corpus" not in groups(replay)


@pytest.mark.parametrize(
    ("position", "place"), [("", "page 1"), ("paragraph 3", "Treatment, paragraph 3")]
)
def test_a_changed_record_is_found_and_nothing_else(position: str, place: str) -> None:
    turn = asked()
    Chunk.objects.update(position=position)
    ranking = turn.trace["searches"][0]["rankings"][0]
    ranking["entries"][0]["rank"] = 7
    ranking["entries"][0]["score"] += 1e-9  # within rounding
    (changed,) = turn_replay(turn).changed
    (difference,) = changed.differences
    assert changed.group == "scores"
    where = f"searches.0.rankings.{ranking['name']}.entries.Pneumonia in adults (1.0), {place}.rank"
    assert difference.place == where
    assert (difference.stored, difference.now) == (7, 1)


def test_nested_values_are_told_in_words() -> None:
    value = {"terms": ["UTI", "cystitis"], "groups": {"adult": True}, "notes": [], "on": None}
    found = Difference("analysis", value, [{"page": 2}])
    assert found.stored_text == "terms: (UTI, cystitis); groups: (adult: yes)"
    assert found.now_text == "(page: 2)"


def test_a_statement_more_is_one_difference() -> None:
    turn = asked()
    Claim.objects.create(turn=turn, index=0, text="Another statement.")  # before the first
    replay = turn_replay(turn)
    assert replay.verdict.sentence == "The same outcome, other statements, other citations."
    (changed,) = replay.changed
    (difference,) = changed.differences
    assert (difference.stored["text"], difference.now) == ("Another statement.", None)


def test_a_blocked_question_and_an_old_turn_say_why_not(settings: LazySettings) -> None:
    settings.IDENTIFIERS = "block"
    blocked = asked("What is the dose for Mr John Smith, born 12/03/1956?")
    with pytest.raises(NotReplayable, match="blocked"):
        turn_replay(blocked)
    old = asked()
    del old.trace["asked"]
    with pytest.raises(NotReplayable, match="older release"):
        turn_replay(old)


def test_the_command_says_that_it_is_the_same() -> None:
    turn, out = asked(), StringIO()
    call_command("replay", str(turn.pk), stdout=out)
    assert "The same outcome, the same statements, the same citations." in out.getvalue()
    assert "Nothing differs" in out.getvalue()
    event = AuditEvent.objects.get(action="replay")
    assert json.loads(event.payload) == {
        "same": {"outcome": True, "statements": True, "citations": True},
        "differs": [],
        "regenerated": False,
    }


def test_the_command_names_what_differs_and_fails(settings: LazySettings) -> None:
    turn, out = asked(), StringIO()
    settings.GATE_THRESHOLD = 0.99
    with pytest.raises(CommandError, match="differs from the stored answer"):
        call_command("replay", str(turn.pk), stdout=out)
    said = out.getvalue()
    assert "Another outcome, other statements, other citations." in said
    assert "  gate.threshold\n    stored: 0.44\n    now:    0.99" in said
    payload = AuditEvent.objects.get(action="replay").payload
    assert json.loads(payload)["differs"] == ["settings", "scores", "texts"]
    assert "demonstracillin" not in payload


def test_the_command_ends_well_where_only_the_corpus_has_grown() -> None:
    turn, out = asked(), StringIO()
    published("# Asthma\n## Treatment\nInhale salbutamol.", collection="chest")
    call_command("replay", str(turn.pk), stdout=out)
    assert "The corpus has grown from 1 to 2 documents in force." in out.getvalue()


def test_the_command_shows_few_scores_unless_asked_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    turn, few, every = asked(), StringIO(), StringIO()
    published("# Asthma\n## Treatment\nInhale salbutamol.", collection="chest")
    monkeypatch.setattr("chat.management.commands.replay.SCORES", 1)
    call_command("replay", str(turn.pk), stdout=few)
    call_command("replay", str(turn.pk), "--all", stdout=every)
    scores = every.getvalue().partition("What was found, and its scores")[2].count("stored:")
    assert scores > 1
    assert f"  {scores - 1} more values differ: --all shows them." in few.getvalue()
    assert "--all" not in every.getvalue()


@pytest.mark.parametrize("number", ["x", "0b9f2f3e-6f5a-4d0e-8a50-2b0a4d1f6c11"])
def test_an_unknown_turn_is_said(db: None, number: str) -> None:
    with pytest.raises(CommandError, match="no turn"):
        call_command("replay", number)
