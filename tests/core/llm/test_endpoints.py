"""Calls go to the configured address, whatever proxies the environment names."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from core.llm import client as language_model
from core.llm.client import ask_text
from core.llm.transport import BoundedTransport, posted
from corpus.encoders.backends.openai import OpenAIEmbedder, OpenAIModel
from retrieval.rerank.endpoint import EndpointReranker
from retrieval.rerank.types import Passage
from tests.llm.server import Endpoint, endpoint, raw, status
from tests.llm.serving import serving

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def answers(handler: BaseHTTPRequestHandler) -> None:
    """Reply as a language model, an encoder and a reranker in one body."""
    body = {
        "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}],
        "data": [{"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}],
        "results": [{"index": 0, "relevance_score": 0.5}],
    }
    raw(json.dumps(body).encode())(handler)


server = serving(answers)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with endpoint(status(502)) as state:
        for name in PROXIES:
            for spelt in (name, name.lower()):
                monkeypatch.setenv(spelt, state.url.removesuffix("/v1"))
        for spelt in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(spelt, raising=False)
        yield state


def asked_model(url: str) -> None:
    ask_text(language_model.Endpoint(url, "m"), prompt="canary", retries=0)


def encoded(url: str) -> None:
    OpenAIEmbedder(OpenAIModel(url, model="m", dimensions=2)).encode(["canary"])


def reranked(url: str) -> None:
    passages = [Passage("a", "Title", "canary")]
    EndpointReranker(language_model.Endpoint(f"{url}/rerank", "m")).score(
        "canary?", passages, timeout_s=5.0
    )


@pytest.mark.parametrize("call", [asked_model, encoded, reranked])
def test_a_proxy_of_the_environment_sees_nothing(
    server: Endpoint, proxy: Endpoint, call: Callable[[str], Any]
) -> None:
    call(server.url)
    assert (len(server.asked), proxy.asked) == (1, [])


def test_that_proxy_would_see_what_is_sent_to_it(server: Endpoint, proxy: Endpoint) -> None:
    through = http.client.HTTPConnection(proxy.url.split("/")[2], timeout=5)
    through.request("POST", server.url, body="{}")  # as through a proxy
    assert through.getresponse().status == 502
    assert (server.asked, proxy.asked) == ([], [{}])


def test_certificates_are_those_that_the_environment_names(
    server: Endpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "none.pem").write_text("no certificate")
    asked_model(server.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(language_model.LanguageModelUnavailable, match="SSLError"):
        asked_model(server.url)


def test_a_call_that_is_late_holds_no_connection() -> None:
    left = threading.Event()

    def waits(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Wait: ")  # a header without an end
        while handler.connection.recv(1):
            pass
        left.set()

    with endpoint(waits) as state:
        with pytest.raises(TimeoutError):
            posted(state.url, {}, {}, timeout_s=0.3, transport=BoundedTransport(most_bytes=9))
        assert left.wait(10)
