"""Frames: closed unless origins are named, then open to those, but never to sign in."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

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
