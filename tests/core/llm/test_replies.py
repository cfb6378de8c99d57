"""Replies of endpoints are read strictly: complete, well-formed, with valid token counts."""

import json
from typing import Any

import httpx
import pytest

from core.llm.openai_client import calling
from core.llm.replies import MAX_TOKENS, Reply, reply_of
from core.llm.transport import CallFailed
from core.llm.usage import Usage
from tests.llm.forms import TWO_WAYS

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}


def read(answer: bytes) -> Reply:
    """Return the reply that the client makes of an answer's bytes."""
    headers = {"Content-Type": "application/json"}
    sends = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=answer))
    with calling("http://127.0.0.1:1/v1", "key", timeout_s=5.0, transport=sends) as client:
        return reply_of(client.chat.completions.create(model="m", messages=[]))


def body(usage: Any = None, *, end: Any = "stop", **message: Any) -> bytes:
    message = {"content": '{"a": 1}'} | message
    return json.dumps(
        {"choices": [{"message": message, "finish_reason": end}], "usage": usage}
    ).encode()


def test_content_and_tokens_as_the_server_says() -> None:
    reply = read(body({"prompt_tokens": 12, "completion_tokens": 5}))
    assert reply == Reply('{"a": 1}', Usage(0, 12, 5))
    assert reply.value(SCHEMA) == {"a": 1}


@pytest.mark.parametrize("count", [True, -1, 1.5, "12", None, [3], MAX_TOKENS + 1, 10**40], ids=str)
def test_a_count_that_is_none_is_nought(count: Any) -> None:
    reply = read(body({"prompt_tokens": count, "completion_tokens": 5}))
    assert reply.usage == Usage(0, 0, 5)


@pytest.mark.parametrize("usage", [None, [], "many", 7])
def test_without_counts_all_are_nought(usage: Any) -> None:
    assert read(body(usage)) == Reply('{"a": 1}')


@pytest.mark.parametrize(
    ("end", "what"),
    [
        ("length", "cut off"),
        ("content_filter", "withheld"),
        ("tool_calls", "no"),
        ("function_call", "no"),
    ],
)
def test_an_end_that_is_none_makes_no_answer_however_it_reads(end: str, what: str) -> None:
    with pytest.raises(CallFailed, match=what):
        read(body(end=end)).value(SCHEMA)


@pytest.mark.parametrize("end", ["stop", None, "eos_token", 3, ["length"]])
def test_any_other_end_is_one(end: Any) -> None:
    assert read(body(end=end)).value(SCHEMA) == {"a": 1}


@pytest.mark.parametrize(
    "answer",
    [
        body(refusal="I can't help with that."),
        body(content=None),
        body(content=[{"type": "text"}]),
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": "text"}]}',
        b'{"choices": {"0": 1}}',
        b"[]",
        b"",
        '{"choices": [{"message": {"content": "é"}}]}'.encode("latin-1"),
    ],
)
def test_what_holds_no_text_is_no_answer(answer: bytes) -> None:
    with pytest.raises(CallFailed):
        read(answer)


VERDICT = {
    "type": "object",
    "required": ["label"],
    "additionalProperties": False,
    "properties": {"label": {"enum": ["supported", "not_found"]}},
}
NO, YES = '{"label": "supported"}', '{"label": "not_found"}'


@pytest.mark.parametrize("form", TWO_WAYS)
def test_of_two_verdicts_only_that_outside_of_reasoning_is_one(form: str) -> None:
    try:
        value = Reply(TWO_WAYS[form](NO, YES)).value(VERDICT)
    except CallFailed:
        value = None
    assert value in (None, json.loads(YES))


@pytest.mark.parametrize(
    "content",
    [
        f"{NO} so not_found",
        f"{NO}\nVerdict: **NOT_FOUND**",
        f"{NO} On reflection it is unsupported.",
        f"It was not_found at first. {NO}",
        f"{NO} Rather, label: other",
    ],
)
def test_words_of_the_schema_beside_a_value_make_it_two(content: str) -> None:
    with pytest.raises(CallFailed, match="two answers"):
        Reply(content).value(VERDICT)


@pytest.mark.parametrize(
    "content",
    [
        f"{NO}\n{NO}",
        f"```json\n{NO}\n```\nOnce more: {NO}",
        f"It is supported:\n{NO}",
        f"<think>not_found {YES}</think><answer>{NO}</answer>",
        f"<|channel|>analysis<|message|>{YES}<|end|><|channel|>final<|message|>{NO}",
    ],
)
def test_one_verdict_may_be_given_twice_and_thoughts_may_differ(content: str) -> None:
    assert Reply(content).value(VERDICT) == json.loads(NO)


def test_text_is_read_without_reasoning() -> None:
    assert Reply("<think>Hm.</think>A line.").text() == "A line."
    for reply in (Reply("<think>Hm."), Reply("A li", fault="gave an answer that is cut off")):
        with pytest.raises(CallFailed, match="cut off"):
            reply.text()


def test_what_no_database_takes_is_left_out() -> None:
    assert read(body(content="a\x00b\ud800c\n")).content == "abc\n"
