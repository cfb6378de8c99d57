"""Test labelling by two people who don't see each other's labels, and a third where they differ."""

import json

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import AuditEvent, ClaimLabel, Review, Turn
from chat.reviews.counting import reviewers_compared
from chat.reviews.labelling import claims_label, labelling_of
from chat.reviews.services import OwnTurn, ReviewError, review_flag
from corpus.models import Document
from evaluation.collecting import Collected, NothingToCollect, Which, question_set_collect
from medrag_site.groups import CLINICIANS, REVIEWERS
from tests.chat.guidelines import ask
from tests.corpus.admin.test_admin import member
from tests.people import in_groups, person

AGREEMENT = reverse("admin:chat_review_agreement")
SHOWN = "Unsafe</td>"


@pytest.fixture
def review(alice: User, bob: User, guideline: Document) -> Review:
    return review_flag(ask(alice), by=bob)


@pytest.fixture
def others(bob: User) -> list[User]:
    names = ("carol", "dave")
    return [bob, *(in_groups(person(name), REVIEWERS) for name in names)]


def label(review: Review, by: User, label: str) -> None:
    due = labelling_of(review, by).due
    claims_label(review, {claim.pk: label for claim in due}, by=by)


def collected() -> tuple[str, list[str], str]:
    day = timezone.localdate()
    found = question_set_collect(Collected("ward", Which.LABELLED, day, day), by=None)
    (question,) = found.questions.all()
    return question.kind, question.gold_claims, question.category


def test_neither_sees_the_other_until_both_are_done(
    review: Review, others: list[User], alice: User
) -> None:
    first, second, third = others
    pages = {user: member(user, REVIEWERS) for user in others}
    page = reverse("admin:chat_review_change", args=[review.pk])
    post = reverse("admin:chat_review_label", args=[review.pk])
    (claim,) = labelling_of(review, first).due
    pages[first].post(post, {f"claim-{claim.pk}": "unsafe"})
    for user in others:
        assert SHOWN not in pages[user].get(page).content.decode()
    assert "1 of 2" in pages[second].get(page).content.decode()
    assert json.loads(AuditEvent.objects.latest("seq").payload) == {
        "review": review.pk, "place": 1, "statements": 1,
    }  # fmt: skip
    with pytest.raises(ReviewError):
        label(review, first, "supported")  # once
    label(review, second, "supported")
    for user in others:
        assert SHOWN in pages[user].get(page).content.decode()
    with pytest.raises(ReviewError):
        label(review, second, "unsafe")
    assert "Keep my labels" in pages[third].get(page).content.decode()
    label(review, third, "supported")
    assert list(ClaimLabel.objects.order_by("place").values_list("place", "label")) == [
        (1, "unsafe"), (2, "supported"), (3, "supported"),
    ]  # fmt: skip
    assert labelling_of(review, person("erin")).place == 0


def test_what_both_say_needs_no_third(review: Review, others: list[User]) -> None:
    for user in others[:2]:
        label(review, user, "supported")
    assert labelling_of(review, others[2]).place == 0


def test_whoever_asked_and_whoever_may_not_review_have_no_say(
    review: Review, alice: User, others: list[User]
) -> None:
    assert labelling_of(review, alice).due == ()
    with pytest.raises(OwnTurn):
        claims_label(review, {}, by=alice)
    post = reverse("admin:chat_review_label", args=[review.pk])
    clinician = member(person("mallory"), CLINICIANS)
    assert clinician.post(post).status_code == 403
    assert clinician.get(AGREEMENT).status_code == 403
    assert Client().post(post).status_code == 302
    assert not ClaimLabel.objects.exists()


def test_each_statement_needs_a_label_that_there_is(review: Review, bob: User) -> None:
    (claim,) = labelling_of(review, bob).due
    for labels in ({}, {claim.pk: "fine"}, {claim.pk: "unsafe", 0: "unsafe"}):
        with pytest.raises(ReviewError, match="has no label"):
            claims_label(review, labels, by=bob)
    reply = member(bob, REVIEWERS).post(
        reverse("admin:chat_review_label", args=[review.pk]), {}, follow=True
    )
    assert "has no label" in reply.content.decode()
    assert not ClaimLabel.objects.exists()


def test_the_database_keeps_it_to_one_a_place(review: Review, others: list[User]) -> None:
    label(review, others[0], "unsafe")
    first = ClaimLabel.objects.get()
    for place, by in ((1, others[1]), (2, others[0]), (4, others[1])):
        with pytest.raises(IntegrityError), transaction.atomic():
            ClaimLabel.objects.create(
                review=review, claim=first.claim, place=place, by=by, label="unsafe"
            )


def test_statements_without_text_are_not_labelled(review: Review, bob: User) -> None:
    review.turn.text_removed_at = timezone.now()
    assert labelling_of(review, bob).due == ()


def test_reviewers_and_checker_are_compared(review: Review, others: list[User]) -> None:
    client = member(others[0], REVIEWERS)
    assert "two labels yet" in client.get(AGREEMENT).content.decode()
    label(review, others[0], "unsafe")
    assert reviewers_compared().between.n == 0
    label(review, others[1], "supported")
    (row,) = reviewers_compared().checker
    assert (row.verdict, row.n, row.still_open) == ("supported", 0, 1)
    label(review, others[2], "unsafe")
    found = reviewers_compared()
    assert (found.between.n, found.between.agreed, found.between.kappa) == (1, 0, 0)
    assert (found.checker[0].counts, found.checker[0].still_open) == ((0, 0, 1, 0), 0)
    assert "<td>0.00</td>" in client.get(AGREEMENT).content.decode()


def test_what_was_labelled_becomes_an_item(review: Review, others: list[User]) -> None:
    label(review, others[0], "supported")
    with pytest.raises(NothingToCollect):
        collected()
    label(review, others[1], "supported")
    text = Turn.objects.get().claims.get(index=1).text
    assert collected() == ("answerable", [text], "1 supported")


def test_what_people_call_unsafe_is_no_gold_answer(review: Review, others: list[User]) -> None:
    for user in others[:2]:
        label(review, user, "unsafe")
    assert collected() == ("unlabelled", [], "1 unsafe")
