"""Test whom the directory creates, changes, closes and reopens."""

import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import DirectoryAccount
from chat.sign_in.tokens import token_create
from tests.chat.sign_in.scim.directory import (
    ENTRA,
    OKTA,
    PATCH,
    Directory,
    events,
    is_in,
    names_of,
)
from tests.people import client_of, person
from tests.tables import rows


def named(table: str) -> list[Any]:
    """Return the cases of a table, whose first cells are their names."""
    return [pytest.param(*row, id=name) for name, *row in rows(__file__, table)]


@pytest.mark.parametrize("path", ["Users", "Users/1", "Groups", "ServiceProviderConfig"])
def test_it_is_off_by_default(db: None, path: str) -> None:
    assert Directory().get(f"/scim/v2/{path}").status_code == 404


@pytest.mark.parametrize("body", [ENTRA, OKTA], ids=["Entra", "Okta"])
def test_a_new_colleague(directory: Directory, body: dict[str, Any]) -> None:
    asked = 'userName eq "ada@hospital.example"'
    assert directory.find("Users", asked)["totalResults"] == 0
    status, told = directory.send("POST", "Users", body)
    account = User.objects.get()
    assert (status, told["id"], told["active"]) == (201, str(account.pk), True)
    assert told["meta"]["location"].endswith(f"/scim/v2/Users/{account.pk}")
    for name in ("userName", "externalId", "emails"):
        assert told[name] == body[name]
    assert (account.first_name, account.last_name) == ("Ada", "Lovelace")
    assert not account.has_usable_password()
    assert not (account.is_staff or account.is_superuser or names_of(account))
    (event,) = events("user.created")
    assert (event["account"], event["by"]) == ("ada@hospital.example", "directory")
    for filter_ in (asked.upper().replace(" EQ ", " eq "), f'externalId eq "{body["externalId"]}"'):
        assert directory.find("Users", filter_)["Resources"] == [told]
    assert directory.send("GET", f"Users/{account.pk}") == (200, told)


@pytest.mark.parametrize(("method", "body"), named("leavers.jsonl"))
def test_a_leaver_is_out_at_the_next_request(
    directory: Directory, ada: User, bob: User, method: str, body: Any
) -> None:
    browser, other = Client(), Client()
    browser.force_login(ada)
    other.force_login(bob)
    program = Client(headers={"authorization": f"Bearer {token_create(ada)}"})
    assert is_in(browser)
    assert program.get("/api/v1/me").status_code == 200
    status, told = directory.send(method, f"Users/{ada.pk}", body)
    assert status in (200, 204)
    assert told is None or told["active"] is False
    assert not is_in(browser)
    assert program.get("/api/v1/me").status_code == 401
    assert is_in(other)
    (changed,) = events("user.changed")
    assert (changed["fields"], changed["is_active"]) == (["is_active"], False)
    assert (changed["by"], changed["sessions_ended"]) == ("directory", 1)
    assert [event["count"] for event in events("token.revoked")] == [1]
    stored = User.objects.get(pk=ada.pk)
    assert (stored.username, stored.email) == (ENTRA["userName"], ENTRA["userName"])
    status, told = directory.send("GET", f"Users/{ada.pk}")
    assert (status, told.get("active")) == ((404, None) if method == "DELETE" else (200, False))


@pytest.mark.parametrize("active", [True, "True"])
def test_who_comes_back_signs_in_anew(directory: Directory, ada: User, active: Any) -> None:
    browser = client_of(ada)
    program = Client(headers={"authorization": f"Bearer {token_create(ada)}"})
    for _ in range(2):
        directory.patch_with(f"Users/{ada.pk}", {"op": "replace", "value": {"active": False}})
    back = {"op": "Replace", "path": "active", "value": active}
    status, told = directory.patch_with(f"Users/{ada.pk}", back)
    assert (status, told["active"]) == (200, True)
    assert not is_in(browser)
    assert program.get("/api/v1/me").status_code == 401
    assert [event["is_active"] for event in events("user.changed")] == [False, True]
    browser.force_login(User.objects.get(pk=ada.pk))
    assert is_in(browser)


def test_who_was_blocked_here_stays_blocked(directory: Directory, ada: User) -> None:
    User.objects.update(is_active=False)
    for _ in range(2):
        status, told = directory.send("PUT", f"Users/{ada.pk}", ENTRA)
        assert status == 403
        assert "deactivated here" in told["detail"]
        directory.patch_with(f"Users/{ada.pk}", {"op": "replace", "value": {"active": False}})
    directory.send("DELETE", f"Users/{ada.pk}")
    assert directory.send("POST", "Users", ENTRA)[0] == 403
    assert not User.objects.get().is_active


def test_who_was_deleted_is_gone_until_created_anew(directory: Directory, ada: User) -> None:
    path, group = f"Users/{ada.pk}", directory.group("gl-audit")
    joins = {"op": "add", "path": "members", "value": [{"value": str(ada.pk)}]}
    assert directory.patch_with(group, joins)[0] == 200
    assert directory.send("DELETE", path)[0] == 204
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        body = PATCH | {"Operations": [{"op": "replace", "value": {"active": True}}]}
        assert directory.send(method, path, ENTRA | body)[0] == 404
    assert directory.patch_with(group, joins)[0] == 404
    assert directory.find("Users", f'userName eq "{ENTRA["userName"]}"')["totalResults"] == 0
    another = ENTRA | {"externalId": "another"}
    assert directory.send("POST", "Users", another)[0] == 409, "another person of that name"
    assert not User.objects.get().is_active
    status, told = directory.send("POST", "Users", ENTRA)
    assert (status, told["id"], told["active"]) == (201, str(ada.pk), True)
    assert directory.send("GET", path) == (200, told)
    assert names_of(ada) == set()


NAMES = [
    "anna_example.org#EXT#@tenant.onmicrosoft.com",
    "o'neil@hospital.example",
    "x!^~@hospital.example",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_the_directory_gives(directory: Directory, name: str) -> None:
    status, told = directory.send("POST", "Users", ENTRA | {"userName": name})
    assert (status, told["userName"]) == (201, name)
    quoted = json.dumps(name).replace("'", "\\u0027")
    for asked in (f'userName eq "{name.upper()}"', f"userName eq {quoted}"):
        assert directory.find("Users", asked)["Resources"] == [told]
    for said in (quote(f'userName eq "{name}"'), quote_plus(f'userName eq "{name}"', safe="'\"")):
        answer = directory.get(f"/scim/v2/Users?filter={said}")
        assert answer.json()["Resources"] == [told]
    body = {"op": "replace", "path": "userName", "value": "ada"}
    assert directory.patch_with(f"Users/{told['id']}", body)[0] == 200
    assert directory.patch_with(f"Users/{told['id']}", body | {"value": name})[1] == told


@pytest.mark.parametrize("name", NAMES)
def test_such_an_account_can_be_changed_in_the_administration(
    directory: Directory, name: str
) -> None:
    pk = directory.send("POST", "Users", ENTRA | {"userName": name})[1]["id"]
    browser = client_of(person("root", "Administrators", is_superuser=True))
    form = {"username": name, "is_active": "on", "is_staff": "on"}
    path = f"/admin/auth/user/{pk}/change/"
    assert browser.post(path, form).status_code == 302
    assert User.objects.get(pk=pk).is_staff
    assert browser.post(path, form | {"username": "a b"}).status_code == 200
    assert User.objects.get(pk=pk).username == name


@pytest.mark.parametrize(("operations", "expected"), named("changes.jsonl"))
def test_a_change(
    directory: Directory, ada: User, operations: list[dict[str, Any]], expected: dict[str, str]
) -> None:
    before = User.objects.values().get()
    assert directory.patch_with(f"Users/{ada.pk}", *operations)[0] == 200
    assert User.objects.values().get() == before | expected
    changed = [event["fields"] for event in events("user.changed")]
    assert changed == ([sorted(expected)] if expected else [])


@pytest.mark.parametrize(("method", "body"), named("same_people.jsonl"))
def test_two_people_never_become_one(
    directory: Directory, ada: User, alice: User, method: str, body: dict[str, Any]
) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@h.example")
    person("root", is_superuser=True)
    before = list(User.objects.order_by("pk").values())
    status, told = directory.send(method, f"Users/{ada.pk}" if method == "PUT" else "Users", body)
    assert (status, told["scimType"]) == (409, "uniqueness")
    assert list(User.objects.order_by("pk").values()) == before


def test_a_name_that_passed_to_another_person_does_not_open_the_old_account(
    directory: Directory, ada: User
) -> None:
    directory.patch_with(f"Users/{ada.pk}", {"op": "replace", "value": {"active": False}})
    status, told = directory.send("PUT", f"Users/{ada.pk}", ENTRA | {"externalId": "another"})
    assert status == 403
    assert "externalId" in told["detail"]
    assert not User.objects.get().is_active
    assert DirectoryAccount.objects.get().external_id == ENTRA["externalId"]


def test_superusers_are_out_of_reach(directory: Directory) -> None:
    root = person("root", is_superuser=True)
    path, group = f"Users/{root.pk}", directory.group("gl-doctors")
    browser = client_of(root)
    assert directory.find("Users", 'userName eq "root"')["totalResults"] == 0
    assert directory.send("GET", path)[0] == 404
    wanted = {"op": "add", "path": "members", "value": [{"value": str(root.pk)}]}
    refused = [
        directory.send("PUT", path, ENTRA)[0],
        directory.patch_with(path, {"op": "replace", "value": {"active": False}})[0],
        directory.send("DELETE", path)[0],
        directory.patch_with(group, wanted)[0],
    ]
    assert refused == [403] * 4
    assert is_in(browser)
    assert names_of(root) == set()
    told = events("user.change_refused")
    assert told == [{"by": "directory", "reason": "The account is a superuser's."}] * 4
