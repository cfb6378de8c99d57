"""A language model that judges claims by their evidence and whole answers, honestly or not."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.llm.prompts import Shown
from tests.llm.server import Answer, Reply, replies

_PAIR = re.compile(
    r"^(?P<label>[0-9a-f]{8})\n"
    r"statement: (?P<mark><[0-9a-f]{8,}>) (?P<claim>.*?) (?P=mark)\n"
    r"evidence: (?P=mark) (?P<evidence>.*?) (?P=mark)$",
    re.DOTALL | re.MULTILINE,
)
_WORD = re.compile(r"\w+")
WHOLE_ANSWER = {"coverage": 1.0, "in_scope": True, "contradicts": False}


@dataclass(frozen=True)
class Pair:
    """A statement beside its evidence, under the label of the prompt."""

    label: str
    claim: str
    evidence: str


Judge = Callable[[Pair], str]


def pairs_in(shown: Shown) -> list[Pair]:
    return [
        Pair(found["label"], found["claim"], found["evidence"])
        for found in _PAIR.finditer(shown.prompt)
    ]


def fair(pair: Pair) -> str:
    """Judge as supported if the evidence holds each word of the statement."""
    words, evidence = (set(_WORD.findall(text.lower())) for text in (pair.claim, pair.evidence))
    return "supported" if words <= evidence else "not_found"


def always(word: str) -> Judge:
    return lambda pair: word


def judgement(label: str, word: str) -> dict[str, Any]:
    return {"pair": label, "label": word}


def content(judgements: list[dict[str, Any]]) -> str:
    return json.dumps({"judgements": judgements})


def judging(judge: Judge) -> Reply:
    """Answer questions about pairs and about a whole answer."""

    def reply(shown: Shown) -> str:
        pairs = pairs_in(shown)
        if not pairs:
            return json.dumps(WHOLE_ANSWER)
        return content([judgement(pair.label, judge(pair)) for pair in pairs])

    return reply


def misjudging(alter: Callable[[list[dict[str, Any]]], Any]) -> Answer:
    """Judge all as supported, in another form than asked for."""

    def reply(shown: Shown) -> str:
        said = [judgement(pair.label, "supported") for pair in pairs_in(shown)]
        return json.dumps({"judgements": alter(said)})

    return replies(reply)


MISJUDGED: dict[str, Answer] = {
    "no pair": misjudging(lambda said: []),
    "all but one": misjudging(lambda said: said[1:]),
    "one twice": misjudging(lambda said: [*said, said[0]]),
    "one in two ways": misjudging(lambda said: [*said, judgement(said[0]["pair"], "not_found")]),
    "a pair that nobody gave": misjudging(lambda said: [*said, judgement("0" * 8, "supported")]),
    "another word": misjudging(lambda said: [one | {"label": "true"} for one in said]),
    "the word in capitals": misjudging(lambda said: [one | {"label": "SUPPORTED"} for one in said]),
    "two words": misjudging(lambda said: [one | {"label": "supported not_found"} for one in said]),
    "no word": misjudging(lambda said: [{"pair": one["pair"]} for one in said]),
    "a word that is true": misjudging(lambda said: [one | {"label": True} for one in said]),
    "labels as numbers": misjudging(lambda said: [one | {"pair": 1} for one in said]),
    "an object": misjudging(lambda said: {one["pair"]: one["label"] for one in said}),
    "a word alone": misjudging(lambda said: "supported"),
}
