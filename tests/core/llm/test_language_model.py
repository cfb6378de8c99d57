"""A question to a language model: sound endpoints and faulty ones."""

import gzip
import json
import logging
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

import pytest

from core.llm import client as language_model
from core.llm.client import Endpoint, LanguageModelUnavailable, ask_json, ask_text
from core.llm.replies import Reply
from core.llm.transport import CallFailed
from tests.llm.server import (
    Answer,
    chunks_without_end,
    cut_off,
    endpoint,
    huge_answer,
    raw,
    says,
    status,
)
from tests.llm.server import Endpoint as Server
from tests.llm.serving import serving

SCHEMA = {
    "type": "object",
    "properties": {"wordings": {"type": "array", "items": {"type": "string"}, "maxItems": 2}},
    "required": ["wordings"],
    "additionalProperties": False,
}
GOOD = '{"wordings": ["one", "two"]}'
VALUE = {"wordings": ["one", "two"]}


server = serving(says(GOOD))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "FIRST_WAIT_S", 0.01)


def of(server: Server, timeout_s: float = 20.0) -> Endpoint:
    return Endpoint(server.url, "m", "key-canary", timeout_s, role="rewrite")


def ask(server: Server, timeout_s: float = 20.0) -> object:
    return ask_json(of(server, timeout_s), prompt="Say.", schema=SCHEMA, name="wordings")


def test_structured_output_is_asked_for(server: Server) -> None:
    assert ask(server) == VALUE
    (request,) = server.asked
    form = request["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"] == {"name": "wordings", "strict": True, "schema": SCHEMA}
    assert request["messages"] == [{"role": "user", "content": "Say."}]
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("m", 0, 512)
    assert server.keys == ["Bearer key-canary"]


@pytest.mark.parametrize("code", [400, 404, 422, 501])
def test_a_server_without_structured_output_is_told_the_schema_in_words(
    server: Server, code: int
) -> None:
    server.script = [status(code)] * (1 + 2 * (code == 501))  # 501 is retried: it may pass
    assert ask(server) == VALUE
    last = server.asked[-1]
    assert "response_format" not in last
    assert json.dumps(SCHEMA) in last["messages"][0]["content"]
    asked = len(server.asked)
    assert ask(server) == VALUE  # the client remembers
    assert len(server.asked) == asked + 1


def test_a_refused_key_is_not_taken_for_that(server: Server) -> None:
    server.default = status(401)
    with pytest.raises(LanguageModelUnavailable, match="status 401") as raised:
        ask(server)
    assert len(server.asked) == 1
    assert raised.value.sentence.endswith("Check key in [rewrite] of MEDRAG_MODELS.")
    assert not raised.value.retryable


def test_a_wrong_model_is_named_after_both_forms_failed(server: Server) -> None:
    server.default = status(404)
    with pytest.raises(LanguageModelUnavailable) as raised:
        ask(server)
    assert "Check url and model in [rewrite]" in raised.value.hint
    assert ["response_format" in request for request in server.asked] == [True, False]


@pytest.mark.parametrize("code", [408, 409, 425, 429, 500, 503])
def test_what_may_pass_is_tried_again_in_one_layer(server: Server, code: int) -> None:
    server.script = [status(code), status(code)]
    assert ask(server) == VALUE
    server.default = status(code)
    with pytest.raises(LanguageModelUnavailable, match=f"status {code}") as raised:
        ask(server)
    assert raised.value.retryable
    assert len(server.asked) == 3 + 3


def test_a_wait_that_the_deadline_leaves_no_time_for_is_not_begun(server: Server) -> None:
    server.default = status(429, Retry_After="30")
    started = time.monotonic()
    with pytest.raises(LanguageModelUnavailable, match="status 429"):
        ask(server, timeout_s=10)
    assert time.monotonic() - started < 9
    assert len(server.asked) == 1


@pytest.mark.parametrize("after", ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "nan", "x"])
def test_a_wait_that_is_no_number_of_seconds_is_ours(server: Server, after: str) -> None:
    server.script = [status(503, Retry_After=after)]
    assert ask(server) == VALUE


@pytest.mark.parametrize("code", [200, 401, 500])
def test_a_body_of_fifty_megabytes_is_not_read(server: Server, code: int) -> None:
    sent: list[int] = []
    server.default = huge_answer(lambda shown: GOOD, code=code, sent=sent)
    with pytest.raises(LanguageModelUnavailable):
        ask_json(of(server), prompt="", schema=SCHEMA, name="n", retries=0)
    assert sum(sent) < 20 * 2**20  # the sockets' buffers


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (raw(b"not json"), "can't be read"),
        (raw(b"{}"), "can't be read"),
        (raw(b"[" * 100_000), "can't be read"),
        (raw(b'{"choices": [{"message": {"content": null}}]}'), "without text"),
        (says(GOOD[:-3]), "can't be read"),
        (says('{"wordings": ['), "can't be read"),
        (says('{"wordings": 1}'), "another form"),
        (says('{"wordings": ["a", "b", "c"]}'), "another form"),
        (says('{"wordings": [], "more": 1}'), "another form"),
        (says('{"wordings": [NaN]}'), "can't be read"),
        (says("{" * 100_000), "can't be read"),
        (says(""), "can't be read"),
        (chunks_without_end(), "more than it was asked for"),
        (cut_off(), "broke off"),
    ],
)
def test_an_answer_that_is_none_is_said_to_be_none(
    server: Server, answer: Answer, what: str
) -> None:
    server.default = answer
    with pytest.raises(LanguageModelUnavailable, match=what) as raised:
        ask(server)
    assert raised.value.check
    assert raised.value.answered
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here you are:\n{GOOD}\nAnything else?",
        f'<think>Perhaps {{"wordings": ["no"]}}?</think>\n{GOOD}',
        f"A list [1, 2] first, then {GOOD}",
        f"An { {'open'} } brace, then {GOOD}",
    ],
)
def test_words_around_an_answer_are_left_out(content: str) -> None:
    assert Reply(content).value(SCHEMA) == VALUE


def test_only_what_stands_at_the_top_is_an_answer() -> None:
    with pytest.raises(CallFailed, match="another form"):
        Reply(f'{{"answer": {GOOD}}}').value(SCHEMA)


def packed(body: bytes, *, times: int, name: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        sent = body
        for _ in range(times):
            sent = gzip.compress(sent)
        handler.send_response(200)
        handler.send_header("Content-Encoding", name)
        handler.send_header("Content-Length", str(len(sent)))
        handler.end_headers()
        handler.wfile.write(sent)

    return answer


def test_an_answer_may_be_packed_once(server: Server) -> None:
    choice = {"message": {"content": GOOD}}
    server.default = packed(json.dumps({"choices": [choice]}).encode(), times=1, name="gzip")
    assert ask(server) == VALUE


@pytest.mark.parametrize(
    ("times", "name", "what"),
    [(1, "gzip", "more than it was asked for"), (2, "gzip, gzip", "packing"), (0, "br", "packing")],
)
def test_what_would_unpack_to_any_size_is_not_unpacked(
    server: Server, times: int, name: str, what: str
) -> None:
    server.default = packed(b" " * 10_000_000, times=times, name=name)
    with pytest.raises(LanguageModelUnavailable, match=what):
        ask(server)
    assert len(server.asked) == 1


def test_nobody_at_the_address(server: Server) -> None:
    with endpoint(says(GOOD)) as gone:
        pass
    with pytest.raises(LanguageModelUnavailable, match="did not answer") as raised:
        ask(gone)
    assert raised.value.retryable
    assert not raised.value.answered
    assert "Check url in [rewrite]" in raised.value.hint


def test_no_log_holds_a_question_an_answer_or_a_key(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [status(503)]
    server.default = says("canary of an answer")
    with pytest.raises(LanguageModelUnavailable):
        ask_json(of(server), prompt="canary of a question", schema=SCHEMA, name="n")
    assert len(server.asked) == 2
    assert "canary" not in caplog.text


def test_a_redirect_is_not_followed(server: Server) -> None:
    server.default = status(302, Location=f"{server.url}/elsewhere")
    with pytest.raises(LanguageModelUnavailable, match="status 302"):
        ask_text(of(server), prompt="Say.")
    assert len(server.asked) == 1


def test_errors_and_the_endpoint_print_neither_key_nor_answer(server: Server) -> None:
    server.default = status(403)
    with pytest.raises(LanguageModelUnavailable) as raised:
        ask_text(replace(of(server), role=""), prompt="Say.")
    assert "canary" not in f"{raised.value.sentence} {of(server)!r}"
    assert "settings" in raised.value.hint


def test_the_text_of_an_answer_comes_as_it_is(server: Server) -> None:
    server.default = says(" plain\n")
    assert ask_text(of(server), prompt="Say.", max_tokens=7) == " plain\n"
    assert server.asked[0]["max_tokens"] == 7
