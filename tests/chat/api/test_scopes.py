"""Test tokens: shown once, kept as a hash, revoked at once; what a scope allows, and its rate."""

import datetime
import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone
from knox.models import AuthToken

from chat.api.guarded import Guarded
from chat.api.urls import urlpatterns
from chat.models import AuditEvent, Scope, TokenGrant
from chat.sign_in.tokens import token_create
from corpus.models import Document
from medrag_site.groups import AUDITORS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import assert_problem, get, post, signed_in
from tests.people import person

ME = "/api/v1/me"
VIEWS = {
    str(route.name): vars(route.callback)["view_class"]
    for route in urlpatterns
    if isinstance(route, URLPattern) and route.name
}
METHODS = [
    (name, method)
    for name, view in VIEWS.items()
    if issubclass(view, Guarded)
    for method in ("get", "post", "patch", "delete")
    if hasattr(view, method)
]


def needed_by(name: str, method: str) -> str:
    view = VIEWS[name]
    return str(view.scope_to_read if method == "get" else view.scope_to_write)


def address_of(name: str) -> str:
    ids = {"sha256": "0" * 64, "number": 1, "pk": "00000000-0000-4000-8000-000000000000"}
    route = next(r for r in urlpatterns if isinstance(r, URLPattern) and r.name == name)
    wanted = re.findall(r"<(\w+):(\w+)>", str(route.pattern))
    numbers = {"int": 1}
    kwargs = {key: numbers.get(kind, ids[key]) for kind, key in wanted}
    return reverse(f"api:{name}", kwargs=kwargs)


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_a_scope_that_lacks_is_named(db: None, name: str, method: str) -> None:
    """By every operation, even to a superuser."""
    needed = needed_by(name, method)
    others = [scope for scope in Scope.values if scope != needed]
    user = person("root", is_superuser=True)
    response = getattr(signed_in(user, *others), method)(address_of(name))
    if not needed:
        assert response.status_code == 200
        return
    assert_problem(response, 403, f"`{needed}`")
    response = getattr(signed_in(user, needed), method)(address_of(name))
    assert f"`{needed}`" not in response.content.decode("latin-1")


def test_what_takes_which_scope() -> None:
    by_scope: dict[str, set[str]] = {}
    for name, method in METHODS:
        by_scope.setdefault(needed_by(name, method), set()).add(f"{method} {name}")
    assert {"post query", "post search", "post feedback", "delete conversation"} <= by_scope[
        Scope.ASK
    ]
    assert {"get turn", "get messages", "get page", "get picture"} <= by_scope[Scope.READ]
    assert {"get documents", "post publish", "patch document"} <= by_scope[Scope.DOCUMENTS]
    assert by_scope[""] == {"get me"}


def test_a_scope_gives_no_right(guideline: Document, alice: User) -> None:
    assert_problem(
        get(signed_in(alice, "documents"), "/api/v1/documents"), 403, "`corpus.view_document`"
    )


def test_a_token_without_a_grant_asks_and_reads(alice: User) -> None:
    """Such tokens are older than the scopes."""
    client = signed_in(alice, *Scope.values)
    TokenGrant.objects.all().delete()
    assert AuthToken.objects.count() == 1
    assert get(client, "/api/v1/conversations").status_code == 200
    assert_problem(post(client, "/api/v1/query", {}), 400)
    assert_problem(get(client, "/api/v1/documents"), 403, "`documents`")


def test_the_command_names_scopes_and_an_end(alice: User, capsys: Any) -> None:
    call_command("api_token", "alice", "--scope", "read", "--scope", "audit", "--name", "Pump",
                 "--days", "7")  # fmt: skip
    grant = TokenGrant.objects.get()
    assert (grant.name, grant.scopes, grant.user) == ("Pump", ["audit", "read"], alice)
    assert (grant.token.expiry - grant.token.created).days in (6, 7)
    call_command("api_token", "alice")
    assert TokenGrant.objects.latest("pk").scopes == ["ask", "read"]
    for wrong in (["--days", "0"], ["--scope", "all"]):
        with pytest.raises(CommandError):
            call_command("api_token", "alice", *wrong)


def test_each_token_has_a_rate_of_its_own(alice: User) -> None:
    slow, fast = (
        Client(headers={"authorization": f"Bearer {token_create(alice, rate=rate)}"})
        for rate in ("2/hour", "")
    )
    responses = [get(slow, ME) for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert responses[0]["RateLimit-Policy"] == '"token";q=2;w=3600'
    assert responses[0]["RateLimit"].startswith('"token";r=1;t=')
    assert responses[2]["RateLimit"].startswith('"token";r=0;t=')
    assert int(responses[2]["Retry-After"]) > 0
    assert get(fast, ME)["RateLimit-Policy"] == '"token";q=60;w=60'


ADMIN = "/admin/chat/tokengrant/"
FORM = {"name": "Pump", "scopes": ["ask"], "days": "30", "rate": "600/min"}


@pytest.fixture
def root(client: Client, db: None) -> User:
    root = person("root", is_superuser=True)
    User.objects.filter(pk=root.pk).update(is_staff=True)
    client.force_login(root)
    return root


def test_a_superuser_makes_and_revokes_a_token_in_the_administration(
    client: Client, alice: User, root: User
) -> None:
    page = client.post(f"{ADMIN}add/", FORM | {"user": alice.pk}, follow=True)
    (token,) = re.findall(r"<code>(mrag_\w+)</code>", page.content.decode())
    grant = TokenGrant.objects.get()
    assert (grant.user, grant.name, grant.scopes, grant.rate, grant.made_by) == (
        alice, "Pump", ["ask"], "600/min", root,
    )  # fmt: skip
    assert token not in client.get(f"{ADMIN}{grant.pk}/change/").content.decode()
    bearer = Client(headers={"authorization": f"Bearer {token}"})
    assert get(bearer, ME).json()["username"] == "alice"
    client.post(f"{ADMIN}{grant.pk}/delete/", {"post": "yes"})
    assert get(bearer, ME).status_code == 401
    assert not AuthToken.objects.exists()
    events = AuditEvent.objects.filter(action__startswith="token.").order_by("seq")
    assert [event.action for event in events] == ["token.created", "token.used", "token.revoked"]
    assert {event.actor.rpartition(":")[2] for event in events} == {"root", "alice"}


@pytest.mark.parametrize("wrong", [{"scopes": []}, {"scopes": ["all"]}, {"days": "0"},
                                   {"rate": "fast"}])  # fmt: skip
def test_a_wrong_token_is_not_made(client: Client, alice: User, root: User, wrong: Any) -> None:
    assert client.post(f"{ADMIN}add/", FORM | {"user": alice.pk} | wrong).status_code == 200
    assert not AuthToken.objects.exists()


@pytest.mark.parametrize("group", [STAFF, PUBLISHERS, AUDITORS])
def test_nobody_else_makes_tokens(client: Client, alice: User, group: str) -> None:
    client.force_login(person("somebody", group))
    for path in ("", "add/"):
        assert client.get(f"{ADMIN}{path}").status_code == 403
    assert not AuthToken.objects.exists()


def make_token(*arguments: str) -> str:
    out = io.StringIO()
    call_command("api_token", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def test_prints_the_token_alone_and_keeps_its_hash(alice: User) -> None:
    token = make_token("alice")
    assert token.startswith("mrag_")
    stored = AuthToken.objects.get()
    assert token not in (stored.digest, stored.token_key)
    remaining = stored.expiry - timezone.now()
    assert datetime.timedelta(days=89) < remaining <= datetime.timedelta(days=90)
    event = AuditEvent.objects.get()
    assert event.action == "token.created"
    assert token not in event.payload


@pytest.mark.parametrize("scheme", ["Token", "Bearer", "bearer", "TOKEN"])
def test_the_token_works_until_it_is_revoked(alice: User, scheme: str) -> None:
    client = Client(headers={"authorization": f"{scheme} {make_token('alice')}"})
    assert client.post("/api/v1/query", "{}", content_type="application/json").status_code == 400
    make_token("alice", "--revoke")
    assert client.post("/api/v1/query", "{}", content_type="application/json").status_code == 401
    assert AuditEvent.objects.filter(action="token.revoked").count() == 1


def test_needs_an_active_account(alice: User) -> None:
    with pytest.raises(CommandError, match="no account"):
        make_token("nobody")
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="not active"):
        make_token("alice")
    assert not AuthToken.objects.exists()
