"""A language model's endpoint on loopback that speaks the protocol, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Endpoint:
    """What it was asked, and what it does: each of `script` once, then `default` for ever."""

    default: Answer
    script: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][0]["content"] for request in self.asked]


def says(text: str) -> Answer:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return raw(json.dumps(body).encode())


def raw(body: bytes) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, 200, length=len(body))
        handler.wfile.write(body)

    return answer


def status(code: int, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = b'{"error": {"message": "canary of the endpoint"}}'
        _head(handler, code, length=len(body), **headers)
        handler.wfile.write(body)

    return answer


def slowly(seconds: float, parts: int) -> Answer:
    """Drip an answer that never ends in time."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, 200)
        for _ in range(parts):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(seconds)

    return answer


def endlessly() -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, 200)
        for _ in range(2000):
            handler.wfile.write(b"x" * 10_000)

    return answer


def cut_off() -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, 200, length=10_000)
        handler.wfile.write(b'{"choices": [')

    return answer


@contextmanager
def endpoint(default: Answer, *, port: int = 0) -> Iterator[Endpoint]:
    state = Endpoint(default)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            self.request_body = json.loads(self.rfile.read(length))
            state.asked.append(self.request_body)
            state.keys.append(self.headers["Authorization"])
            action = state.script.pop(0) if state.script else state.default
            try:
                action(self)
            except (BrokenPipeError, ConnectionResetError):
                return  # it had enough

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _head(
    handler: BaseHTTPRequestHandler, code: int, *, length: int | None = None, **headers: str
) -> None:
    handler.send_response(code)
    handler.send_header("Content-Type", "application/json")
    if length is not None:
        handler.send_header("Content-Length", str(length))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def heading_slowly(seconds: float, parts: int) -> Answer:
    """Drip a head that never ends in time."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        for part in (b"HTTP/1.1 200 OK\r\n", *([b"X-Wait: 1\r\n"] * parts)):
            handler.wfile.write(part)
            handler.wfile.flush()
            time.sleep(seconds)

    return answer


def huge(code: int, megabytes: int, sent: list[int]) -> Answer:
    """A body of that size; `sent` holds how many bytes of it went out."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, code, length=megabytes * 2**20)
        for _ in range(megabytes * 16):
            handler.wfile.write(b"x" * 2**16)
            sent.append(2**16)

    return answer
