"""The box for questions in frames of the hospital's pages, and the script that puts it there."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from chat.models import Turn
from tests.corpora import publish
from tests.site.web.test_framing import FRAMED, RECORD, ancestors

GUIDELINE = "# Gentamicin\n\n## Dose in adults\n\nGive adults gentamicin 7 mg/kg once a day.\n"


@pytest.fixture
def open_to_frames(settings: Settings) -> None:
    settings.FRAME_ANCESTORS, settings.HTTPS = [RECORD], True


def test_it_is_closed_until_somebody_may_frame_it(client: Client, alice: User) -> None:
    client.force_login(alice)
    refused = client.get("/widget/", headers=FRAMED)
    assert refused.status_code == 404
    assert (ancestors(refused), refused["X-Frame-Options"]) == ("'none'", "DENY")


def test_the_named_origin_alone_frames_it(
    open_to_frames: None, client: Client, alice: User
) -> None:
    client.force_login(alice)
    shown = client.get("/widget/", headers=FRAMED)
    assert ancestors(shown) == RECORD
    page = shown.content.decode()
    assert 'action="/widget/ask/"' in page
    assert "id_question" in page
    assert "history" not in re.findall(r'id="(\w+)"', page)


def test_who_is_not_signed_in_gets_a_link_to_a_window(open_to_frames: None, db: None) -> None:
    page = Client().get("/widget/", headers=FRAMED).content.decode()
    assert 'href="/sign-in/" target="_blank" rel="noopener"' in page
    assert "load this page again" in page
    assert "<form" not in page.split("<main")[1]


def test_without_a_script_questions_stay_in_the_frame(
    open_to_frames: None, client: Client, alice: User
) -> None:
    publish(GUIDELINE, population="adult")
    client.force_login(alice)
    first = client.post("/widget/ask/", {"question": "Dose of gentamicin in adults?"})
    turn = Turn.objects.get()
    there = f"/widget/{turn.conversation_id}/"
    assert first["Location"] == f"{there}#turn-{turn.pk}"
    page = client.get(there).content.decode()
    assert "7 mg/kg once a day" in page
    assert "/source/" in page
    assert f'action="{there}ask/"' in page
    second = client.post(f"{there}ask/", {"question": "And in children?"})
    assert second["Location"].startswith(there)
    empty = client.post("/widget/ask/", {"question": ""}).content.decode()
    assert 'action="/widget/ask/"' in empty


def test_a_conversation_of_somebody_else_is_not_shown(
    open_to_frames: None, client: Client, alice: User, bob: User
) -> None:
    client.force_login(alice)
    client.post("/widget/ask/", {"question": "Dose of gentamicin in adults?"})
    client.force_login(bob)
    assert client.get(f"/widget/{Turn.objects.get().conversation_id}/").status_code == 404


def test_the_script_can_be_pinned_by_other_sites(client: Client, db: None) -> None:
    served = client.get("/static/widget.js", headers={"origin": RECORD})
    assert served.status_code == 200
    assert served["Access-Control-Allow-Origin"] == "*"  # `integrity` needs it
    assert "javascript" in served["Content-Type"]
