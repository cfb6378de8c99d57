"""Test feedback on an answer: kept, changed, private, and never lost for being too long."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from chat.models import Channel, Feedback
from tests.chat.guidelines import ask
from tests.chat.web.pages import HTMX, text_of, thread

pytestmark = pytest.mark.usefixtures("guideline")


def test_feedback_is_kept_and_can_be_changed(clinician: Client, alice: User) -> None:
    turn = ask(alice)
    address = reverse("chat:feedback", args=[turn.pk])
    response = clinician.post(address, {"helpful": "no"}, headers=HTMX)
    assert f'<form id="feedback-{turn.pk}"' in response.content.decode()
    assert "marked this not" in text_of(response)
    response = clinician.post(address, {"helpful": "yes", "comment": "It was."})
    assert response["Location"] == thread(turn.conversation_id)
    feedback = Feedback.objects.get()
    assert (feedback.turn, feedback.helpful, feedback.comment) == (turn, True, "It was.")


def test_a_comment_that_is_too_long_is_kept_on_the_page(clinician: Client, alice: User) -> None:
    turn = ask(alice)
    address = reverse("chat:feedback", args=[turn.pk])
    clinician.post(address, {"helpful": "no"})
    comment = {"helpful": "no", "comment": "x" * 2001}
    response = clinician.post(address, comment, headers=HTMX)
    assert response.status_code == 200
    assert "2,000 characters" in text_of(response)
    assert comment["comment"] in text_of(response)
    assert Feedback.objects.get().comment == ""


def test_a_comment_that_is_too_long_is_not_lost_without_javascript(
    clinician: Client, alice: User
) -> None:
    turn = ask(alice)
    assert turn.conversation is not None
    other = ask(alice, conversation=turn.conversation)
    for each in (turn, other):
        clinician.post(reverse("chat:feedback", args=[each.pk]), {"helpful": "no"})
    typed = "<i>" + "x" * 2000
    address = reverse("chat:feedback", args=[turn.pk])
    response = clinician.post(address, {"helpful": "no", "comment": typed})
    assert response.status_code == 200
    page = response.content.decode()
    assert page.count("2,000 characters") == page.count(' aria-invalid="true"') == 1
    form = page[page.index(f'<form id="feedback-{turn.pk}"') :].partition("</form>")[0]
    assert "<details open>" in form
    assert 'role="alert"' in form
    assert f">{escape(typed)}</textarea>" in form
    assert f'<form id="feedback-{other.pk}"' in page
    assert "Your next question" in page
    assert not Feedback.objects.exclude(comment="").exists()


def test_feedback_that_says_neither_is_told_so(clinician: Client, alice: User) -> None:
    address = reverse("chat:feedback", args=[ask(alice).pk])
    for headers in ({}, HTMX):
        response = clinician.post(address, {"comment": "It was wrong."}, headers=headers)
        assert "whether it was helpful" in text_of(response)
        assert ">It was wrong.</textarea>" in response.content.decode()
    assert not Feedback.objects.exists()


def test_a_question_that_is_wrong_says_nothing_of_the_comments(
    clinician: Client, alice: User
) -> None:
    turn = ask(alice)
    feedback = reverse("chat:feedback", args=[turn.pk])
    clinician.post(feedback, {"helpful": "no", "comment": "It was wrong."})
    page = clinician.post(thread(turn.conversation_id, "ask_in"), {"question": " "})
    assert b"question-error" in page.content and b"2,000 characters" not in page.content
    assert ">It was wrong.</textarea>" in page.content.decode()


def test_feedback_is_the_askers_alone(clinician: Client, bob: User) -> None:
    address = reverse("chat:feedback", args=[ask(bob).pk])
    assert clinician.post(address, {"helpful": "yes"}).status_code == 404


def test_what_was_asked_over_the_api_has_no_page_to_give_feedback_on(
    clinician: Client, alice: User
) -> None:
    turn = ask(alice, channel=Channel.API)
    address = reverse("chat:feedback", args=[turn.pk])
    assert clinician.post(address, {"helpful": "yes"}).status_code == 404
    assert not Feedback.objects.exists()
