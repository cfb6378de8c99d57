"""Watched addresses, served over https on loopback: what is not found is gone, nothing else is."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pytest_django import Settings

from corpus.models import Document
from corpus.sources.library_specs import LibrarySpec
from corpus.sources.specs import SourceSpec
from corpus.sources.web import filename_of
from medrag_site.assurance.data_flows import data_flows
from tests.chat.audit.test_forwarding import tls  # noqa: F401  a fixture
from tests.corpus.documents import guideline
from tests.corpus.sources.watched import gone, look, rows, spec_of, titles

pytestmark = pytest.mark.django_db


class Server(dict[str, tuple[int, bytes]]):
    """What stands at which path."""

    address = ""
    asked: list[str]


@pytest.fixture
def server(tls: ssl.SSLContext) -> Iterator[Server]:  # noqa: F811
    standing = Server()
    standing.asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            standing.asked.append(self.path)
            status, body = standing.get(self.path, (404, b""))
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere.md")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.socket = tls.wrap_socket(listening.socket, server_side=True)
        threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
        standing.address = f"https://127.0.0.1:{listening.server_address[1]}"
        yield standing
        listening.shutdown()


def test_only_what_is_not_found_is_gone(server: Server, settings: Settings) -> None:
    refs = [f"{server.address}/{name}.md" for name in ("kept", "gone", "moved", "large", "never")]
    spec = spec_of(None, *refs)
    settings.UPLOAD_MAX_BYTES = 1000
    for name in ("kept", "gone", "moved", "large", "elsewhere"):
        server[f"/{name}.md"] = (200, guideline(f"# The {name} one").encode())
    look(spec)
    assert titles() == ["gone", "kept", "large", "moved"]
    assert set(Document.objects.values_list("lifecycle", flat=True)) == {"DRAFT"}
    assert rows()[refs[4]].fault.startswith("Nothing was ever found")
    assert Document.objects.get(title="kept").source_url == refs[0]

    server["/gone.md"] = (410, b"")
    server["/kept.md"] = (500, b"")
    server["/moved.md"] = (301, b"")
    server["/large.md"] = (200, b"a " * 600)
    look(spec)
    assert gone() == {refs[1]}
    faults = {ref: row.fault for ref, row in rows().items()}
    assert faults[refs[0]].startswith("The server answered with status 500.")
    assert "It leads elsewhere" in faults[refs[2]]
    assert faults[refs[3]].startswith("The server answered with more than it was asked for.")
    assert "/elsewhere.md" not in server.asked
    assert Document.objects.count() == 4

    server["/gone.md"] = (200, guideline("# The gone one").encode())
    server["/kept.md"] = (200, guideline("# The kept one, again").encode())
    look(spec)
    assert gone() == set()
    assert titles() == ["gone", "kept", "kept", "large", "moved"]
    assert rows()[refs[0]].documents.count() == 2


def test_a_server_that_nobody_vouches_for_or_that_is_away_takes_nothing_away(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server["/a.md"] = (200, b"# One")
    spec = spec_of(None, f"{server.address}/a.md")
    look(spec)
    monkeypatch.delenv("SSL_CERT_FILE")
    look(spec)
    assert "did not answer" in rows()[spec.addresses[0]].fault
    assert gone() == set()
    assert titles() == ["a"]


def test_an_address_that_is_named_no_more_is_no_task(server: Server) -> None:
    server["/a.md"] = (200, b"# One")
    address = f"{server.address}/a.md"
    look(spec_of(None, address))
    del server["/a.md"]
    look(spec_of(None, address))
    assert gone() == {address}
    look(spec_of(None, f"{server.address}/b.md"))
    assert gone() == set()


@pytest.mark.parametrize(
    ("address", "content", "name"),
    [
        ("https://a.example/x/sepsis%20adults.pdf", b"%PDF-1.7", "sepsis adults.pdf"),
        ("https://a.example/download?id=7", b"%PDF-1.7", "download.pdf"),
        ("https://a.example/guide.aspx", b"<!doctype html><p>a", "guide.aspx.html"),
        ("https://a.example/", b"<html>", "a.example.html"),
        ("https://a.example/x.doc", b"\xd0\xcf\x11\xe0", "x.doc"),
    ],
)
def test_a_file_is_named_by_its_address_and_its_content(
    address: str, content: bytes, name: str
) -> None:
    assert filename_of(address, content) == name


def test_the_hosts_that_are_asked_are_named_once(settings: Settings) -> None:
    spec = spec_of(None, "https://a.example/1", "https://a.example/2", "https://b.example/secret")
    settings.SOURCES = (spec,)
    told = data_flows()
    assert told.count("| a.example | requests for watched addresses | MEDRAG_SOURCES |") == 1
    assert "b.example" in told
    assert "secret" not in told


def test_the_hosts_of_a_library_are_named(settings: Settings) -> None:
    library = LibrarySpec("t.example", "id", "https://t.example/sites/x", "Guidelines")
    settings.SOURCES = (SourceSpec("trust", "renal", library=library),)
    told = data_flows()
    assert "| login.microsoftonline.com | the sign-in of an application | MEDRAG_SOURCES |" in told
    assert "| graph.microsoft.com | requests for a library's guidelines | MEDRAG_SOURCES |" in told
    assert "| t.example | requests for a library's guidelines | MEDRAG_SOURCES |" in told
