"""Test an encoder behind an endpoint, with real HTTP on loopback, working and misbehaving."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from corpus.encoders.backends import openai as openai_backend
from corpus.encoders.backends.openai import OpenAIEmbedder, OpenAIModel
from corpus.encoders.folders import endpoint as endpoint_of
from corpus.encoders.folders import facts_of
from corpus.encoders.specs import EncoderSpec
from corpus.encoders.types import EncodingFailed
from tests.llm.server import Endpoint, endpoint, raw, status

DIMENSIONS = 8
SECRET_TEXT = "canary of the question"
Change = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def vector(text: str) -> list[float]:
    """Return a vector, not of unit length, that depends on the text."""
    return [float((len(text) * (i + 3)) % 11 + 1) for i in range(DIMENSIONS)]


def encodes(state: Callable[[], Endpoint], change: Change = lambda data: data) -> Any:
    """Answer with a vector for each text, after `change`."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        texts = state().asked[-1]["input"]
        data = [
            {"object": "embedding", "index": i, "embedding": vector(text)}
            for i, text in enumerate(texts)
        ]
        raw(json.dumps({"object": "list", "data": change(data)}).encode())(handler)

    return answer


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with endpoint(status(500)) as state:
        state.default = encodes(lambda: state)
        yield state


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_backend, "FIRST_WAIT_S", 0.01)


def embedder(server: Endpoint, **changes: Any) -> OpenAIEmbedder:
    named = {"key": "sk-canary", "dimensions": DIMENSIONS, "query_deadline_s": 2.0, **changes}
    return OpenAIEmbedder(OpenAIModel(server.url, **named))


def unit(texts: Sequence[str]) -> Any:
    rows = np.array([vector(text) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors_come_in_order_and_of_unit_norm(server: Endpoint) -> None:
    server.default = encodes(lambda: server, lambda data: data[::-1])  # `index` decides
    found = embedder(server).encode(["a", "bbb", "cc"])
    assert found.dtype == np.float32
    assert found == pytest.approx(unit(["a", "bbb", "cc"]), abs=1e-6)
    request = server.asked[0]
    assert (request["model"], request["dimensions"]) == ("text-embedding-3-large", DIMENSIONS)
    assert server.keys == ["Bearer sk-canary"]


def test_many_texts_go_in_batches(server: Endpoint) -> None:
    texts = ["x" * (n % 40 + 1) for n in range(150)]
    assert embedder(server).encode(texts) == pytest.approx(unit(texts), abs=1e-6)
    assert [len(request["input"]) for request in server.asked] == [64, 64, 22]


def test_of_no_text_nothing_is_asked(server: Endpoint) -> None:
    assert embedder(server).encode([]).shape == (0, DIMENSIONS)
    assert embedder(server).encode_queries([]).shape == (0, DIMENSIONS)
    assert not server.asked


def test_prefixes_are_sent_and_questions_are_kept(server: Endpoint) -> None:
    made = embedder(server, query_prefix="query: ", passage_prefix="passage: ")
    for _ in range(2):
        made.encode_queries(["dose"])
    made.encode(["dose"])
    assert [request["input"] for request in server.asked] == [["query: dose"], ["passage: dose"]]


def test_nothing_too_long_or_empty_is_sent(server: Endpoint) -> None:
    made = embedder(server)
    texts = ["", "word " * 50_000, "a" * 200_000, "痛" * 50_000]
    assert np.isfinite(made.encode(texts)).all()
    sent = server.asked[0]["input"]
    assert all(sent)
    assert all(made.count_tokens(text) <= openai_backend.READS_TOKENS for text in sent)
    assert texts[1].startswith(sent[1])
    assert len(sent[1]) > 30_000


def test_no_more_is_sent_than_is_set(server: Endpoint) -> None:
    made = embedder(server, max_tokens=20, passage_prefix="passage: ")
    assert made.max_tokens == 17  # without the prefix
    made.encode(["dose " * 200])
    (sent,) = server.asked[0]["input"]
    assert made.count_tokens(sent) == 20
    assert sent.startswith("passage: dose dose")
    assert made.fingerprint != embedder(server, passage_prefix="passage: ").fingerprint


def test_what_is_set_is_what_passages_are_cut_by() -> None:
    spec = EncoderSpec("far", kind="openai", model="m", url="https://host/v1", dimensions=8)
    usual, short = facts_of(spec), facts_of(replace(spec, max_tokens=256))
    assert (usual.max_tokens, short.max_tokens) == (openai_backend.READS_TOKENS, 256)
    assert endpoint_of(replace(spec, max_tokens=256)).max_tokens == 256
    assert short.space != usual.space
    assert short.fingerprint != usual.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1],
        lambda data: [*data, {"index": len(data), "embedding": vector("x")}],
        lambda data: [entry | {"embedding": entry["embedding"][:-1]} for entry in data],
        lambda data: [entry | {"embedding": [[1.0]] * DIMENSIONS} for entry in data],
        lambda data: [entry | {"embedding": [0.0] * DIMENSIONS} for entry in data],
        lambda data: [entry | {"embedding": [float("nan")] * DIMENSIONS} for entry in data],
        lambda data: [entry | {"embedding": [float("inf")] * DIMENSIONS} for entry in data],
        lambda data: [entry | {"embedding": ["1"] * DIMENSIONS} for entry in data[:1]],
        lambda data: [entry | {"embedding": None} for entry in data],
        lambda data: [entry | {"index": 0} for entry in data],
    ],
)
def test_what_is_no_vector_is_refused(server: Endpoint, change: Change) -> None:
    server.default = encodes(lambda: server, change)
    with pytest.raises(EncodingFailed) as caught:
        embedder(server).encode([SECRET_TEXT, "b"])
    assert SECRET_TEXT not in str(caught.value) + caught.value.hint
    assert len(server.asked) == 1  # a malformed answer is not retried


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'{"data": 5}', b"\xff", b"[" * 100_000])
def test_an_answer_that_cannot_be_read_is_refused(server: Endpoint, body: bytes) -> None:
    server.default = raw(body)
    with pytest.raises(EncodingFailed):
        embedder(server).encode_queries([SECRET_TEXT])


@pytest.mark.parametrize("code", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again(server: Endpoint, code: int) -> None:
    server.script = [status(code), status(code, Retry_After="0")]
    assert embedder(server).encode_queries(["a"]) == pytest.approx(unit(["a"]), abs=1e-6)
    assert len(server.asked) == 3


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_tried_again(server: Endpoint, code: int) -> None:
    server.default = status(code)
    with pytest.raises(EncodingFailed, match=str(code)) as caught:
        embedder(server).encode(["a"])
    assert not caught.value.retryable
    assert "canary" not in caught.value.sentence
    assert len(server.asked) == 1


def test_a_server_that_stays_ill_is_given_up(server: Endpoint) -> None:
    server.default = status(500)
    with pytest.raises(EncodingFailed, match="500") as caught:
        embedder(server).encode(["a"])
    assert caught.value.retryable
    assert len(server.asked) == 1 + openai_backend.RETRIES


def test_the_fingerprint_names_what_decides(server: Endpoint) -> None:
    prints = {
        embedder(server, **changes).fingerprint
        for changes in ({}, {"model": "other"}, {"dimensions": 4}, {"query_prefix": "q: "})
    }
    assert len(prints) == 4
    assert "sk-canary" not in repr(OpenAIModel(server.url, key="sk-canary"))


def test_tokens_are_estimated(server: Endpoint) -> None:
    made = embedder(server)
    assert made.count_tokens("") == 0
    assert made.count_tokens("dose") == 1
    assert made.count_tokens("Give 5 mg once daily, by mouth.") == 11  # of nine words and marks
