"""A language model on loopback that writes answers: it reads its prompt as a real one would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm.server import Answer, raw

TOKENS = (1000, 200)  # of each prompt and answer
_MARK = re.compile(r"Question: (<[0-9a-f]{16}>) ")
_PASSAGE = r"Passage ([0-9a-f]+), about: {mark} .*? {mark}\n{mark}\n(.*?)\n{mark}"

Write = Callable[[dict[str, str]], Mapping[str, Any]]  # passages by key to an answer


def passages_in(prompt: str) -> dict[str, str]:
    """The passages that a prompt shows, by their keys."""
    found = _MARK.search(prompt)
    if found is None:
        return {}
    pattern = _PASSAGE.format(mark=re.escape(found.group(1)))
    return dict(re.findall(pattern, prompt, re.DOTALL))


def writes(write: Write) -> Answer:
    """Answers each request with what `write` makes of its passages."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        request: dict[str, Any] = handler.request_body  # type: ignore[attr-defined]
        shown = passages_in(request["messages"][0]["content"])
        content = json.dumps(write(shown))
        choice = {"message": {"content": content}, "finish_reason": "stop"}
        usage = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1]}
        raw(json.dumps({"choices": [choice], "usage": usage}).encode())(handler)

    return answer


def claim(text: str, *citations: tuple[str, str]) -> dict[str, Any]:
    cited = [{"passage": key, "quote": quote} for key, quote in citations]
    return {"text": text, "citations": cited}


def says_verbatim(*sentences: str, option: str = "none") -> Write:
    """A claim for each sentence, quoted from the first passage that holds it."""

    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        claims = [
            claim(
                sentence, *[(key, sentence) for key, text in shown.items() if sentence in text][:1]
            )
            for sentence in sentences
        ]
        return {"claims": claims, "option": option}

    return write
