"""One POST that ends when it should, whatever the other side does. Pure.

One deadline holds for looking up the name, connecting, each attempt, each wait and each byte: a
client's own time-outs begin anew with each byte. So it runs in an event loop of its own, where a
deadline ends any wait and closes the connection; only looking up a name may be left behind, in a
thread of that loop. No redirect is followed, and no more is read than there is room for.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})  # states that may pass
PACKINGS = ("", "identity", "gzip", "deflate")  # one of them can't unpack to any size


class CallFailed(Exception):
    """No answer that can be used. `what` goes on after who was asked, and holds no text of theirs.

    `retryable` says that another call may succeed, `answered` that the answer itself is at fault.
    """

    def __init__(
        self,
        what: str,
        *,
        kind: str = "",  # the name of the client's error
        status: int | None = None,
        retryable: bool = False,
        answered: bool = False,
        wait_s: float | None = None,  # what the server asks for
    ) -> None:
        super().__init__(what)
        self.what, self.kind, self.status = what, kind, status
        self.retryable, self.answered, self.wait_s = retryable, answered, wait_s


@dataclass(frozen=True)
class Post:
    """What is sent, how much of the answer is read, and how often it is tried again."""

    url: str
    body: Mapping[str, Any] | bytes  # a mapping is sent as JSON
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    most_bytes: int | None = None  # of an answer with status 200; None: unread, any 2xx will do
    retries: int = 0  # of a connection that fails, and of states that may pass
    first_wait_s: float = 0.5  # at most; doubled for each further attempt; Retry-After goes before
    again_when_broken: bool = False  # also try again where the answer breaks off

    def sent(self, timeout_s: float) -> bytes:
        """Return the body of the answer, by then. Raises TimeoutError and CallFailed."""
        try:
            return within(timeout_s, lambda: asyncio.run(self._tried(timeout_s)))
        except (TimeoutError, CallFailed):
            raise
        except Exception as error:  # noqa: BLE001  of whatever kind a client raises them
            kind = type(error).__name__  # without the cause, which may quote the key
            raise CallFailed(f"could not be called ({kind})", kind=kind) from None

    async def _tried(self, timeout_s: float) -> bytes:
        import httpx  # late: it takes a while, and only sites with an endpoint need it

        ends = time.monotonic() + timeout_s
        async with asyncio.timeout(timeout_s), httpx.AsyncClient(**directly()) as client:
            for attempt in itertools.count():
                try:
                    return await self._attempt(client)
                except CallFailed as error:
                    wait_s = error.wait_s
                    if wait_s is None:
                        wait_s = self.first_wait_s * 2**attempt * random.uniform(0.5, 1)  # noqa: S311
                    may_pass = error.retryable and (self.again_when_broken or not error.answered)
                    if not may_pass or attempt >= self.retries or time.monotonic() + wait_s >= ends:
                        raise
                await asyncio.sleep(wait_s)
        raise AssertionError("unreachable")

    async def _attempt(self, client: Any) -> bytes:
        import httpx  # late, as above

        headers = {"Accept-Encoding": "gzip", **self.headers}
        sent = {"content" if isinstance(self.body, bytes) else "json": self.body}
        body, begun = bytearray(), False
        try:
            async with client.stream("POST", self.url, headers=headers, **sent) as response:
                self._accept(response)
                if self.most_bytes is None:
                    return b""
                begun = True
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > self.most_bytes:
                        raise CallFailed("answered with more than it was asked for", answered=True)
        except httpx.HTTPError as error:
            kind = type(error).__name__
            what = f"{'broke off its answer' if begun else 'did not answer'} ({kind})"
            raise CallFailed(what, kind=kind, retryable=True, answered=begun) from None
        return bytes(body)

    def _accept(self, response: Any) -> None:
        """Refuse what is no success before its body is read: that may be of any size."""
        status = int(response.status_code)
        if not (status == 200 if self.most_bytes is not None else response.is_success):
            raise CallFailed(
                f"answered with status {status}",
                status=status,
                retryable=status in RETRIED,
                wait_s=_retry_after_s(response.headers),
            )
        packing = response.headers.get("content-encoding", "").strip().lower()
        if self.most_bytes is not None and packing not in PACKINGS:
            raise CallFailed("answered in a packing that was not asked for", answered=True)


def within(timeout_s: float, work: Callable[[], T]) -> T:
    """Return what `work` returns or raises; raises TimeoutError when that takes longer.

    The thread that is left behind then must bound each of its own waits.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except Exception as error:  # noqa: BLE001  raised again where it is waited for
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(timeout_s)


def directly() -> dict[str, Any]:
    """Return arguments of an `httpx` client that talks to the configured address and to no other.

    A redirect could carry the text to a machine that nobody chose, and so could a proxy that the
    environment names for other programs (HTTP_PROXY, ALL_PROXY). Certificates are those that it
    names all the same (SSL_CERT_FILE, SSL_CERT_DIR), as a hospital's own authority needs. It has
    no time-outs of its own.
    """
    named = os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")
    verify = _certificates(*named)
    return {"follow_redirects": False, "trust_env": False, "verify": verify, "timeout": None}


@cache
def _certificates(file: str, folder: str) -> Any:
    """Read the certificates that the environment names once: it takes longer than many a call."""
    import httpx  # late, as above

    return httpx.create_ssl_context(trust_env=True)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return seconds that the server asks to wait; None where it names none, a date, or
    nonsense.
    """
    try:
        wait_s = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return wait_s if wait_s >= 0 else None  # what is no number is not
