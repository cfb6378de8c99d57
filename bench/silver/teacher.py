"""Ask a teacher for labelled claims about a question and its passage."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chat.verification.entailment.judge import CLAIM_CHARS
from chat.verification.types import Label
from core.llm.client import Endpoint
from core.llm.failover import SEED, NoneAnswered, ask_first
from core.llm.prompt_files import Prompt
from core.llm.request_variants import Question
from core.llm.usage import Usage

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "silver_v1.txt", frozenset({"question", "passage"})
)
CLAIMS_A_CALL = 6
MAX_TOKENS = 1024  # an answer has six claims, each with its quote
CHARS_A_TOKEN = 4  # of English, where a server counts no tokens
LABELS = tuple(label.value for label in Label)


@dataclass(frozen=True)
class Asked:
    """A question, and a passage that may answer it."""

    question: str = field(repr=False)
    passage: str = field(repr=False)

    @property
    def key(self) -> str:
        """16 hex digits over question and passage."""
        both = f"{self.question}\0{self.passage}".encode("utf-8", "replace")
        return hashlib.sha256(both).hexdigest()[:16]


@dataclass(frozen=True)
class Claim:
    """A labelled claim. `quote` is verbatim from the passage; empty for a claim not found there."""

    text: str = field(repr=False)
    label: str
    quote: str = field(repr=False)


@dataclass(frozen=True)
class Taught:
    """The result of one call: claims, or why the answer is malformed, or why there is no answer."""

    claims: tuple[Claim, ...] = ()
    tokens: int = 0
    malformed: str = ""
    away: str = ""
    hint: str = ""  # of `away`


class MalformedAnswer(ValueError):
    """An answer that fits its schema but can't be used; the message quotes none of it."""


def ask_teacher(endpoint: Endpoint, asked: Asked, *, timeout_s: float) -> Taught:
    """Ask once, within `timeout_s`. Failures of the model are returned, not raised."""
    prompt = PROMPT.filled(question=asked.question, passage=asked.passage)
    call = Question(prompt, _SCHEMA, "claims", MAX_TOKENS, SEED)
    try:
        answer = ask_first([endpoint], call, use="teacher", timeout_s=timeout_s)
    except NoneAnswered as error:
        if not error.answered:
            return Taught(away=error.what, hint=error.hint)
        tokens = _tokens(error.usage, prompt, "".join(error.contents))
        return Taught(tokens=tokens, malformed=error.what)
    tokens = _tokens(answer.usage, prompt, answer.content)
    try:
        return Taught(claims_of(answer.value, asked.passage), tokens)
    except MalformedAnswer as error:
        return Taught(tokens=tokens, malformed=str(error))


def claims_of(value: Mapping[str, Any], passage: str) -> tuple[Claim, ...]:
    """Return the claims of an answer that fits the schema, in order.

    Raises MalformedAnswer for a claim without words or too long, for one with two labels, and for a
    quote that is not in the passage, white space apart: its label would rest on nothing.
    """
    found: list[Claim] = []
    labels: dict[str, str] = {}
    for each in value["claims"]:
        text, label = " ".join(each["claim"].split()), each["label"]
        if not any(map(str.isalnum, text)) or len(text) > CLAIM_CHARS:
            raise MalformedAnswer("wrote a claim without a word, or too long a one")
        if labels.setdefault(same_as(text), label) != label:
            raise MalformedAnswer("labelled one claim in two ways")
        is_quoted = label != Label.NOT_FOUND.value
        quote = _as_it_stands(each["quote"], passage) if is_quoted else ""
        if is_quoted and not quote:
            raise MalformedAnswer("quoted what does not stand in the passage")
        found.append(Claim(text, label, quote))
    return tuple(found)


def same_as(claim: str) -> str:
    """Return a claim without its differences in white space, case and final full stop."""
    return " ".join(claim.casefold().split()).rstrip(" .")


def _as_it_stands(quote: str, passage: str) -> str:
    words = quote.split()
    stands = re.search(r"\s+".join(map(re.escape, words)), passage) if words else None
    return stands.group() if stands else ""


def _tokens(usage: Usage, prompt: str, content: str) -> int:
    """Count tokens as the server does; if it does not, estimate by the length of both texts."""
    counted = usage.prompt_tokens + usage.completion_tokens
    return counted or (len(prompt) + len(content)) // CHARS_A_TOKEN


_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "maxItems": CLAIMS_A_CALL,
            "items": {
                "type": "object",
                "properties": {
                    "claim": {"type": "string"},
                    "label": {"type": "string", "enum": list(LABELS)},
                    "quote": {"type": "string"},
                },
                "required": ["claim", "label", "quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}
