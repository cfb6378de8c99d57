"""Test SCIM 2.0 with requests in the shapes that Entra ID and Okta send."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.test import Client

from chat.models import AuditEvent, DirectoryAccount
from chat.sign_in.tokens import token_create
from medrag_site.configuration.environment import Env
from medrag_site.groups import ADMINISTRATORS, AUDITORS, CLINICIANS, REVIEWERS
from tests.chat.sign_in.provider import CLIENT, SECRET, provider
from tests.people import person

TOKEN = "token-of-the-directory-7"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
PATCH = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}
GROUPS = {"gl-doctors": CLINICIANS, "gl-wards": CLINICIANS, "gl-audit": AUDITORS, "gone": "Gone"}

ENTRA = {
    "schemas": [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
    "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    "userName": "ada@hospital.example",
    "active": True,
    "emails": [{"primary": True, "type": "work", "value": "ada@hospital.example"}],
    "meta": {"resourceType": "User"},
    "name": {"formatted": "Ada Lovelace", "familyName": "Lovelace", "givenName": "Ada"},
    "title": "Consultant",
    "roles": [],
}
OKTA = {
    "schemas": [USER],
    "userName": "ada@hospital.example",
    "name": {"givenName": "Ada", "familyName": "Lovelace"},
    "emails": [{"primary": True, "value": "ada@hospital.example", "type": "work"}],
    "displayName": "Ada Lovelace",
    "locale": "en-US",
    "externalId": "00ujl29u0le5T6Aj10h7",
    "groups": [],
    "password": "1mz050nq",
    "active": True,
}


class Directory(Client):
    """The directory's provisioning service."""

    def __init__(self, token: str = TOKEN, **more: Any) -> None:
        super().__init__(
            SERVER_NAME="localhost",
            enforce_csrf_checks=True,
            raise_request_exception=False,
            headers={"authorization": f"Bearer {token}"},
            **more,
        )

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        raw = b"" if body is None else json.dumps(body).encode()
        answer = self.generic(method, f"/scim/v2/{path}", raw, "application/scim+json")
        assert not answer.cookies
        if not answer.content:
            return answer.status_code, None
        assert answer["Content-Type"] == "application/scim+json", answer.content
        told = answer.json()
        if answer.status_code >= 400:
            assert (told["schemas"], told["status"]) == ([ERROR], str(answer.status_code))
            assert told["detail"]
        return answer.status_code, told

    def find(self, path: str, asked: str, **more: Any) -> dict[str, Any]:
        answer = self.get(f"/scim/v2/{path}", {"filter": asked, **more})
        assert answer.status_code == 200, answer.content
        told: dict[str, Any] = answer.json()
        return told

    def patch_with(self, path: str, *operations: dict[str, Any]) -> tuple[int, Any]:
        return self.send("PATCH", path, PATCH | {"Operations": list(operations)})

    def group(self, name: str) -> str:
        (found,) = self.find("Groups", f'displayName eq "{name}"')["Resources"]
        return f"Groups/{found['id']}"


@pytest.fixture
def directory(db: None, settings: LazySettings) -> Directory:
    settings.SCIM_TOKEN, settings.OIDC_GROUPS = TOKEN, GROUPS
    return Directory()


@pytest.fixture
def ada(directory: Directory) -> User:
    assert directory.send("POST", "Users", ENTRA)[0] == 201
    return User.objects.get()


def events(*actions: str) -> list[dict[str, Any]]:
    found = AuditEvent.objects.filter(action__in=actions).order_by("seq")
    return [json.loads(event.payload) for event in found]


def names_of(account: User) -> set[str]:
    return set(account.groups.values_list("name", flat=True))


def is_in(client: Client) -> bool:
    return client.get("/conversations/").status_code == 200


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


LEAVERS: dict[str, tuple[str, Any]] = {
    "Entra, as text": (
        "PATCH",
        {"Operations": [{"op": "Replace", "path": "active", "value": "False"}]},
    ),
    "Entra, as boolean": (
        "PATCH",
        {"Operations": [{"op": "Replace", "path": "active", "value": False}]},
    ),
    "Entra, with what is unknown or wrong": (
        "PATCH",
        {
            "Operations": [
                {"op": "Add", "path": "title", "value": "Gone"},
                {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "no mail"},
                {"op": "Replace", "path": "userName", "value": ""},
                {"op": "Replace", "path": "active", "value": "False"},
            ]
        },
    ),
    "with the name of the schema": (
        "PATCH",
        {"Operations": [{"op": "replace", "path": f"{USER}:active", "value": False}]},
    ),
    "Okta, without a path": (
        "PATCH",
        {"Operations": [{"op": "replace", "value": {"active": False}}]},
    ),
    "Okta, the whole person": ("PUT", OKTA | {"active": False}),
    "deleted": ("DELETE", None),
}


@pytest.mark.parametrize(("method", "body"), LEAVERS.values(), ids=LEAVERS)
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
    assert directory.send("GET", f"Users/{ada.pk}")[1]["active"] is False


@pytest.mark.parametrize("active", [True, "True"])
def test_who_comes_back_signs_in_anew(directory: Directory, ada: User, active: Any) -> None:
    browser = Client()
    browser.force_login(ada)
    program = Client(headers={"authorization": f"Bearer {token_create(ada)}"})
    directory.send("DELETE", f"Users/{ada.pk}")
    assert directory.send("DELETE", f"Users/{ada.pk}")[0] == 204
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
        directory.send("DELETE", f"Users/{ada.pk}")
    assert not User.objects.get().is_active


CHANGES: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = {
    "Entra": (
        [
            {"op": "Replace", "path": "name.familyName", "value": "King"},
            {"op": "Add", "path": 'emails[type eq "work"].value', "value": "king@h.example"},
            {"op": "Replace", "path": "displayName", "value": "Ada King"},
            {"op": "Add", "path": 'phoneNumbers[type eq "mobile"].value', "value": "1"},
        ],
        {"last_name": "King", "email": "king@h.example"},
    ),
    "Entra, without a path": (
        [{"op": "Add", "value": {"name.givenName": "Augusta", "userName": "king", "title": None}}],
        {"first_name": "Augusta", "username": "king"},
    ),
    "Okta": (
        [{"op": "replace", "value": {"name": {"familyName": "King"}, "password": "hunter22"}}],
        {"last_name": "King"},
    ),
    "a private address": (
        [{"op": "Add", "path": 'emails[type eq "home"].value', "value": "private@h.example"}],
        {},
    ),
    "taken away": ([{"op": "Remove", "path": "name.givenName", "value": "x"}], {"first_name": ""}),
}


@pytest.mark.parametrize(("operations", "expected"), CHANGES.values(), ids=CHANGES)
def test_a_change(
    directory: Directory, ada: User, operations: list[dict[str, Any]], expected: dict[str, str]
) -> None:
    before = User.objects.values().get()
    assert directory.patch_with(f"Users/{ada.pk}", *operations)[0] == 200
    assert User.objects.values().get() == before | expected
    changed = [event["fields"] for event in events("user.changed")]
    assert changed == ([sorted(expected)] if expected else [])


SAME = {
    "name": ("POST", {"userName": "ALICE"}),
    "mail": ("POST", {"userName": "new", "emails": [{"value": "Alice@h.example"}]}),
    "id of a person": ("POST", {"userName": "new", "externalId": ENTRA["externalId"]}),
    "name of a superuser": ("POST", {"userName": "root"}),
    "name, by a change": ("PUT", {"userName": "alice"}),
    "mail, by a change": ("PUT", {"emails": [{"value": "alice@h.example"}]}),
}


@pytest.mark.parametrize(("method", "body"), SAME.values(), ids=SAME)
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
    directory.send("DELETE", f"Users/{ada.pk}")
    status, told = directory.send("PUT", f"Users/{ada.pk}", ENTRA | {"externalId": "another"})
    assert status == 403
    assert "externalId" in told["detail"]
    assert not User.objects.get().is_active
    assert DirectoryAccount.objects.get().external_id == ENTRA["externalId"]


def test_superusers_are_out_of_reach(directory: Directory) -> None:
    root = person("root", is_superuser=True)
    path, group = f"Users/{root.pk}", directory.group("gl-doctors")
    browser = Client()
    browser.force_login(root)
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


def member(pk: int) -> list[dict[str, Any]]:
    return [{"value": str(pk), "$ref": None, "display": "x"}]


Step = Callable[[int], dict[str, Any]]
MEMBERS: dict[str, tuple[Step, Step]] = {
    "Entra": (
        lambda pk: {"op": "Add", "path": "members", "value": member(pk)},
        lambda pk: {"op": "Remove", "path": "members", "value": member(pk)},
    ),
    "Okta": (
        lambda pk: {"op": "add", "path": "members", "value": member(pk)},
        lambda pk: {"op": "remove", "path": f'members[value eq "{pk}"]'},
    ),
    "without a path": (
        lambda pk: {"op": "add", "value": {"members": member(pk)}},
        lambda pk: {"op": "remove", "value": {"members": member(pk)}},
    ),
    "the whole list": (
        lambda pk: {"op": "replace", "path": "members", "value": member(pk)},
        lambda pk: {"op": "replace", "path": "members", "value": []},
    ),
    "all": (
        lambda pk: {"op": "Add", "path": "members", "value": member(pk)},
        lambda pk: {"op": "remove", "path": "members"},
    ),
}


@pytest.mark.parametrize(("joins", "leaves"), MEMBERS.values(), ids=MEMBERS)
def test_members_of_a_group(directory: Directory, ada: User, joins: Step, leaves: Step) -> None:
    ada.groups.add(Group.objects.get(name=REVIEWERS))
    group = directory.group("gl-doctors")
    rename = {"op": "Replace", "path": "displayName", "value": "Other"}
    status, told = directory.patch_with(group, rename, joins(ada.pk))
    assert (status, told["displayName"]) == (200, "gl-doctors")
    assert [one["value"] for one in told["members"]] == [str(ada.pk)]
    assert names_of(ada) == {CLINICIANS, REVIEWERS}
    (shown,) = directory.send("GET", f"Users/{ada.pk}")[1]["groups"]
    assert shown["display"] == "gl-doctors"
    status, told = directory.patch_with(group, leaves(ada.pk))
    assert (status, told["members"]) == (200, [])
    assert names_of(ada) == {REVIEWERS}
    assert [event["fields"] for event in events("user.changed")] == [["groups"]] * 2


def test_one_of_two_groups_that_are_the_same_here(directory: Directory, ada: User) -> None:
    doctors, wards = directory.group("gl-doctors"), directory.group("gl-wards")
    joins, leaves = (step(ada.pk) for step in MEMBERS["Entra"])
    directory.patch_with(doctors, joins)
    assert directory.send("GET", wards)[1]["members"] == []
    directory.patch_with(wards, joins)
    directory.patch_with(doctors, leaves)
    assert names_of(ada) == {CLINICIANS}
    assert directory.send("GET", doctors)[1]["members"] == []
    assert directory.send("DELETE", wards)[0] == 204
    assert names_of(ada) == set()


def test_groups_of_the_setting_and_no_others(directory: Directory, ada: User) -> None:
    listed = [one["displayName"] for one in directory.send("GET", "Groups")[1]["Resources"]]
    assert listed == ["gl-audit", "gl-doctors", "gl-wards"]
    assert (
        "members" not in directory.find("Groups", "", excludedAttributes="members")["Resources"][0]
    )
    for name in (ADMINISTRATORS, CLINICIANS, "gone"):
        assert directory.find("Groups", f'displayName eq "{name}"')["Resources"] == []
    made = {"displayName": ADMINISTRATORS, "members": member(ada.pk)}
    assert directory.send("POST", "Groups", made)[0] == 403
    number = Group.objects.get(name=ADMINISTRATORS).pk
    status, _ = directory.patch_with(f"Groups/{number}", MEMBERS["Entra"][0](ada.pk))
    assert status == 404
    unknown = MEMBERS["Entra"][0](ada.pk + 1)
    assert directory.patch_with(directory.group("gl-audit"), unknown)[0] == 404
    assert names_of(ada) == set()


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
        assert answer.status_code in (204, 400, 405)
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
        Env({"MEDRAG_SCIM": raw}).token("MEDRAG_SCIM")
    assert Env({}).token("MEDRAG_SCIM") == ""


SignIn = Callable[..., int]


@pytest.fixture
def signs_in(directory: Directory, settings: LazySettings) -> Iterator[SignIn]:
    """Sign somebody in at the hospital with these claims; return the status of the last step."""
    cache.clear()
    settings.OIDC_EXTERNAL_ID_CLAIM = "oid"
    with provider() as hospital:
        settings.OIDC_ISSUER = hospital.issuer
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET

        def sign_in(client: Client, **claims: Any) -> int:
            hospital.claims = {"sub": "s-1", "preferred_username": "ada", **claims}
            sent = client.get("/sign-in/hospital/")
            back = client.get("/sign-in/hospital/back/", hospital.authorise(sent["Location"]))
            return back.status_code

        yield sign_in


ADA = {"oid": ENTRA["externalId"]}


def test_who_was_provisioned_signs_in_and_out(
    directory: Directory, ada: User, signs_in: SignIn
) -> None:
    client = Client()
    assert signs_in(client, **ADA) == 403, "no group yet"
    directory.patch_with(directory.group("gl-doctors"), MEMBERS["Entra"][0](ada.pk))
    assert signs_in(client, **ADA) == 302
    assert is_in(client)
    assert names_of(ada) == {CLINICIANS}, "a token without the claim leaves the directory's"
    assert signs_in(Client(), **ADA, groups=["gl-audit"]) == 302
    assert names_of(ada) == {AUDITORS}
    directory.send("DELETE", f"Users/{ada.pk}")
    assert not is_in(client)
    for claims in ({}, {"groups": ["gl-doctors"]}):
        assert signs_in(Client(), **ADA, **claims) == 403
    assert events("user.sign_in_failed")[-1]["reason"] == "deactivated"
    assert User.objects.count() == 1


def test_a_closed_account_is_not_linked(directory: Directory, ada: User, signs_in: SignIn) -> None:
    directory.send("DELETE", f"Users/{ada.pk}")
    assert signs_in(Client(), **ADA, groups=["gl-doctors"]) == 403
    assert not SocialAccount.objects.exists()


def test_who_is_not_of_the_directory_gets_no_account(ada: User, signs_in: SignIn) -> None:
    for oid in ({}, {"oid": "another"}, {"oid": ""}, {"oid": ["x"]}, {"oid": "x" * 192}):
        claims = {"preferred_username": "ada@hospital.example", "groups": ["gl-doctors"]}
        assert signs_in(Client(), **claims, **oid) == 403
    assert events("user.sign_in_failed")[-1]["reason"] == "not of the directory"
    assert User.objects.count() == 1


def test_another_person_with_the_same_id_stays_out(
    directory: Directory, ada: User, signs_in: SignIn
) -> None:
    directory.patch_with(directory.group("gl-doctors"), MEMBERS["Entra"][0](ada.pk))
    assert signs_in(Client(), **ADA) == 302
    assert signs_in(Client(), **ADA, sub="s-2") == 403


def test_an_account_found_by_its_name_is_closed_but_signs_nobody_in(
    directory: Directory, bob: User, signs_in: SignIn
) -> None:
    path = f"Users/{bob.pk}"
    assert directory.send("PUT", path, {"externalId": "b-1"})[1]["externalId"] == "b-1"
    assert signs_in(Client(), oid="b-1", groups=["gl-doctors"]) == 403
    assert User.objects.get(pk=bob.pk).check_password("bob-secret")
    directory.send("DELETE", path)
    form = {"username": "bob", "password": "bob-secret"}
    assert b"do not match" in Client().post("/sign-in/", form).content


def test_an_account_of_before_is_found_by_the_id_of_its_token(
    directory: Directory, signs_in: SignIn, settings: LazySettings
) -> None:
    settings.SCIM_TOKEN = ""
    assert signs_in(Client(), **ADA, groups=["gl-doctors"]) == 302
    settings.SCIM_TOKEN = TOKEN
    client = Client()
    assert signs_in(client, **ADA, groups=["gl-doctors"]) == 302
    (found,) = directory.find("Users", f'externalId eq "{ADA["oid"]}"')["Resources"]
    assert found["userName"] == "ada"
    directory.send("DELETE", f"Users/{found['id']}")
    assert not is_in(client)
    other = User.objects.create_user("ada@hospital.example")
    DirectoryAccount.objects.update(user=other)
    User.objects.update(is_active=True)
    assert signs_in(client, **ADA, groups=["gl-doctors"]) == 403, "the directory means another"
