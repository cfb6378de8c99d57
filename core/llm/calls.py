"""Send one POST that ends by its deadline, whatever the server does. Pure.

The deadline covers looking up the name, connecting, all attempts and waits, and every byte; an HTTP
client's own time-outs begin again with each byte. The call therefore runs in an event loop of its
own, where the deadline ends any wait and closes the connection; only a name look-up may be left
running, in a thread of that loop. Redirects are not followed, and no more than `most_bytes` is
read.
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
RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})  # statuses that may pass
PACKINGS = ("", "identity", "gzip", "deflate")  # encodings; stacked ones could unpack to any size


class CallFailed(Exception):
    """A call without a usable answer.

    `what` is the predicate of a sentence about the server, and quotes nothing that the server sent.
    `retryable`: another call may succeed. `answered`: the server answered, and the answer is at
    fault.
    """

    def __init__(
        self,
        what: str,
        *,
        kind: str = "",  # the name of the client's error
        status: int | None = None,
        retryable: bool = False,
        answered: bool = False,
        wait_s: float | None = None,  # the wait that the server asks for
    ) -> None:
        super().__init__(what)
        self.what, self.kind, self.status = what, kind, status
        self.retryable, self.answered, self.wait_s = retryable, answered, wait_s


@dataclass(frozen=True)
class Post:
    """A request, how much of its answer is read, and how often it is tried again."""

    url: str
    body: Mapping[str, Any] | bytes  # a mapping is sent as JSON
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    most_bytes: int | None = None  # of an answer with status 200; None: unread, and any 2xx will do
    retries: int = 0  # after a failed connection, or a status that may pass
    first_wait_s: float = 0.5  # at most; doubled for each further attempt; Retry-After first
    again_when_broken: bool = False  # also retry if the answer breaks off

    def sent(self, timeout_s: float) -> bytes:
        """Send the request and return the body of the answer; empty without `most_bytes`.

        Raises TimeoutError after `timeout_s`, retries included, and CallFailed.
        """
        try:
            return within(timeout_s, lambda: asyncio.run(self._tried(timeout_s)))
        except (TimeoutError, CallFailed):
            raise
        except Exception as error:  # noqa: BLE001  a client may raise any
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
        """Reject an unsuccessful answer before its body is read, which may be of any size."""
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
    """Return or raise what `work` does. Raises TimeoutError if it takes longer than `timeout_s`.

    After a time-out the thread goes on, so `work` must limit each of its own waits.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except Exception as error:  # noqa: BLE001  raised again by `outcome.result`
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(timeout_s)


def directly() -> dict[str, Any]:
    """Return arguments of an `httpx` client that talks to the configured address and to no other.

    Neither redirects nor the environment's proxies (HTTP_PROXY, ALL_PROXY) are followed: either
    could carry the text to a machine that nobody chose. The environment's certificates
    (SSL_CERT_FILE, SSL_CERT_DIR) are used, as a hospital's own authority needs. The client has no
    time-outs.
    """
    named = os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")
    verify = _certificates(*named)
    return {"follow_redirects": False, "trust_env": False, "verify": verify, "timeout": None}


@cache
def _certificates(file: str, folder: str) -> Any:
    """Read the environment's certificates, once: reading them takes longer than many a call."""
    import httpx  # late, as above

    return httpx.create_ssl_context(trust_env=True)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in Retry-After; None if missing, a date, negative or not a number."""
    try:
        wait_s = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return wait_s if wait_s >= 0 else None  # NaN is not
