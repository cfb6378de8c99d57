"""Rerank all passages of a question at once with a language model.

List-wise, like RankGPT (Sun et al., EMNLP 2023) with one window. Passages are shown as data between
markers, under neutral labels. Markers and labels come from a keyed hash of the content, so no
document can predict them and the same question on the same passages gives the same prompt. A reply
counts only if it holds known labels, each once; passages it leaves out follow in their old order.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.llm.breaker import breaker_of
from core.llm.client import Endpoint, LanguageModelUnavailable, ask_json, is_away
from core.llm.prompt_files import Prompt
from retrieval.rerank.extracts import characters, extract
from retrieval.rerank.types import Passage, RerankUnavailable

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "rerank_v1.txt",
    frozenset({"question", "passages"}),
)
PASSAGE_CHARS = 1200  # thirty of them are some 9,000 tokens
LABEL_CHARS = 6
MARK_CHARS = 16
TOKENS_A_LABEL = 8  # of an answer: six hexadecimal digits, quotes and a comma


@dataclass(frozen=True)
class LanguageModelReranker:
    """A reranker that sends question and passages to a language model; scores are 1 / rank."""

    endpoint: Endpoint
    secret: bytes  # what marks and labels are made with
    name = "llm"

    @property
    def fingerprint(self) -> str:
        return f"llm:{PROMPT.name}:{self.endpoint.model}"

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        breaker = breaker_of("rerank", self.endpoint.url, self.endpoint.model)
        if refusal := breaker.refusal():
            raise RerankUnavailable(refusal)
        labels = labels_for(query, passages, self.secret)
        try:
            with breaker.watched(is_away):
                answer = ask_json(
                    replace(self.endpoint, timeout_s=timeout_s),
                    prompt=prompt_for(query, passages, labels, self.secret),
                    schema=schema_for(labels),
                    name="order",
                    max_tokens=64 + TOKENS_A_LABEL * len(labels),
                    retries=1,
                )
        except LanguageModelUnavailable as error:
            hint = error.hint or RerankUnavailable.hint
            raise RerankUnavailable(error.what, hint=hint, retryable=error.retryable) from error
        return scores_of(answer, labels)


def schema_for(labels: Sequence[str]) -> dict[str, Any]:
    order = {"type": "array", "items": {"type": "string", "enum": list(labels)}}
    return {
        "type": "object",
        "properties": {"order": order},
        "required": ["order"],
        "additionalProperties": False,
    }


def scores_of(answer: Any, labels: Sequence[str]) -> list[float]:
    """Return 1 / rank for each label, those left out last. Raises RerankUnavailable."""
    order = answer.get("order") if isinstance(answer, dict) else None
    if not isinstance(order, list) or not order:
        raise RerankUnavailable("gave no order", retryable=False)
    if not all(isinstance(label, str) and label in labels for label in order):
        raise RerankUnavailable("named a passage that it was not given", retryable=False)
    if len(set(order)) != len(order):
        raise RerankUnavailable("named a passage twice", retryable=False)
    ranked = [*order, *(label for label in labels if label not in order)]
    return [1.0 / (1 + ranked.index(label)) for label in labels]


def labels_for(query: str, passages: Sequence[Passage], secret: bytes) -> list[str]:
    """Return a distinct label for each passage, derived from the content without revealing it."""
    labels: list[str] = []
    for passage in passages:
        attempt = 0
        while (label := _digest(secret, "label", query, passage.key, str(attempt))) in labels:
            attempt += 1
        labels.append(label)
    return labels


def prompt_for(
    query: str, passages: Sequence[Passage], labels: Sequence[str], secret: bytes
) -> str:
    shown = [
        extract(passage, query, limit=PASSAGE_CHARS, measure=characters)[:PASSAGE_CHARS]
        for passage in passages
    ]
    mark = f"<{_digest(secret, 'mark', query, *shown, chars=MARK_CHARS)}>"
    blocks = [f"{label}: {mark} {text} {mark}" for label, text in zip(labels, shown, strict=True)]
    return PROMPT.filled(mark=mark, question=query, passages="\n\n".join(blocks))


def _digest(secret: bytes, *parts: str, chars: int = LABEL_CHARS) -> str:
    # Length-prefixed, so that no two lists of parts are the same bytes.
    message = b"".join(b"%d:" % len(raw) + raw for raw in (part.encode() for part in parts))
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:chars]
