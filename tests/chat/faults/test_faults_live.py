"""Test a real web process and worker with a language model that fails in every way."""

import json
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.contrib.auth.models import User

from chat.models import AuditEvent, Reason, Turn
from chat.sign_in.tokens import token_create
from corpus.models import Job, JobState
from tests.corpora import publish
from tests.corpus.documents import ingest
from tests.llm import forms
from tests.llm.contents import honest
from tests.llm.lies import DOSE, GUIDELINE, LIES, QUESTION
from tests.llm.server import (
    Answer,
    Endpoint,
    bomb,
    breaks_off,
    chunks_without_end,
    endpoint,
    hangs,
    heads_without_end,
    huge_answer,
    replies,
    resets,
    shouts,
    status,
)
from tests.llm.sites import KEY
from tests.models import models_file
from tests.processes import running, wait_until
from tests.site.browsing.browser import served

pytestmark = pytest.mark.slow

TIMEOUT_S = "5"
DOWN = {Reason.GENERATOR_UNAVAILABLE.value, Reason.BUDGET_EXCEEDED.value}
FALSE = {Reason.UNSUPPORTED_CLAIMS.value}
WORST: dict[str, tuple[Answer, set[str]]] = {
    "nothing": (hangs(), DOWN),
    "503": (status(503), DOWN),
    "a reset": (resets(), DOWN),
    "breaking off": (breaks_off(forms.SOUND), DOWN),
    "50 MB": (huge_answer(forms.SOUND), DOWN),
    "200 MB in a small parcel": (bomb(), DOWN),
    "chunks without end": (chunks_without_end(), DOWN),
    "heads without end": (heads_without_end(), DOWN),
    "another protocol": (shouts(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"), DOWN),
    "deep nesting": (forms.UNREADABLE["deep nesting"], DOWN),
    "deep nesting in the content": (forms.UNREADABLE["deep nesting in the content"], DOWN),
    "ten times the dose": (replies(LIES["ten times the dose"]), FALSE),
    "a script": (replies(LIES["a script"]), FALSE),
}
FEW = ["nothing", "200 MB in a small parcel", "deep nesting", "ten times the dose"]
OTHERS = [name for name in WORST if name not in FEW]
AT_ONCE = 6  # questions; the web process has four threads


class Site:
    """A web process, asked over its API."""

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address, token

    def ask(self, question: str = QUESTION) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.address}/api/v1/query",
            data=json.dumps({"question": question}).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            found: dict[str, Any] = json.loads(response.read())
        return found


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with endpoint(replies(honest)) as state:
        for name, value in {
            "MEDRAG_GENERATOR": "llm",
            "MEDRAG_MODELS": models_file(
                tmp_path, generate={"url": state.url, "model": "writer", "key": KEY}
            ),
            "MEDRAG_QUESTIONS": f"timeout_s={TIMEOUT_S}",
            "MEDRAG_API": "rate=10000/min",
            "MEDRAG_LOG": "level=DEBUG",
        }.items():
            monkeypatch.setenv(name, value)
        yield state


@pytest.mark.parametrize(
    "faults",
    [pytest.param(FEW, id="few"), pytest.param(OTHERS, id="others", marks=pytest.mark.exhaustive)],
)
def test_the_processes_live_through_all_of_it(
    own_database: str, server: Endpoint, tmp_path: Path, faults: list[str]
) -> None:
    publish(GUIDELINE, population="adult")
    token = token_create(User.objects.create_user("alice"))
    logs = tmp_path / "web.log", tmp_path / "worker.log"
    waiting = ingest()
    with running("worker", log=logs[1]) as worker, served(logs[0]) as address:
        site = Site(address, token)
        # A site that has just been started reads its models while it is asked.
        wait_until(lambda: _is_answered(site), "the site answers")
        web = _workers_of_the_web()
        for name in faults:
            server.default, reasons = WORST[name]
            refusal = site.ask()
            assert (refusal["status"], refusal["claims"]) == ("abstained", []), name
            assert refusal["reason"] in reasons, name
            server.default = replies(honest)
            assert DOSE in [claim["text"] for claim in site.ask()["claims"]], name
        _ask_many_at_once(site, server)
        wait_until(lambda: Job.objects.get(document=waiting).state == JobState.DONE, "it is read")
        assert worker.poll() is None
        assert web and _workers_of_the_web() == web, "no process was replaced"
    assert Turn.objects.count() == AuditEvent.objects.filter(action__startswith="turn.").count()
    said = "".join(log.read_text() for log in logs)
    for secret in (KEY, "demonstracillin", "You help clinicians"):
        assert secret not in said


def _ask_many_at_once(site: Site, server: Endpoint) -> None:
    """Check that `/readyz` answers while questions wait for the model."""
    server.default = hangs()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(site.ask) for _ in range(AT_ONCE)]
        refusals = [one.result() for one in asked]
    assert {refusal["reason"] for refusal in refusals} <= DOWN
    with urllib.request.urlopen(f"{site.address}/readyz", timeout=30) as response:
        assert response.status == 200


def _is_answered(site: Site) -> bool:
    return DOSE in [claim["text"] for claim in site.ask()["claims"]]


def _workers_of_the_web() -> set[int]:
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if "gunicorn" in " ".join(child.cmdline())
    }
