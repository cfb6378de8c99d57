"""Test the clinician's pages over HTTP, with htmx and without."""

import datetime
import re
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest
from django.contrib.auth.models import Group, User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django import DjangoAssertNumQueries, Settings

from chat.api.answers import turn_payload
from chat.models import Channel, Conversation, Reason, Turn, TurnStatus
from chat.web.refusals import ADVICE, ADVICE_ALONE
from corpus.models import Collection, Document, Lifecycle
from tests.chat.guidelines import DOSE, QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.chat.web.pages import HTMX, text_of, thread

ROOT = Path(__file__).resolve().parents[3]
ASK = reverse("chat:ask")


def test_home_says_what_is_covered(clinician: Client, guideline: Document) -> None:
    response = clinician.get("/")
    assert "1 guideline" in text_of(response)
    assert "no-store" in response["Cache-Control"]
    assert b'hx-history="false"' in response.content


def test_home_says_that_nothing_is_in_force(clinician: Client) -> None:
    assert "No guideline is" in text_of(clinician.get("/"))


def test_a_question_begins_a_conversation_without_javascript(
    clinician: Client, guideline: Document
) -> None:
    response = clinician.post(ASK, {"question": QUESTION})
    turn = Turn.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"{thread(turn.conversation_id)}#turn-{turn.pk}"
    page = clinician.get(thread(turn.conversation_id))
    assert DOSE in text_of(page)
    assert "Quoted from" in text_of(page)
    assert "Applies to adult" in text_of(page)
    assert f"{guideline.title} · Page 1 · v2.1" in text_of(page)
    assert "Respiratory Group" in text_of(page)


def test_a_question_begins_a_conversation_with_htmx(clinician: Client, guideline: Document) -> None:
    response = clinician.post(ASK, {"question": QUESTION}, headers=HTMX)
    turn = Turn.objects.get()
    assert response["HX-Redirect"] == f"{thread(turn.conversation_id)}#turn-{turn.pk}"


def test_the_next_turn_is_a_fragment_and_an_empty_form(
    clinician: Client, mine: Conversation
) -> None:
    response = clinician.post(thread(mine.pk, "ask_in"), {"question": UNANSWERABLE}, headers=HTMX)
    content = response.content.decode()
    turn = mine.turns.last()
    assert turn is not None
    assert "<html" not in content and content.count("<article") == 1
    assert f'<article id="turn-{turn.pk}"' in content
    assert 'hx-swap-oob="outerHTML"' in content
    assert UNANSWERABLE not in content.split('id="id_question"')[1]


def test_the_next_turn_is_a_redirect_without_javascript(
    clinician: Client, mine: Conversation
) -> None:
    response = clinician.post(thread(mine.pk, "ask_in"), {"question": QUESTION})
    assert response["Location"].startswith(f"{thread(mine.pk)}#turn-")
    assert mine.turns.count() == 2


def test_nobody_asks_in_the_conversation_of_another(colleague: Client, mine: Conversation) -> None:
    assert colleague.get(thread(mine.pk)).status_code == 404
    asked = colleague.post(thread(mine.pk, "ask_in"), {"question": QUESTION})
    assert asked.status_code == 404
    assert mine.turns.count() == 1


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_page(reason: Reason, clinician: Client, alice: User) -> None:
    document = publish_guideline()
    turn = refused(alice, reason, document)
    page = text_of(clinician.get(thread(turn.conversation_id)))
    assert f"No answer {reason.label}." in page
    assert "Nearest passages" in page and "Dr Owner: 4417" in page
    assert "Answered" not in page and "Quoted" not in page


def test_a_refusal_without_passages_sends_nobody_to_them(
    clinician: Client, alice: User, guideline: Document
) -> None:
    turn = refused(alice, Reason.WEAK_EVIDENCE, guideline)
    assert str(ADVICE[Reason.WEAK_EVIDENCE]) in text_of(clinician.get(thread(turn.conversation_id)))
    turn = refused(alice, Reason.WEAK_EVIDENCE, guideline, text="")
    page = text_of(clinician.get(thread(turn.conversation_id)))
    assert "earest" not in page
    assert str(ADVICE_ALONE[Reason.WEAK_EVIDENCE]) in page


def test_a_withdrawn_source_is_named_with_its_end(
    clinician: Client, alice: User, guideline: Document
) -> None:
    successor = publish_guideline(title="Pneumonia, new version")
    Document.objects.filter(pk=guideline.pk).update(
        lifecycle=Lifecycle.SUPERSEDED, superseded_by=successor
    )
    turn = refused(alice, Reason.ONLY_OUT_OF_DATE, guideline)
    response = clinician.get(thread(turn.conversation_id))
    assert f"Replaced by {successor.title} (2.1)" in text_of(response)
    assert "It is no longer in force, so its text is not repeated here." in text_of(response)
    assert reverse("chat:source", args=[successor.sha256, 1]) in response.content.decode()
    assert turn.nearest[0]["text"] not in response.content.decode()
    (told,) = turn_payload(turn)["nearest"]
    assert (told["text"], told["excerpt"], told["lifecycle"]) == ("", [], "SUPERSEDED")


def test_an_old_answer_warns_when_its_source_was_withdrawn(
    clinician: Client, alice: User, guideline: Document
) -> None:
    turn = ask(alice)
    Document.objects.update(lifecycle=Lifecycle.WITHDRAWN, withdrawn_reason="Wrong dose.")
    page = text_of(clinician.get(thread(turn.conversation_id)))
    assert "Withdrawn" in page and "Wrong dose." in page


def test_text_of_a_document_is_never_markup(
    clinician: Client, alice: User, guideline: Document
) -> None:
    turn = refused(alice, Reason.WEAK_EVIDENCE, guideline, text="<script>alert(1)</script>")
    content = clinician.get(thread(turn.conversation_id)).content
    assert b"<script>alert" not in content
    assert b"&lt;script&gt;alert" in content


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "Please write"),
        ("  ", "Please write"),
        ("a\0b", "Null characters"),
        ("?!", "question is empty"),
        (
            "dose " * 20_000,
            "Nothing was asked: the question has 99999 characters, and at most 2000",
        ),
    ],
)
@pytest.mark.parametrize("headers", [HTMX, {}])
def test_a_bad_question_is_told_kindly_and_kept(
    question: str, words: str, headers: dict[str, str], clinician: Client
) -> None:
    response = clinician.post(ASK, {"question": question}, headers=headers)
    assert response.status_code == 200
    assert words in text_of(response)
    assert b'aria-invalid="true"' in response.content
    assert ("<html" in response.content.decode()) == (not headers)
    assert "HX-Request" in response["Vary"]
    assert response.headers.get("HX-Retarget") == ("#ask" if headers else None)
    assert question.strip().replace("\0", "")[:1000] in response.content.decode().replace("\0", "")
    assert not Turn.objects.exists()


def test_a_boosted_or_restored_page_is_whole(clinician: Client) -> None:
    for header in ("hx-boosted", "hx-history-restore-request"):
        response = clinician.post(ASK, {"question": ""}, headers={**HTMX, header: "true"})
        assert b"<html" in response.content


def test_the_collections_are_a_choice_only_where_there_are_two(
    clinician: Client, guideline: Document
) -> None:
    assert b"id_collection" not in clinician.get("/").content
    Collection.objects.create(slug="heart", name="Heart")
    assert b"id_collection" in clinician.get("/").content
    for slug, status in {"chest": TurnStatus.ANSWERED, "heart": TurnStatus.ABSTAINED}.items():
        asked = clinician.post(ASK, {"question": QUESTION, "collection": slug})
        assert (asked.status_code, Turn.objects.latest("created_at").status) == (302, status)
    wrong = clinician.post(ASK, {"question": QUESTION, "collection": "nowhere"})
    assert "collection is not" in text_of(wrong)


def test_a_search_can_be_narrowed_where_guidelines_differ(
    clinician: Client, guideline: Document
) -> None:
    assert b'id="id_population"' not in clinician.get("/").content
    other = publish_guideline(title="Another", population="child")
    assert b'id="id_population"' in clinician.get("/").content
    for population, document in {"adult": guideline, "child": other}.items():
        clinician.post(ASK, {"question": QUESTION, "population": population})
        turn = Turn.objects.latest("created_at")
        cited = {c.document_id for claim in turn.claims.all() for c in claim.citations.all()}
        assert cited == {document.pk}
    wrong = clinician.post(ASK, {"question": QUESTION, "population": "elves"})
    assert "has that" in text_of(wrong)


def test_a_claim_is_not_laid_out_as_the_aside_of_a_page() -> None:
    """A claim's classes may not include one that positions the aside of the source's page."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", (ROOT / "static" / "medrag.css").read_text())
    laid_out = {
        name
        for selectors, rule in rules
        if "position: sticky" in rule
        for selector in selectors.split(",")
        for name in re.findall(r"^\.([\w-]+)$", selector.strip())
    }
    claim = (ROOT / "templates" / "chat" / "turn" / "_claim.html").read_text()
    classes = {name for found in re.findall(r'class="([^"{]*)', claim) for name in found.split()}
    assert "beside" in laid_out
    assert "kind" in classes
    assert not laid_out & classes


def test_past_questions_are_found_by_their_words(
    clinician: Client, alice: User, bob: User, guideline: Document
) -> None:
    for user in (alice, bob):
        ask(user)
    mine = Conversation.objects.get(user=alice)
    ask(alice, "And demonstracillin for a rash?", conversation=mine)
    address = reverse("chat:conversations")
    assert clinician.get(address).content.decode().count(f">{QUESTION}</a>") == 1
    assert QUESTION in text_of(clinician.get(address, {"q": "a RASH"}))
    assert "No past question" in text_of(clinician.get(address, {"q": "tungsten"}))


def test_what_is_in_force_is_listed_with_its_banners(
    clinician: Client, guideline: Document
) -> None:
    due = timezone.localdate() - datetime.timedelta(days=1)
    publish_guideline(title="Asthma in children", review_by=due)
    publish_guideline(title="Old", lifecycle=Lifecycle.WITHDRAWN)
    publish_guideline(title="Draft", lifecycle=Lifecycle.DRAFT)
    address = reverse("chat:guidelines")
    page = text_of(clinician.get(address))
    assert page.index("Asthma in children") < page.index("Pneumonia in adults")
    assert "review date" in page
    assert "Old" not in page
    assert "Draft" not in page
    assert "Pneumonia" not in text_of(clinician.get(address, {"q": "asthma"}))
    assert "No guideline matches." in text_of(clinician.get(address, {"collection": "heart"}))


def test_a_long_conversation_costs_no_more_queries_than_a_short_one(
    clinician: Client,
    alice: User,
    guideline: Document,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    conversation = ask(alice).conversation
    for _ in range(4):
        ask(alice, conversation=conversation)
        refused(alice, Reason.WEAK_EVIDENCE, guideline, conversation=conversation)
    assert conversation is not None
    with django_assert_max_num_queries(17):
        response = clinician.get(thread(conversation.pk))
    assert response.content.count(b"<article") == 9


def test_only_post_asks(clinician: Client) -> None:
    assert clinician.get(ASK).status_code == 405
    assert clinician.post("/").status_code == 405


def test_the_form_needs_its_token(alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    response = strict.post(ASK, {"question": QUESTION})
    assert response.status_code == 403
    assert "out of date" in text_of(response)


def test_a_deployment_shows_its_badge(clinician: Client, settings: Settings) -> None:
    assert b'class="badge"' not in clinician.get("/").content
    settings.SITE_LABEL = "Test system"
    assert "Test system" in text_of(clinician.get("/"))


def refused(
    user: User,
    reason: Reason,
    document: Document,
    *,
    text: str = DOSE,
    conversation: Conversation | None = None,
    excerpt: Sequence[str] = (),
) -> Turn:
    """Store a refusal as the service does; without a passage if `text` is empty."""
    hit = {"document": document.title, "version": "2.1", "sha256": document.sha256, "page": 1}
    passage = {**hit, "section": "Treatment", "text": text, "chunk": "none", "excerpt": [*excerpt]}
    return Turn.objects.create(
        conversation=conversation or Conversation.objects.create(user=user, title=UNANSWERABLE),
        user=user,
        channel=Channel.PAGE,
        question=UNANSWERABLE,
        status=TurnStatus.ABSTAINED,
        reason=reason,
        confidence=0.1,
        fingerprint="f",
        trace={},
        nearest=[passage] if text else [],
        owner={"name": "Dr Owner", "contact": "4417"},
        created_at=timezone.now(),
        duration_ms=1,
    )


def test_a_failure_while_storing_gives_no_answer(clinician: Client, guideline: Document) -> None:
    clinician.raise_request_exception = False
    with mock.patch("chat.audit.log.record_turn", side_effect=RuntimeError):
        response: HttpResponse = clinician.post(ASK, {"question": QUESTION})  # type: ignore[assignment]
    assert response.status_code == 500
    assert "No answer" in text_of(response)
    assert not Turn.objects.exists()


@pytest.mark.parametrize("question", [QUESTION, UNANSWERABLE])
def test_a_turn_says_what_alone_was_searched(
    clinician: Client, guideline: Document, question: str
) -> None:
    publish_guideline(title="Pneumonia in children", population="<i>child</i>", picture=False)
    page = clinician.post(ASK, {"question": question, "population": "<i>child</i>"}, follow=True)
    assert b"Searched only: &lt;i&gt;child&lt;/i&gt;." in page.content
    page = clinician.post(ASK, {"question": question}, follow=True)
    assert "Searched only" not in text_of(page)


def test_a_chosen_collection_is_named_in_answer_and_refusal_and_can_be_given_up(
    clinician: Client, guideline: Document
) -> None:
    Collection.objects.create(slug="heart", name="Heart <3")
    page = clinician.post(ASK, {"question": QUESTION, "collection": "chest"}, follow=True)
    assert "Searched only: Chest." in text_of(page)
    page = clinician.post(ASK, {"question": QUESTION, "collection": "heart"}, follow=True)
    assert f"No answer {Reason.NO_EVIDENCE.label}." in text_of(page)
    assert "Searched only: Heart &lt;3." in text_of(page)
    assert 'class="quiet" name="question"' not in page.content.decode()
    turn = Turn.objects.latest("created_at")
    again = {"question": QUESTION}  # what its button sends
    assert f'name="question" value="{QUESTION}"' in page.content.decode()
    page = clinician.post(thread(turn.conversation_id, "ask_in"), again, follow=True)
    assert Turn.objects.latest("created_at").status == TurnStatus.ANSWERED
    assert text_of(page).count("Searched only") == 1
    assert '<option value="" selected>' in page.content.decode()


@pytest.mark.parametrize("headers", [HTMX, {}])
def test_a_choice_stays_until_it_is_changed_or_a_new_question_begins(
    headers: dict[str, str], clinician: Client, guideline: Document
) -> None:
    heart = Collection.objects.create(slug="heart", name="Heart")
    chosen = '<option value="heart" selected>'
    clinician.post(ASK, {"question": QUESTION, "collection": "heart"}, headers=headers)
    conversation = Conversation.objects.get()
    assert chosen in clinician.get(thread(conversation.pk)).content.decode()
    address = thread(conversation.pk, "ask_in")
    asked = {"question": QUESTION, "collection": "heart"}
    page = clinician.post(address, asked, headers=headers, follow=True)
    assert chosen in page.content.decode()
    Collection.objects.create(slug="skin", name="Skin")
    clinician.get("/")  # New question
    assert chosen not in clinician.get(thread(conversation.pk)).content.decode()
    clinician.post(address, asked, headers=headers)
    heart.delete()
    page = clinician.get(thread(conversation.pk))
    assert '<option value="" selected>' in page.content.decode()


def test_a_collection_that_is_closed_by_now_is_not_named(
    clinician: Client, alice: User, guideline: Document
) -> None:
    Collection.objects.create(slug="heart", name="Heart")
    turn = ask(alice, collections=("chest",))
    guideline.collection.searchers.add(Group.objects.create(name="Few"))
    page = text_of(clinician.get(thread(turn.conversation_id)))
    assert "Searched only: a collection" in page
    assert "Chest" not in page


@pytest.mark.parametrize("headers", [HTMX, {}])
def test_what_a_follow_up_took_over_can_be_removed(
    headers: dict[str, str], clinician: Client, alice: User, guideline: Document
) -> None:
    Collection.objects.create(slug="heart", name="Heart")
    first = ask(alice, "What is the dose of amoxicillin for adults with pneumonia?")
    assert b'class="carried"' not in clinician.get(thread(first.conversation_id)).content
    address = thread(first.conversation_id, "ask_in")
    asked = {"question": "and in pregnancy?", "collection": "chest"}
    response = clinician.post(address, asked, headers=headers, follow=True)
    turn = Turn.objects.latest("created_at")
    assert f"Read as: {turn.standalone}" in text_of(response)
    form = re.findall(r'<form class="carried".*?</form>', response.content.decode(), re.DOTALL)[-1]
    sent = dict(re.findall(r'<input type="hidden" name="([a-z_]+)" value="([^"]*)"', form))
    buttons = dict(re.findall(r'value="([^"]*)" aria-label="Ask again without ([^"]*)"', form))
    (without,) = [text for text, part in buttons.items() if part == "amoxicillin"]
    assert "amoxicillin" not in without
    response = clinician.post(address, {**sent, "question": without}, headers=headers, follow=True)
    again = Turn.objects.latest("created_at")
    assert (again.question, again.standalone) == (without, "")
    assert again.trace["asked"]["collections"] == ["chest"]
    assert response.status_code == 200


def test_what_is_copied_and_printed_says_where_and_when(
    clinician: Client, alice: User, guideline: Document
) -> None:
    begun = datetime.date(2025, 2, 1)
    Document.objects.filter(pk=guideline.pk).update(effective_from=begun)
    turn = ask(alice, collections=("chest",))
    content = clinician.get(thread(turn.conversation_id)).content.decode()
    day = date_format(timezone.localtime(turn.created_at), "j F Y, H:i")
    (copied,) = re.findall(r'<template id="copy-[^>]*>(.*?)</template>', content, re.DOTALL)
    assert copied.splitlines() == [
        QUESTION,
        "Searched only: Chest.",
        "",
        f"1. Pneumonia in adults › Treatment: {DOSE}",
        "   Pneumonia in adults, version 2.1, in force from 1 February 2025, page 1, Treatment",
        "",
        f"From guidelines in force on {day}. Check the cited page before acting.",
    ]
    assert f'<p class="printed">From guidelines in force on {day}.</p>' in content
    assert ", in force from 1 February 2025</span>" in content
