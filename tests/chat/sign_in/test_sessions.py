"""Test how long a session lasts, and that the log records who opened what by which right."""

import datetime
import io
import json
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from chat.models import AuditEvent, TokenGrant
from chat.sign_in.sessions import SINCE, SessionStore, sessions_end
from chat.sign_in.tokens import token_create
from corpus.models import Document
from medrag_site.processes.tasks import prune
from tests.chat.guidelines import publish_guideline


def sent_back(client: Client) -> bool:
    return client.get("/conversations/").status_code == 302


def later(client: Client, **ago: int) -> None:
    """Move the session's times into the past."""
    delta = datetime.timedelta(**ago)
    row = Session.objects.get(pk=client.session.session_key)
    data = SessionStore().decode(row.session_data)
    data[SINCE] -= delta.total_seconds()
    row.session_data = SessionStore().encode(data)
    row.expire_date -= delta
    row.save()


def test_it_ends_however_busy(alice: User, client: Client, settings: LazySettings) -> None:
    settings.SESSION_COOKIE_AGE = 8 * 3600
    settings.SESSION_IDLE = datetime.timedelta(hours=1)
    client.force_login(alice)
    for _ in range(10):
        later(client, minutes=47)
        assert not sent_back(client)
    later(client, minutes=30)
    assert sent_back(client)


def test_it_ends_when_nobody_asks(alice: User, client: Client, settings: LazySettings) -> None:
    settings.SESSION_IDLE = datetime.timedelta(minutes=20)
    client.force_login(alice)
    for minutes, ended in ((19, False), (19, False), (21, True)):
        later(client, minutes=minutes)
        assert sent_back(client) == ended


def test_a_shorter_setting_counts_at_once(
    alice: User, client: Client, settings: LazySettings
) -> None:
    client.force_login(alice)
    later(client, hours=3)
    settings.SESSION_COOKIE_AGE = 2 * 3600
    assert sent_back(client)


def test_without_a_limit_on_idling_it_lasts_and_signing_in_again_begins_anew(
    alice: User, client: Client
) -> None:
    for _ in range(2):
        client.force_login(alice)
        later(client, hours=11)
        assert not sent_back(client)


def test_signing_out_ends_it_for_who_kept_the_cookie(alice: User, client: Client) -> None:
    client.force_login(alice)
    thief = Client()
    thief.cookies = client.cookies.__class__(client.cookies.output(header="", sep=";"))
    assert not sent_back(thief)
    client.post("/sign-out/")
    assert sent_back(thief)
    assert not Session.objects.filter(expire_date__gt=timezone.now()).exists()


def test_the_worker_deletes_what_has_ended(alice: User, bob: User) -> None:
    clients = Client(), Client()
    for client, account in zip(clients, (alice, bob), strict=True):
        client.force_login(account)
    later(clients[0], hours=13)
    prune()
    assert [row.pk for row in Session.objects.all()] == [clients[1].session.session_key]


def test_ending_all_ends_those_that_another_machines_clock_still_honours(
    alice: User, client: Client
) -> None:
    client.force_login(alice)
    Session.objects.update(expire_date=timezone.now() - datetime.timedelta(minutes=4))
    assert sessions_end(alice) == 1
    assert not Session.objects.exists()


def events(*actions: str) -> list[tuple[str, str, dict[str, Any]]]:
    found = AuditEvent.objects.filter(action__in=actions).order_by("seq")
    return [(event.action, event.actor, json.loads(event.payload)) for event in found]


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


def test_changes_in_the_administration(root: User, client: Client) -> None:
    client.force_login(root)
    group, other = (Group.objects.create(name=name) for name in ("Ward 7", "Ward 8"))
    address = f"/admin/auth/group/{group.pk}/change/"
    assert client.post(address, {"name": "Ward 9", "permissions": []}).status_code == 302
    chosen = {"action": "delete_selected", "_selected_action": [group.pk, other.pk], "post": "yes"}
    assert client.post("/admin/auth/group/", chosen).status_code == 302
    found = events("group.changed", "group.deleted")
    assert [(action, payload["group"]) for action, _, payload in found] == [
        ("group.changed", "Ward 9"),
        ("group.deleted", "Ward 8"),
        ("group.deleted", "Ward 9"),
    ]
    assert {actor for _, actor, _ in found} == {f"user:{root.pk}:root"}


def test_first_use_of_a_token_on_a_day(alice: User) -> None:
    client = Client(headers={"authorization": f"Bearer {token_create(alice)}"})

    def uses() -> int:
        assert client.get("/api/v1/me").status_code == 200
        return len(events("token.used"))

    assert (uses(), uses()) == (1, 1)
    TokenGrant.objects.update(used_on="2020-01-02")
    assert (uses(), uses()) == (2, 2)
    TokenGrant.objects.all().delete()  # as a token older than the grants
    assert (uses(), uses()) == (3, 3)


def test_sources_that_are_opened(alice: User, client: Client) -> None:
    document: Document = publish_guideline()
    client.force_login(alice)
    assert client.get(f"/source/{document.sha256}/1/").status_code == 200
    found = events("source.opened")
    assert [(actor, payload) for _, actor, payload in found] == [
        (f"user:{alice.pk}:alice", {"page": 1})
    ]


def test_work_at_the_terminal(db: None) -> None:
    out = {"stdout": io.StringIO()}
    call_command("groups", give=["Auditors"], **out)
    call_command("createsuperuser", username="boss", email="", interactive=False, **out)
    (given,) = events("groups.given")
    assert given[2] == {"groups": ["Auditors"]}
    (made,) = events("user.created")
    assert (made[2]["account"], made[2]["is_superuser"]) == ("boss", True)
