"""A language model that writes claims from the passages of its prompt."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.llm.server import Answer, replies

Write = Callable[[dict[str, str]], Mapping[str, Any]]  # from passages by key to an answer


def writes(write: Write) -> Answer:
    """Answer each request with `write` of its passages."""
    return replies(lambda shown: json.dumps(write(shown.passages)))


def claim(text: str, *citations: tuple[str, str]) -> dict[str, Any]:
    cited = [{"passage": key, "quote": quote} for key, quote in citations]
    return {"text": text, "citations": cited}


def says_verbatim(*sentences: str, option: str = "none") -> Write:
    """Claim each sentence, quoted from the first passage that holds it."""

    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        claims = [
            claim(
                sentence, *[(key, sentence) for key, text in shown.items() if sentence in text][:1]
            )
            for sentence in sentences
        ]
        return {"claims": claims, "option": option}

    return write
