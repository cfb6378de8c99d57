"""Test the whole site while its database is killed, processes are paused and its disk is full.

Documents are indexed and questions asked meanwhile. In the end every document is searchable, whole
and once, every answer given is stored once, and the log's chain is unbroken.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from medrag_site.database.postmaster import living
from tests.corpus.documents import guideline
from tests.processes import family_of, paused, wait_until
from tests.site.attacked.live_site import DISK_BYTES, LEASE_S, Site

pytestmark = pytest.mark.exhaustive

KILLS = int(os.environ.get("MEDRAG_TEST_KILLS", "20"))
MOST_PAUSED = int(os.environ.get("MEDRAG_TEST_MOST_PAUSED", "40"))
FILLS = 3
DOCUMENTS = 16
SECTIONS = 40  # sections of a document: several batches of vectors
PAUSE_S = float(os.environ.get("MEDRAG_TEST_PAUSE_S", str(3 * LEASE_S)))
LONG_PAUSE_S = float(os.environ.get("MEDRAG_TEST_LONG_PAUSE_S", "120"))
CHUNKS = """
SELECT d.filename, j.state, j.stage, j.attempts, d.indexed_at IS NOT NULL,
       count(c.id), count(DISTINCT c.index), max(c.index) + 1, count(c.search_vector)
FROM corpus_document d JOIN corpus_job j ON j.document_id = d.id
LEFT JOIN corpus_chunk c ON c.document_id = d.id
GROUP BY d.id, j.id ORDER BY d.id
"""


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
    site.end()


def test_the_database_is_killed_time_and_again(
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
        if len(met) == MOST_PAUSED:
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
