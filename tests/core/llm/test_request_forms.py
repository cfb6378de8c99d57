"""A server that refuses part of a request is asked with less, and its limits are remembered."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from core.llm.client import Endpoint, LanguageModelUnavailable, ask_reply
from core.llm.request_variants import LADDER, Form, Question, next_form
from tests.llm.server import Answer, asked_of, says, status
from tests.llm.server import Endpoint as Server
from tests.llm.serving import serving

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": True}
QUESTION = Question("Say.", SCHEMA, "thing", max_tokens=9, seed=1)


server = serving(says("{}"))


def refusing(is_refused: Callable[[dict[str, Any]], bool], code: int = 400) -> Answer:
    """Answer a request unless `is_refused` holds for it."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        (status(code) if is_refused(asked_of(handler)) else says("{}"))(handler)

    return answer


def ask(server: Server, question: Question = QUESTION) -> dict[str, Any]:
    """Return the request that was answered."""
    assert ask_reply(Endpoint(server.url, "m"), question).content == "{}"
    return server.asked[-1]


def test_all_is_asked_for_at_first(server: Server) -> None:
    request = ask(server)
    assert (request["temperature"], request["seed"], request["max_tokens"]) == (0, 1, 9)
    assert request["response_format"]["json_schema"]["name"] == "thing"
    assert len(server.asked) == 1
    assert "tools" not in request


@pytest.mark.parametrize("code", [400, 422])
@pytest.mark.parametrize(
    ("refused", "missing", "requests"),
    [
        ({"seed"}, {"seed"}, 2),
        ({"response_format"}, {"seed", "response_format"}, 3),
        ({"temperature", "max_tokens"}, {"seed", "temperature", "max_tokens"}, 4),
        (
            {"temperature", "response_format"},
            {"seed", "temperature", "max_tokens", "response_format"},
            5,
        ),
    ],
    ids=lambda value: "+".join(sorted(value)) if isinstance(value, set) else str(value),
)
def test_what_is_refused_is_left_out_from_then_on(
    server: Server, code: int, refused: set[str], missing: set[str], requests: int
) -> None:
    server.default = refusing(lambda request: bool(refused & request.keys()), code)
    request = ask(server)
    everything = {"seed", "response_format", "temperature", "max_tokens"}
    assert everything - request.keys() == missing
    assert len(server.asked) == requests
    assert ("max_completion_tokens" in request) is ("max_tokens" in missing)
    described = json.dumps(SCHEMA) in request["messages"][0]["content"]
    assert described is ("response_format" in missing)
    assert ask(server) == request
    assert len(server.asked) == requests + 1


def test_whoever_asks_for_no_seed_is_not_asked_anew_for_it(server: Server) -> None:
    server.default = refusing(lambda request: "seed" in request)
    ask(server, Question("Say.", SCHEMA, "thing"))
    assert len(server.asked) == 1


def test_a_server_that_refuses_all_is_asked_once_in_each_form(server: Server) -> None:
    server.default = status(400)
    for _ in range(2):  # nothing is remembered
        server.asked.clear()
        with pytest.raises(LanguageModelUnavailable, match="status 400"):
            ask(server)
        assert len(server.asked) == len(LADDER)


@pytest.mark.parametrize("code", [401, 403, 410, 302, None])
def test_no_other_status_says_anything_of_the_form(code: int | None) -> None:
    assert next_form(Form(), code) is None


def test_every_way_down_stays_on_the_ladder() -> None:
    for form in LADDER:
        for code in (400, 404, 415, 422, 501):
            assert next_form(form, code) in (None, *LADDER)
