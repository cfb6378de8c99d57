"""Several endpoints in order of preference: when one fails, the next is asked."""

import json
import socket
import time
import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from core.llm import breaker as breakers
from core.llm import client as language_model
from core.llm.breaker import FAILURES, breaker_of
from core.llm.client import Endpoint, LanguageModelUnavailable
from core.llm.failover import PUT_ASIDE, Answer, ask_first
from core.llm.request_variants import Question
from core.llm.usage import Usage
from tests.llm import server as llm_server
from tests.llm.server import chunks_without_end, cut_off, endpoint, raw, says, slowly, status

Servers = list[llm_server.Endpoint]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
QUESTION = Question("question-canary", SCHEMA, "thing", seed=1)
GOOD = '{"a": 1}'


def completion(text: str, *, end: str = "stop", tokens: tuple[int, int] = (10, 2)) -> bytes:
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    choice = {"message": {"content": text}, "finish_reason": end}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


@pytest.fixture
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        yield [stack.enter_context(endpoint(raw(completion(GOOD)))) for _ in range(3)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "FIRST_WAIT_S", 0.01)


def of(*servers: llm_server.Endpoint) -> list[Endpoint]:
    return [
        Endpoint(server.url, f"model-{place}", "key-canary", role="generate")
        for place, server in enumerate(servers, start=1)
    ]


def ask(*servers: llm_server.Endpoint, timeout_s: float = 20.0) -> Answer:
    return ask_first(of(*servers), QUESTION, use="generate", timeout_s=timeout_s)


def counts(servers: Servers) -> list[int]:
    return [len(server.asked) for server in servers]


def test_the_first_that_is_well_answers_and_no_other_is_asked(servers: Servers) -> None:
    answer = ask(*servers)
    assert answer == Answer({"a": 1}, GOOD, "model-1", Usage(1, 10, 2))
    assert counts(servers) == [1, 0, 0]
    assert servers[0].asked[0]["model"] == "model-1"


@pytest.mark.parametrize("code", PUT_ASIDE)
def test_one_that_takes_no_call_is_put_aside_and_then_asked_again(
    servers: Servers, code: int
) -> None:
    servers[0].default = status(code)
    answer = ask(*servers)
    assert (answer.model, answer.usage.calls) == ("model-2", 2)
    assert answer.notes == (f"endpoint 1 (model-1): answered with status {code}",)
    asked = len(servers[0].asked)
    again = ask(*servers)
    assert (again.model, len(servers[0].asked)) == ("model-2", asked)
    assert "put aside" in again.notes[0]
    breaker = breaker_of("generate 1", servers[0].url, "model-1")
    breaker._put_aside_ends = breaker._pause_ends = time.monotonic()  # as if ten minutes had passed
    servers[0].default = says(GOOD)
    assert ask(*servers).model == "model-1"
    assert ask(*servers).notes == ()


@pytest.mark.parametrize(
    ("url", "key", "error"),
    [
        ("http://127.0.0.1:1/v1", "schlüssel-canary", "UnicodeEncodeError"),
        ("http://127.0.0.1:1/v1", "ключ-canary", "UnicodeEncodeError"),
        ("http://[::1/v1", "key-canary", "InvalidURL"),
        ("http://xn--/v1", "key-canary", "IDNAError"),
    ],
)
def test_one_that_no_client_can_call_is_the_next_ones_turn_and_put_aside(
    servers: Servers, url: str, key: str, error: str
) -> None:
    broken = Endpoint(url, "broken", key, role="generate")
    endpoints = [broken, *of(servers[0])]
    answer = ask_first(endpoints, QUESTION, use="generate", timeout_s=20)
    assert answer.model == "model-1"
    assert answer.notes == (f"endpoint 1 (broken): could not be called ({error})",)
    again = ask_first(endpoints, QUESTION, use="generate", timeout_s=20)
    assert (again.model, again.usage.calls) == ("model-1", 1)
    assert "put aside" in again.notes[0]


def test_when_no_client_can_call_it_the_error_quotes_nothing_and_nothing_is_of_use() -> None:
    broken = Endpoint("http://127.0.0.1:1/v1", "m", "schlüssel-canary", role="generate")
    with pytest.raises(LanguageModelUnavailable) as raised:
        ask_first([broken], QUESTION, use="generate", timeout_s=20)
    assert not raised.value.retryable
    assert "Check url in [generate]" in raised.value.hint
    assert "canary" not in "".join(traceback.format_exception(raised.value))


def test_a_second_key_for_an_address_is_not_put_aside_with_the_first(servers: Servers) -> None:
    servers[0].script = [status(401)]
    first, second = Endpoint(servers[0].url, "m", "old"), Endpoint(servers[0].url, "m", "new")
    for _ in range(2):
        answer = ask_first([first, second], QUESTION, use="generate", timeout_s=20)
        assert answer.value == {"a": 1}
    assert servers[0].keys == ["Bearer old", "Bearer new", "Bearer new"]


def test_each_answer_costs_what_its_own_endpoint_takes(servers: Servers) -> None:
    servers[0].default = raw(completion("no", tokens=(100, 20)))  # counted, though unusable
    first, second = of(*servers[:2])
    dear = [replace(first, price=(1.0, 5.0)), replace(second, price=(100.0, 0.0))]
    usage = ask_first(dear, QUESTION, use="generate", timeout_s=20).usage
    millionths = 100 * 1.0 + 20 * 5.0 + 10 * 100.0
    assert usage.cost == pytest.approx(millionths / 1_000_000)


@pytest.mark.parametrize("code", [408, 409, 425, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again_before_the_next_is_asked(servers: Servers, code: int) -> None:
    servers[0].script = [status(code)]
    assert ask(*servers).model == "model-1"
    servers[0].default = status(code)
    assert ask(*servers).model == "model-2"
    assert counts(servers) == [2 + 3, 1, 0]


def test_a_wait_longer_than_its_share_is_the_next_ones_turn(servers: Servers) -> None:
    servers[0].default = status(429, Retry_After="60")
    started = time.monotonic()
    assert ask(*servers[:2], timeout_s=100).model == "model-2"
    assert time.monotonic() - started < 50
    assert counts(servers[:1]) == [1]


def test_a_wait_that_is_asked_for_is_kept(servers: Servers) -> None:
    servers[0].script = [status(429, Retry_After="1")]
    started = time.monotonic()
    assert ask(servers[0]).model == "model-1"
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize(
    "answer",
    [
        raw(completion('{"a": ')),
        raw(completion('{"b": 1}')),
        raw(completion(GOOD, end="length")),
        raw(completion(GOOD, end="content_filter")),
        raw(b'{"choices": []}'),
        raw(b'{"choices": [{"message": {"content": "{}", "refusal": "No."}}]}'),
        raw(completion("é").decode().encode("utf-16")),
        raw(json.dumps({"choices": "é"}, ensure_ascii=False).encode("latin-1")),
        says("I'd rather not."),
        chunks_without_end(),
        cut_off(),
    ],
)
def test_what_cannot_be_read_is_the_next_ones_turn(
    servers: Servers, answer: llm_server.Answer
) -> None:
    servers[0].default = answer
    for _ in range(FAILURES + 1):  # it is reachable, so it is not skipped
        assert ask(*servers).model == "model-2"
    assert len(servers[0].asked) == FAILURES + 1


def test_tokens_of_an_answer_that_was_of_no_use_count_too(servers: Servers) -> None:
    servers[0].default = raw(completion("no", tokens=(100, 20)))
    answer = ask(*servers)
    assert answer.usage == Usage(2, 110, 22)


def test_one_that_fails_three_times_in_a_row_is_skipped(servers: Servers) -> None:
    servers[0].default = status(503)
    for _ in range(FAILURES):
        assert ask(*servers).model == "model-2"
    asked = len(servers[0].asked)
    answer = ask(*servers)
    assert len(servers[0].asked) == asked
    assert "failed 3 times in a row" in answer.notes[0]
    other = ask_first(of(*servers), QUESTION, use="judge", timeout_s=20)
    assert len(servers[0].asked) > asked  # another use has other time-outs
    assert other.model == "model-2"


def test_a_slow_one_leaves_the_next_its_time(servers: Servers) -> None:
    servers[0].default = slowly(0.1, 300)
    started = time.monotonic()
    assert ask(*servers[:2], timeout_s=4).model == "model-2"
    assert time.monotonic() - started < 20  # the drip takes thirty seconds


def test_all_slow_ones_together_end_at_the_deadline(servers: Servers) -> None:
    for server in servers:
        server.default = slowly(0.1, 300)
    started = time.monotonic()
    with pytest.raises(LanguageModelUnavailable, match="took more than"):
        ask(*servers, timeout_s=2)
    assert time.monotonic() - started < 20


def test_an_address_that_takes_no_connection_is_the_next_ones_turn(servers: Servers) -> None:
    with socket.socket() as full:  # a backlog of one, and no accept
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        held = socket.create_connection(full.getsockname())
        endpoints = [Endpoint(url, "silent"), *of(servers[0])]
        started = time.monotonic()
        answer = ask_first(endpoints, QUESTION, use="generate", timeout_s=4)
        assert time.monotonic() - started < 20
        assert answer.model == "model-1"
        held.close()


def test_a_name_that_is_looked_up_for_ever_ends_at_the_deadline(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = socket.getaddrinfo

    def slow(host: Any, *arguments: Any, **named: Any) -> Any:
        if host in ("slow.invalid", b"slow.invalid"):
            time.sleep(4)
        return found(host, *arguments, **named)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    endpoints = [Endpoint("http://slow.invalid/v1", "slow"), *of(servers[0])]
    started = time.monotonic()
    answer = ask_first(endpoints, QUESTION, use="generate", timeout_s=2)
    assert time.monotonic() - started < 4
    assert answer.model == "model-1"


def test_when_none_answers_the_error_says_why_of_each_and_nothing_else(servers: Servers) -> None:
    servers[0].default = status(401)
    servers[1].default = status(500)
    servers[2].default = says("canary of an answer")
    with pytest.raises(LanguageModelUnavailable) as raised:
        ask(*servers)
    said = raised.value.sentence
    for part in ("model-1): answered with status 401", "status 500", "can't be read"):
        assert part in said
    assert "Check key in [generate] of MEDRAG_MODELS" in said
    assert "canary" not in said
    assert raised.value.retryable


def test_with_no_endpoint_nobody_is_asked() -> None:
    with pytest.raises(LanguageModelUnavailable, match="not configured"):
        ask_first([], QUESTION, use="generate", timeout_s=5)


def test_without_time_nobody_is_asked(servers: Servers) -> None:
    with pytest.raises(LanguageModelUnavailable, match="no time was left"):
        ask(*servers, timeout_s=0.0)
    assert counts(servers) == [0, 0, 0]


def test_when_all_are_skipped_the_refusal_is_at_once(servers: Servers) -> None:
    servers[0].default = status(403)
    for _ in range(2):
        with pytest.raises(LanguageModelUnavailable):
            ask(servers[0])
    assert counts(servers[:1]) == [1]
    breakers.forget_failures()
    servers[0].default = says(GOOD)
    assert ask(servers[0]).value == {"a": 1}
