"""A judge for RAGAS that answers each of its questions by the schema asked for.

It supports what a text holds word for word, and nothing else.
"""

import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm.server import Answer, asked_of, says

_SENTENCE = re.compile(r"[^.!?]+[.!?]")
_INPUT = "Now perform the same with the following input\ninput: "

Given = dict[str, Any]  # the prompt's input to judge


def _sentences(text: str) -> list[str]:
    return [each.strip() for each in _SENTENCE.findall(text)]


def _statements(given: Given) -> Given:
    return {"statements": _sentences(given["answer"])}


def _verdicts(given: Given) -> Given:
    judged = [
        {"statement": each, "reason": "read", "verdict": int(each in given["context"])}
        for each in given["statements"]
    ]
    return {"statements": judged}


def _question(given: Given) -> Given:
    return {"question": f"What about this: {given['response']}", "noncommittal": 0}


def _usefulness(given: Given) -> Given:
    useful = any(each in given["context"] for each in _sentences(given["answer"]))
    return {"reason": "read", "verdict": int(useful)}


def _attributions(given: Given) -> Given:
    judged = [
        {"statement": each, "reason": "read", "attributed": int(each in given["context"])}
        for each in _sentences(given["answer"])
    ]
    return {"classifications": judged}


def _classes(given: Given) -> Given:
    def among(statements: list[str]) -> list[Given]:
        return [{"statement": each, "reason": "read"} for each in statements]

    answer, truth = given["answer"], given["ground_truth"]
    return {
        "TP": among([each for each in answer if each in truth]),
        "FP": among([each for each in answer if each not in truth]),
        "FN": among([each for each in truth if each not in answer]),
    }


ANSWERS: dict[str, Callable[[Given], Given]] = {
    "StatementGeneratorOutput": _statements,
    "NLIStatementOutput": _verdicts,
    "AnswerRelevanceOutput": _question,
    "ContextPrecisionOutput": _usefulness,
    "ContextRecallOutput": _attributions,
    "ClassificationWithReason": _classes,
}


def schema_of(request: Given) -> str:
    """Return the name of the schema for the answer."""
    return str(request["response_format"]["json_schema"]["name"])


def given_in(request: Given) -> Given:
    """Return the last input of the prompt, after its examples."""
    text = request["messages"][-1]["content"].rpartition(_INPUT)[2]
    given: Given = json.JSONDecoder().raw_decode(text)[0]
    return given


def scores(**instead: Callable[[Given], Any]) -> Answer:
    """Answer by the schema's name; `instead` replaces answers to some schemas."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        request = asked_of(handler)
        reply = {**ANSWERS, **instead}[schema_of(request)]
        says(json.dumps(reply(given_in(request))))(handler)

    return answer
