"""Test the page on which an auditor reads how a turn came about."""

import html
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from chat.models import AuditEvent, Channel, Citation, Reason, Turn, Verdict
from chat.reviews.feedback import feedback_save
from chat.reviews.services import review_decide, review_flag
from chat.web.refusals import WHY
from corpus.models import Chunk, Document
from corpus.services.lifecycle import document_supersede, document_withdraw
from medrag_site.groups import AUDITORS, REVIEWERS
from tests.chat.guidelines import DOSE, NEAR, QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.chat.web.pages import lacking
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


def test_an_answer_is_told_from_question_to_citation(auditor: Client, answered: Turn) -> None:
    page = html.unescape(told(auditor, answered))
    likely = int(answered.trace["searches"][0]["gate"]["probability"] * 1000) / 10
    cited = Citation.objects.get(claim__turn=answered)
    expected = (
        f"“{QUESTION}”", "adults (2.1), page", f"{likely:.1f} %. Needed: 44.0 %.",
        "every check: 1.", "It was answered.", DOSE, answered.fingerprint, "alice", "Page",
        f"{reverse('chat:citation', args=[cited.pk])}#cited", str(answered.conversation_id),
        "<summary>The whole trace</summary>",
    )  # fmt: skip
    assert lacking(page, *expected) == []
    unexpected = ("A replay shows", "the citation of another")
    assert lacking(page, *unexpected) == list(unexpected)
    publish("# Asthma\n## Treatment\nInhale salbutamol.")
    Chunk.objects.update(position="paragraph 3")  # as of a text without pages
    page = html.unescape(told(auditor, answered))
    assert lacking(page, "from 1 to 2", "(2.1), Treatment, paragraph") == []


def test_a_refusal_says_what_the_gate_lacked(auditor: Client, alice: User, answered: Turn) -> None:
    page = told(auditor, ask(alice, NEAR))
    assert lacking(page, "stayed shut", f"{Reason.WEAK_EVIDENCE.label}.", "to explain the") == []
    assert "Nothing was cited." in told(auditor, ask(alice, UNANSWERABLE))


@pytest.mark.parametrize(
    ("trace", "standalone", "sentence"),
    [
        (None, "And for children?", "“And for children?”"),
        ({}, "", "Nothing was searched."),  # of an older release
        ({"searches": [{"hits": [{"chunk": "gone"}]}], "verdicts": []}, "", "that is gone"),
    ],
)
def test_what_is_stored_is_told_as_far_as_it_goes(
    auditor: Client, answered: Turn, trace: Any, standalone: str, sentence: str
) -> None:
    trace = answered.trace if trace is None else trace
    page = told(auditor, stored_like(answered, trace=trace, standalone=standalone))
    assert sentence in html.unescape(page)


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
    assert lacking(page, "900 mg &lt;script&gt;", str(WHY["numbers"]), "every check: 0.") == []


def test_citations_that_were_found_are_told(auditor: Client, answered: Turn) -> None:
    found = {**answered.trace["verdicts"][0], "found": True}
    page = told(auditor, stored_like(answered, trace={**answered.trace, "verdicts": [found]}))
    assert "statement that does: 1." in page


def test_what_was_withdrawn_since_is_told_with_its_recall(
    auditor: Client, answered: Turn, guideline: Document, mallory: User
) -> None:
    document_withdraw(guideline, by=None, reason="The dose is wrong.")
    page = told(auditor, answered)
    event = AuditEvent.objects.get(action="document.withdrawn")
    links = (
        reverse("admin:chat_auditevent_change", args=[event.seq]),
        reverse("admin:corpus_document_recall", args=[guideline.pk]),
    )
    withdrawn = f": withdrawn, by {event.actor or 'system'}"
    assert lacking(page, "Do not use.", withdrawn, *links) == []


def test_what_replaced_a_document_is_named(
    auditor: Client, answered: Turn, guideline: Document
) -> None:
    newer = publish_guideline(title="Pneumonia in adults, new")
    document_supersede(guideline, by=None, successor=newer)
    assert lacking(told(auditor, answered), newer.title, ": superseded, by") == []


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
    link = reverse("admin:chat_review_change", args=[review.pk])
    assert lacking(told(auditor, answered), "“Too short.”", "incomplete, by bob", link) == []
    assert link not in told(member(alice, AUDITORS), answered)


def test_a_reviewer_reads_it_without_the_log(mallory: User, answered: Turn) -> None:
    page = told(member(mallory, REVIEWERS), answered)
    assert DOSE in page
    assert "Events of" not in page


def test_a_turn_costs_a_fixed_number_of_queries(
    auditor: Client, answered: Turn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        publish_guideline(title=f"Pneumonia, part {number}")
    more = ask(person("carol"), channel=Channel.API)
    for turn in (answered, more):
        with django_assert_max_num_queries(MOST_QUERIES):
            told(auditor, turn)
