"""Test that a question repeated with its `Idempotency-Key` returns the stored turn."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.api import repeats
from chat.ask import turn_ask
from chat.models import Turn
from tests.chat.api.api_calls import QUERY, assert_problem, post, signed_in
from tests.chat.guidelines import NEAR, QUESTION

pytestmark = pytest.mark.usefixtures("guideline")

COMPLETIONS = "/v1/chat/completions"
BODY = {"question": QUESTION}
CHAT = {"model": "medrag", "messages": [{"role": "user", "content": QUESTION}]}


def asked(client: Client, body: Any = BODY, *, path: str = QUERY, key: str = "one") -> Any:
    return post(client, path, body, **({"idempotency-key": key} if key else {}))


@pytest.mark.parametrize(("path", "body"), [(QUERY, BODY), (COMPLETIONS, CHAT)])
def test_a_repeated_question_returns_the_stored_turn(alice: User, path: str, body: Any) -> None:
    client = signed_in(alice)
    first, second = (asked(client, body, path=path) for _ in range(2))
    assert first.status_code == 200
    assert first.json() == second.json()
    assert Turn.objects.count() == 1


def test_another_key_another_person_and_no_key_ask_again(alice: User, mallory: User) -> None:
    turns = [
        asked(signed_in(user), key=key).json()["turn"]
        for user, key in ((alice, "one"), (alice, "two"), (mallory, "one"), (alice, ""))
    ]
    assert len(set(turns)) == 4


def test_the_key_of_another_body_or_address_is_422(alice: User) -> None:
    client = signed_in(alice)
    asked(client)
    for path, body in ((QUERY, {"question": NEAR}), (QUERY, BODY | {"mode": "standard"})):
        assert_problem(asked(client, body, path=path), 422, "another question")
    assert asked(client, CHAT, path=COMPLETIONS).status_code == 422
    assert Turn.objects.count() == 1


@pytest.mark.parametrize(
    ("later", "turns"),
    [
        (datetime.timedelta(hours=23), 1),
        (datetime.timedelta(hours=24, seconds=5), 2),
        (datetime.timedelta(days=3), 2),
    ],
)
def test_a_key_is_kept_for_a_day_also_over_midnight(
    alice: User, monkeypatch: pytest.MonkeyPatch, later: datetime.timedelta, turns: int
) -> None:
    client = signed_in(alice)
    asked(client)
    set_clock(monkeypatch, later)
    assert asked(client).status_code == 200
    assert Turn.objects.count() == turns


def set_clock(monkeypatch: pytest.MonkeyPatch, off: datetime.timedelta) -> None:
    class Clock:
        now = staticmethod(lambda: timezone.now() + off)

    monkeypatch.setattr(repeats, "timezone", Clock)


@pytest.mark.parametrize("days", [1, -1])
def test_the_machine_asked_next_may_have_another_day(
    alice: User, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    client, off = signed_in(alice), datetime.timedelta(days=days)
    for clock in (off, datetime.timedelta()):
        set_clock(monkeypatch, clock)
        assert asked(client).status_code == 200
    assert Turn.objects.count() == 1


def test_of_two_at_the_same_time_one_is_stored(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second is sent while the first, which has found no turn, is being answered."""
    from chat.api import queries

    client, ask, seconds = signed_in(alice), turn_ask, []

    def overtaken(*arguments: Any, **named: Any) -> Turn:
        monkeypatch.setattr(queries, "turn_ask", ask)
        seconds.append(asked(client).json())
        return ask(*arguments, **named)

    monkeypatch.setattr(queries, "turn_ask", overtaken)
    first = asked(client)
    assert (first.status_code, [first.json()]) == (200, seconds)
    assert Turn.objects.count() == 1


@pytest.mark.parametrize("key", ["two words", "é", "x" * 256])
def test_an_unusable_key_is_400(alice: User, key: str) -> None:
    assert_problem(asked(signed_in(alice), key=key), 400, "printable characters")
    assert not Turn.objects.exists()
