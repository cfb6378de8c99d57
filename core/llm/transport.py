"""Carry an HTTP request to the configured address, and end by its deadline, whatever comes back.

The transport of every client that talks to a model, a webhook, a copy of signed heads or a watched
address or library. The request's time-out is the deadline of the whole call: looking up the name,
connecting, all attempts and waits, and every byte; httpx alone would begin again with each byte.
The call therefore runs in an event loop of its own, where the deadline ends any wait and closes the
connection; only a name look-up may be left running, in a thread of that loop.
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
from functools import cache
from typing import Any, TypeVar

import httpx

T = TypeVar("T")
RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})  # statuses that may pass
PACKINGS = ("", "identity", "gzip", "deflate")  # encodings; stacked ones could unpack to any size
_OF_USE = ("content-type", "retry-after")  # headers, once the body is unpacked
_ABOUT_US = "x-stainless-"  # headers of the openai client, about machine and interpreter


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
    ) -> None:
        super().__init__(what)
        self.what, self.kind, self.status = what, kind, status
        self.retryable, self.answered = retryable, answered


class BoundedTransport(httpx.BaseTransport):
    """Sends a request, again if that may help, and reads at most `most_bytes` of its answer.

    Only the body of an answer with status 200 is read, unless `reads_refusals`. Neither
    redirects nor the environment's proxies (HTTP_PROXY, ALL_PROXY) are followed: either could carry
    the text to a machine that nobody chose. The environment's certificates (SSL_CERT_FILE,
    SSL_CERT_DIR) are used, as a hospital's own authority needs. Raises CallFailed, and
    httpx.TimeoutException at the deadline.
    """

    def __init__(
        self,
        *,
        most_bytes: int = 0,  # 0: the body is not read
        retries: int = 0,  # after a failed connection, or a status that may pass
        first_wait_s: float = 0.5,  # at most; doubled for each further attempt; Retry-After first
        again_when_broken: bool = False,  # also retry if the answer breaks off
        reads_refusals: bool = False,  # also the body of another status, up to `most_bytes`
    ) -> None:
        self.most_bytes, self._retries = most_bytes, retries
        self._first_wait_s, self._again_when_broken = first_wait_s, again_when_broken
        self._reads_refusals = reads_refusals

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        timeout_s = float(request.extensions["timeout"]["read"])
        request.read()
        try:
            return within(timeout_s, lambda: asyncio.run(self._tried(request, timeout_s)))
        except TimeoutError:
            raise httpx.ReadTimeout(f"no answer in {timeout_s:g} s", request=request) from None
        except CallFailed:
            raise
        except Exception as error:  # noqa: BLE001  httpx may raise any
            raise uncallable(error) from None

    async def _tried(self, request: httpx.Request, timeout_s: float) -> httpx.Response:
        ends = time.monotonic() + timeout_s
        network = httpx.AsyncHTTPTransport(verify=_certificates(), trust_env=False)
        async with asyncio.timeout(timeout_s), network:
            for attempt in itertools.count():
                response, failed = await self._attempt(network, request)
                may_pass = response.status_code in RETRIED if failed is None else failed.retryable
                if failed and failed.answered and not self._again_when_broken:
                    may_pass = False
                wait_s = _retry_after_s(response.headers)
                if wait_s is None:
                    wait_s = self._first_wait_s * 2**attempt * random.uniform(0.5, 1)  # noqa: S311
                late = time.monotonic() + wait_s >= ends
                if not may_pass or attempt >= self._retries or late:
                    if failed:
                        raise failed
                    return response
                await asyncio.sleep(wait_s)
        raise AssertionError("unreachable")

    async def _attempt(
        self, network: httpx.AsyncHTTPTransport, request: httpx.Request
    ) -> tuple[httpx.Response, CallFailed | None]:
        """Return the answer, and why it can't be used if it can't."""
        headers = [(k, v) for k, v in request.headers.items() if not k.startswith(_ABOUT_US)]
        sent = httpx.Request(request.method, request.url, headers=headers, content=request.content)
        sent.headers["Accept-Encoding"] = "gzip"
        partial, begun = httpx.Response(0), False
        try:
            response = await network.handle_async_request(sent)
            kept = {name: v for name in _OF_USE if (v := response.headers.get(name)) is not None}
            partial = httpx.Response(response.status_code, headers=kept)
            is_read = response.status_code == httpx.codes.OK or self._reads_refusals
            begun = bool(self.most_bytes) and is_read
            try:
                body = await self._body(response) if begun else b""
            finally:
                await response.aclose()
        except CallFailed as failed:
            return partial, failed
        except httpx.HTTPError as error:
            kind = type(error).__name__
            what = f"{'broke off its answer' if begun else 'did not answer'} ({kind})"
            return partial, CallFailed(what, kind=kind, retryable=True, answered=begun)
        return httpx.Response(partial.status_code, headers=kept, content=body), None

    async def _body(self, response: httpx.Response) -> bytes:
        packing = response.headers.get("content-encoding", "").strip().lower()
        if packing not in PACKINGS:
            raise CallFailed("answered in a packing that was not asked for", answered=True)
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > self.most_bytes:
                raise CallFailed("answered with more than it was asked for", answered=True)
        return bytes(body)


def posted(
    url: str,
    body: Mapping[str, Any] | str | bytes,
    headers: Mapping[str, str],
    *,
    timeout_s: float,
    transport: BoundedTransport,
) -> bytes:
    """Post a body, a mapping as JSON, and return what was read of the answer.

    Raises TimeoutError after `timeout_s`, and CallFailed: also for every status that is no success,
    and for another than 200 where a body is wanted.
    """
    sent = {"json" if isinstance(body, Mapping) else "content": body, "headers": dict(headers)}
    return _carried("POST", url, sent, timeout_s, transport)


def fetched(
    url: str,
    *,
    timeout_s: float,
    transport: BoundedTransport,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return the body at an address. Raises as `posted`, for every status but 200."""
    return _carried("GET", url, {"headers": dict(headers or {})}, timeout_s, transport)


def _carried(
    method: str, url: str, sent: dict[str, Any], timeout_s: float, transport: BoundedTransport
) -> bytes:
    with httpx.Client(transport=transport, trust_env=False, timeout=timeout_s) as client:
        try:
            response = client.request(method, url, **sent)
        except httpx.TimeoutException:
            raise TimeoutError from None
        except CallFailed:
            raise
        except Exception as error:  # noqa: BLE001  httpx may raise any, for a bad address too
            raise uncallable(error) from None
    wants_body = bool(transport.most_bytes)
    if not (response.status_code == httpx.codes.OK if wants_body else response.is_success):
        raise status_failed(response.status_code)
    return response.content


def status_failed(status: int) -> CallFailed:
    """Return the failure that an answer's status means."""
    return CallFailed(f"answered with status {status}", status=status, retryable=status in RETRIED)


def uncallable(error: BaseException) -> CallFailed:
    """Return the failure of a call that never left; without the text, which may quote the key."""
    kind = type(error).__name__
    return CallFailed(f"could not be called ({kind})", kind=kind)


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


def _certificates() -> Any:
    return _read_certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read_certificates(file: str | None, folder: str | None) -> Any:
    """Read the environment's certificates, once: reading them takes longer than many a call."""
    return httpx.create_ssl_context(trust_env=True)


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """Return the seconds in Retry-After; None if missing, a date, negative or not a number."""
    try:
        wait_s = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return wait_s if wait_s >= 0 else None  # NaN is not
