"""Test the page on which an auditor reads how a turn came about."""

import html
import uuid
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from chat.ask import turn_ask
from chat.models import AuditEvent, Channel, Citation, Reason, Turn, Verdict
from chat.reviews.feedback import feedback_save
from chat.reviews.services import review_decide, review_flag
from chat.types import AskedQuestion
from chat.web.refusals import WHY
from corpus.models import Chunk, Document
from corpus.services.lifecycle import document_supersede, document_withdraw
from medrag_site.groups import AUDITORS, REVIEWERS
from tests.chat.guidelines import DOSE, NEAR, QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpora import publish
from tests.corpus.admin.test_admin import member
from tests.people import person

HOSTILE = "<script>alert(1)</script>"
MOST_QUERIES = 22


def told(client: Client, turn: Turn) -> str:
    response = client.get(reverse("admin:chat_turn_change", args=[turn.pk]))
    assert response.status_code == 200
    return response.content.decode()


def stored_like(turn: Turn, **fields: Any) -> Turn:
    """Store a copy of the turn with other values; a stored turn can't be changed."""
    other = Turn.objects.get(pk=turn.pk)
    for name, value in {"pk": uuid.uuid4(), **fields}.items():
        setattr(other, name, value)
    other.save(force_insert=True)
    return other


def test_a_passage_of_a_text_without_pages_has_its_place(auditor: Client, answered: Turn) -> None:
    Chunk.objects.update(position="paragraph 3")
    page = html.unescape(told(auditor, answered))
    assert "(2.1), Treatment, paragraph" in page


def test_an_answer_is_told_from_question_to_citation(auditor: Client, answered: Turn) -> None:
    page = html.unescape(told(auditor, answered))
    gate = answered.trace["searches"][0]["gate"]
    assert f"“{QUESTION}”" in page
    assert "adults (2.1), page" in page
    likely = int(gate["probability"] * 1000) / 10
    assert f"{likely:.1f} %. Needed: 44.0 %." in page
    assert "every check: 1." in page
    assert "It was answered." in page
    assert DOSE in page
    citation = Citation.objects.filter(claim__turn=answered).first()
    assert citation is not None
    assert f"{reverse('chat:citation', args=[citation.pk])}#cited" in page
    assert "A replay shows" not in page
    publish("# Asthma\n## Treatment\nInhale salbutamol.")
    assert "from 1 to 2" in told(auditor, answered)
    for fact in (answered.fingerprint, str(answered.conversation_id), "alice", "Page"):
        assert fact in page
    assert "<summary>The whole trace</summary>" in page


def test_a_refusal_says_what_the_gate_lacked(auditor: Client, alice: User, answered: Turn) -> None:
    page = told(auditor, ask(alice, NEAR))
    assert "stayed shut" in page
    assert f"{Reason.WEAK_EVIDENCE.label}." in page
    assert "to explain the" in page
    nothing = told(auditor, ask(alice, UNANSWERABLE))
    assert "Nothing was cited." in nothing


def test_a_follow_up_says_how_it_was_read(auditor: Client, alice: User, answered: Turn) -> None:
    page = html.unescape(told(auditor, stored_like(answered, standalone="And for children?")))
    assert "“And for children?”" in page


def test_what_was_withheld_is_told_with_its_check_and_never_runs(
    auditor: Client, answered: Turn
) -> None:
    failed = {
        **answered.trace["verdicts"][0],
        "text": f"Give 900 mg {HOSTILE}",
        "failed": "numbers",
        "detail": f"900 mg {HOSTILE}",
    }
    trace = {**answered.trace, "verdicts": [failed], "notes": [HOSTILE], "failure": HOSTILE}
    turn = stored_like(answered, trace=trace, standalone=HOSTILE, question=HOSTILE)
    page = told(auditor, turn)
    assert HOSTILE not in page
    assert "900 mg &lt;script&gt;" in page
    assert str(WHY["numbers"]) in page
    assert "every check: 0." in page


def test_citations_that_were_found_are_told(auditor: Client, answered: Turn) -> None:
    assert "the citation of another" not in told(auditor, answered)
    found = {**answered.trace["verdicts"][0], "found": True}
    page = told(auditor, stored_like(answered, trace={**answered.trace, "verdicts": [found]}))
    assert "statement that does: 1." in page


def test_a_turn_of_an_older_release_is_told_as_far_as_it_goes(
    auditor: Client, answered: Turn
) -> None:
    page = told(auditor, stored_like(answered, trace={}))
    assert "Nothing was searched." in page
    bare = {"searches": [{"hits": [{"chunk": "gone"}]}], "verdicts": []}
    assert "that is gone" in told(auditor, stored_like(answered, trace=bare))


def test_what_was_withdrawn_since_is_told_with_its_recall(
    auditor: Client, answered: Turn, guideline: Document, mallory: User
) -> None:
    document_withdraw(guideline, by=None, reason="The dose is wrong.")
    page = told(auditor, answered)
    event = AuditEvent.objects.get(action="document.withdrawn")
    assert "Do not use." in page
    assert f": withdrawn, by {event.actor or 'system'}" in page
    assert reverse("admin:chat_auditevent_change", args=[event.seq]) in page
    assert reverse("admin:corpus_document_recall", args=[guideline.pk]) in page


def test_what_replaced_a_document_is_named(
    auditor: Client, answered: Turn, guideline: Document
) -> None:
    newer = publish_guideline(title="Pneumonia in adults, new")
    document_supersede(guideline, by=None, successor=newer)
    page = told(auditor, answered)
    assert newer.title in page
    assert ": superseded, by" in page


def test_a_page_that_reads_otherwise_now_is_told(
    auditor: Client, answered: Turn, guideline: Document
) -> None:
    guideline.pages.update(text="Something else.")
    assert "cited page: 1" in told(auditor, answered)


def test_feedback_and_reviews_stand_in_it(
    auditor: Client, answered: Turn, alice: User, bob: User
) -> None:
    feedback_save(answered, helpful=False, comment="Too short.")
    review = review_flag(answered, by=bob)
    review_decide(review, verdict=Verdict.INCOMPLETE, note="", by=bob)
    page = told(auditor, answered)
    assert "“Too short.”" in page
    assert "incomplete, by bob" in page
    assert reverse("admin:chat_review_change", args=[review.pk]) in page
    asker = told(member(alice, AUDITORS), answered)
    assert reverse("admin:chat_review_change", args=[review.pk]) not in asker


def test_a_reviewer_reads_it_without_the_log(mallory: User, answered: Turn) -> None:
    page = told(member(mallory, REVIEWERS), answered)
    assert DOSE in page
    assert "Events of" not in page


def test_a_turn_costs_a_fixed_number_of_queries(
    auditor: Client, answered: Turn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        publish_guideline(title=f"Pneumonia, part {number}")
    more = turn_ask(AskedQuestion(QUESTION, user=person("carol"), channel=Channel.API))
    for turn in (answered, more):
        with django_assert_max_num_queries(MOST_QUERIES):
            told(auditor, turn)
