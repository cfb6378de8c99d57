"""Test pages, filters, odd requests and the token of SCIM."""

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.test import Client

from chat.sign_in.tokens import token_create
from medrag_site.configuration.kinds import Token
from tests.chat.sign_in.scim.directory import ERROR, TOKEN, Directory, events
from tests.declared import setting
from tests.people import person


def test_pages(directory: Directory) -> None:
    for number in range(5):
        person(f"p{number}")
    person("root", is_superuser=True)

    def names(**asked: int) -> tuple[int, list[str]]:
        told = directory.get("/scim/v2/Users", asked).json()
        assert told["itemsPerPage"] == len(told["Resources"])
        return told["totalResults"], [one["userName"] for one in told["Resources"]]

    assert names() == (5, [f"p{number}" for number in range(5)])
    assert names(startIndex=2, count=2) == (5, ["p1", "p2"])
    assert names(startIndex=5, count=2) == (5, ["p4"])
    assert names(startIndex=10**30) == (5, [])
    assert names(startIndex=0, count=0) == (5, [])
    assert names(count=-1) == (5, [])


@pytest.mark.parametrize(
    "asked",
    ["userName", "userName eq", 'userName co "a"', 'title eq "a"', 'userName eq "\\q"', "(" * 999],
)
def test_other_filters_are_refused(directory: Directory, asked: str) -> None:
    for path in ("Users", "Groups"):
        answer = directory.get(f"/scim/v2/{path}", {"filter": asked})
        assert (answer.status_code, answer.json()["scimType"]) == (400, "invalidFilter")
    assert directory.get("/scim/v2/Users", {"count": "many"}).status_code == 400


ODD = [
    [], 1, None, "x", {}, {"Operations": None}, {"Operations": [1]}, {"Operations": []},
    {"Operations": [{"op": "move", "path": "active"}]}, {"Operations": [{"op": "add", "path": 7}]},
    {"Operations": [{"op": "add", "path": "active", "value": ["x"]}]},
    {"Operations": [{"op": "add", "path": "active", "value": 0}]},
    {"Operations": [{"op": "remove", "path": "userName"}]},
    {"Operations": [{"op": "replace", "path": "userName", "value": "a b"}]},
    {"Operations": [{"op": "replace", "path": "userName", "value": {"a": 1}}]},
    {"Operations": [{"op": "replace", "path": "userName", "value": "x" * 151}]},
    {"Operations": [{"op": "replace", "path": "emails", "value": [[1], {"value": {}}]}]},
    {"Operations": [{"op": "replace", "path": "name.givenName", "value": "\0"}]},
    {"Operations": [{"op": "replace", "path": "name.givenName", "value": "\ud800"}]},
    {"Operations": [{"op": "replace", "path": "externalId", "value": "x" * 192}]},
    {"Operations": [{"op": "add", "path": "members", "value": [{"value": "1" * 99}]}]},
    {"Operations": [{"op": "add", "path": "members", "value": {"value": [1]}}]},
    {"Operations": [{"op": "remove", "path": 'members[value eq "x"]'}]},
]  # fmt: skip


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_odd_requests_are_errors_in_scim_s_form(
    directory: Directory, ada: User, method: str
) -> None:
    before = User.objects.values("pk", "username", "first_name", "email").get()
    group = directory.group("gl-audit")
    for path in (f"Users/{ada.pk}", "Users", group, "Groups", "Users/x", f"Users/{'9' * 99}"):
        for body in ODD:
            status, _ = directory.send(method, path, body)
            assert status in (200, 204, 400, 403, 404, 405), (path, body, status)
    after = User.objects.values("pk", "username", "first_name", "email").get()
    assert after == before
    raw = [b"{", b"\xff", b"[" * 100_000, b'{"a":' * 100_000, b"x" * 3_000_000]
    for body in raw:
        answer = directory.generic(method, f"/scim/v2/Users/{ada.pk}", body, "application/json")
        assert answer.status_code in (400, 404, 405)
        assert b"Traceback" not in answer.content


def test_other_odd_requests(directory: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("Bulk", "Users/1/x", "Schemas/x", "ResourceTypes/x"):
        assert directory.send("GET", path)[0] == 404
    answer = directory.get("/scim/v2/Users", {"filter": "\0"})
    assert (answer.status_code, answer.json()["schemas"]) == (400, [ERROR])
    kind = "application/json; charset=utf-16"
    assert directory.post("/scim/v2/Users", b"{}", content_type=kind).json()["status"] == "400"

    def away() -> None:
        raise OperationalError("secret")

    monkeypatch.setattr("chat.sign_in.directory.accounts_in_reach", away)
    status, told = directory.send("GET", "Users")
    assert (status, "secret" in told["detail"]) == (503, False)


def test_what_is_supported(directory: Directory) -> None:
    told = directory.send("GET", "ServiceProviderConfig")[1]
    assert told["patch"]["supported"] is True
    for path in ("ResourceTypes", "Schemas"):
        listed = directory.send("GET", path)[1]["Resources"]
        assert [one["name"] for one in listed] == ["User", "Group"]
        assert directory.send("GET", f"{path}/{listed[0]['id']}") == (200, listed[0])


def test_a_wrong_token_and_too_many(
    directory: Directory, ada: User, settings: LazySettings
) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    settings.LOCKOUT_ADDRESS_FAILURES = 5
    for scheme in ("", "Basic x", f"Token {TOKEN}"):
        client = Client(SERVER_NAME="localhost", headers={"authorization": scheme})
        answer = client.get("/scim/v2/Users")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    wrong = Directory("wrong-token-of-them")
    statuses = [wrong.send("DELETE", f"Users/{ada.pk}")[0] for _ in range(4)]
    assert statuses == [401, 401, 401, 429]
    assert directory.send("GET", "Users")[0] == 429  # the limit of the address
    assert Directory(REMOTE_ADDR="192.0.2.7").send("GET", "Users")[0] == 200
    assert Directory(token_create(ada), REMOTE_ADDR="192.0.2.8").send("GET", "Users")[0] == 401
    assert User.objects.get().is_active
    assert [event["account"][:6] for event in events("user.locked_out")] == ["token:"]


def test_it_needs_https(directory: Directory, settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["site.example"]
    elsewhere = Directory()
    elsewhere.defaults["SERVER_NAME"] = "site.example"
    assert elsewhere.send("GET", "Users")[0] == 403
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    elsewhere.defaults["HTTP_X_FORWARDED_PROTO"] = "https"
    assert elsewhere.send("GET", "Users")[0] == 200


@pytest.mark.parametrize("raw", ["short", "true", "/no/such/file"])
def test_a_setting_that_can_not_be_a_token(raw: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MEDRAG_SCIM must be"):
        setting(Token, raw, name="MEDRAG_SCIM")
    assert setting(Token) == ""
