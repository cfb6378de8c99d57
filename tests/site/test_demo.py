"""Test `make run`, from an empty folder to Ctrl-C, twice."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from corpus.encoders.registry import get_embedder

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 400.0
STOP_LIMIT_S = 60.0
SAMPLES = ROOT / "samples"
# The documents of the four questions, and one of each other format.
FEW = {
    "gentamicin-once-daily-adults.pdf",
    "stroke-thrombolysis-adults.pdf",
    "codeine-cough-children.pdf",
    "uti-pregnancy.docx",
    "uti-renal-impairment.html",
    "paracetamol-dosing.md",
}


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Make an empty folder with a path short enough for the database's socket."""
    folder = Path(tempfile.mkdtemp(prefix="medrag-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Demonstration:
    """`manage.py demo` with its output in a file."""

    def __init__(
        self, data_dir: Path, port: int, samples: Path | None = None, *options: str
    ) -> None:
        self.output = data_dir / "output.txt"
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MEDRAG_", "DJANGO_"))
        }
        if samples:
            environment["MEDRAG_TEST_SAMPLES"] = str(samples)
            environment["DJANGO_SETTINGS_MODULE"] = "tests.site.few_samples_settings"
        self.port = port
        with self.output.open("w") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "demo", "--port", str(port), *options],
                cwd=ROOT,
                env={**environment, "MEDRAG_DATA_DIR": str(data_dir)},
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_served(self) -> str:
        """Wait until the site answers, and return the output so far."""
        deadline = time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.output.read_text()
            try:
                address = f"http://127.0.0.1:{self.port}/readyz"
                with urllib.request.urlopen(address, timeout=5) as response:
                    if response.status == 200:
                        return self.output.read_text()
            except OSError:
                time.sleep(0.3)
        raise AssertionError(self.output.read_text())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(STOP_LIMIT_S)


def processes_of(data_dir: Path) -> list[str]:
    """Return the running processes that name the folder in arguments or environment."""
    found = []
    for process in psutil.process_iter():
        try:
            text = " ".join(process.cmdline()) + process.environ().get("MEDRAG_DATA_DIR", "")
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        if str(data_dir) in text and process.pid != os.getpid():
            found.append(text)
    return found


def few_samples(folder: Path) -> Path:
    """Write a manifest of a few samples, with their files beside it."""
    known = json.loads((SAMPLES / "manifest.json").read_text())
    known["documents"] = [entry for entry in known["documents"] if entry["file"] in FEW]
    (folder / "guidelines").mkdir(parents=True)
    for name in FEW:
        shutil.copy(SAMPLES / "guidelines" / name, folder / "guidelines")
    (folder / "manifest.json").write_text(json.dumps(known))
    return folder / "manifest.json"


@pytest.mark.slow
def test_from_nothing_to_a_site_and_back(data_dir: Path, tmp_path: Path) -> None:
    """With models that other tests have converted, which saves a third of the time."""
    get_embedder()  # converts the models, if no test has
    shutil.copytree(settings.MODELS_DIR, data_dir / "models")
    check_twice(data_dir, few_samples(tmp_path / "samples"), len(FEW))


@pytest.mark.exhaustive
def test_from_nothing_to_a_site_with_all_samples_and_back(data_dir: Path) -> None:
    check_twice(data_dir, None, 22)


def check_twice(data_dir: Path, samples: Path | None, count: int) -> None:
    """Run the demonstration twice: the first ingests `count` files, the second only serves."""
    first = Demonstration(data_dir, free_port(), samples)
    try:
        shown = first.wait_until_served()
        assert first.stop() == 0
    finally:
        first.process.kill()
    accounts = re.findall(r"^  (staff|publisher|clinician|auditor) +(\S{12,})", shown, re.MULTILINE)
    assert len({password for _, password in accounts}) == 4
    assert f"{count} queued, 0 here already, 0 refused." in shown
    assert "Every 36 hours" in shown  # from a table
    assert "to a maximum of 90 mg" in shown  # from text
    assert "(WEAK_EVIDENCE)" in shown
    assert "(ONLY_OUT_OF_DATE)" in shown
    assert "(withdrawn)" in shown
    assert processes_of(data_dir) == []

    record = free_port()
    second = Demonstration(data_dir, free_port(), samples, "--record", str(record))
    try:
        again = second.wait_until_served()
        launch = launch_of_the_record(record)
        assert f"http://127.0.0.1:{second.port}/launch?iss=" in launch
        person = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with person.open(launch, timeout=60) as opened:  # by way of the record
            assert f"http://127.0.0.1:{second.port}/launch/" in opened.url
            assert "eGFR 24 mL/min" in opened.read().decode()
            framing = opened.headers["Content-Security-Policy"]
        assert f"frame-ancestors http://127.0.0.1:{record}" in framing
        assert second.stop() == 0
    finally:
        second.process.kill()
    assert "The sample guidelines are here already" in again
    assert "queued" not in again
    assert not re.search(r"^  clinician ", again, re.MULTILINE)
    assert processes_of(data_dir) == []


def launch_of_the_record(port: int) -> str:
    """Return the first address on the record's page that launches the site."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
        found = re.search(r'href="([^"]+/launch[^"]+)"', page.read().decode())
    assert found
    return unescape(found[1])


def test_a_taken_port_is_said_before_anything_is_done(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        demonstration = Demonstration(data_dir, port)
        assert demonstration.process.wait(60) == 1
    shown = demonstration.output.read_text()
    assert f"Port {port} on 127.0.0.1 can't be used" in shown
    assert "PORT=" in shown
    assert "Traceback" not in shown
