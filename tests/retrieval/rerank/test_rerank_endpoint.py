"""A rerank endpoint that works, and faulty ones."""

import json
from typing import Any

import pytest

from core.llm.client import Endpoint as Asked
from retrieval.rerank.endpoint import PASSAGE_CHARS, EndpointReranker, scores_of
from retrieval.rerank.types import Passage, RerankUnavailable
from tests.llm.server import Answer, Endpoint, cut_off, raw, status
from tests.llm.serving import serving

PASSAGES = [Passage("a", "Title", "One."), Passage("b", "Title", "Two.")]


def results(*pairs: tuple[Any, Any]) -> bytes:
    found = [{"index": index, "relevance_score": score, "more": 1} for index, score in pairs]
    return json.dumps({"id": "1", "results": found}).encode()


WELL = raw(results((1, 0.9), (0, 0.25)))


server = serving(WELL)


def ask(state: Endpoint, *, timeout_s: float = 5.0, passages: Any = PASSAGES) -> Any:
    reranker = EndpointReranker(
        Asked(f"{state.url}/rerank", "model-1", "key-canary", role="rerank")
    )
    return reranker.score("question?", passages, timeout_s=timeout_s)


def test_asks_in_the_common_form_and_puts_scores_in_order(server: Endpoint) -> None:
    assert ask(server) == [0.25, 0.9]
    assert server.asked == [
        {
            "model": "model-1",
            "query": "question?",
            "documents": ["Title\nOne.", "Title\nTwo."],
            "top_n": 2,
        }
    ]
    assert server.keys == ["Bearer key-canary"]


def test_a_long_passage_is_sent_in_part(server: Endpoint) -> None:
    long = Passage("a", "Title", "Nothing is said here. " * 300 + "A question is answered here.")
    ask(server, passages=[long, PASSAGES[1]])
    sent = server.asked[0]["documents"][0]
    assert len(sent) <= PASSAGE_CHARS
    assert sent.startswith("Title\n")
    assert sent.endswith("A question is answered here.")


@pytest.mark.parametrize("code", [408, 425, 429, 500, 503])
def test_what_may_pass_is_asked_once_more(server: Endpoint, code: int) -> None:
    server.script = [status(code)]
    assert ask(server) == [0.25, 0.9]
    server.script = [status(code), status(code)]
    with pytest.raises(RerankUnavailable, match=f"status {code}"):
        ask(server)
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (status(401), "status 401"),
        (raw(b"not json"), "form"),
        (raw(b"[" * 100_000), "form"),
        (raw(b'{"results": 5}'), "form"),
        (raw(b'{"results": [{"index": 0}]}'), "form"),
        (raw(b"{}"), "form"),
    ],
)
def test_what_will_not_pass_is_not_asked_again(server: Endpoint, answer: Answer, says: str) -> None:
    server.default = answer
    with pytest.raises(RerankUnavailable, match=says) as caught:
        ask(server)
    assert len(server.asked) == 1
    assert "canary" not in caught.value.sentence
    assert "question" not in caught.value.sentence


def test_a_connection_that_breaks_is_tried_once_more(server: Endpoint) -> None:
    server.script = [cut_off()]
    assert ask(server) == [0.25, 0.9]
    server.script = [cut_off(), cut_off()]
    with pytest.raises(RerankUnavailable, match="broke off its answer"):
        ask(server)


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 1.0)],
        [(0, 1.0), (0, 2.0)],
        [(0, 1.0), (2, 2.0)],
        [(0, 1.0), (-1, 2.0)],
        [(0, 1.0), (1, 2.0), (1, 2.0)],
        [(0, 1.0), ("1", 2.0)],
        [(0, 1.0), (True, 2.0)],
        [(0, 1.0), (1.0, 2.0)],
        [(0, 1.0), (1, "2")],
        [(0, 1.0), (1, None)],
        [(0, 1.0), (1, True)],
        [(0, 1.0), (1, float("nan"))],
        [(0, 1.0), (1, float("inf"))],
        [],
    ],
)
def test_scores_that_do_not_fit_the_passages_are_refused(pairs: list[tuple[Any, Any]]) -> None:
    with pytest.raises(RerankUnavailable, match="gave an answer that"):
        scores_of(results(*pairs), 2)


def test_a_number_that_no_float_holds_is_refused() -> None:
    body = b'{"results": [{"index": 0, "relevance_score": 1' + b"0" * 400 + b"}]}"
    with pytest.raises(RerankUnavailable):
        scores_of(body, 1)
