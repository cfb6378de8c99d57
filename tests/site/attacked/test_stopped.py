"""Test on a running site that a stop stops: what is in progress, what is stored, what is shared."""

import html
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.site.attacked.live_site import DOSING, Site, posted

pytestmark = pytest.mark.exhaustive

ROUNDS = 4  # of a stop among questions in progress
ASKING = 4
REASON, CONTACT = "A dose is wrong", "Dr Blue, 4417"
API, CHAT = "/api/v1", "/v1/chat/completions"
# Answers that were stored while a stop held, by the order of the log.
ANSWERED_WHILE_STOPPED = """
SELECT e.seq FROM chat_auditevent e JOIN LATERAL (
    SELECT action FROM chat_auditevent
    WHERE seq < e.seq AND action IN ('answering.stopped', 'answering.resumed')
    ORDER BY seq DESC LIMIT 1
) last ON true WHERE e.action = 'turn.answered' AND last.action = 'answering.stopped'
"""
OUTCOMES = "SELECT status, reason FROM chat_turn WHERE created_at > now() - interval '10 minutes'"


class Officer:
    """A safety officer, at the pages of the administration."""

    def __init__(self, site: Site) -> None:
        self.client = site.signed_in("safety")

    def stop(self, document: str = "") -> str:
        """Stop answering, from one document (its key) or from all; return the stop's page."""
        what = {"document": document} if document else {"everything": "on"}
        fields = {**what, "reason": REASON, "contact": CONTACT}
        done = posted(self.client, "/admin/corpus/answeringstop/add/", fields)
        assert done.status_code == 302, done.text
        listed = self.client.get("/admin/corpus/answeringstop/").text
        return str(max(re.findall(r"/admin/corpus/answeringstop/\d+/", listed), key=len_and_text))

    def resume(self, stop: str) -> None:
        done = posted(self.client, f"{stop}end/", {"reason": "It was put right"})
        assert done.status_code == 302, done.text


def len_and_text(address: str) -> tuple[int, str]:
    """Order the addresses of numbered pages by their number."""
    return len(address), address


@pytest.fixture
def running(few: Site) -> Iterator[Site]:
    few.start()
    yield few
    assert few.manage("audit", "verify").startswith("OK")
    assert "Traceback" not in few.log.read_text()
    few.end()


@pytest.fixture
def api(running: Site) -> Iterator[httpx.Client]:
    address = f"http://127.0.0.1:{running.port}"
    with httpx.Client(base_url=address, headers=running.token("clinician"), timeout=120) as client:
        yield client


def is_told(text: str) -> bool:
    said = html.unescape(text)
    return REASON in said and CONTACT in said


@pytest.mark.parametrize("scope", ["a document", "the site"])
def test_everything_that_shows_what_is_stopped_tells_it(
    running: Site, api: httpx.Client, scope: str, record_property: Callable[[str, object], None]
) -> None:
    once, in_chat_once = ({"Idempotency-Key": f"{form}-{len(scope)}"} for form in ("api", "chat"))
    in_chat = {"model": "medrag", "messages": [{"role": "user", "content": DOSING["question"]}]}
    thread = api.post(f"{API}/conversations", json={}).json()["id"]
    turn = api.post(f"{API}/conversations/{thread}/query", json=DOSING).json()["turn"]
    first = api.post(f"{API}/query", json=DOSING, headers=once).json()
    api.post(CHAT, json=in_chat, headers=in_chat_once)
    assert first["status"] == "answered"
    source = first["claims"][0]["citations"][0]
    sha256, number = source["sha256"], source["page"]
    asker, colleague = running.signed_in("clinician"), running.signed_in("staff")
    posted(asker, f"/conversations/{thread}/share/", {"shared": "yes"})
    shown: dict[str, Callable[[], httpx.Response]] = {
        "repeated": lambda: api.post(f"{API}/query", json=DOSING, headers=once),
        "asked anew": lambda: api.post(f"{API}/query", json=DOSING),
        "repeated as OpenAI's": lambda: api.post(CHAT, json=in_chat, headers=in_chat_once),
        "stored": lambda: api.get(f"{API}/turns/{turn}"),
        "messages": lambda: api.get(f"{API}/conversations/{thread}/messages"),
        "page of the API": lambda: api.get(f"{API}/documents/{sha256}/pages/{number}"),
        "search": lambda: api.post(f"{API}/search", json={"query": "gentamicin interval"}),
        "conversation": lambda: asker.get(f"/conversations/{thread}/"),
        "shared": lambda: colleague.get(f"/conversations/{thread}/shared/"),
        "cited page": lambda: asker.get(f"/source/{sha256}/{number}/"),
        "guidelines": lambda: asker.get("/guidelines/"),
    }
    assert [what for what, show in shown.items() if is_told(show().text)] == []
    key = running.rows(f"SELECT id FROM corpus_document WHERE sha256 = '{sha256}'")[0][0]
    officer = Officer(running)
    stop = officer.stop(str(key) if scope == "a document" else "")
    untold = [what for what, show in shown.items() if not is_told(show().text)]
    assert untold == []
    assert api.get(f"{API}/conversations/{thread}").json()["recalled"] == "stopped"
    officer.resume(stop)
    assert [what for what, show in shown.items() if is_told(show().text)] == []
    record_property("things that show it", len(shown) + 1)


def test_no_question_in_progress_is_answered_after_a_stop(
    running: Site, api: httpx.Client, record_property: Callable[[str, object], None]
) -> None:
    officer, ended = Officer(running), threading.Event()
    began = time.monotonic()
    assert api.post(f"{API}/query", json=DOSING).json()["status"] == "answered"
    took_s = time.monotonic() - began

    def ask(number: int) -> list[dict[str, Any]]:
        path, got = (f"{API}/query", []) if number % 2 else (CHAT, [])
        in_chat = {"model": "medrag", "messages": [{"role": "user", "content": DOSING["question"]}]}
        while not ended.is_set():
            asked_at = time.monotonic()
            response = api.post(path, json=DOSING if number % 2 else in_chat)
            assert response.status_code in (200, 503), response.text
            got.append({"at": asked_at, "until": time.monotonic(), "text": response.text})
        return got

    stops: list[tuple[float, float]] = []
    with ThreadPoolExecutor(ASKING) as pool:
        asking = [pool.submit(ask, number) for number in range(ASKING)]
        try:
            for number in range(ROUNDS):
                time.sleep(took_s * (1 + number / ROUNDS))
                stop = officer.stop()
                begun = time.monotonic()
                time.sleep(2 * took_s)
                stops.append((begun, time.monotonic()))
                officer.resume(stop)
        finally:
            ended.set()
    answers = [answer for asked in asking for answer in asked.result()]
    assert running.rows(ANSWERED_WHILE_STOPPED) == []
    # Whoever gets a response while a stop holds is told of it, also of one stored just before.
    within = [a for a in answers if any(b < a["until"] < e for b, e in stops)]
    assert [a["text"] for a in within if not is_told(a["text"])] == []
    in_progress = [a for a in within if any(a["at"] < b < a["until"] for b, _ in stops)]
    assert in_progress
    record_property("questions in progress at a stop", len(in_progress))
