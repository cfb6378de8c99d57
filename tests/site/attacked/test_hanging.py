"""Test on a running site that what hangs holds up nothing: files, the scanner, the collector.

The store of files is a process that is suspended; the other two take connections and never read.
"""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import boto3
import httpx
import psutil
import pytest

from tests.processes import wait_until
from tests.site.attacked.live_site import DOSING, Site
from tests.site.test_demo import free_port

pytestmark = pytest.mark.exhaustive

HELD_S = 60.0  # the longest that anything may wait, on a machine that has other work
ROUNDS, READERS = 3, 24
UPLOADED_AT_ONCE = 40
API, BUCKET = "/api/v1", "guidelines"
KEY = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
UNSENT = "SELECT fault FROM chat_logforward"


@pytest.fixture
def store() -> Iterator[tuple[str, psutil.Popen]]:
    """Run moto's server in a process of its own, with an empty bucket."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _listens(port), "the store listens", 60)
        address = f"http://127.0.0.1:{port}"
        client = boto3.client(
            "s3",
            endpoint_url=address,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        client.create_bucket(Bucket=BUCKET)
        yield address, process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


@pytest.fixture
def silent() -> Iterator[int]:
    """Take connections on a port, and neither read nor write."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:

        def take() -> None:
            while True:
                try:
                    taken.append(listening.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield listening.getsockname()[1]
    for connection in taken:
        connection.close()


@pytest.fixture
def leaning(few: Site, store: tuple[str, psutil.Popen], silent: int) -> Iterator[Site]:
    """Run a site that leans on all three; the files are in the store."""
    few.settings |= KEY | {
        "MEDRAG_FILES": f"bucket={BUCKET} endpoint={store[0]} region=us-east-1",
        "MEDRAG_SCANNER": f"tcp://127.0.0.1:{silent}",
        "MEDRAG_AUDIT_FORWARD": f"to=syslog://127.0.0.1:{silent}",
    }
    few.manage("copy_files", "--from-folder")
    few.start()
    yield few
    assert few.manage("audit", "verify").startswith("OK")
    assert "Traceback" not in few.log.read_text()
    few.end()


@dataclass
class Timed:
    """Calls something, and keeps the status of each response and how long it took."""

    call: Callable[[], httpx.Response]
    seconds: list[float] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    def once(self) -> int:
        began = time.monotonic()
        self.statuses.append(self.call().status_code)
        self.seconds.append(time.monotonic() - began)
        return self.statuses[-1]


def test_questions_are_answered_while_files_scanner_and_collector_hang(
    leaning: Site, store: tuple[str, psutil.Popen], record_property: Callable[[str, object], None]
) -> None:
    asker, staff = leaning.signed_in("clinician"), leaning.signed_in("staff")
    sha256 = leaning.rows("SELECT sha256 FROM corpus_document WHERE media_type LIKE '%pdf'")[0][0]
    address = f"http://127.0.0.1:{leaning.port}"
    token = leaning.token("clinician")
    tokens = leaning.token("staff", "documents", "read")
    many = {"collection": _collection(staff)}

    def upload(count: int) -> httpx.Response:
        files = [("uploads", (f"new-{n}.md", f"# New {n}".encode())) for n in range(count)]
        sent = {**many, "csrfmiddlewaretoken": staff.cookies["csrftoken"]}
        return staff.post("/admin/corpus/document/add/", data=sent, files=files)

    with httpx.Client(base_url=address, timeout=120) as client:
        question = Timed(lambda: client.post(f"{API}/query", json=DOSING, headers=token))
        original = Timed(lambda: asker.get(f"/source/{sha256}/original/"))
        others = [
            original,
            Timed(lambda: asker.get(f"/source/{sha256}/1/image/")),
            Timed(lambda: client.get(f"{API}/documents/{sha256}/pages/1", headers=token)),
            Timed(
                lambda: client.post(
                    f"{API}/documents",
                    data={"collection": "acute-medicine"},
                    files={"file": ("one.md", b"# One")},
                    headers=tokens,
                )
            ),
            Timed(lambda: upload(UPLOADED_AT_ONCE)),
        ]
        question.once()
        original.once()
        assert (question.statuses, original.statuses) == ([200], [200])
        alive = Timed(lambda: client.get("/readyz"))
        store[1].suspend()
        with ThreadPoolExecutor(READERS) as pool:
            waiting = [pool.submit(others[n % len(others)].once) for n in range(ROUNDS * READERS)]
            for _ in range(ROUNDS):
                question.once()
                alive.once()
            for done in waiting:
                done.result()
        question.once()
        assert set(question.statuses + alive.statuses) == {200}
        assert original.statuses[0] == 200 and set(original.statuses[1:]) == {503}
        took_s = max(second for one in (question, alive, *others) for second in one.seconds)
        assert took_s < HELD_S
        wait_until(lambda: "took more than" in str(leaning.rows(UNSENT)), "the log is tried", 120)
        began = time.monotonic()
        told = leaning.manage("doctor", status=1)
        assert time.monotonic() - began < HELD_S
        for name in ("files", "scanner"):
            assert f"FAIL  {name}" in told
        store[1].resume()
        wait_until(lambda: original.once() == 200, "files are back", 60)
    record_property("requests beside what hangs", sum(len(one.seconds) for one in others))
    record_property("questions beside them", len(question.seconds) - 1)


def test_a_site_starts_and_ends_while_they_hang(
    leaning: Site, store: tuple[str, psutil.Popen], record_property: Callable[[str, object], None]
) -> None:
    leaning.end()
    store[1].suspend()
    leaning.start()
    token = leaning.token("clinician")
    assert leaning.request("api/v1/query", DOSING, **token)[0] == 200
    record_property("starts beside what hangs", 1)


def _collection(staff: httpx.Client) -> str:
    """Return the first collection that the upload page offers."""
    page = staff.get("/admin/corpus/document/add/").text
    return page.split('name="collection"')[1].split('<option value="')[-1].split('"')[0]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
