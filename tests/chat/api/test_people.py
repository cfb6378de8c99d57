"""Test what the API says of the account that asks, and of its rights."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from knox.models import AuthToken

from chat.models import TokenGrant
from corpus.models import Collection, Document, Lifecycle
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import get, signed_in
from tests.people import narrow, person

ME = "/api/v1/me"


@pytest.mark.parametrize(
    ("groups", "may"),
    [
        ((), ["ask"]),
        ((CLINICIANS,), ["ask"]),
        ((STAFF,), ["ask", "upload"]),
        ((PUBLISHERS,), ["ask", "publish"]),
        ((AUDITORS,), ["ask", "audit"]),
        ((STAFF, PUBLISHERS), ["ask", "upload", "publish"]),
    ],
)
def test_a_role_is_told_what_it_may(guideline: Document, groups: Any, may: list[str]) -> None:
    told = get(signed_in(person("somebody", *groups)), ME).json()
    del told["token"]
    assert told == {
        "username": "somebody",
        "groups": sorted(groups),
        "may": may,
        "collections": [{"slug": "chest", "name": "Chest", "in_force": 1}],
    }


def test_what_is_not_open_is_not_named(guideline: Document, alice: User) -> None:
    narrow(guideline.collection, "searchers", "Haematology")
    response = get(signed_in(alice), ME)
    assert response.json()["collections"] == []
    assert "chest" not in response.content.decode().lower()
    Collection.objects.create(slug="empty", name="Empty")
    assert [shelf["slug"] for shelf in get(signed_in(alice), ME).json()["collections"]] == ["empty"]


def test_only_what_is_in_force_is_counted(guideline: Document, alice: User) -> None:
    Document.objects.update(lifecycle=Lifecycle.WITHDRAWN)
    (shelf,) = get(signed_in(alice), ME).json()["collections"]
    assert shelf["in_force"] == 0


def test_one_reads_what_the_token_may_do_and_when_it_ends(alice: User) -> None:
    token = get(signed_in(alice, "read", "audit"), ME).json()["token"]
    assert token["scopes"] == ["audit", "read"]
    stored = AuthToken.objects.get()
    assert datetime.datetime.fromisoformat(token["expires"]) == stored.expiry
    client = signed_in(alice, "audit")
    AuthToken.objects.update(expiry=None)
    TokenGrant.objects.all().delete()  # as a token older than the scopes
    assert get(client, ME).json()["token"] == {"scopes": ["ask", "read"], "expires": None}
