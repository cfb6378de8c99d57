"""Test that questions wait in turn, and that one that would wait too long is refused."""

import threading
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Turn
from chat.pipeline import admission
from chat.pipeline.admission import Admission, Busy
from tests.chat.api.api_calls import QUERY, assert_problem, post, signed_in


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def until(condition: Callable[[], bool]) -> None:
    """Wait up to a minute for another thread."""
    for _ in range(6000):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError("It never came to it.")


def test_never_more_at_once_and_in_the_order_in_which_they_came() -> None:
    let_go: list[str] = []
    waits = Admission(2, 1e9, on_wait=lambda: let_go.append(threading.current_thread().name))
    order: list[int] = []
    inside: list[int] = []
    most: list[int] = []
    gates = [threading.Event() for _ in range(6)]

    def ask(number: int) -> None:
        with waits.admitted():
            order.append(number)
            inside.append(number)
            most.append(len(inside))
            gates[number].wait(60)
            inside.remove(number)

    threads = []
    for number in range(6):
        threads.append(threading.Thread(target=ask, args=(number,), name=str(number)))
        threads[-1].start()
        until(lambda: len(waits._waiting) + waits._admitted == number + 1)  # noqa: B023
    assert inside == [0, 1]
    for number in range(6):
        gates[number].set()
        threads[number].join()
    assert order == [0, 1, 2, 3, 4, 5]
    assert max(most) == 2
    assert let_go == ["2", "3", "4", "5"]


def test_a_place_is_given_back_by_what_fails() -> None:
    waits = Admission(1, 1e9)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), waits.admitted():
            _ = 1 / 0
    with waits.admitted():
        pass


def test_who_would_wait_too_long_is_told_how_long() -> None:
    clock = Clock()
    waits = Admission(1, 30.0, clock=clock)
    for _ in range(60):  # until the mean duration has converged
        with waits.admitted():
            clock.now += 20.0
    with waits.admitted():
        clock.now += 20.0
        waits._waiting.append(object())  # one before us
        with pytest.raises(Busy, match="about 40 s") as told:
            waits._enter()
        waits._waiting.clear()
    assert told.value.retryable
    assert told.value.wait_s == 40


@pytest.fixture
def nobody_is_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Admission(1, -1.0)
    monkeypatch.setattr(full, "_admitted", 25)
    monkeypatch.setattr(admission, "process_admission", lambda: full)


def test_the_page_keeps_what_was_typed(
    client: Client, alice: User, nobody_is_admitted: None
) -> None:
    client.force_login(alice)
    page = client.post(reverse("chat:ask"), {"question": "Dose of gentamicin?"})
    body = page.content.decode()
    assert "yours would wait about 25 s" in body
    assert "Dose of gentamicin?" in body
    assert not Turn.objects.exists()


def test_the_api_says_when_to_come_back(alice: User, nobody_is_admitted: None) -> None:
    answer = post(signed_in(alice), QUERY, {"question": "Dose of gentamicin?"})
    assert_problem(answer, 503, "about 25 s")
    assert answer["Retry-After"] == "25"
    assert not Turn.objects.exists()
