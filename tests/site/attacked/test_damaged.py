"""Test the whole site while its database is killed, processes are paused and its disk is full.

Documents are indexed and questions asked meanwhile. In the end every document is searchable, whole
and once, every answer given is stored once, and the log's chain is unbroken.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from medrag_site.database.postmaster import living
from tests.corpus.documents import guideline
from tests.processes import ROOT, family_of, paused, survivors, wait_until
from tests.site.test_demo import free_port

pytestmark = pytest.mark.exhaustive

KILLS = 20
FILLS = 3
DOCUMENTS = 16
SECTIONS = 40  # sections of a document: several batches of vectors
LEASE_S = 4
PAUSE_S = float(os.environ.get("MEDRAG_TEST_PAUSE_S", str(3 * LEASE_S)))
LONG_PAUSE_S = float(os.environ.get("MEDRAG_TEST_LONG_PAUSE_S", "120"))
DISK_BYTES = 1200 * 1024**2  # a new database wants 500 MB, the encoder 200
QUESTION = {"question": "What gentamicin dosing interval at a creatinine clearance of 45 mL/min?"}
CHUNKS = """
SELECT d.filename, j.state, j.stage, j.attempts, d.indexed_at IS NOT NULL,
       count(c.id), count(DISTINCT c.index), max(c.index) + 1, count(c.search_vector)
FROM corpus_document d JOIN corpus_job j ON j.document_id = d.id
LEFT JOIN corpus_chunk c ON c.document_id = d.id
GROUP BY d.id, j.id ORDER BY d.id
"""


@dataclass
class Site:
    """`manage.py serve` in a folder of its own."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    statuses: list[int] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)

    @property
    def pgdata(self) -> Path:
        return self.folder / "postgres"

    @property
    def log(self) -> Path:
        """Beside the folder, whose disk may be full."""
        return self.folder.with_suffix(".log")

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEDRAG_", "DJANGO_"))}
        return kept | {
            "MEDRAG_DATA_DIR": str(self.folder),
            "MEDRAG_WORKER": f"lease_s={LEASE_S}",
            "MEDRAG_API": "rate=1000/s",
        }

    def manage(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        wait_until(lambda: self.request("readyz")[0] == 200, "it is ready", 120)

    def request(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):  # refused, cut off, late
            return 0, None

    def ask_until(self, ended: threading.Event, token: str) -> None:
        while not ended.is_set():
            status, answer = self.request("api/v1/query", QUESTION, Authorization=f"Token {token}")
            self.statuses.append(status)
            if status == 200:
                self.turns.append(answer["turn"])
            ended.wait(0.3)

    def wait_until_answered(self) -> None:
        answered = len(self.turns)
        wait_until(lambda: len(self.turns) > answered, "a question is answered", 120)

    def failed(self) -> int:
        return sum(status != 200 for status in self.statuses)

    @contextlib.contextmanager
    def filled(self, *, up_to_bytes: int) -> Iterator[None]:
        """Fill the disk of the folder up to `up_to_bytes` within the block."""
        filler = self.folder / "filler"
        try:
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as f:
                while shutil.disk_usage(self.folder).used < up_to_bytes:
                    f.write(bytes(64 * 1024))
            yield
        finally:
            filler.unlink()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(host=str(self.pgdata), user="postgres", dbname="medrag") as c:
            return c.execute(query).fetchall()

    def tree(self) -> list[psutil.Process]:
        """Return all processes of the supervisor and of the database server."""
        assert self.process is not None
        server = living(self.pgdata)
        assert server is not None
        return [*family_of(self.process.pid), server, *server.children()]


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Make a folder for one site; for the parameter "a small disk", on a tmpfs of its own."""
    made = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    is_disk = getattr(request, "param", "") == "a small disk"
    if is_disk:
        options = f"size={DISK_BYTES},mode=0755"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(made)]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        if mounted.returncode:
            made.rmdir()
            pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    made.chmod(0o755)
    yield made
    if is_disk:
        subprocess.run(["umount", "--lazy", str(made)], check=True)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    made = Site(folder, free_port())
    yield made
    family = family_of(made.process.pid) if made.process else []
    for process in [*family, *filter(None, [living(made.pgdata)])]:
        process.kill()
    psutil.wait_procs(family, timeout=10)
    made.log.unlink(missing_ok=True)


@pytest.fixture
def busy(site: Site) -> Iterator[Site]:
    """Index documents and ask questions meanwhile; check all of them afterwards."""
    site.manage("demo", "--no-serve")
    site.start()
    before = len(site.rows("SELECT 1 FROM corpus_document"))
    files = site.folder / "guidelines"
    files.mkdir()
    for number in range(DOCUMENTS):
        title = f"# Gentamicin on ward {number}"
        (files / f"ward-{number}.md").write_text(guideline(title, SECTIONS))
    site.manage("ingest", str(files), "--user", "staff")
    token = site.manage("api_token", "clinician").split()[-1]
    ended = threading.Event()
    asking = threading.Thread(target=site.ask_until, args=(ended, token))
    asking.start()
    try:
        yield site
    finally:
        ended.set()
        asking.join()
    undecided = "SELECT 1 FROM corpus_job WHERE state IN ('PENDING', 'RUNNING')"
    wait_until(lambda: not site.rows(undecided), "every job has ended", 600)
    documents = site.rows(CHUNKS)
    assert len(documents) == before + DOCUMENTS
    for name, state, stage, attempts, is_indexed, *counts in documents:
        assert (name, state, stage, is_indexed) == (name, "DONE", "INDEXED", True)
        assert attempts <= 3, name
        assert len(set(counts)) == 1, (name, counts)
    made = {counts[0] for name, *_, counts in [(d[0], d[5:]) for d in documents] if "ward" in name}
    assert len(made) == 1  # equal documents have equally many passages
    assert "agree" in site.manage("index_statistics")
    stored = [str(row[0]) for row in site.rows("SELECT id FROM chat_turn")]
    assert site.turns
    assert set(site.turns) <= set(stored)
    assert len(stored) == len(set(stored)) <= 4 + len(site.statuses)
    assert set(site.statuses) <= {0, 200, 500, 503}
    assert site.manage("audit", "verify").startswith("OK")
    assert "Traceback" not in site.log.read_text()
    assert site.process is not None
    family = family_of(site.process.pid)
    site.process.send_signal(signal.SIGINT)
    assert site.process.wait(60) == 0
    assert survivors(family) == []
    assert living(site.pgdata) is None


def test_the_database_is_killed_twenty_times(
    busy: Site, record_property: Callable[[str, object], None]
) -> None:
    killed = set()
    for _ in range(KILLS):
        server = living(busy.pgdata)
        assert server is not None
        killed.add(server.pid)
        server.kill()
        busy.wait_until_ready()
        busy.wait_until_answered()
    assert len(killed) == KILLS
    record_property("kills of the database", KILLS)


def test_each_process_is_paused_for_longer_than_a_lease(
    busy: Site, record_property: Callable[[str, object], None]
) -> None:
    met = set()
    while fresh := [process for process in busy.tree() if process.pid not in met]:
        process = fresh[0]
        met.add(process.pid)
        with paused([process]):
            time.sleep(PAUSE_S)
        busy.wait_until_ready()
        if len(met) > 40:
            break  # the rest replace processes that were given up
    assert len(met) >= 12
    record_property("processes paused", len(met))


def test_the_worker_and_the_site_are_paused_for_long(
    busy: Site, record_property: Callable[[str, object], None]
) -> None:
    """Each with all its processes, one after the other."""
    assert busy.process is not None
    for part in ("worker", "gunicorn"):
        services = psutil.Process(busy.process.pid).children()
        (service,) = (one for one in services if part in one.cmdline()[:4])
        family = family_of(service.pid)
        assert len(family) > 1
        with paused(family):
            time.sleep(LONG_PAUSE_S)
        busy.wait_until_ready()
        busy.wait_until_answered()
        record_property(f"pauses of the whole {part}", 1)


@pytest.mark.parametrize("folder", ["a small disk"], indirect=True)
def test_the_disk_is_full_for_a_while(
    busy: Site, record_property: Callable[[str, object], None]
) -> None:
    """First too full for a document, then for anything."""
    waits = "SELECT 1 FROM corpus_job WHERE error_code = 'disk_full'"
    with busy.filled(up_to_bytes=DISK_BYTES - 100 * 1024**2):
        wait_until(lambda: busy.rows(waits), "a document waits for room")
        busy.wait_until_answered()
        assert "Disk full while writing" in busy.log.read_text()
    for number in range(FILLS):
        with busy.filled(up_to_bytes=DISK_BYTES):
            failed = busy.failed()
            wait_until(lambda: busy.failed() > failed, "a question fails for want of room", 120)  # noqa: B023
            if number == 0:
                assert "the database's disk is full" in busy.log.read_text()
                assert "FAIL  disk" in busy.manage("doctor", status=1)
            else:
                server = living(busy.pgdata)
                assert server is not None
                server.kill()  # it can't start again before there is room
                told = "The disk is full"
                wait_until(lambda: busy.log.read_text().count(told) >= number, "it is told")  # noqa: B023
        busy.wait_until_ready()
        busy.wait_until_answered()
    record_property("disks filled, of a site at work", 1 + FILLS)
