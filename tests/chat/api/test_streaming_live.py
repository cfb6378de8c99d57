"""Test streams of a real web process: many at once, clients that leave, and a stop of the site."""

import http.client
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from django.contrib.auth.models import User

from chat.models import AuditEvent, Turn
from chat.sign_in.tokens import token_create
from chat.streams import HEARTBEAT_S
from tests.chat.api.streamed import events_of
from tests.corpora import publish
from tests.llm.contents import honest
from tests.llm.lies import DOSE, GUIDELINE, QUESTION
from tests.llm.server import Answer, Endpoint, endpoint, replies
from tests.llm.sites import KEY
from tests.models import models_file
from tests.processes import wait_until
from tests.site.browsing.browser import served

pytestmark = pytest.mark.slow

THREADS, STREAMS, AT_ONCE = 32, 20, 16
WAIT_S = 60


class Site:
    """A web process, a token, and a language model that answers once `may` is set."""

    def __init__(self, address: str, token: str, model: Endpoint, may: threading.Event) -> None:
        self.address, self.model, self.may = address, model, may
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}

    def asks(self) -> http.client.HTTPResponse:
        """Begin a stream, and return the response once its status has come."""
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=WAIT_S)
        headers = self._headers | {"Content-Type": "application/json"}
        connection.request(
            "POST", "/api/v1/query", f'{{"question": "{QUESTION}"}}'.encode(), headers
        )
        return connection.getresponse()

    def is_well(self) -> bool:
        """Tell whether `/readyz`, which needs the database, answers 200."""
        with urllib.request.urlopen(f"{self.address}/readyz", timeout=WAIT_S) as response:
            return bool(response.status == 200)


def when_it_may(may: threading.Event) -> Answer:
    return lambda handler: (may.wait(WAIT_S), replies(honest)(handler))[1]


@pytest.fixture
def site(own_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    publish(GUIDELINE, population="adult")
    token, may = token_create(User.objects.create_user("alice")), threading.Event()
    with ExitStack() as stack:
        stack.callback(may.set)
        model = stack.enter_context(endpoint(when_it_may(may)))
        for name, value in {
            "MEDRAG_GENERATOR": "llm",
            "MEDRAG_MODELS": models_file(
                tmp_path, generate={"url": model.url, "model": "writer", "key": KEY}
            ),
            "MEDRAG_QUESTIONS": f"timeout_s={WAIT_S}",
            "MEDRAG_API": "rate=10000/min",
        }.items():
            monkeypatch.setenv(name, value)
        address = stack.enter_context(served(tmp_path / "web.log", threads=THREADS))
        yield Site(address, token, model, may)


def test_twenty_streams_are_open_and_pages_still_come(site: Site) -> None:
    answers: list[list[str]] = []
    threads = [threading.Thread(target=_read, args=(site, answers)) for _ in range(STREAMS)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(site.model.asked) >= AT_ONCE, "as many are answered as may be")
    assert site.is_well()
    with closing(site.asks()) as refused:
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
    site.may.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert [names[-1] for names in answers] == ["answer"] * STREAMS
    assert Turn.objects.count() == STREAMS


def test_a_client_that_leaves_stores_nothing_and_its_place_is_free(site: Site) -> None:
    response = site.asks()
    assert response.read1(10)  # unread data make the next comment fail after a close
    wait_until(lambda: site.model.asked, "the model is asked")
    response.close()
    time.sleep(2 * HEARTBEAT_S)  # the answer must come after a failed comment
    site.may.set()
    wait_until(lambda: AuditEvent.objects.filter(action="query_left"), "it is in the log")
    assert not Turn.objects.exists()
    with closing(site.asks()) as again:
        assert DOSE in again.read().decode()
    assert Turn.objects.count() == 1


def test_the_servers_end_leaves_a_turn_whole_or_none(site: Site) -> None:
    response = site.asks()
    wait_until(lambda: site.model.asked, "the model is asked")
    (server,) = (one for one in psutil.Process().children() if "gunicorn" in str(one.cmdline()))
    server.terminate()
    with suppress(OSError, http.client.HTTPException):
        response.read()
    wait_until(lambda: server.status() == psutil.STATUS_ZOMBIE, "it has ended")
    site.may.set()
    turns = AuditEvent.objects.filter(action__startswith="turn.")
    assert Turn.objects.count() == turns.count() <= 1


def _read(site: Site, answers: list[list[str]]) -> None:
    """Read a stream to its end, and append the names of its events to `answers`."""
    with closing(site.asks()) as response:
        answers.append([name for name, _ in events_of(response.read().decode())])
