"""A library of SharePoint, played on loopback: drafts with metadata, changed, moved, gone."""

from __future__ import annotations

import dataclasses
import datetime
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from pytest_django import Settings

from chat.models import AuditEvent
from corpus.models import Document, Lifecycle, Source, SourceFolder
from corpus.services.documents import document_ingest
from corpus.sources import taking
from corpus.sources.library_specs import Columns, LibrarySpec
from corpus.sources.specs import SourceSpec
from corpus.staff_selectors import source_notes
from tests.chat.audit.test_forwarding import tls  # noqa: F401  a fixture
from tests.corpora import shelf
from tests.corpus.sources.graph_server import SECRET, TENANT, GraphServer, played
from tests.corpus.sources.watched import gone, long_ago, look, rows, titles
from tests.people import narrow

pytestmark = pytest.mark.django_db
COLUMNS = Columns(status="Approval", review_by="Review", owner="Owner")
APPROVED = {"Approval": "Approved", "Review": "2027-03-30T23:00:00Z", "Owner": "Renal team"}


DAYS_20 = datetime.timedelta(days=20)


def write_certificate(path: Path, key: Any, *, days: int) -> Any:
    """Write a key with its certificate, and return the public key."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "medrag")])
    now = datetime.datetime.now(datetime.UTC)
    end = now + datetime.timedelta(days)
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, now, end)
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(secret + built.sign(key, hashes.SHA256()).public_bytes(pem))
    return key.public_key()


@pytest.fixture
def graph(tls: ssl.SSLContext) -> Iterator[GraphServer]:  # noqa: F811
    with played(tls) as server:
        yield server


def library_of(graph: GraphServer, folder: Path, **more: Any) -> SourceSpec:
    secret = folder / "secret"
    secret.write_text(f"{SECRET}\n")
    spec = LibrarySpec(
        tenant=TENANT,
        client="5f3c9a52-9d0e-4f55-8c3a-1f0a2b3c4d5e",
        site=f"{graph.address}/sites/renal",
        library="Guidelines",
        login=graph.address,
        graph=graph.address,
        secret=secret,
        **{"columns": COLUMNS, **more},
    )
    return SourceSpec("trust", shelf().slug, library=spec)


@pytest.fixture
def spec(graph: GraphServer, tmp_path: Path) -> SourceSpec:
    return library_of(graph, tmp_path)


def places() -> dict[str, str]:
    return {ref.partition("/")[2]: str(row) for ref, row in rows().items()}


def faults() -> dict[str, str]:
    return {str(row): row.fault for row in rows().values() if row.fault}


def missing() -> set[str]:
    return {ref.partition("/")[2] for ref in gone()}


def test_new_changed_moved_and_gone(
    graph: GraphServer, spec: SourceSpec, settings: Settings
) -> None:
    settings.TIME_ZONE = "Europe/London"
    graph.folder("F1", "In force")
    graph.put("A", "sepsis.md", "# Sepsis", parent="F1", fields=APPROVED)
    graph.put("B", "draft.md", "# Draft", fields={"Approval": "Pending"})
    assert look(spec).fault == ""
    document = Document.objects.get()
    assert (document.title, document.lifecycle, document.version) == ("sepsis", "DRAFT", "1.0")
    assert document.review_by == datetime.date(2027, 3, 31)
    assert document.source_url == f"{graph.address}/sites/renal/Guidelines/sepsis.md"
    assert document.origin == {
        "author": "Adele Vance",
        "modified": "2026-03-01T09:30:00Z",
        "owner": "Renal team",
        "status": "Approved",
    }
    event = AuditEvent.objects.get(action="document.uploaded")
    assert json.loads(event.payload)["source"] == "trust"
    assert places() == {"A": "In force/sepsis.md"}

    asked = len(graph.asked)
    look(spec)  # a look costs what changed: the library's name, and its changes
    assert len(graph.asked) - asked == 3  # and the sign-in
    graph.put("A", "sepsis.md", "# Sepsis, second", parent="F1", fields=APPROVED)
    graph.put("B", "draft.md", "# Draft", fields=APPROVED)
    look(spec)
    assert titles() == ["draft", "sepsis", "sepsis"]
    assert Document.objects.get(version="2.0").title == "sepsis"

    fetched = graph.count("/download/")
    graph.move("A", fields={**APPROVED, "Owner": "Sepsis team"})  # of the content nothing
    graph.move("B", name="renamed.md")
    look(spec)
    assert graph.count("/download/") == fetched
    assert places()["B"] == "renamed.md"
    assert {row.moved_from for row in rows().values()} == {"", "draft.md"}
    graph.move("F1", name="Old")  # nothing that lies in it is told as changed
    look(spec)
    assert places()["A"] == "Old/sepsis.md"

    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    graph.delete("A")
    look(spec)
    assert missing() == {"A"}
    assert set(Document.objects.values_list("lifecycle", flat=True)) == {"PUBLISHED"}
    graph.move("A", is_deleted=False)
    look(spec)
    assert missing() == set()
    assert Document.objects.count() == 3


def test_a_status_that_ends_is_told_and_takes_nothing_away(
    graph: GraphServer, spec: SourceSpec
) -> None:
    graph.put("A", "a.md", "One", fields=APPROVED)
    look(spec)
    graph.put("A", "a.md", "Two", fields={"Approval": "Retired"})
    look(spec)
    assert "“Retired”" in faults()["a.md"]
    assert (titles(), missing()) == (["a"], set())


def test_only_the_folders_that_are_watched(graph: GraphServer, tmp_path: Path) -> None:
    spec = library_of(graph, tmp_path, columns=Columns(), folders=("In force/Renal",))
    graph.folder("F1", "In force")
    graph.folder("F2", "Renal", parent="F1")
    graph.folder("F3", "Attic")
    graph.put("A", "a.md", "One", parent="F2")
    graph.put("B", "b.md", "Two", parent="F3")
    look(spec)
    assert titles() == ["a"]
    assert graph.count("/items/B") == 0
    graph.move("A", parent="F3")
    graph.move("B", parent="F2")
    look(spec)
    assert (titles(), missing()) == (["a", "b"], {"A"})
    graph.move("F2", parent="F3")
    assert look(spec).fault == ""
    assert missing() == {"A", "B"}


def test_a_folder_that_is_not_known_is_asked_for_and_a_deleted_one_takes_its_files(
    graph: GraphServer, spec: SourceSpec
) -> None:
    graph.folder("F1", "In force")
    graph.folder("F2", "Renal", parent="F1")
    graph.put("A", "a.md", "One", parent="F2", fields=APPROVED)
    graph.put("B", "b.md", "Two", fields=APPROVED)
    look(spec)
    SourceFolder.objects.all().delete()
    graph.put("A", "a.md", "Three", parent="F2", fields=APPROVED)
    look(spec)
    assert places()["A"] == "In force/Renal/a.md"
    assert SourceFolder.objects.count() == 3
    graph.delete("F1")  # what lies in it is not told as deleted
    assert look(spec).fault == ""
    assert missing() == {"A"}


def test_pages_go_on_where_a_look_was_cut_off(
    graph: GraphServer, spec: SourceSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.page_size = 2
    for number in range(5):
        graph.put(f"I{number}", f"{number}.md", f"Number {number}", fields=APPROVED)
    ingested = document_ingest

    def killed(document: Document, **more: Any) -> Document:
        if more["filename"] == "3.md":
            raise KeyboardInterrupt
        return ingested(document, **more)

    monkeypatch.setattr(taking, "document_ingest", killed)
    with pytest.raises(KeyboardInterrupt):
        look(spec)
    monkeypatch.undo()
    monkeypatch.setenv("SSL_CERT_FILE", str(spec.library.secret.parent / "public.pem"))  # type: ignore[union-attr]
    graph.asked.clear()
    long_ago()
    look(spec)
    assert titles() == ["0", "1", "2", "3", "4"]
    assert graph.count("token=0.0") == 0
    assert graph.count("/download/I0") == 0


def test_an_old_link_lists_all_and_doubles_nothing(graph: GraphServer, spec: SourceSpec) -> None:
    for number in range(4):
        graph.put(f"I{number}", f"{number}.md", f"Number {number}", fields=APPROVED)
    look(spec)
    graph.delete("I3")
    graph.put("I4", "4.md", "Number 4", fields=APPROVED)
    graph.oldest = 1000
    fetched = graph.count("/download/")
    assert look(spec).fault == ""
    assert graph.count("/download/") == fetched + 1
    assert (titles(), missing()) == (["0", "1", "2", "3", "4"], {"I3"})


def test_too_many_requests_wait_or_end_the_look(graph: GraphServer, spec: SourceSpec) -> None:
    graph.put("A", "a.md", "One", fields=APPROVED)
    graph.faults["/v1.0/drives/b!drive1/root"] = [(429, {"Retry-After": "0"})] * 2
    assert look(spec).fault == ""
    graph.put("A", "a.md", "Two", fields=APPROVED)
    graph.faults["/v1.0/drives/b!drive1/items"] = [(429, {"Retry-After": "3600"})]
    assert "Too many requests" in look(spec).fault
    assert faults() == {}
    assert look(spec).fault == ""
    assert titles() == ["a", "a"]


def test_what_is_open_or_too_large_is_told_and_tried_again(
    graph: GraphServer, spec: SourceSpec
) -> None:
    graph.put("A", "open.md", "One", fields=APPROVED)
    graph.put("B", "large.md", "Two", fields=APPROVED, size=2 * 1024**3)
    graph.put("C", "c.exe", "MZ", fields=APPROVED)
    graph.put("D", "undated.md", "Four", fields={**APPROVED, "Review": "soon"})
    graph.faults["/download/A"] = [(423, {})]
    assert look(spec).fault == ""
    told = faults()
    assert "open for editing" in told["open.md"]
    assert "larger than" in told["large.md"]
    assert "type can't be read" in told["c.exe"]
    assert "review date is no date" in told["undated.md"]
    assert graph.count("/download/B") == graph.count("/items/C") == 0
    look(spec)
    assert titles() == ["open"]
    assert "open.md" not in faults()


def test_a_file_larger_than_it_is_said_to_be_keeps_no_other_away(
    graph: GraphServer, spec: SourceSpec, settings: Settings
) -> None:
    settings.UPLOAD_MAX_BYTES = 100
    graph.put("A", "large.md", "9" * 200, fields=APPROVED, size=1)
    graph.put("B", "b.md", "Two", fields=APPROVED)
    assert look(spec).fault == ""
    assert titles() == ["b"]
    assert "more than it was asked for" in faults()["large.md"]


def test_credentials_that_ended_or_were_revoked(
    graph: GraphServer, spec: SourceSpec, caplog: pytest.LogCaptureFixture
) -> None:
    graph.put("A", "a.md", "One", fields=APPROVED)
    graph.refusal = 7000222
    fault = look(spec).fault
    assert "the secret has ended" in fault
    assert "canary" not in fault + caplog.text
    assert SECRET not in fault + caplog.text
    graph.refusal, graph.revoked = None, 1000
    assert "Was it revoked" in look(spec).fault
    graph.revoked = 0
    assert look(spec).fault == ""
    graph.revoked, graph.faults["/v1.0/drives"] = 0, [(403, {})]
    assert "Sites.Selected" in look(spec).fault
    assert (titles(), missing()) == (["a"], set())


def test_a_certificate_signs_and_its_end_is_known(graph: GraphServer, tmp_path: Path) -> None:
    pem = tmp_path / "application.pem"
    spec = library_of(graph, tmp_path, certificate=pem)
    assert spec.library is not None
    spec = dataclasses.replace(spec, library=dataclasses.replace(spec.library, secret=None))
    graph.public_key = write_certificate(pem, rsa.generate_private_key(65537, 2048), days=20)
    graph.put("A", "a.md", "One", fields=APPROVED)
    source = look(spec)
    assert source.fault == ""
    assert source.credential_ends == (datetime.datetime.now(datetime.UTC) + DAYS_20).date()
    assert source_notes(source)[0].startswith("The certificate or secret ends on ")
    write_certificate(pem, ec.generate_private_key(ec.SECP256R1()), days=20)
    assert "not of RSA" in look(spec).fault
    pem.write_text("-----BEGIN")
    assert "no certificate" in look(spec).fault
    pem.unlink()
    assert "can't be opened" in look(spec).fault


def test_answers_that_lead_elsewhere_are_not_followed(graph: GraphServer, spec: SourceSpec) -> None:
    graph.put("A", "a.md", "One", fields=APPROVED)
    look(spec)
    Source.objects.update(link="https://elsewhere.example/v1.0/delta")
    assert "another host" in look(spec).fault
    Source.objects.update(link="")
    graph.put("B", "b.md", "Two", fields=APPROVED)
    item = graph.item
    graph.item = lambda *a, **k: {  # type: ignore[method-assign]
        **item(*a, **k),
        "@microsoft.graph.downloadUrl": "https://elsewhere.example/x",
    }
    look(spec)
    assert "names another host" in faults()["b.md"]


def test_a_moved_folder_is_not_forgotten_where_the_look_is_cut_off(
    graph: GraphServer, tmp_path: Path
) -> None:
    spec = library_of(graph, tmp_path, folders=("In force",))
    graph.folder("F1", "In force")
    graph.folder("F2", "Renal", parent="F1")
    graph.folder("F3", "Attic")
    graph.put("A", "a.md", "One", parent="F2", fields=APPROVED)
    look(spec)
    graph.move("F2", parent="F3")
    graph.put("B", "b.md", "Two", parent="F1", fields=APPROVED)
    graph.faults["/v1.0/drives/b!drive1/items"] = [(429, {"Retry-After": "3600"})]
    assert "Too many requests" in look(spec).fault
    assert look(spec).fault == ""
    assert (titles(), missing()) == (["a", "b"], {"A"})


def test_a_library_that_never_lists_all_ends_the_look(graph: GraphServer, spec: SourceSpec) -> None:
    graph.faults["/v1.0/drives/b!drive1/root"] = [(410, {})] * 9
    assert "can't be had any more" in look(spec).fault


def test_what_is_no_longer_approved_before_it_was_read_has_no_fault(
    graph: GraphServer, spec: SourceSpec
) -> None:
    graph.put("A", "a.md", "One", fields=APPROVED)
    graph.faults["/download/A"] = [(423, {})]
    look(spec)
    graph.put("A", "a.md", "Two", fields={"Approval": "Pending"})
    look(spec)
    assert (titles(), faults()) == ([], {})
    graph.put("A", "a.md", "Two", fields=APPROVED)
    look(spec)
    assert titles() == ["a"]


def test_an_answer_that_lacks_something_is_a_fault(graph: GraphServer, spec: SourceSpec) -> None:
    look(spec)
    graph.put("A", "a.md", "One", fields=APPROVED)
    item = graph.item
    graph.item = lambda name, **k: {"id": name, "file": {}}  # type: ignore[method-assign]
    assert "left out 'parentReference'" in look(spec).fault
    graph.item = item  # type: ignore[method-assign]
    assert look(spec).fault == ""
    assert titles() == ["a"]


def test_a_renamed_library_is_watched_as_before(graph: GraphServer, spec: SourceSpec) -> None:
    look(spec)
    graph.library = "Policies"
    graph.put("A", "a.md", "One", fields=APPROVED)
    source = look(spec)
    assert source.fault == ""
    assert "called “Policies” now" in source.told
    assert titles() == ["a"]
    other = library_of(graph, spec.library.secret.parent, folders=("X",))  # type: ignore[union-attr]
    assert "has no library “Guidelines”" in look(other).fault


def test_a_limited_collection_is_fed_where_the_file_says_so(
    graph: GraphServer, spec: SourceSpec
) -> None:
    narrow(shelf(), "uploaders", "Renal team")
    graph.put("A", "a.md", "One", fields=APPROVED)
    assert "Only groups may add" in look(spec).fault
    assert look(dataclasses.replace(spec, feeds_limited=True)).fault == ""
    assert titles() == ["a"]
