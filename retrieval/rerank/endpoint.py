"""Rerank over HTTP by the protocol of Cohere and Jina, which vLLM and llama.cpp speak too.

    POST {"model", "query", "documents": [text ...], "top_n"}
    -> {"results": [{"index", "relevance_score"} ...]}

A reply is accepted only if it scores every passage exactly once with finite numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.breaker import breaker_of
from core.llm.client import Endpoint
from core.llm.transport import BoundedTransport, CallFailed, posted
from retrieval.rerank.extracts import characters, extract
from retrieval.rerank.types import Passage, RerankUnavailable

PASSAGE_CHARS = 2000  # some 500 tokens, which such models read
MAX_ANSWER_BYTES = 1024 * 1024
RETRIES = 1
FIRST_WAIT_S = 0.25  # at most; jittered, so that many askers do not come back at once


@dataclass(frozen=True)
class EndpointReranker:
    """A reranker that sends question and passages to an endpoint and uses its `relevance_score`."""

    endpoint: Endpoint  # its address is whole, such as https://models.example.org/v1/rerank
    name = "http"

    @property
    def fingerprint(self) -> str:
        return f"http:{self.endpoint.model}"

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        breaker = breaker_of("rerank", self.endpoint.url, self.endpoint.model)
        if refusal := breaker.refusal():
            raise RerankUnavailable(refusal)
        with breaker.watched(lambda error: error.retryable):
            return self._scores(query, passages, timeout_s)

    def _scores(self, query: str, passages: Sequence[Passage], timeout_s: float) -> Sequence[float]:
        texts = [extract(p, query, limit=PASSAGE_CHARS, measure=characters) for p in passages]
        body = {
            "model": self.endpoint.model,
            "query": query,
            "documents": [text[:PASSAGE_CHARS] for text in texts],
            "top_n": len(texts),
        }
        headers = {"Authorization": f"Bearer {key}"} if (key := self.endpoint.key) else {}
        transport = BoundedTransport(
            most_bytes=MAX_ANSWER_BYTES,
            retries=RETRIES,
            first_wait_s=FIRST_WAIT_S,
            again_when_broken=True,
        )
        url = self.endpoint.url
        try:
            answer = posted(url, body, headers, timeout_s=timeout_s, transport=transport)
        except TimeoutError:
            raise RerankUnavailable(f"did not answer within {timeout_s:g} s") from None
        except CallFailed as error:
            hint = "" if error.answered else f"{self.endpoint.check(error.status)}."
            raise RerankUnavailable(error.what, hint=hint, retryable=error.retryable) from None
        return scores_of(answer, len(texts))


def scores_of(body: bytes, count: int) -> list[float]:
    """Return the scores of `count` passages, in their order. Raises RerankUnavailable."""
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
