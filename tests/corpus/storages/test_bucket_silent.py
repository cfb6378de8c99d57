"""Test a store of files that hangs, as a stopped process does, or refuses newer checksums."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import storages
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from corpus import files
from corpus.models import Document, Job, JobState
from corpus.services.indexing import document_index
from corpus.storages import breaker, bucket
from medrag_site import doctor
from tests.corpora import publish
from tests.corpus.documents import ingest
from tests.corpus.storages.test_bucket import BUCKET, SHA256, keep, name_bucket

pytestmark = pytest.mark.django_db


@pytest.fixture
def silent(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A store whose process is stopped: the machine takes connections, and nobody answers."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setattr(bucket, "_WAITS", {"connect_timeout": 0.3, "read_timeout": 0.3})
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        name_bucket(settings, BUCKET, f"http://127.0.0.1:{server.getsockname()[1]}")
        yield server


def connections(server: socket.socket) -> int:
    """Count the connections that were made since this was last called."""
    server.setblocking(False)
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_a_silent_store_is_asked_twice_and_then_left_alone(
    silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(breaker.FAILURES):
        with pytest.raises(files.FilesUnavailable, match="answer"):
            files.has_document(SHA256)
    assert connections(silent) == breaker.FAILURES * bucket._TRIES
    for _ in range(5):
        with pytest.raises(files.FilesUnavailable, match="did not answer just now"):
            files.open_document(SHA256)
    (finding,) = [each for each in doctor.examine() if each.name == "files"]
    assert not finding.ok and "did not answer just now" in finding.detail
    assert connections(silent) == 0
    # After the pause one thread tries.
    monkeypatch.setattr(vars(storages["guidelines"])["breaker"], "_shut_until", 0.0)
    with pytest.raises(files.FilesUnavailable, match="it stopped answering"):
        files.has_document(SHA256)
    assert connections(silent) == bucket._TRIES
    with pytest.raises(files.FilesUnavailable, match="did not answer just now"):
        files.has_document(SHA256)


def test_threads_that_open_the_store_together_know_the_same_of_it(silent: socket.socket) -> None:
    told: list[str] = []

    def ask(begin: threading.Barrier) -> None:
        begin.wait(10)
        with pytest.raises(files.FilesUnavailable) as error:
            files.has_document(SHA256)
        told.append(str(error.value))

    for _ in range(2):
        begin = threading.Barrier(breaker.FAILURES)
        asking = [threading.Thread(target=ask, args=(begin,)) for _ in range(breaker.FAILURES)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
    assert ["did not answer just now" in said for said in told] == [False, False, True, True]


def test_pictures_and_downloads_of_a_silent_store_say_so_and_questions_are_answered(
    silent: socket.socket, alice: User, client: Client
) -> None:
    document = publish("# Gentamicin\nGive 5 mg per kg of gentamicin once daily.")
    document.pages.update(width=100, height=100)
    Document.objects.update(media_type="application/pdf")
    client.force_login(alice)
    page = document.pages.get()
    for _ in range(4):
        response = client.get(reverse("chat:page_image", args=[document.sha256, page.number]))
        assert response.status_code == 503
    assert "did not answer just now" in response.content.decode()
    connections(silent)
    response = client.post(reverse("chat:ask"), {"question": "What is the dose of gentamicin?"})
    assert response.status_code in (200, 302)
    assert connections(silent) == 0


def test_only_a_share_of_the_threads_waits_for_files(
    silent: socket.socket, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.WEB_THREADS = 8
    monkeypatch.setattr(breaker, "QUEUE_S", 0.0)
    assert breaker.share_of_threads() == 2
    begun, go_on = threading.Barrier(3), threading.Event()

    def hold() -> None:
        with files._reported():
            begun.wait(10)
            go_on.wait(10)

    holding = [threading.Thread(target=hold) for _ in range(2)]
    for thread in holding:
        thread.start()
    begun.wait(10)
    with pytest.raises(files.FilesUnavailable, match="others are waiting for it already"):
        files.has_document(SHA256)
    assert connections(silent) == 0
    go_on.set()
    for thread in holding:
        thread.join()


def test_a_document_waits_for_a_silent_store_without_losing_an_attempt(
    silent: socket.socket, settings: Settings
) -> None:
    settings.STORAGES, in_bucket = (
        settings.STORAGES | {"guidelines": {"BACKEND": "corpus.storages.disk.SyncedFiles"}},
        settings.STORAGES,
    )
    document = ingest()
    settings.STORAGES = in_bucket
    for _ in range(5):
        document_index(document.pk)
    job = Job.objects.get(document=document)
    assert (job.state, job.attempts) == (JobState.PENDING, 0)
    assert "did not answer just now" in job.last_error


class Older(BaseHTTPRequestHandler):
    """A store that knows neither `aws-chunked` nor checksums in headers."""

    kept: dict[str, bytes] = {}

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        newer = [name for name in self.headers if name.lower().startswith("x-amz-checksum")]
        if newer or "aws-chunked" in self.headers.get("Content-Encoding", ""):
            self.send_error(501)
            return
        self.kept[self.path] = body
        self.send_response(200)
        self.end_headers()

    def do_HEAD(self) -> None:
        self.send_response(200 if self.path in self.kept else 404)
        self.send_header("Content-Length", str(len(self.kept.get(self.path, b""))))
        self.end_headers()

    def do_GET(self) -> None:
        if "x-amz-checksum-mode" in self.headers:
            self.send_error(501)
            return
        self.do_HEAD()
        self.wfile.write(self.kept[self.path])

    def log_message(self, *args: object) -> None:
        pass


def test_a_store_that_refuses_newer_checksums_keeps_and_gives_files(
    silent: socket.socket, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket, "_WAITS", {"connect_timeout": 5, "read_timeout": 5})
    with ThreadingHTTPServer(("127.0.0.1", 0), Older) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        name_bucket(settings, BUCKET, f"http://127.0.0.1:{server.server_port}")
        with files.open_document(keep()) as stream:
            assert files.hash_of(stream) == SHA256
        server.shutdown()
