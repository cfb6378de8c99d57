"""Test `turn_ask`: it stores an answer, a refusal, or nothing at all."""

import json
import logging
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from chat.audit import log as audit
from chat.audit.answers import turn_digest
from chat.errors import QuestionError
from chat.models import AuditEvent, Channel, Citation, Claim, Conversation, Reason, Turn, TurnStatus
from chat.question.clean import question_clean
from chat.types import DraftClaim
from corpus.models import Document, Lifecycle, Page
from corpus.services.lifecycle import document_withdraw
from retrieval.types import Hit
from tests.chat.evidence.hits import quote_of
from tests.chat.generation.generators import FakeGenerator
from tests.chat.guidelines import QUESTION, ask
from tests.chat.storing import Storing
from tests.corpora import publish
from tests.retrieval.hostile import HANDMADE, random_queries

DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
TEXT = f"# Pneumonia in adults\n## Treatment\n{DOSE}\n## Other\nCall the ward."
UNANSWERABLE = "What is the boiling point of tungsten?"
HOSTILE = [*HANDMADE, *random_queries(40, seed=13)]

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def stored(storing: Storing) -> Iterator[None]:
    with storing(lambda: publish(TEXT, population="adult", collection="chest")):
        yield


@pytest.fixture
def document(db: None) -> Document:
    return Document.objects.get()


def nothing_stored() -> bool:
    return not any(
        model.objects.exists() for model in (Turn, Claim, Citation, Conversation, AuditEvent)
    )


def use_generator(monkeypatch: pytest.MonkeyPatch, result: Any) -> None:
    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(result))


# An answer


def test_a_key_that_is_given_is_the_turns_and_stores_one_alone() -> None:
    key = uuid.uuid4()
    assert ask(key=key).pk == key
    with pytest.raises(IntegrityError), transaction.atomic():
        ask(question=UNANSWERABLE, key=key)
    assert Turn.objects.get().question == QUESTION
    assert AuditEvent.objects.count() == 1


def test_stores_the_turn_with_claims_citations_trace_and_event(document: Document) -> None:
    turn = ask()
    stored = Turn.objects.get(pk=turn.pk)
    assert (stored.status, stored.reason, stored.question) == (TurnStatus.ANSWERED, "", QUESTION)
    claim = stored.claims.get()
    assert (claim.index, claim.text, claim.population) == (1, DOSE, "adult")
    citation = claim.citations.get()
    page = Page.objects.get(document=document, number=citation.page)
    assert page.text[citation.start : citation.end] == citation.quote == DOSE
    assert (citation.document, citation.sha256, citation.title, citation.version) == (
        document, document.sha256, document.title, document.version
    )  # fmt: skip
    assert citation.section == "Treatment"
    assert citation.chunk_key.startswith(document.sha256)
    event = AuditEvent.objects.get()
    assert (event.action, event.subject) == ("turn.answered", f"turn:{stored.pk}")
    assert json.loads(event.payload)["digest"] == turn_digest(stored)


def test_confidence_is_half_faithfulness_and_half_the_gate() -> None:
    turn = ask()
    gate = turn.trace["searches"][0]["gate"]
    assert turn.confidence == pytest.approx(0.5 * 1.0 + 0.5 * gate["probability"], abs=1e-4)
    assert gate["reason"] is None
    assert gate["probability"] >= gate["threshold"]


def test_the_trace_tells_the_whole_way() -> None:
    trace = Turn.objects.get(pk=ask().pk).trace
    (search,) = trace["searches"]
    assert search["scope"] == "in_force"
    assert [ranking["name"] for ranking in search["rankings"]] == ["lexical", "dense:minilm"]
    assert search["fused"] and search["hits"] and search["durations_ms"] and search["fingerprint"]
    odds = [hit["odds"] for hit in search["hits"]]  # in the order of their readings
    assert odds == sorted(odds, reverse=True)
    assert [hit["rank"] for hit in search["hits"]] == list(range(1, len(odds) + 1))
    assert sorted(hit["found_at"] for hit in search["hits"]) == list(range(1, len(odds) + 1))
    (verdict,) = trace["verdicts"]
    assert (verdict["text"], verdict["label"], verdict["failed"]) == (DOSE, "supported", "")
    assert trace["corpus"]["documents"] == 1 and len(trace["corpus"]["digest"]) == 64
    assert trace["answers"]["mode"] == "confident-lite"
    assert trace["failure"] == ""


@pytest.mark.usefixtures("computed_anew")
def test_asking_twice_gives_the_same_but_for_time_and_number() -> None:
    first, second = ask(), ask()
    for name in ("status", "reason", "confidence", "fingerprint", "nearest", "owner"):
        assert getattr(first, name) == getattr(second, name)
    texts = [[claim.text for claim in turn.claims.all()] for turn in (first, second)]
    assert texts[0] == texts[1]


def test_the_fingerprint_follows_the_settings(settings: LazySettings) -> None:
    before = ask().fingerprint
    settings.GATE_THRESHOLD = 0.2
    assert ask().fingerprint != before


# A refusal


def test_a_weak_best_passage_is_refused_without_a_generator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_generator(monkeypatch, AssertionError("the gate was shut"))
    turn = ask(question=UNANSWERABLE)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.WEAK_EVIDENCE)
    assert not turn.claims.exists()
    assert turn.trace["failure"] == ""
    assert AuditEvent.objects.get().action == "turn.abstained"
    assert turn.nearest == []  # nothing here is near


def test_nothing_indexed_is_no_evidence() -> None:
    Document.objects.update(indexed_at=None)
    turn = ask()
    assert (turn.reason, turn.nearest, turn.owner) == (Reason.NO_EVIDENCE, [], {})


@pytest.mark.parametrize("ended", [Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN])
def test_only_an_old_guideline_answers(document: Document, ended: Lifecycle) -> None:
    Document.objects.filter(pk=document.pk).update(lifecycle=ended)
    turn = ask()
    assert turn.reason == Reason.ONLY_OUT_OF_DATE
    assert not turn.claims.exists()
    assert {passage["lifecycle"] for passage in turn.nearest} == {ended.value}
    assert turn.owner == {"name": "Dr chest", "contact": "4417"}
    assert len(turn.trace["searches"]) == 2


@pytest.mark.parametrize("never", [Lifecycle.DRAFT, Lifecycle.REVIEW])
def test_what_was_never_published_is_not_even_near(document: Document, never: Lifecycle) -> None:
    Document.objects.filter(pk=document.pk).update(lifecycle=never)
    turn = ask()
    assert (turn.reason, turn.nearest) == (Reason.NO_EVIDENCE, [])


def test_a_withdrawal_counts_from_the_next_question_on(document: Document) -> None:
    assert ask().status == TurnStatus.ANSWERED
    document_withdraw(document, by=None, reason="It was wrong.")
    assert ask().reason == Reason.ONLY_OUT_OF_DATE


def test_a_collection_limits_the_search() -> None:
    assert ask(collections=("chest",)).status == TurnStatus.ANSWERED
    assert ask(collections=("elsewhere",)).reason == Reason.NO_EVIDENCE


def test_no_unit_fits_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    use_generator(monkeypatch, lambda passages: ())
    assert ask().reason == Reason.WEAK_EVIDENCE


# Fail closed


@pytest.mark.parametrize("error", [RuntimeError(DOSE), TimeoutError(), MemoryError(), KeyError(1)])
@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("chat.pipeline.parts.site_generator", Reason.GENERATOR_UNAVAILABLE),
        ("chat.ask.verify", Reason.VERIFIER_UNAVAILABLE),
    ],
)
def test_a_part_that_fails_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    part: str,
    reason: Reason,
) -> None:
    def fail(*args: object, **how: object) -> None:
        raise error

    fails = fail if part == "chat.ask.verify" else FakeGenerator(error)
    monkeypatch.setattr(part, fails)
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, reason)
    assert turn.trace["failure"] == type(error).__name__
    assert not turn.claims.exists()
    assert AuditEvent.objects.count() == 1
    assert DOSE not in caplog.text


LIES: dict[str, Any] = {
    "number changed": lambda q: DraftClaim(q.text.replace("500", "5000"), (q,)),
    "unit changed": lambda q: DraftClaim(q.text.replace("mg", "g"), (q,)),
    "denied": lambda q: DraftClaim(f"Do not {q.text}", (q,)),
    "words added": lambda q: DraftClaim(f"{q.text} Also to children.", (q,)),
    "quote not on the page": lambda q: DraftClaim(q.text, (replace(q, page=7),)),
    "quote moved": lambda q: DraftClaim(q.text, (replace(q, start=0, end=len(q.text)),)),
    "quote rewritten": lambda q: DraftClaim("Give 9 g.", (replace(q, text="Give 9 g."),)),
    "no citation": lambda q: DraftClaim(q.text, ()),
    "another document": lambda q: DraftClaim(
        q.text, (replace(q, hit=replace(q.hit, document_id=10**9)),)
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_generator_that_lies_is_found_out(monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    use_generator(monkeypatch, lambda hits: (LIES[lie](quote_of(hits[0], DOSE)),))
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.UNSUPPORTED_CLAIMS)
    assert not turn.claims.exists()
    assert turn.trace["verdicts"][0]["failed"]


def test_one_lie_among_truths_is_dropped_and_costs_confidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def generate(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        quote = quote_of(hits[0], DOSE)
        return DraftClaim(DOSE, (quote,)), LIES["number changed"](quote)

    honest = ask().confidence
    use_generator(monkeypatch, generate)
    turn = ask()
    assert [claim.text for claim in turn.claims.all()] == [DOSE]
    assert turn.confidence == pytest.approx(honest - 0.25, abs=1e-3)


def test_an_audit_that_fails_takes_the_answer_with_it(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise audit.AuditError("The log can't be written.")

    monkeypatch.setattr(audit, "record", refuse)
    for question in (QUESTION, UNANSWERABLE):
        with pytest.raises(audit.AuditError):
            ask(alice, question)
        assert nothing_stored()


def test_no_model_runs_inside_the_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    depth = len(connection.savepoint_ids)
    seen: list[int] = []

    def generate(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        seen.append(len(connection.savepoint_ids))
        return ()

    use_generator(monkeypatch, generate)
    ask()
    assert seen == [depth]


# Conversations


def test_the_page_begins_a_conversation_and_goes_on_with_it(alice: User) -> None:
    first = ask(user=alice, channel=Channel.PAGE)
    conversation = first.conversation
    assert conversation is not None
    assert (conversation.user, conversation.title) == (alice, QUESTION)
    began = conversation.updated_at
    second = ask(user=alice, channel=Channel.PAGE, conversation=conversation)
    assert second.conversation == conversation
    assert Conversation.objects.get().updated_at > began
    assert ask(user=alice, channel=Channel.API).conversation is None


# The question's text


@pytest.mark.parametrize("empty", ["", " \n\t", "\x00", "?!…", "\u200b\u202e", "🩺"])
def test_nothing_to_ask_is_said_and_stored_nowhere(db: None, empty: str) -> None:
    with pytest.raises(QuestionError, match="empty") as error:
        ask(question=empty)
    assert error.value.hint
    assert nothing_stored()


def test_a_question_of_100_000_characters_is_refused_with_its_length() -> None:
    with pytest.raises(QuestionError, match="100,000 characters; at most 2,000") as error:
        ask(question="gentamicin " * 9090 + "gentamicin")
    assert "gentamicin" not in error.value.sentence
    assert nothing_stored()


def test_the_longest_question_is_answered_or_refused() -> None:
    assert ask(question=("What is the dose of demonstracillin? " * 60)[:2000]).status


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\x00b", "ab"),
        ("dose\ud800 of x", "dose of x"),
        ("  two \n lines ", "two lines"),
        ("cafe\u0301", "café"),
        ("eﬃcacy", "efficacy"),
        ("1\u202e2", "12"),
        ("≥ 5 µg, 10²", "≥ 5 µg, 10²"),
    ],
)
def test_questions_are_cleaned(raw: str, clean: str) -> None:
    assert question_clean(raw) == clean


def test_nul_bytes_do_not_matter() -> None:
    turn = ask(question=QUESTION.replace("dose", "do\x00se"))
    assert (turn.question, turn.status) == (QUESTION, TurnStatus.ANSWERED)


@pytest.mark.parametrize(
    "texts", [HOSTILE[::6], pytest.param(HOSTILE, marks=pytest.mark.exhaustive)], ids=("few", "all")
)
def test_hostile_syntax_is_answered_or_refused(texts: list[str]) -> None:
    for text in texts:
        try:
            turn = ask(question=text)
        except QuestionError as error:
            assert error.sentence
            continue
        assert turn.status == TurnStatus.ABSTAINED or turn.claims.exists()


def test_logs_never_hold_the_question_or_the_document(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    ask()
    ask(question=UNANSWERABLE)
    use_generator(monkeypatch, ValueError(f"{QUESTION} {DOSE}"))
    ask()
    for word in ("demonstracillin", "tungsten", "pneumonia"):
        assert word not in caplog.text
