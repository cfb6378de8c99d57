"""Test that a scanner looks at each file first, with a played clamd that speaks its protocol."""

import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from corpus import files, scanning
from corpus.models import Document
from corpus.scanning import Infected, ScannerUnavailable, refuse_infected
from corpus.storages.breaker import FAILURES
from medrag_site import doctor
from tests.corpus.documents import GUIDELINE, ingest

pytestmark = pytest.mark.django_db
STREAM_MAX_LENGTH = 1024**2
VIRUS = "This is a test of the scanner: XVIRUSX"


class Played(socketserver.StreamRequestHandler):
    """Answers INSTREAM: a finding for one word, an error for another, else OK."""

    def handle(self) -> None:
        command = b"".join(iter(lambda: self.rfile.read(1), b"\0"))
        if command == b"zPING":
            self.wfile.write(b"PONG\0")
            return
        assert command == b"zINSTREAM"
        content = b""
        while length := struct.unpack(">I", self.rfile.read(4))[0]:
            content += self.rfile.read(length)
            if len(content) > STREAM_MAX_LENGTH:  # clamd reads no further
                self.wfile.write(b"INSTREAM size limit exceeded. ERROR\0")
                return
        if b"XVIRUSX" in content:
            self.wfile.write(b"stream: Played.Virus-1 FOUND\0")
        elif b"XSILENTX" not in content:
            self.wfile.write(b"stream: OK\0")


@pytest.fixture(params=["tcp", "unix"])
def scanner(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Iterator[None]:
    if request.param == "tcp":
        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Played)
        settings.SCANNER = f"tcp://127.0.0.1:{server.server_address[1]}"
    else:
        path = str(tmp_path / "clamd.ctl")
        server = socketserver.ThreadingUnixStreamServer(path, Played)  # type: ignore[assignment]
        settings.SCANNER = f"unix://{path}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield
    server.shutdown()
    server.server_close()


def nothing_is_kept() -> bool:
    folder = Path(files.storage().path("documents"))
    return not Document.objects.exists() and not [p for p in folder.rglob("*") if p.is_file()]


def test_a_clean_file_is_kept(scanner: None) -> None:
    assert ingest(GUIDELINE * 3000).pk  # of several pieces


def test_an_infected_file_is_refused_by_name_and_kept_nowhere(scanner: None) -> None:
    with pytest.raises(Infected, match=r"Played\.Virus-1") as told:
        ingest(VIRUS)
    assert not told.value.retryable and nothing_is_kept()


def test_a_file_without_a_verdict_is_held_back(scanner: None) -> None:
    with pytest.raises(ScannerUnavailable) as told:
        ingest("XSILENTX")
    assert told.value.retryable and nothing_is_kept()


def test_a_file_that_is_too_large_for_the_scanner_names_its_setting(scanner: None) -> None:
    with pytest.raises(ScannerUnavailable) as told:
        ingest("Give 5 mg. " * (STREAM_MAX_LENGTH // 2))
    assert "refuses files as large as this one" in told.value.sentence
    assert "StreamMaxLength in clamd.conf" in told.value.sentence
    assert nothing_is_kept()


def test_a_stopped_scanner_is_given_up_before_the_file_is_sent(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_ANSWER_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as stopped:
        settings.SCANNER = f"tcp://127.0.0.1:{stopped.getsockname()[1]}"
        with pytest.raises(ScannerUnavailable, match="does not answer"):
            ingest()
        (finding,) = [each for each in doctor.examine() if each.name == "scanner"]
        assert not finding.ok and "does not answer" in finding.detail
        sent, _ = stopped.accept()
        with sent:
            assert sent.recv(1000) == b"zPING\0"
    assert nothing_is_kept()


def test_a_stopped_scanner_is_asked_twice_and_then_left_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that an upload of many files does not wait for each of them."""
    monkeypatch.setattr(scanning, "_ANSWER_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as stopped:
        settings.SCANNER = f"tcp://127.0.0.1:{stopped.getsockname()[1]}"
        for _ in range(FAILURES):
            with pytest.raises(ScannerUnavailable, match="It does not answer"):
                ingest()
            stopped.accept()[0].close()
        for _ in range(5):
            with pytest.raises(ScannerUnavailable, match="It did not answer just now"):
                ingest()
        stopped.setblocking(False)
        with pytest.raises(BlockingIOError):
            stopped.accept()
    assert nothing_is_kept()


def test_the_report_names_a_scanner_that_works(scanner: None) -> None:
    (finding,) = [each for each in doctor.examine() if each.name == "scanner"]
    assert finding.ok and "looks at uploads" in finding.detail


def test_a_scanner_that_is_down_lets_none_through(settings: Settings) -> None:
    settings.SCANNER = "tcp://127.0.0.1:9"
    with pytest.raises(ScannerUnavailable):
        ingest()
    assert nothing_is_kept()


def test_without_a_scanner_nothing_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(VIRUS)
    refuse_infected(path)
