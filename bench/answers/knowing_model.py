"""A language model that knows the answers, to measure the system with a perfect or a lying model.

It serves the OpenAI protocol on loopback. It finds the question in its prompt, searches the
prompt's passages for the shortest stretch that matches each decisive pattern of the question and
none of the wrong ones, and answers by the schema of the answer prompt. Where the passages hold no
answer, or the question has none, it makes no claim. It knows nothing of the gate and of
verification.
"""

from __future__ import annotations

import http.server
import itertools
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from evaluation.question_sets.patterned import Patterns, Question

MAX_CITATIONS = 3  # of a claim in its own words
_PASSAGE = re.compile(r"Passage (\w+), about: (<\w+>) (.*?) \2\n\2\n(.*?)\n\2", re.DOTALL)
_ASKED = re.compile(r"Question: (<\w+>) (.*?) \1", re.DOTALL)
_PAIR = re.compile(r"^([0-9a-f]{8})\nstatement: (<\w+>) (.*?) \2$", re.DOTALL | re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z0-9])")


class Saying(StrEnum):
    """What the model says when it has found the answer."""

    QUOTE = "quote"  # each stretch, word for word
    ANSWER = "answer"  # the short answer of the test set, citing the stretches
    FREE = "free"  # the answer in its own words, citing them
    LIE = "lie"  # something plausible and wrong, citing them


@dataclass
class KnowingModel:
    """The model, with the question it was asked last and the claims it made.

    It is also the judge: a claim of its own is supported if the model is truthful; any other
    statement is not found.
    """

    is_truthful: bool = True
    question: Question | None = None
    said: str = ""  # in place of a quote
    calls: int = 0
    stretches: int = 0
    claims: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, question: Question, said: str = "") -> None:
        """Prepare for this question; answer it with `said`, or by quotes if that is empty."""
        self.question, self.said = question, said
        self.calls = self.stretches = 0
        self.claims = []

    def reply(self, prompt: str) -> dict[str, Any]:
        """Return the reply to a prompt, in the schema that the prompt asks for."""
        if pairs := _PAIR.findall(prompt):
            return {"judgements": [{"pair": p, "label": self._label(s)} for p, _, s in pairs]}
        self.calls += 1
        asked = _ASKED.search(prompt)
        known = self.question
        if known and asked and _one_case(asked[2]) == _one_case(known.text):
            found = _PASSAGE.findall(prompt)
            self._answer(known, [(key, about, text) for key, _, about, text in found])
        return {"claims": self.claims, "option": "none"}

    def _answer(self, question: Question, passages: Sequence[tuple[str, str, str]]) -> None:
        found = stretches_of(question, passages) if question.is_answerable else []
        self.stretches = len(found)
        cited = [{"passage": key, "quote": stretch} for key, stretch in found]
        if self.said and cited:
            self.claims = [{"text": self.said, "citations": cited[:MAX_CITATIONS]}]
        else:
            self.claims = [{"text": one["quote"], "citations": [one]} for one in cited]

    def _label(self, statement: str) -> str:
        own = {_one_case(claim["text"]) for claim in self.claims}
        is_true = self.is_truthful and _one_case(statement) in own
        return "supported" if is_true else "not_found"


def stretches_of(
    question: Question, passages: Sequence[tuple[str, str, str]]
) -> list[tuple[str, str]]:
    """Return for each decisive pattern the first passage's key that matches, with its stretch.

    Passages are `(key, context, text)`. A stretch found twice is returned once.
    """
    found: list[tuple[str, str]] = []
    for pattern in question.decisive:
        for key, about, text in passages:
            stretch = _stretch(pattern, question.wrong, about, text)
            if stretch:
                if (key, stretch) not in found:
                    found.append((key, stretch))
                break
    return found


@contextmanager
def served(model: KnowingModel) -> Iterator[str]:
    """Serve the model on loopback inside the context; yields the address for clients."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(model))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _one_case(text: str) -> str:
    return " ".join(text.split()).casefold()


def _stretch(pattern: re.Pattern[str], wrong: Patterns, about: str, text: str) -> str:
    """Return the first sentence, line or pair of lines that answers, tried in that order.

    Empty where none does.
    """
    for each in _stretches(text):
        if pattern.search(f"{about}\n{each}") and not any(bad.search(each) for bad in wrong):
            return each
    return ""


def _stretches(text: str) -> Iterator[str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for line in lines:
        yield from filter(None, _SENTENCE_END.split(line))
    yield from lines
    yield from (f"{one} {two}" for one, two in itertools.pairwise(lines))


def _handler_of(model: KnowingModel) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": "knowing", "object": "model"}]})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = "\n".join(str(message["content"]) for message in asked["messages"])
            message = {"role": "assistant", "content": json.dumps(model.reply(prompt))}
            tokens = len(prompt) // 4
            usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            self._send(
                {
                    "id": "knowing", "object": "chat.completion", "created": 0,
                    "model": asked.get("model", ""), "choices": [choice], "usage": usage,
                }
            )  # fmt: skip

        def _send(self, value: Mapping[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing: a question must not reach the terminal."""

    return Handler
