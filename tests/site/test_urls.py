"""Test the addresses that everybody needs, and the error pages."""

import re
import subprocess
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from medrag_site import release as release_of
from medrag_site.database.tables import Commands
from medrag_site.release import release

IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.org")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_need_not_know_the_name_of_the_site(
    client: Client, settings: Settings, path: str
) -> None:
    """As a container's health check or a load balancer asks: by the address of the process."""
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["guidelines.example.org"], True
    assert client.get(path, headers={"host": "10.0.0.7:8000"}).status_code == 200
    assert client.get("/", headers={"host": "10.0.0.7:8000"}).status_code == 400


def test_live_asks_no_database(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_ready_asks_the_database(db: None, client: Client) -> None:
    assert client.get("/readyz").json() == {"status": "ok", "database": "ok"}
    with mock.patch(
        "medrag_site.database.restore_mark.connection.cursor",
        side_effect=OperationalError("secret"),
    ):
        response = client.get("/readyz")
    assert response.status_code == 503
    assert b"secret" not in response.content


def test_the_foot_of_pages_says_which_release_this_is(admin_client: Client) -> None:
    for page in ("/", "/guidelines/", "/admin/"):
        assert f"MedRAG {release()}" in admin_client.get(page).content.decode()


def test_the_command_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    Commands(["manage.py", "--version"]).execute()
    assert capsys.readouterr().out == f"{release()}\n"
    told = "Unreleased" if ".dev" in release() else release()
    assert f"## {told}" in (settings.BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_build_between_releases_names_its_commit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "9.1.0.dev0"\n')
    monkeypatch.setattr(release_of, "_ROOT", tmp_path)
    assert release.__wrapped__() == "9.1.0.dev0"  # no git here
    for command in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run(["git", *IDENTITY, *command], cwd=tmp_path, check=True)
    assert re.fullmatch(r"9\.1\.0\.dev0\+[0-9a-f]{7,}", release.__wrapped__())
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "9.1.0"\n')
    assert release.__wrapped__() == "9.1.0"


def test_sign_in_and_out(alice: User, client: Client) -> None:
    client.raise_request_exception = True
    wrong = client.post("/sign-in/", {"username": "alice", "password": "no"})
    assert b"do not match" in wrong.content
    assert b'value="alice"' in wrong.content
    address = {"username": "alice", "password": "alice-secret", "next": "/conversations/"}
    assert client.post("/sign-in/", address)["Location"] == "/conversations/"
    assert client.get("/").status_code == 200
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/").status_code == 302


def test_sign_in_leads_nowhere_else(alice: User, client: Client) -> None:
    form = {"username": "alice", "password": "alice-secret", "next": "https://evil.example/"}
    assert client.post("/sign-in/", form)["Location"] == "/"


def test_the_administration_has_the_same_page_to_sign_in(alice: User, client: Client) -> None:
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0] == "/sign-in/?next=%2Fadmin%2F"
    client.force_login(alice)
    response = client.get("/admin/", follow=True)
    assert b"this account may not open that page" in response.content


def test_a_missing_page_is_a_sentence(db: None, client: Client) -> None:
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert b"There is no such page here" in response.content


def test_a_fault_is_a_sentence(alice: User) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    with mock.patch("chat.web.views.collections_in_force", side_effect=RuntimeError("secret")):
        response = client.get("/")
    assert response.status_code == 500
    assert b"Something went wrong here" in response.content
    assert b"secret" not in response.content


def test_a_huge_request_is_a_sentence(alice: User, client: Client) -> None:
    client.force_login(alice)
    response = client.post(reverse("chat:ask"), {"question": "x" * 3_000_000})
    assert response.status_code in (200, 400)
    assert b"Traceback" not in response.content


@pytest.mark.parametrize(
    "path",
    [
        "medrag.css",
        "medrag.js",
        "asking.js",
        "icon.svg",
        "admin.css",
        "django_htmx/htmx-2.min.js",
        "admin/css/base.css",
    ],
)
def test_static_files_are_served_from_the_checkout(path: str, client: Client) -> None:
    """Without DEBUG and without `collectstatic`."""
    assert client.get(f"/static/{path}").status_code == 200


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/conversations/", "/nothing/"])
def test_no_page_needs_what_the_policy_forbids(path: str, alice: User, client: Client) -> None:
    client.force_login(alice)
    response = client.get(path)
    assert "default-src 'self'" in response["Content-Security-Policy"]
    content = response.content.decode()
    assert " style=" not in content
    assert "<style" not in content
    assert "<script>" not in content
    assert "onclick" not in content
    assert "http://" not in content.replace("http://www.w3.org", "")
