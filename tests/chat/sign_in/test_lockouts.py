"""Test lockouts after wrong passwords and tokens: when, for whom, and how they end."""

import datetime
import json
import logging
import re
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import LazySettings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import AuditEvent
from medrag_site.web.client_address import client_address
from tests.chat.api.api_calls import QUERY, assert_problem, post, signed_in
from tests.people import client_of
from tests.tables import rows

HERE, THERE = "192.0.2.1", "198.51.100.7"


class CountingHasher(MD5PasswordHasher):
    """Hash passwords, and count the calls."""

    hashed = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).hashed += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def limits(settings: LazySettings) -> None:
    settings.PASSWORD_HASHERS = ["tests.chat.sign_in.test_lockouts.CountingHasher"]
    settings.AXES_FAILURE_LIMIT = 3
    settings.LOCKOUT_ADDRESS_FAILURES = 8


def sign_in(name: str, password: str = "wrong", *, address: str = HERE, **headers: str) -> Any:
    form = {"username": name, "password": password}
    return Client().post("/sign-in/", form, REMOTE_ADDR=address, headers=headers)


def events(action: str) -> list[tuple[str, dict[str, Any]]]:
    found = AuditEvent.objects.filter(action=action).order_by("seq")
    return [(event.subject, json.loads(event.payload)) for event in found]


def earlier(**ago: int) -> None:
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - datetime.timedelta(**ago))


def locked(name: str = "alice", *, address: str = HERE) -> Any:
    for _ in range(3):
        response = sign_in(name, address=address)
    return response


def test_fifty_wrong_passwords_and_then_the_right_one(alice: User) -> None:
    CountingHasher.hashed = 0
    answers = [sign_in("alice").status_code for _ in range(50)]
    assert answers == [200, 200] + [429] * 48
    assert CountingHasher.hashed == 3  # a locked account is refused without hashing
    assert sign_in("alice", "alice-secret").status_code == 429
    assert CountingHasher.hashed == 3


def test_the_page_says_how_long(alice: User) -> None:
    page = locked()
    assert page.status_code == 429
    assert b"has to wait 15 minutes" in page.content
    assert 880 <= int(page["Retry-After"]) <= 900
    earlier(minutes=14, seconds=10)
    assert b"has to wait 1 minute." in sign_in("alice").content


def test_waiting_ends_it_though_others_go_on_trying(alice: User) -> None:
    locked()
    earlier(minutes=14)
    assert sign_in("alice").status_code == 429
    earlier(minutes=1)
    assert sign_in("alice", "alice-secret").status_code == 302


def test_the_owner_can_sign_in_from_elsewhere_and_others_from_there(alice: User, bob: User) -> None:
    locked()
    assert sign_in("alice", "alice-secret", address=THERE).status_code == 302
    assert sign_in("bob", "bob-secret").status_code == 302


def test_one_address_has_a_limit_over_all_names(alice: User, bob: User) -> None:
    answers = [sign_in(f"name{number}").status_code for number in range(8)]
    assert answers == [200] * 7 + [429]
    assert sign_in("bob", "bob-secret").status_code == 429
    assert sign_in("bob", "bob-secret", address=THERE).status_code == 302


def test_a_right_password_forgets_those_of_its_account_alone(alice: User, bob: User) -> None:
    sign_in("alice"), sign_in("bob"), sign_in("bob")
    assert sign_in("bob", "bob-secret").status_code == 302
    assert list(AccessAttempt.objects.values_list("username", flat=True)) == ["alice"]


def test_a_lock_is_recorded_once_and_refusals_fill_no_log(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        locked()
        for _ in range(5):
            sign_in("alice")
    ((subject, payload),) = events("user.locked_out")
    assert subject == f"user:{alice.pk}"
    assert payload == {"account": "alice", "address": HERE, "minutes": 15}
    assert len(events("user.sign_in_failed")) == 3
    assert f"alice from {HERE}" in caplog.text


def test_what_was_typed_is_kept_nowhere(db: None, caplog: pytest.LogCaptureFixture) -> None:
    locked("my-password-in-the-wrong-box")
    kept = str(list(AccessAttempt.objects.values())) + str(list(AuditEvent.objects.values()))
    assert "my-password" not in kept + caplog.text
    ((_, lock),) = events("user.locked_out")
    (_, failed), *_ = events("user.sign_in_failed")
    assert lock["account"] == f"unknown:{failed['name_hmac']}"


@pytest.mark.parametrize(
    "command",
    [
        ["axes_reset"],
        ["axes_reset_ip", HERE],
        ["axes_reset_username", "alice"],
        ["axes_reset_ip_username", HERE, "alice"],
    ],
)
def test_a_command_unlocks_and_is_recorded(alice: User, command: list[str]) -> None:
    locked()
    call_command(*command, stdout=StringIO())
    assert events("user.unlocked") == [(f"user:{alice.pk}", {"account": "alice", "address": HERE})]
    assert sign_in("alice", "alice-secret").status_code == 302


def test_the_administration_unlocks_for_whoever_may(
    alice: User, bob: User, settings: LazySettings
) -> None:
    locked()
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(Permission.objects.get(codename="view_accessattempt"))
    browser = client_of(bob)
    address = "/admin/axes/accessattempt/"
    row = AccessAttempt.objects.get()
    listed = browser.get(address).content.decode()
    assert "alice" in listed
    assert "Failed sign-ins" in listed
    ends = timezone.localtime(row.attempt_time + settings.AXES_COOLOFF_TIME)
    assert f"until {ends:%H:%M}" in listed
    action = {"action": "unlock", "_selected_action": row.pk}
    browser.post(address, action)
    assert AccessAttempt.objects.exists()
    bob.user_permissions.add(Permission.objects.get(codename="delete_accessattempt"))
    browser.post(address, action)
    assert not AccessAttempt.objects.exists()
    assert AuditEvent.objects.get(action="user.unlocked").actor == f"user:{bob.pk}:bob"


def guess(token: str, *, address: str = HERE, scheme: str = "Token") -> Any:
    client = Client(REMOTE_ADDR=address)
    return post(client, QUERY, {"question": "Why?"}, authorization=f"{scheme} {token}")


def test_a_wrong_token_counts_by_whatever_name_it_is_sent(alice: User) -> None:
    schemes = ["Bearer", "Token", "bearer", "Token", "Bearer"]
    answers = [guess("mrag_stale00000", scheme=scheme).status_code for scheme in schemes]
    assert answers == [401, 401, 401, 429, 429]


def test_one_wrong_token_and_wrong_tokens_from_one_address(alice: User) -> None:
    right = signed_in(alice)
    answers = [guess("mrag_stale00000").status_code for _ in range(4)]
    assert answers == [401, 401, 401, 429]
    assert_problem(post(right, QUERY, {}), 400)
    answers = [guess(f"mrag_{number:010}").status_code for number in range(6)]
    assert answers == [401] * 5 + [429]
    problem = guess("mrag_another000")
    assert_problem(problem, 429, "Too many wrong tokens")
    assert int(problem["Retry-After"]) > 800
    assert guess("mrag_another000", address=THERE).status_code == 401
    assert [payload["account"][:6] for _, payload in events("user.locked_out")] == ["token:"] * 2
    assert "mrag" not in str(list(AccessAttempt.objects.values()))


def test_a_right_token_waits_too_where_its_address_is_locked(alice: User) -> None:
    right = signed_in(alice)
    for number in range(8):
        guess(f"mrag_{number:010}", address="127.0.0.1")
    assert_problem(post(right, QUERY, {}), 429)
    call_command("axes_reset", stdout=StringIO())
    assert_problem(post(right, QUERY, {}), 400)


def test_a_refused_token_costs_no_look_at_tokens(alice: User) -> None:
    for _ in range(3):
        guess("mrag_stale00000")
    with CaptureQueriesContext(connection) as queries:
        guess("mrag_stale00000")
    assert not [q for q in queries if re.search(r"knox|INSERT|UPDATE|auth_user", q["sql"])]


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "counts"), rows(__file__, "addresses_counted.jsonl")
)
def test_which_address_counts(
    proxies: int, remote: str, forwarded: str, counts: str | None, settings: LazySettings
) -> None:
    settings.PROXIES = proxies
    headers: Any = {"REMOTE_ADDR": remote, "HTTP_X_FORWARDED_FOR": forwarded}
    assert client_address(RequestFactory().get("/", **headers)) == counts


@pytest.mark.parametrize("header", ["x_forwarded_for", "user_agent"])
def test_another_header_is_no_other_address(alice: User, header: str) -> None:
    for number in range(3):
        response = sign_in("alice", **{header: f"203.0.113.{number}"})
    assert response.status_code == 429


def test_without_an_address_all_are_one(alice: User) -> None:
    assert locked(address="").status_code == 429
    assert sign_in("alice", "alice-secret").status_code == 302
