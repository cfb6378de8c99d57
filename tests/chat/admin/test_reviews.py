"""Test the review of answers: who may judge which turn, the queue, the figures and the export."""

import json
import logging
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import AuditEvent, Channel, Flag, Review, Turn, Verdict
from chat.reviews.feedback import feedback_save
from chat.reviews.services import OwnTurn, ReviewError, review_assign, review_decide, review_flag
from corpus.models import Document, Lifecycle
from medrag_site.groups import AUDITORS, CLINICIANS, EVALUATORS, REVIEWERS, STAFF
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask
from tests.corpus.admin.test_admin import member
from tests.people import in_groups, person

QUEUE = reverse("admin:chat_review_changelist")
FILL = reverse("admin:chat_review_fill")
VERDICTS = reverse("admin:chat_review_verdicts")
EXPORT = reverse("admin:chat_review_export")
TURNS = reverse("admin:chat_turn_changelist")
NOTE = "The renal dose of demonstracillin is missing, see page 1."
MOST_QUERIES = 8


@pytest.fixture
def review(answered: Turn, auditor: Client, bob: User) -> Review:
    return review_flag(answered, by=bob)


def page_of(review: Review) -> str:
    return reverse("admin:chat_review_change", args=[review.pk])


def flag(client: Client, *turns: Turn) -> str:
    chosen = {"action": "have_reviewed", "_selected_action": [str(turn.pk) for turn in turns]}
    return client.post(TURNS, chosen, follow=True).content.decode()


def fill(client: Client, **asked: Any) -> str:
    today = timezone.localdate().isoformat()
    given = {"first": today, "last": today, "below": "0", "percent": "0", "seed": "0", **asked}
    response = client.post(FILL, given, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def event(action: str) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads(
        AuditEvent.objects.filter(action=action).latest("seq").payload
    )
    return payload


def exported(client: Client, **asked: str) -> str:
    response = client.post(EXPORT, asked)
    assert response.status_code == 200
    return b"".join(response).decode()


def test_turns_are_flagged_by_hand_and_wait_once(auditor: Client, answered: Turn) -> None:
    for _ in range(2):
        assert ">queue of reviews</a>" in flag(auditor, answered)
    waiting = Review.objects.get()
    assert (waiting.turn, waiting.flags, waiting.state) == (answered, ["hand"], "open")
    assert event("review.flagged") == {"review": waiting.pk, "flags": ["hand"]}
    assert QUESTION in auditor.get(QUEUE).content.decode()


def test_rules_name_what_is_doubtful(
    auditor: Client, alice: User, answered: Turn, guideline: Document
) -> None:
    refused = ask(alice, UNANSWERABLE)
    feedback_save(refused, helpful=False)
    ask(channel=Channel.EVALUATION)
    every = ["feedback", "conflict", "confidence", "recalled"]
    said = fill(auditor, rules=every, below="1")
    assert "questions, 2 new" in said
    Document.objects.update(lifecycle=Lifecycle.WITHDRAWN)
    said = fill(auditor, rules=every, below="1")
    assert "questions, 0 new" in said
    flags = dict(Review.objects.values_list("turn", "flags"))
    assert flags == {answered.pk: ["confidence", "recalled"], refused.pk: ["feedback"]}
    assert event("review.ruled")["rules"] == every


def test_the_form_begins_with_this_month_as_browsers_write_days(auditor: Client) -> None:
    today = timezone.localdate()
    page = auditor.get(FILL).content.decode()
    assert f'value="{today.replace(day=1).isoformat()}"' in page
    assert f'value="{today.isoformat()}"' in page


def test_a_warning_of_a_conflict_is_a_rule(auditor: Client, answered: Turn) -> None:
    stored = Turn.objects.get(pk=answered.pk)
    stored.pk = None
    stored.pk = Turn._meta.pk.get_default()
    stored.warnings = [{"code": "conflict", "text": "They differ.", "claims": [], "documents": []}]
    stored.save(force_insert=True)
    fill(auditor, rules=["conflict"])
    assert Review.objects.get().turn_id == stored.pk


def test_a_sample_is_drawn_by_its_seed_and_not_again(
    auditor: Client, alice: User, answered: Turn
) -> None:
    for _ in range(3):
        ask(alice)
    said = fill(auditor, percent="50", seed="7")
    assert "2 of 4 questions" in said
    assert set(Review.objects.values_list("seed", "percent")) == {(7, 50.0)}
    assert "questions, 0 new" in fill(auditor, percent="50", seed="7")
    drawn = event("review.sampled")
    assert (drawn["seed"], drawn["percent"], drawn["of"], drawn["meant"]) == (7, 50.0, 4, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"percent": "101"},
        {"percent": "nan"},
        {"first": "2026-13-01", "percent": "5"},
        {"first": "9999-12-31", "last": "9999-12-31", "percent": "5"},
        {"first": "2026-01-02", "last": "2026-01-01", "percent": "5"},
        {"rules": ["hand"]},
        {},
    ],
)
def test_a_form_that_says_nothing_fills_nothing(
    wrong: dict[str, Any], auditor: Client, answered: Turn
) -> None:
    assert "errorlist" in fill(auditor, **wrong)
    assert not Review.objects.exists()


def test_a_verdict_is_kept_for_good_and_logged_without_its_words(
    auditor: Client, review: Review, bob: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    page = auditor.get(page_of(review)).content.decode()
    assert "Rightly refused" not in page
    decided = {"verdict": "incomplete", "note": NOTE}
    assert auditor.post(page_of(review), decided).status_code == 302
    review.refresh_from_db()
    assert (review.state, review.verdict, review.note) == ("done", "incomplete", NOTE)
    assert (review.done_by, review.done_at is None) == (bob, False)
    told = event("review.decided")
    assert (told["review"], told["verdict"]) == (review.pk, "incomplete")
    assert (told["note_chars"], len(told["note_hmac"])) == (len(NOTE), 64)
    assert "renal" not in json.dumps(list(AuditEvent.objects.values_list("payload", flat=True)))
    assert "renal" not in caplog.text
    assert QUESTION not in caplog.text
    again = auditor.post(page_of(review), {"verdict": "correct"}).content.decode()
    assert "decided already" in again or NOTE in again
    review.refresh_from_db()
    assert review.verdict == "incomplete"
    assert NOTE in auditor.get(page_of(review)).content.decode()


def test_a_verdict_has_to_fit(auditor: Client, review: Review, bob: User) -> None:
    for verdict in ("rightly_refused", "perfect", ""):
        page = auditor.post(page_of(review), {"verdict": verdict, "note": NOTE}).content.decode()
        assert "errorlist" in page
        assert NOTE in page  # what was typed is not lost
    with pytest.raises(ReviewError):
        review_decide(review, verdict=Verdict.WRONGLY_REFUSED, note="", by=bob)
    assert Review.objects.get().state == "open"


def test_a_patient_is_taken_out_of_the_note(auditor: Client, review: Review) -> None:
    auditor.post(page_of(review), {"verdict": "wrong", "note": "NHS number 943 476 5919"})
    assert "943 476 5919" not in Review.objects.get().note


def test_whoever_asked_neither_sees_nor_judges_it(
    alice: User, answered: Turn, review: Review
) -> None:
    """Not even as an auditor or a superuser."""
    asker = member(alice, AUDITORS)
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    assert QUESTION not in asker.get(QUEUE).content.decode()
    assert asker.get(page_of(review)).status_code == 404
    assert asker.post(page_of(review), {"verdict": "correct"}).status_code == 404
    assign = reverse("admin:chat_review_assign", args=[review.pk])
    assert asker.post(assign, {"assignee": ""}).status_code == 404
    assert "your own question" in flag(asker, answered)
    assert QUESTION not in exported(asker, texts="yes")
    alice.refresh_from_db()
    with pytest.raises(OwnTurn):
        review_decide(review, verdict=Verdict.CORRECT, note="", by=alice)
    with pytest.raises(OwnTurn):
        review_assign(review, to=alice, by=person("eve", AUDITORS))
    assert Review.objects.get().state == "open"


def test_it_is_assigned_to_who_may_decide(
    auditor: Client, review: Review, alice: User, bob: User
) -> None:
    carol, clinician = person("carol", REVIEWERS), person("dave", CLINICIANS)
    in_groups(alice, AUDITORS)
    assign = reverse("admin:chat_review_assign", args=[review.pk])
    page = auditor.post(assign, {"assignee": str(carol.pk)}, follow=True).content.decode()
    assert "Assigned to carol." in page
    assert ">alice</option>" not in page
    for somebody in (alice, clinician):
        auditor.post(assign, {"assignee": str(somebody.pk)})
        assert Review.objects.get().assignee == carol
    chosen = {"action": "take", "_selected_action": [str(review.pk)]}
    assert "1 assigned" in auditor.post(QUEUE, chosen, follow=True).content.decode()
    assert Review.objects.get().assignee == bob
    assert QUESTION in auditor.get(QUEUE, {"assigned": "me"}).content.decode()
    assert QUESTION not in auditor.get(QUEUE, {"assigned": "nobody"}).content.decode()
    assert event("review.assigned")["to"] == f"user:{bob.pk}:bob"


@pytest.mark.parametrize("group", [CLINICIANS, STAFF, EVALUATORS])
def test_others_have_no_queue(group: str, review: Review, mallory: User) -> None:
    client = member(mallory, group)
    for address in (QUEUE, FILL, VERDICTS, page_of(review)):
        assert client.get(address).status_code == 403, address
    assign = reverse("admin:chat_review_assign", args=[review.pk])
    for address in (FILL, EXPORT, assign, page_of(review)):
        assert client.post(address, {"verdict": "correct"}).status_code == 403, address
    assert Review.objects.get().state == "open"


def test_a_reviewer_judges_and_exports_nothing(review: Review, mallory: User) -> None:
    client = member(mallory, REVIEWERS)
    assert "export-form" not in client.get(QUEUE).content.decode()
    assert client.post(EXPORT).status_code == 403
    assert client.post(page_of(review), {"verdict": "correct"}).status_code == 302
    assert Review.objects.get().done_by == mallory
    assert client.get(reverse("admin:chat_auditevent_changelist")).status_code == 403


def test_an_administrator_judges_what_others_asked(admin_client: Client, review: Review) -> None:
    assert admin_client.post(page_of(review), {"verdict": "correct"}).status_code == 302
    for address in (EXPORT, reverse("admin:chat_review_assign", args=[review.pk])):
        assert admin_client.get(address).status_code == 405
    assert admin_client.get(reverse("admin:chat_review_add")).status_code == 403
    delete = reverse("admin:chat_review_delete", args=[review.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403


def test_verdicts_are_counted_by_month_with_their_interval(
    auditor: Client, alice: User, bob: User, answered: Turn
) -> None:
    for _ in range(3):
        ask(alice)
    fill(auditor, percent="100")
    for number, review in enumerate(Review.objects.order_by("pk")):
        verdict = Verdict.DANGEROUS if number == 0 else Verdict.CORRECT
        review_decide(review, verdict=verdict, note="", by=bob)
    flagged = review_flag(ask(alice, UNANSWERABLE), by=bob)
    review_decide(flagged, verdict=Verdict.RIGHTLY_REFUSED, note="", by=bob)
    tables = dict(auditor.get(VERDICTS).context["tables"])
    month = timezone.localdate().strftime("%Y-%m")
    rows = {(r.period, str(r.verdict)): (r.hits, r.n) for r in tables["Drawn by chance"]}
    assert rows[month, "correct"] == (3, 4)
    assert rows[month, "dangerous"] == (1, 4)
    assert rows[month, "wrong"] == (0, 4)
    assert {str(row.verdict) for row in tables["Flagged"]} == {"rightly_refused", "wrongly_refused"}
    page = auditor.get(VERDICTS).content.decode()
    assert "75.0 %" in page
    assert "30.1 % to" in page


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_reviews_are_exported_with_and_without_texts(
    form: str, auditor: Client, review: Review
) -> None:
    auditor.post(page_of(review), {"verdict": "incomplete", "note": NOTE})
    plain, whole = (exported(auditor, format=form, texts=texts) for texts in ("", "yes"))
    for text in (QUESTION, NOTE):
        assert text not in plain
        assert text in whole
    assert str(review.turn_id) in plain
    if form == "jsonl":
        row = json.loads(whole)
        assert (row["verdict"], row["flags"]) == ("incomplete", [Flag.HAND])
    assert event("review.exported") == {"format": form, "rows": 1, "texts": True}
    nothing = auditor.post(f"{EXPORT}?state__exact=open", {"format": "jsonl"})
    assert b"".join(nothing) == b""
    assert auditor.post(f"{EXPORT}?from=yesterday").status_code == 400


def test_no_cell_is_a_formula(auditor: Client, review: Review) -> None:
    auditor.post(page_of(review), {"verdict": "wrong", "note": "=HYPERLINK(1)"})
    assert "'=HYPERLINK(1)" in exported(auditor, texts="yes")


def test_a_queue_costs_the_same_whatever_it_holds(
    auditor: Client,
    alice: User,
    answered: Turn,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(9):
        ask(alice)
    fill(auditor, percent="100")
    for asked in ({}, {"why": "sample", "assigned": "nobody", "from": "2020-01-01"}):
        with django_assert_max_num_queries(MOST_QUERIES) as read:
            page = auditor.get(QUEUE, asked).content.decode()
        assert page.count("action-checkbox") > 9
        assert not [query for query in read.captured_queries if '"trace"' in query["sql"]]


def test_the_database_keeps_one_open_review_a_turn(review: Review) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.create(turn=review.turn)
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.filter(pk=review.pk).update(state="done")
