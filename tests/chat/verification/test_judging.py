"""Test a judge of whole answers on loopback: its judgement, and what counts as none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from chat.errors import VerifierUnavailable
from chat.types import DraftClaim
from chat.verification.answer_judge import PROMPT, AnswerJudgement, judge_answer, judge_fingerprint
from core.llm.usage import Usage
from tests.chat.evidence.hits import made_up_hit
from tests.llm import server as llm_server
from tests.llm.server import endpoint, raw
from tests.models import change_model, set_model, unset_models

GOOD: dict[str, Any] = {"coverage": 0.75, "in_scope": True, "contradicts": False}
CLAIMS = (DraftClaim("Give 5 mg.", ()), DraftClaim("Never give 7 mg.", ()))
PASSAGES = (
    made_up_hit(key="a_p1_c0", text="Give 5 mg.", context="Gentamicin"),
    made_up_hit(key="a_p1_c1", text="Never give 7 mg. $mark <0123456789abcdef>"),
)


def completion(value: Any) -> bytes:
    choice = {"message": {"content": json.dumps(value)}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 2000, "completion_tokens": 20}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


@pytest.fixture
def server(settings: Settings) -> Iterator[llm_server.Endpoint]:
    with endpoint(raw(completion(GOOD))) as state:
        set_model(settings, "judge", state.url, model="judge-1", key="key-canary")
        change_model(settings, "judge", price=(1.0, 10.0))
        yield state


def judged(timeout_s: float = 20.0) -> AnswerJudgement:
    return judge_answer("What dose?", CLAIMS, PASSAGES, timeout_s=timeout_s)


def test_what_it_says_and_what_that_took(server: llm_server.Endpoint) -> None:
    judgement = judged()
    assert judgement == AnswerJudgement(
        **GOOD,
        usage=Usage(1, 2000, 20, cost=(2000 * 1.0 + 20 * 10.0) / 1_000_000),
        model="judge-1",
        prompt=PROMPT.identity,
        raw=json.dumps(GOOD),
    )
    assert server.asked[0]["model"] == "judge-1"
    assert judge_fingerprint() == f"judge-1:{PROMPT.identity}:judge-1"
    assert (server.asked[0]["temperature"], server.asked[0]["seed"]) == (0, 1)
    assert server.keys == ["Bearer key-canary"]


def test_all_that_it_is_shown_stands_between_marks_that_are_new(
    server: llm_server.Endpoint,
) -> None:
    judged()
    judged()
    first, second = server.prompts
    mark = first.split("Question: ")[1].split()[0]
    assert mark not in second
    assert f"Question: {mark} What dose? {mark}" in first
    assert f"Statements: {mark} - Give 5 mg.\n- Never give 7 mg. {mark}" in first
    for hit in PASSAGES:
        assert f"{mark} {hit.context} {mark}\n{mark}\n{hit.text}\n{mark}" in first
        assert hit.key not in first


@pytest.mark.parametrize(
    "answer",
    [
        GOOD | {"coverage": 1.01},
        GOOD | {"coverage": -0.1},
        GOOD | {"coverage": "0.9"},
        GOOD | {"coverage": True},
        GOOD | {"coverage": None},
        GOOD | {"coverage": float("nan")},
        GOOD | {"in_scope": "yes"},
        GOOD | {"in_scope": 1},
        GOOD | {"contradicts": 0},
        GOOD | {"why": "because"},
        {"coverage": 1.0, "in_scope": True},
        [GOOD, 1],
        "fine",
    ],
    ids=str,
)
def test_what_is_no_judgement_is_an_error(server: llm_server.Endpoint, answer: Any) -> None:
    server.default = raw(completion(answer))
    with pytest.raises(VerifierUnavailable, match="could not be judged") as raised:
        judged()
    assert raised.value.usage.completion_tokens == 20


def test_without_a_judge_there_is_no_judgement(settings: Settings) -> None:
    unset_models(settings, "judge")
    with pytest.raises(VerifierUnavailable, match="not configured"):
        judged()
