"""Test that the log records who opened what, used which token and gave which rights."""

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client

from chat.models import AuditEvent, TokenGrant
from chat.sign_in.tokens import token_create
from corpus.models import Document
from tests.chat.guidelines import publish_guideline


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
