"""Frames, the box for questions in them, and requests from other origins: closed unless named."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from chat.models import Turn
from medrag_site.configuration.kinds import Origins
from tests.corpora import publish
from tests.declared import setting
from tests.people import client_of

RECORD = "https://record.example.org"
FRAMED = {"sec-fetch-dest": "iframe"}


@pytest.fixture
def open_to_frames(settings: Settings) -> None:
    settings.FRAME_ANCESTORS, settings.HTTPS = [RECORD], True


def ancestors(response: object) -> str:
    policy = response["Content-Security-Policy"]  # type: ignore[index]
    found = re.search(r"frame-ancestors ([^;]+)", policy)
    return found[1] if found else ""


def test_nobody_frames_a_site_as_it_comes(client: Client, alice: User) -> None:
    client.force_login(alice)
    home = client.get("/", headers=FRAMED)
    assert (ancestors(home), home["X-Frame-Options"]) == ("'none'", "DENY")
    sent = client.get("/sign-in/").cookies["csrftoken"].OutputString()
    assert "Partitioned" not in sent
    assert "SameSite=Lax" in sent


def test_a_named_origin_frames_questions(open_to_frames: None, client: Client, alice: User) -> None:
    client.force_login(alice)
    home = client.get("/", headers=FRAMED)
    assert ancestors(home) == RECORD
    assert "X-Frame-Options" not in home
    assert home.cookies
    for cookie in home.cookies.values():
        said = cookie.OutputString()
        assert said.endswith("; Partitioned"), said
        assert "SameSite=None" in said
        assert "Secure" in said


@pytest.mark.parametrize("path", ["/sign-in/", "/admin/", "/second-factor/"])
def test_nobody_signs_in_or_administers_in_a_frame(
    open_to_frames: None, alice: User, path: str
) -> None:
    client = client_of(User.objects.create_superuser("root", password="root-secret"))
    alone = client.get(path)
    assert (ancestors(alone), alone["X-Frame-Options"]) == ("'none'", "DENY")
    framed = client.get(path, headers=FRAMED)
    page = framed.content.decode()
    assert ancestors(framed) == RECORD
    assert f'href="{path}" target="_blank" rel="noopener"' in page
    assert "<form" not in page.split("<main")[1]
    posted = client.post(path, {"username": "root", "password": "root-secret"}, headers=FRAMED)
    assert posted.status_code == 200
    assert "window of its own" in posted.content.decode()


def test_forms_need_their_token_in_a_frame(open_to_frames: None, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    page = client.get("/", headers=FRAMED).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    said = {"question": "What is the dose of enoxaparin?"}
    assert client.post("/ask/", said, headers=FRAMED).status_code == 403
    sent = client.post("/ask/", said | {"csrfmiddlewaretoken": token[1]}, headers=FRAMED)
    assert sent.status_code == 302


def test_this_machine_frames_without_https(settings: Settings, client: Client, alice: User) -> None:
    settings.FRAME_ANCESTORS = ["http://127.0.0.1:8001"]
    client.force_login(alice)
    home = client.get("/", headers=FRAMED)
    assert ancestors(home) == "http://127.0.0.1:8001"
    sent = home.cookies["csrftoken"].OutputString()
    assert "SameSite=Lax" in sent
    assert "Partitioned" not in sent


@pytest.mark.parametrize(
    ("origins", "is_taken"),
    [
        (RECORD, False),
        ("http://127.0.0.1:8001", True),
        (f"http://127.0.0.1:8001,{RECORD}", False),
        ("http://127.0.0.1.example.org", False),
        ("http://localhost:8001", False),  # of another site than 127.0.0.1
    ],
)
def test_frames_need_https_elsewhere(origins: str, is_taken: bool) -> None:
    given = {"MEDRAG_FRAME_ANCESTORS": origins, "DJANGO_SETTINGS_MODULE": "medrag_site.settings"}
    command = "from django.conf import settings; settings.DEBUG"
    ran = subprocess.run(
        [sys.executable, "-c", command], env=os.environ | given, capture_output=True, text=True
    )
    assert (ran.returncode == 0) is is_taken
    assert ("MEDRAG_FRAME_ANCESTORS needs https=true in MEDRAG_WEB" in ran.stderr) is not is_taken


GUIDELINE = "# Gentamicin\n\n## Dose in adults\n\nGive adults gentamicin 7 mg/kg once a day.\n"


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


ORIGIN, OTHER = "https://records.example.org", "https://evil.example.org"
ALLOWED = "Access-Control-Allow-Origin"
ASKS = {"access-control-request-method": "POST"}


@pytest.fixture
def named(settings: LazySettings) -> None:
    settings.CORS_ORIGINS = [ORIGIN]


def test_nothing_is_said_without_the_setting(db: None, client: Client) -> None:
    response = client.options("/api/v1/query", headers={"origin": ORIGIN} | ASKS)
    assert response.status_code == 401
    assert ALLOWED not in response


@pytest.mark.parametrize("origin", [OTHER, "null", "", "https://records.example.org.evil.example"])
def test_another_origin_is_not_allowed(named: None, db: None, client: Client, origin: str) -> None:
    for response in (
        client.options("/api/v1/query", headers={"origin": origin} | ASKS),
        client.get("/api/v1/schema", headers={"origin": origin}),
    ):
        assert ALLOWED not in response
        assert "Origin" in response["Vary"]


@pytest.mark.parametrize("path", ["/api/v1/query", "/v1/chat/completions"])
def test_a_named_origin_asks_first_and_then_calls(
    named: None, db: None, client: Client, path: str
) -> None:
    first = client.options(path, headers={"origin": ORIGIN} | ASKS)
    assert first.status_code == 204
    assert first[ALLOWED] == ORIGIN
    assert "Authorization" in first["Access-Control-Allow-Headers"]
    assert "PATCH" in first["Access-Control-Allow-Methods"]
    called = client.get("/api/v1/me", headers={"origin": ORIGIN})
    assert (called.status_code, called[ALLOWED]) == (401, ORIGIN)
    for response in (first, called):
        assert "Access-Control-Allow-Credentials" not in response


def test_pages_are_not_for_other_origins(named: None, db: None, client: Client) -> None:
    assert ALLOWED not in client.get("/sign-in/", headers={"origin": ORIGIN})


@pytest.mark.parametrize("raw", ["*", "records.example.org", "https://a.example/", "https://*.org",
                                 "https://A.example", "null", "https://a.example,,"])  # fmt: skip
def test_an_origin_is_written_in_full(raw: str) -> None:
    with pytest.raises(Exception, match="MEDRAG_X"):
        setting(Origins, raw)
    assert setting(Origins, f"{ORIGIN}, {OTHER}") == [ORIGIN, OTHER]
