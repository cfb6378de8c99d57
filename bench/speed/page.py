"""Measure how long people wait at the page of a running site, with several people at once."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import numpy as np
from django.core.management.base import CommandError

TIMEOUT_S = 120.0
_BUSY = 503


@dataclass(frozen=True)
class Site:
    """A site and the account that asks there."""

    url: str
    user: str
    password: str


@dataclass(frozen=True)
class Asked:
    """A question sent to the site, with the status of its response.

    It was answered or refused (2xx), turned away because too many waited (503), or failed.
    """

    took_ms: float
    status: int


def measure_page(
    site: Site, questions: Sequence[str], *, clients: Sequence[int], seconds: float
) -> Iterator[str]:
    """Let each number of clients ask for `seconds`, without pauses, and yield a line for each.

    Questions are asked as the page asks them, and stored like any other. Raises CommandError where
    the site does not answer or does not know the user.
    """
    for count in clients:
        people = [_signed_in(site) for _ in range(count)]
        try:
            yield _line(count, _asked_by(people, questions, seconds), seconds)
        finally:
            for one in people:
                one.close()


def _signed_in(site: Site) -> httpx.Client:
    one = httpx.Client(base_url=site.url, timeout=TIMEOUT_S, follow_redirects=True, trust_env=False)
    try:
        one.get("/sign-in/").raise_for_status()
        answer = _post(one, "/sign-in/", username=site.user, password=site.password)
    except httpx.HTTPError as error:
        one.close()
        raise CommandError(f"{site.url} does not answer ({type(error).__name__}).") from error
    if answer.is_error or "sessionid" not in one.cookies:
        one.close()
        raise CommandError(f"{site.url} does not let {site.user} in: is the password right?")
    return one


def _post(one: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """Post a form as the page does: with its token, as an htmx request."""
    token = one.cookies.get("csrftoken", "")
    headers = {"HX-Request": "true", "Referer": f"{one.base_url}"}
    return one.post(path, data={**fields, "csrfmiddlewaretoken": token}, headers=headers)


def _asked_by(
    people: Sequence[httpx.Client], questions: Sequence[str], seconds: float
) -> list[Asked]:
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(len(people)) as pool:
        every = pool.map(
            lambda place: list(_asking(people[place], questions, place, until)), range(len(people))
        )
        return list(itertools.chain.from_iterable(every))


def _asking(
    one: httpx.Client, questions: Sequence[str], place: int, until: float
) -> Iterator[Asked]:
    for number in itertools.count(place * 7):
        began = time.monotonic()
        if began >= until:
            return
        try:
            status = _post(one, "/ask/", question=questions[number % len(questions)]).status_code
        except httpx.HTTPError:
            status = 0
        yield Asked(1000 * (time.monotonic() - began), status)


def _line(clients: int, found: Sequence[Asked], seconds: float) -> str:
    served = [one.took_ms for one in found if 200 <= one.status < 300]
    busy = sum(one.status == _BUSY for one in found)
    p50, p95 = np.percentile(served, [50, 95]) if served else (float("nan"),) * 2
    return (
        f"{clients:3} people   {len(served) / seconds:5.1f}/s   p50 {p50:7.0f} ms   "
        f"p95 {p95:7.0f} ms   told to wait {busy}   failed {len(found) - len(served) - busy}"
    )
