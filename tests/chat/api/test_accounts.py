"""Test accounts, collections and the log over the API: who may do what, and is told what."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from knox.models import AuthToken

from chat.api.pages import LatestRow
from chat.audit.verify import verify_chain
from chat.models import AuditEvent, TokenGrant
from corpus.models import Collection, Document, Lifecycle
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import assert_problem, get, post, signed_in
from tests.corpora import publish
from tests.people import in_groups, narrow, person

USERS, COLLECTIONS = "/api/v1/users", "/api/v1/collections"
AUDIT, VERIFY = "/api/v1/audit", "/api/v1/audit/verify"


@pytest.fixture
def root(db: None) -> Client:
    return signed_in(person("root", is_superuser=True))


@pytest.fixture
def manager(db: None) -> Client:
    """Return a clinician's client with the rights to view, add and change accounts."""
    user = person("manager", CLINICIANS)
    rights = Permission.objects.filter(codename__in=["view_user", "add_user", "change_user"])
    user.user_permissions.set(rights)
    return signed_in(User.objects.get(pk=user.pk))


def patch(client: Client, pk: int, body: Any) -> Any:
    return client.patch(f"{USERS}/{pk}", body, content_type="application/json")


@pytest.mark.parametrize("group", [CLINICIANS, STAFF, PUBLISHERS, AUDITORS])
def test_accounts_are_for_who_may_change_them(alice: User, group: str) -> None:
    client = signed_in(person("somebody", group))
    for response in (
        get(client, USERS),
        get(client, f"{USERS}/{alice.pk}"),
        get(client, f"{USERS}/999999"),
        post(client, USERS, {"username": "alice"}),
        patch(client, alice.pk, {"is_active": False}),
    ):
        assert_problem(response, 403)
    assert User.objects.get(pk=alice.pk).is_active


def test_an_account_is_made_read_and_deactivated(root: Client) -> None:
    made = post(root, USERS, {"username": "carol", "groups": [CLINICIANS], "email": "c@x.example"})
    assert made.status_code == 201
    told = made.json()
    assert get(root, f"{USERS}/{told['id']}").json() == told
    assert told["groups"] == [CLINICIANS]
    carol = User.objects.get(username="carol")
    assert not carol.has_usable_password()
    hers = signed_in(carol)
    assert get(hers, "/api/v1/me").status_code == 200
    assert patch(root, carol.pk, {"is_active": False, "groups": []}).json()["groups"] == []
    assert_problem(get(hers, "/api/v1/me"), 401)
    actions = list(AuditEvent.objects.filter(action__startswith="user.").values_list("action"))
    assert actions == [("user.created",), ("user.changed",)]
    assert [a["username"] for a in get(root, USERS).json()["results"]] == ["carol", "root"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/username"),
        ({"username": "a b"}, "#/username"),
        ({"username": ""}, "#/username"),
        ({"username": "carol", "groups": ["None"]}, "#/groups/0"),
        ({"username": "carol", "is_superuser": True}, "#/is_superuser"),
        ({"username": "carol", "email": "x"}, "#/email"),
    ],
)
def test_a_wrong_account_is_400(root: Client, alice: User, body: Any, pointer: str) -> None:
    problem = assert_problem(post(root, USERS, body), 400)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


def test_a_name_that_is_taken_is_409(root: Client, alice: User) -> None:
    assert_problem(post(root, USERS, {"username": "alice"}), 409, "An account with this name")


def test_nobody_gives_away_what_they_lack(manager: Client, alice: User) -> None:
    in_groups(alice, AUDITORS)
    assert_problem(patch(manager, alice.pk, {"groups": [PUBLISHERS]}), 400, "no such group")
    told = patch(manager, alice.pk, {"groups": [CLINICIANS]}).json()
    assert sorted(told["groups"]) == [AUDITORS, CLINICIANS]  # other groups are kept
    assert patch(manager, alice.pk, {"groups": []}).json()["groups"] == [AUDITORS]
    assert Group.objects.get(name=CLINICIANS).user_set.count() == 1


def test_only_superusers_touch_superusers(manager: Client, root: Client) -> None:
    boss = User.objects.get(username="root")
    assert_problem(patch(manager, boss.pk, {"is_active": False}), 403)
    assert patch(root, boss.pk, {"first_name": "R"}).json()["first_name"] == "R"
    assert_problem(patch(root, 999999, {}), 404)


def test_collections_say_what_one_may_in_each(guideline: Document, alice: User) -> None:
    publish("# Draft", collection="chest", lifecycle=Lifecycle.DRAFT)
    publish("# Blood", collection="blood")
    staff = signed_in(person("staff", STAFF))
    narrow(Document.objects.get(title="Blood").collection, "uploaders", "Haematology")

    def told(client: Client) -> list[tuple[str, int, int, list[str]]]:
        rows = get(client, COLLECTIONS).json()["results"]
        return [(r["slug"], r["documents"], r["published"], r["may"]) for r in rows]

    assert told(staff) == [("blood", 1, 1, ["search"]), ("chest", 2, 1, ["search", "upload"])]
    assert [row[2:] for row in told(signed_in(alice))] == [(0, ["search"]), (0, ["search"])]
    for right in ("searchers", "uploaders", "publishers"):
        narrow(guideline.collection, right, "Haematology")
    assert [slug for slug, *_ in told(staff)] == ["blood"]


@pytest.mark.parametrize("group", [CLINICIANS, STAFF, PUBLISHERS])
def test_the_log_is_for_auditors(db: None, group: str) -> None:
    client = signed_in(person("somebody", group))
    for path in (AUDIT, VERIFY):
        assert_problem(get(client, path), 403)


def test_the_log_is_read_over_pages(guideline: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in(person("auditor", AUDITORS))
    for _ in range(3):
        get(client, "/api/v1/me")
    monkeypatch.setattr(LatestRow, "page_size", 2)
    first = get(client, AUDIT, action="read").json()
    rows = [*first["results"], *client.get(first["next"]).json()["results"]]
    assert [row["payload"]["operation"] for row in rows] == ["me", "me", "me"]
    assert [row["seq"] for row in rows] == sorted((row["seq"] for row in rows), reverse=True)
    assert get(client, AUDIT, action="none").json()["results"] == []
    assert_problem(get(client, AUDIT, acton="read"), 400)


def test_the_verdict_is_that_of_the_command(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.api.log.verify_chain", lambda: verify_chain("default"))
    client = signed_in(person("auditor", AUDITORS))
    told = get(client, VERIFY).json()
    assert told["ok"] and told["verdict"].startswith("OK ")
    assert told["rows"] == AuditEvent.objects.count() - 1  # without this reading


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
