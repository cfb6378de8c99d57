"""Test that a token has one rate, whichever process, connection or thread answers."""

import subprocess
import sys

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knox.models import AuthToken

from chat.models import TokenCalls, TokenGrant
from chat.sign_in.rates import SLOTS, Use, call_count
from chat.sign_in.tokens import token_create, token_revoke
from tests.chat.api.api_calls import assert_problem, get, signed_in
from tests.processes import ROOT
from tests.together import at_once

ME = "/api/v1/me"
YEARS_S = 10**9  # a window with slots of half a year, in which no test meets the end of one


def call(digest: str, limit: int = 3, window_s: int = YEARS_S) -> Use:
    return call_count(digest, limit=limit, window_s=window_s)


def pass_slots(count: int) -> None:
    TokenCalls.objects.update(slot=F("slot") - count)


@pytest.fixture
def digest(alice: User) -> str:
    token_create(alice)
    return str(AuthToken.objects.get().digest)


@pytest.mark.parametrize("already", [0, 1])
def test_calls_at_once_never_exceed_the_rate(own_database: str, already: int) -> None:
    """Of a new token, whose row all try to make, and of one that was used before."""
    limit, threads = 40, 16
    for number in range(5):
        token = f"token {number}"
        for _ in range(already):
            call(token, limit)

        def call_often(token: str = token) -> list[Use]:
            return [call(token, limit) for _ in range(5)]

        results: list[list[Use]] = at_once(*[call_often] * threads)  # type: ignore[assignment]
        admitted = [use for uses in results for use in uses if use.is_admitted]
        assert sorted(use.left for use in admitted) == list(range(limit - already))


@pytest.mark.slow
def test_two_processes_count_together(own_database: str) -> None:
    """Each tries as often as one may: together they are admitted once as often."""
    code = (
        "from tests.chat.sign_in.test_rates import call; "
        "print('admitted', sum(call('token', 200).is_admitted for _ in range(200)))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    outputs = [process.communicate()[0] for process in processes]
    assert sum(int(output.split()[-1]) for output in outputs) == 200
    assert not call("token", 200).is_admitted


@given(passed=st.lists(st.integers(0, SLOTS + 5), max_size=30), limit=st.integers(1, 5))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_window_has_more_calls_than_the_rate(digest: str, passed: list[int], limit: int) -> None:
    """A call is counted in the slot it came in, and in the sixty after it."""
    TokenCalls.objects.all().delete()
    now, admitted = 0, list[int]()
    for slots in passed:
        now += slots
        pass_slots(slots)
        counted = [slot for slot in admitted if slot >= now - SLOTS]
        use = call(digest, limit)
        assert use.is_admitted == (len(counted) < limit)
        if use.is_admitted:
            admitted.append(now)
        assert use.left == max(limit - len(counted) - 1, 0)


def test_a_refused_call_does_not_prolong_the_refusal(digest: str) -> None:
    before = [call(digest) for _ in range(3)][-1]
    refused = [call(digest) for _ in range(20)]
    assert not any(use.is_admitted for use in refused)
    assert all(0 < use.wait_s <= before.wait_s for use in refused)
    pass_slots(SLOTS)
    assert not call(digest).is_admitted
    pass_slots(1)
    assert [call(digest).is_admitted for _ in range(4)] == [True] * 3 + [False]


def test_what_a_call_is_told_to_wait_is_enough(digest: str) -> None:
    """To the end of the window, and at most a slot longer."""
    window_s = 60
    wait_s = call(digest, window_s=window_s).wait_s
    assert window_s <= wait_s <= window_s + window_s / SLOTS


def test_a_lower_rate_and_a_clock_that_goes_back_lock_nobody_out(digest: str) -> None:
    for _ in range(3):
        call(digest)
    refused = call(digest, limit=2)
    assert (refused.is_admitted, refused.left) == (False, 0)
    pass_slots(-1000)
    assert not call(digest).is_admitted
    pass_slots(SLOTS + 1)
    assert call(digest).is_admitted


def test_a_shorter_window_begins_anew(digest: str) -> None:
    for _ in range(4):
        call(digest, window_s=86400)
    assert call(digest, window_s=1).is_admitted


def test_a_call_over_the_api_is_counted_where_all_processes_see_it(alice: User) -> None:
    client = signed_in(alice)
    TokenGrant.objects.update(rate="2/day")
    digest = AuthToken.objects.get().digest
    assert get(client, ME)["RateLimit"].startswith('"token";r=1;t=')
    assert call(digest, limit=2, window_s=86400).is_admitted  # as another process would
    response = get(client, ME)
    assert_problem(response, 429, "throttled")
    assert response["RateLimit"] == f'"token";r=0;t={response["Retry-After"]}'
    assert response["RateLimit-Policy"] == '"token";q=2;w=86400'


def test_the_calls_go_with_the_token(digest: str) -> None:
    call(digest)
    token_revoke(TokenGrant.objects.get(), by=None)
    assert not TokenCalls.objects.exists()


def test_a_call_that_meets_the_end_of_its_token_fails_no_request(db: None) -> None:
    assert call("gone").is_admitted


def test_the_table_is_not_logged(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relpersistence::text FROM pg_class WHERE oid = 'chat_tokencalls'::regclass"
        )
        assert cursor.fetchone() == ("u",)
