"""An endpoint that is away is skipped for a while, and then tried by a single call."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from core.errors import MedragError
from core.llm import breaker as breakers
from core.llm.breaker import FAILURES, PAUSE_S, PUT_ASIDE_S, Breaker, breaker_of
from core.llm.client import LanguageModelUnavailable, is_away


class Clock:
    """A clock that tests advance."""

    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock=clock, now=clock.now)


def fail(breaker: Breaker, times: int = FAILURES, *, down: bool = True) -> None:
    for _ in range(times):
        with pytest.raises(MedragError), breaker.watched(lambda error: down):
            raise MedragError("away")


def succeed(breaker: Breaker) -> None:
    with breaker.watched(lambda error: True):
        pass


def test_it_is_left_alone_after_so_many_failures_in_a_row(breaker: Breaker) -> None:
    fail(breaker, FAILURES - 1)
    assert breaker.refusal() == ""
    fail(breaker, 1)
    assert breaker.refusal() == (
        "skipped: the endpoint failed 3 times in a row; it is tried again at 00:02:10 UTC"
    )


def test_what_reaches_it_begins_the_count_anew(breaker: Breaker) -> None:
    for _ in range(FAILURES):
        fail(breaker, FAILURES - 1)
        succeed(breaker)
        fail(breaker, FAILURES - 1)
        fail(breaker, 1, down=False)
    assert breaker.refusal() == ""


def test_what_is_no_fault_of_the_endpoint_leaves_the_count(breaker: Breaker) -> None:
    fail(breaker, FAILURES - 1)
    with pytest.raises(KeyError), breaker.watched(lambda error: True):
        raise KeyError
    assert breaker.refusal() == ""
    fail(breaker, 1)
    assert breaker.refusal()


def test_after_the_pause_one_call_finds_out(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.seconds += PAUSE_S - 0.001
    assert breaker.refusal()
    clock.seconds += 0.001
    assert breaker.refusal() == ""
    assert breaker.refusal()  # while the probe is in flight
    succeed(breaker)
    assert breaker.refusal() == ""
    fail(breaker, FAILURES - 1)
    assert breaker.refusal() == ""


def test_a_probe_that_fails_begins_another_pause(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.seconds += PAUSE_S
    assert breaker.refusal() == ""
    clock.seconds += 5
    fail(breaker, 1)
    clock.seconds += PAUSE_S - 0.001
    assert "failed 4 times" in breaker.refusal()
    clock.seconds += 0.001
    assert breaker.refusal() == ""


def test_a_probe_that_is_never_heard_of_is_followed_by_another(
    breaker: Breaker, clock: Clock
) -> None:
    fail(breaker)
    clock.seconds += PAUSE_S
    assert breaker.refusal() == ""
    clock.seconds += PAUSE_S
    assert breaker.refusal() == ""


def test_one_that_takes_no_call_is_put_aside_for_longer(breaker: Breaker, clock: Clock) -> None:
    breaker.put_aside()
    assert breaker.refusal() == (
        "skipped: the endpoint is put aside, since it takes no call; "
        "it is tried again at 00:11:40 UTC"
    )
    clock.seconds += PUT_ASIDE_S - 0.001
    assert breaker.refusal()
    clock.seconds += 0.001
    assert breaker.refusal() == ""
    succeed(breaker)
    assert breaker.refusal() == ""
    fail(breaker, FAILURES - 1)
    assert breaker.refusal() == ""


@pytest.mark.parametrize("outcome", [succeed, fail, lambda breaker: fail(breaker, 1, down=False)])
def test_a_call_in_flight_does_not_lift_that(
    breaker: Breaker, clock: Clock, outcome: Callable[[Breaker], None]
) -> None:
    breaker.put_aside()
    told = breaker.refusal()
    outcome(breaker)  # of a call begun before
    assert breaker.refusal() == told
    clock.seconds += PUT_ASIDE_S - 0.001
    assert breaker.is_open
    assert breaker.refusal() == told
    clock.seconds += 0.001
    assert breaker.refusal() == ""
    assert breaker.refusal()  # a single call probes
    succeed(breaker)
    assert breaker.refusal() == ""


def test_a_pause_is_only_made_longer(breaker: Breaker, clock: Clock) -> None:
    breaker._pause(PUT_ASIDE_S)
    fail(breaker)
    clock.seconds += PAUSE_S
    assert breaker.is_open
    assert "00:11:40" in breaker.refusal()


def test_to_look_whether_it_is_open_lets_nobody_through(breaker: Breaker, clock: Clock) -> None:
    assert not breaker.is_open
    fail(breaker)
    assert breaker.is_open
    clock.seconds += PAUSE_S
    assert not breaker.is_open
    assert breaker.refusal() == ""
    assert breaker.is_open


def test_of_many_threads_one_finds_out(breaker: Breaker, clock: Clock) -> None:
    fail(breaker)
    clock.seconds += PAUSE_S
    start, told = threading.Barrier(16), []

    def ask() -> None:
        start.wait()
        told.append(breaker.refusal())

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, told)) == [False] + [True] * 15


def test_each_endpoint_and_model_has_its_own() -> None:
    one = breaker_of("rerank", "http://a", "m")
    assert breaker_of("rerank", "http://a", "m") is one
    assert breaker_of("rewrite", "http://a", "m") is not one
    assert one not in (breaker_of("rerank", "http://a", "n"), breaker_of("rerank", "http://b", "m"))
    breakers.forget_failures()
    assert breaker_of("rerank", "http://a", "m") is not one


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (LanguageModelUnavailable("took more than 5 seconds"), True),
        (LanguageModelUnavailable("answered with status 503", status=503), True),
        (LanguageModelUnavailable("answered with status 401", retryable=False), False),
        (LanguageModelUnavailable("gave an answer of another form", answered=True), False),
    ],
)
def test_only_a_model_that_is_not_reached_is_away(
    error: LanguageModelUnavailable, away: bool
) -> None:
    assert is_away(error) is away
