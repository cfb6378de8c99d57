"""What can go wrong between a language model and whoever asks it, before a word is read."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm.prompts import Shown, shown_in
from tests.llm.server import Answer

Reply = Callable[[Shown], str]  # the content of a model's answer

LONG_S = 60.0  # longer than any test waits


def completion(content: Any, **message: Any) -> dict[str, Any]:
    """The body of an answer as OpenAI's API gives it."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content} | message,
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def asked_of(handler: BaseHTTPRequestHandler) -> dict[str, Any]:
    request: dict[str, Any] = handler.request_body  # type: ignore[attr-defined]
    return request


def replies(reply: Reply) -> Answer:
    """A model that reads the prompt."""
    return sends(lambda shown: json.dumps(completion(reply(shown))).encode())


def sends(
    body_of: Callable[[Shown], bytes], *, code: int = 200, headers: dict[str, str] | None = None
) -> Answer:
    """A whole body, made from what the prompt shows."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = body_of(shown_in(asked_of(handler)))
        named = {"Content-Type": "application/json"} | (headers or {})
        handler.send_response(code)
        for name, value in named.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def refuses(code: int, **headers: str) -> Answer:
    """A status that is no success, with a body that says more than anybody should read."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def body_of(shown: Shown) -> bytes:
        return json.dumps({"error": {"message": f"CANARY {shown.prompt}"}}).encode()

    return sends(body_of, code=code, headers=named)


def hangs() -> Answer:
    """Not one byte."""
    return _until_left


def stalls(reply: Reply) -> Answer:
    """Half of an answer, then nothing."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, length=len(body))
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        _until_left(handler)

    return answer


def drips(reply: Reply, *, seconds: float = 1.0) -> Answer:
    """An answer byte by byte."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, length=len(body))
        for byte in body:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(seconds)

    return answer


def breaks_off(reply: Reply) -> Answer:
    """A third of an answer, then a reset."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, length=len(body))
        handler.wfile.write(body[: len(body) // 3])
        handler.wfile.flush()
        _reset(handler)

    return answer


def resets() -> Answer:
    return _reset


def chunks_without_end(piece: bytes = b"x" * 4096) -> Answer:
    """Chunks for as long as anybody reads them."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        handler.wfile.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        ends = time.monotonic() + LONG_S
        while time.monotonic() < ends:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    return answer


def huge_answer(reply: Reply, *, megabytes: int = 50) -> Answer:
    """An answer that could be read, if it were not followed by white space."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, length=len(body) + megabytes * 2**20)
        handler.wfile.write(body)
        for _ in range(megabytes * 16):
            handler.wfile.write(b" " * 2**16)

    return answer


def bomb(*, megabytes: int = 200) -> Answer:
    """Little that unpacks to much."""
    return sends(lambda shown: _packed(megabytes), headers={"Content-Encoding": "gzip"})


@lru_cache
def _packed(megabytes: int) -> bytes:
    return gzip.compress(b" " * (megabytes * 2**20), compresslevel=1)


def shouts(text: bytes) -> Answer:
    """Bytes that are no HTTP, or hardly."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(text)

    return answer


def heads_without_end() -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(200_000):
            handler.wfile.write(b"X-Canary-%d: 1\r\n" % number)

    return answer


@contextmanager
def nobody_accepts() -> Iterator[str]:
    """An address where connecting never ends: a socket that listens, with its queue full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            for client in waiting:
                client.close()


@contextmanager
def nobody_listens() -> Iterator[str]:
    """An address where each connection is refused, since the port is taken and not listened to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def _body(reply: Reply, handler: BaseHTTPRequestHandler) -> bytes:
    return json.dumps(completion(reply(shown_in(asked_of(handler))))).encode()


def _begin(handler: BaseHTTPRequestHandler, *, length: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


def _until_left(handler: BaseHTTPRequestHandler) -> None:
    """Wait until whoever asked hangs up."""
    handler.connection.settimeout(LONG_S)
    handler.connection.recv(1)


def _reset(handler: BaseHTTPRequestHandler) -> None:
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()
