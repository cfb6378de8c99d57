"""A rerank endpoint over HTTP, in the form of Cohere and Jina, which vLLM and llama.cpp speak too.

    POST {"model", "query", "documents": [text ...], "top_n"}
    -> {"results": [{"index", "relevance_score"} ...]}

What comes back is believed only where it scores every passage once, with finite numbers.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.llm.breaker import breaker_of
from core.llm.calls import directly
from core.llm.time_limit import within
from retrieval.rerank.extracts import extract
from retrieval.rerank.types import Passage, RerankUnavailable

PASSAGE_CHARS = 2000  # some 500 tokens, which such models read
MAX_ANSWER_BYTES = 1024 * 1024
RETRIED = {408, 425, 429, 500, 502, 503, 504}
RETRY_AFTER_S = (0.05, 0.25)  # jittered, so that many askers do not come back at once
_HINTS = {
    400: "Check MEDRAG_RERANK_MODEL.",
    401: "Check MEDRAG_RERANK_KEY.",
    403: "Check MEDRAG_RERANK_KEY.",
    404: "Check MEDRAG_RERANK_URL and MEDRAG_RERANK_MODEL.",
    422: "Check MEDRAG_RERANK_MODEL.",
}


@dataclass(frozen=True)
class EndpointReranker:
    """Scores by `relevance_score`, as the endpoint gives it. It is sent question and passages."""

    url: str  # whole, such as https://models.example.org/v1/rerank
    model: str
    key: str = ""
    name = "http"

    @property
    def fingerprint(self) -> str:
        return f"http:{self.model}"

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        breaker = breaker_of("rerank", self.url, self.model)
        if refusal := breaker.refusal():
            raise RerankUnavailable(refusal)
        with breaker.watched(lambda error: error.retryable):
            return self._scores(query, passages, timeout_s)

    def _scores(self, query: str, passages: Sequence[Passage], timeout_s: float) -> Sequence[float]:
        texts = [extract(p, query, limit=PASSAGE_CHARS, measure=_characters) for p in passages]
        deadline = time.monotonic() + timeout_s
        body = {
            "model": self.model,
            "query": query,
            "documents": [text[:PASSAGE_CHARS] for text in texts],
            "top_n": len(texts),
        }
        try:
            answer = within(timeout_s, lambda: self._answer(body, deadline))
        except TimeoutError as error:
            raise RerankUnavailable(f"did not answer within {timeout_s:g} s") from error
        return scores_of(answer, len(texts))

    def _answer(self, body: dict[str, Any], deadline: float) -> bytes:
        """The body of an answer with status 200, at the second try where the first may pass."""
        try:
            return self._asked(body, deadline)
        except RerankUnavailable as error:
            wait_s = random.uniform(*RETRY_AFTER_S)  # noqa: S311  no secret
            if not error.retryable or time.monotonic() + wait_s >= deadline:
                raise
            time.sleep(wait_s)
            return self._asked(body, deadline)

    def _asked(self, body: dict[str, Any], deadline: float) -> bytes:
        import httpx  # late: it takes a while, and only sites with the setting need it

        left_s = max(deadline - time.monotonic(), 0.001)
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            with (
                httpx.Client(timeout=left_s, **directly()) as client,
                client.stream("POST", self.url, json=body, headers=headers) as response,
            ):
                _refuse_status(response.status_code)
                return _read(response.iter_bytes(), deadline)
        except httpx.HTTPError as error:
            raise RerankUnavailable(f"did not answer ({type(error).__name__})") from error
        except (httpx.InvalidURL, UnicodeError, OSError) as error:  # the first two may quote
            what = f"could not be called ({type(error).__name__})"
            hint = "Check MEDRAG_RERANK_URL and MEDRAG_RERANK_KEY."
            raise RerankUnavailable(what, hint=hint, retryable=False) from None


def scores_of(body: bytes, count: int) -> list[float]:
    """The score of each of `count` passages, in their order. Raises RerankUnavailable."""
    scores: dict[int, float] = {}
    try:
        for result in json.loads(body)["results"]:
            index, score = result["index"], result["relevance_score"]
            if type(index) is not int or not 0 <= index < count or index in scores:
                raise _unreadable("names a passage that it was not given, or one twice")
            if type(score) not in (int, float) or not math.isfinite(score):
                raise _unreadable("gives a score that is no number")
            scores[index] = float(score)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise _unreadable("is not of the form that it should be") from error
    if len(scores) != count:
        raise _unreadable("leaves out passages")
    return [scores[index] for index in range(count)]


def _unreadable(how: str) -> RerankUnavailable:
    return RerankUnavailable(f"gave an answer that {how}", retryable=False)


def _refuse_status(status: int) -> None:
    if status != 200:
        raise RerankUnavailable(
            f"answered with status {status}",
            hint=_HINTS.get(status, ""),
            retryable=status in RETRIED,
        )


def _read(parts: Any, deadline: float) -> bytes:
    body = bytearray()
    for part in parts:
        body += part
        if len(body) > MAX_ANSWER_BYTES:
            raise RerankUnavailable("answered with more than it was asked for", retryable=False)
        if time.monotonic() > deadline:
            raise RerankUnavailable("took too long to answer")
    return bytes(body)


def _characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]
