"""A language model's endpoint on loopback that speaks the protocol, and misbehaves on demand."""

import gzip
import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.llm.prompts import Shown, shown_in

Answer = Callable[[BaseHTTPRequestHandler], None]
Reply = Callable[[Shown], str]  # the content of a model's answer

TOKENS = (100, 20)  # usage of each prompt and answer
LONG_S = 60.0  # longer than any test waits


@dataclass
class Endpoint:
    """The requests so far, and the answers: each of `script` once, then `default`."""

    default: Answer
    script: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][0]["content"] for request in self.asked]


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
            """Log nothing."""

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


# Contents of answers


def completion(content: Any, **message: Any) -> dict[str, Any]:
    """Return an answer's body in the form of OpenAI's API."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content} | message,
    }
    asked, answered = TOKENS
    usage = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": sum(TOKENS)}
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
    """Answer by what the prompt shows."""
    return sends(lambda shown: json.dumps(completion(reply(shown))).encode())


def says(text: str) -> Answer:
    """Answer with the same text whatever is asked, without usage."""
    return raw(json.dumps({"choices": completion(text)["choices"]}).encode())


def raw(body: bytes) -> Answer:
    return sends(lambda shown: body)


def sends(
    body_of: Callable[[Shown], bytes], *, code: int = 200, headers: dict[str, str] | None = None
) -> Answer:
    """Answer with a whole body, made from what the prompt shows."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = body_of(shown_in(asked_of(handler)))
        _begin(handler, code, length=len(body), headers=headers)
        handler.wfile.write(body)

    return answer


# Faults before any content is read


def status(code: int, **headers: str) -> Answer:
    """Answer with an error status, and a body that must not be shown or logged."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def body_of(shown: Shown) -> bytes:
        return json.dumps({"error": {"message": f"CANARY canary {shown.prompt}"}}).encode()

    return sends(body_of, code=code, headers=named)


def hangs() -> Answer:
    """Send no byte."""
    return _until_left


def stalls(reply: Reply) -> Answer:
    """Send half of an answer, then nothing."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, length=len(body))
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        _until_left(handler)

    return answer


def drips(reply: Reply, *, seconds: float = 1.0) -> Answer:
    """Send an answer byte by byte."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, length=len(body))
        _drip(handler, [bytes([byte]) for byte in body], seconds)

    return answer


def slowly(seconds: float, parts: int) -> Answer:
    """Send a body that never ends in time."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _begin(handler)
        _drip(handler, [b" "] * parts, seconds)

    return answer


def heading_slowly(seconds: float, parts: int) -> Answer:
    """Send a head that never ends in time."""
    head = [b"HTTP/1.1 200 OK\r\n", *([b"X-Wait: 1\r\n"] * parts)]
    return lambda handler: _drip(handler, head, seconds)


def cut_off() -> Answer:
    """Send the beginning of an answer, then close the connection."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _begin(handler, length=10_000)
        handler.wfile.write(b'{"choices": [')

    return answer


def breaks_off(reply: Reply) -> Answer:
    """Send a third of an answer, then reset the connection."""

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
    """Send chunks for as long as the client reads, up to `LONG_S`."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        handler.wfile.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        ends = time.monotonic() + LONG_S
        while time.monotonic() < ends:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    return answer


def huge_answer(
    reply: Reply, *, code: int = 200, megabytes: int = 50, sent: list[int] | None = None
) -> Answer:
    """Send a sound answer followed by megabytes of white space.

    `sent` receives the number of bytes of white space that went out.
    """

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = _body(reply, handler)
        _begin(handler, code, length=len(body) + megabytes * 2**20)
        handler.wfile.write(body)
        for _ in range(megabytes * 16):
            handler.wfile.write(b" " * 2**16)
            if sent is not None:
                sent.append(2**16)

    return answer


def bomb(*, megabytes: int = 200) -> Answer:
    """Send a small body that unpacks to a huge one."""
    return sends(lambda shown: _packed(megabytes), headers={"Content-Encoding": "gzip"})


@lru_cache
def _packed(megabytes: int) -> bytes:
    return gzip.compress(b" " * (megabytes * 2**20), compresslevel=1)


def shouts(text: bytes) -> Answer:
    """Send bytes that are hardly HTTP, or not at all."""

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
    """Yield an address where connecting never ends: its listener's queue is full."""
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
    """Yield an address that refuses connections: its port is bound without a listener."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


@dataclass(frozen=True)
class Trap:
    """An address to which nobody may connect."""

    listener: socket.socket

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    @property
    def was_touched(self) -> bool:
        """Tell whether anybody has connected."""
        return bool(select.select([self.listener], [], [], 0)[0])


@contextmanager
def trap() -> Iterator[Trap]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Trap(listener)


def _body(reply: Reply, handler: BaseHTTPRequestHandler) -> bytes:
    return json.dumps(completion(reply(shown_in(asked_of(handler))))).encode()


def _begin(
    handler: BaseHTTPRequestHandler,
    code: int = 200,
    *,
    length: int | None = None,
    headers: dict[str, str] | None = None,
) -> None:
    lengths = {} if length is None else {"Content-Length": str(length)}
    handler.send_response(code)
    for name, value in ({"Content-Type": "application/json"} | lengths | (headers or {})).items():
        handler.send_header(name, value)
    handler.end_headers()


def _drip(handler: BaseHTTPRequestHandler, parts: Sequence[bytes], seconds: float) -> None:
    for part in parts:
        handler.wfile.write(part)
        handler.wfile.flush()
        time.sleep(seconds)


def _until_left(handler: BaseHTTPRequestHandler) -> None:
    """Wait until the client closes the connection."""
    handler.connection.settimeout(LONG_S)
    handler.connection.recv(1)


def _reset(handler: BaseHTTPRequestHandler) -> None:
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()
