"""Calls of an OpenAI-compatible endpoint that end when they should. Pure.

The other side is neither trusted nor relied on: once connected, a call ends at its deadline
whatever it waits for; it follows no redirect, and reads no more than it has room for. Connecting
may take longer: each address of a name has the client's time-out, and looking the name up has none.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})  # of states that may pass


class TooLong(Exception):
    """An answer is longer than there is room for."""


class Deadline:
    """Cuts a call's connections when its time is over.

    A client's time-outs begin anew with each byte; this one does not.
    """

    def __init__(self, seconds: float) -> None:
        self.ends = time.monotonic() + seconds
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()

    @property
    def left_s(self) -> float:
        return max(0.0, self.ends - time.monotonic())

    def watch(self, request: Any) -> None:
        """Follow the connections that a request opens."""
        request.extensions["trace"] = self._trace

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.append(info["return_value"].get_extra_info("socket"))
            if not self.left_s:
                self._cut()

    def _cut(self) -> None:
        for connection in list(self._sockets):
            with suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)


def directly() -> dict[str, Any]:
    """Arguments of an `httpx.Client` that talks to the configured address and to no other.

    A redirect could carry the text to a machine that nobody chose, and so could a proxy that the
    environment names for other programs (HTTP_PROXY, ALL_PROXY). Certificates are those that it
    names all the same (SSL_CERT_FILE, SSL_CERT_DIR), as a hospital's own authority needs.
    """
    import httpx  # late, as the clients are

    return {
        "follow_redirects": False,
        "trust_env": False,
        "verify": httpx.create_ssl_context(trust_env=True),
    }


@contextmanager
def client_within(
    deadline: Deadline, *, url: str, key: str, accept: Callable[[Any], None]
) -> Iterator[Any]:
    """An `openai.OpenAI` for one call, which may be of several attempts.

    `accept` gets each response before its body is read, which may be of any size, and raises what
    it does not accept; the client wraps that, and it is the `__cause__`. Nothing is tried again.
    """
    import openai  # late: it takes half a second, and only sites with an endpoint need it

    http = openai.DefaultHttpxClient(
        **directly(),
        event_hooks={"request": [deadline.watch], "response": [accept]},
    )
    client = openai.OpenAI(base_url=url, api_key=key or "none", max_retries=0, http_client=http)
    with client:
        yield client


def whole_body(request: Any, *, most_bytes: int) -> bytes:
    """Of a request `with_streaming_response`. Raises TooLong, `openai.OpenAIError`, and
    `httpx.HTTPError` where it breaks off. A cut connection may look like an answer's end: whoever
    has a deadline looks at it afterwards."""
    body = bytearray()
    with request as response:
        for part in response.iter_bytes():
            body += part
            if len(body) > most_bytes:
                raise TooLong
    return bytes(body)


def retry_after_s(headers: Mapping[str, str], *, most_s: float) -> float | None:
    """Seconds that the server asks to wait; None where it names none, or nonsense."""
    try:
        wait_s = float(headers.get("retry-after", ""))
    except ValueError:
        return None  # none, or a date
    return wait_s if 0 <= wait_s <= most_s else None
