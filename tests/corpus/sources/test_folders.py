"""A watched folder: what is new or changed becomes a draft, what is gone is marked, never more."""

from __future__ import annotations

import json
import os
import socketserver
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from pytest_django import Settings

from chat.models import AuditEvent
from corpus.models import Collection, Document, Lifecycle, Source, SourceFile
from corpus.selectors import SAME_PLACE, predecessors_suggested
from corpus.services.documents import document_ingest
from corpus.sources import looking, taking
from corpus.sources.folder import files_in
from corpus.sources.looking import is_look_due, source_look, source_want, sources_look
from corpus.sources.specs import SourceSpec
from tests.corpora import shelf
from tests.corpus.documents import guideline, ingest
from tests.corpus.services.test_scanning import VIRUS, Played
from tests.corpus.sources.watched import gone, long_ago, look, put, rows, spec_of, titles
from tests.people import narrow

pytestmark = pytest.mark.django_db


def at(ref: str) -> Document:
    return Document.objects.get(sha256=rows()[ref].sha256)


def test_new_changed_gone_and_back(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    for name in ("a.md", "ward/b.md", ".hidden/c.md", "ward/.d.md"):
        put(tmp_path, name, guideline(f"# {name}"))
    assert look(spec).fault == ""
    assert rows().keys() == {"a.md", "ward/b.md"}
    first = at("a.md")
    assert first.lifecycle == Lifecycle.DRAFT
    assert (first.uploaded_by, first.collection) == (None, shelf())
    event = AuditEvent.objects.get(action="document.uploaded", subject=f"document:{first.pk}")
    assert json.loads(event.payload)["source"] == "trust"
    assert event.actor.startswith("system")
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)

    put(tmp_path, "a.md", guideline("# a.md, second edition"), age_s=1800)
    look(spec)
    second = at("a.md")
    assert second != first
    assert list(rows()["a.md"].documents.order_by("pk")) == [first, second]
    assert second.lifecycle == Lifecycle.DRAFT
    suggested = predecessors_suggested(second)
    assert suggested[0].document == first
    assert suggested[0].why.startswith(SAME_PLACE)

    (tmp_path / "a.md").rename(tmp_path / "away")
    (tmp_path / "away").rename(tmp_path.parent / "away")
    assert look(spec).fault == ""
    assert gone() == {"a.md"}
    since = rows()["a.md"].gone_at
    look(spec)
    assert rows()["a.md"].gone_at == since
    (tmp_path.parent / "away").rename(tmp_path / "a.md")
    look(spec)
    assert gone() == set()
    assert Document.objects.count() == 3
    states = dict(Document.objects.values_list("pk", "lifecycle"))
    assert states == {first.pk: "PUBLISHED", at("ward/b.md").pk: "PUBLISHED", second.pk: "DRAFT"}


def test_what_is_unchanged_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(tmp_path)
    path = put(tmp_path, "a.md", "One.")
    look(spec)
    before = rows()["a.md"].seen_at
    monkeypatch.setattr(taking.hashlib, "file_digest", None)  # type: ignore[attr-defined]
    assert look(spec).fault == ""
    assert rows()["a.md"].seen_at != before
    monkeypatch.undo()
    path.touch()
    os.utime(path, (1, 1))  # the same bytes, at another time
    look(spec)
    assert Document.objects.count() == 1


def test_a_file_that_may_still_be_being_written_waits(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    put(tmp_path, "a.md", "One half")
    look(spec)
    put(tmp_path, "a.md", "One half and th", age_s=2)
    put(tmp_path, "b.md", "Anoth", age_s=2)
    put(tmp_path, "c.md", "Of a clock that is ahead", age_s=-5)
    look(spec)
    assert titles() == ["a"]
    assert rows().keys() == {"a.md"}
    assert gone() == set()
    for name in ("a.md", "b.md", "c.md"):
        put(tmp_path, name, f"The whole of {name}.", age_s=90)
    look(spec)
    assert titles() == ["a", "a", "b", "c"]


def test_a_share_that_is_not_mounted_takes_nothing_away(tmp_path: Path) -> None:
    folder = tmp_path / "share"
    spec = spec_of(folder)
    assert "can't be read: No such file" in look(spec).fault
    for number in range(6):
        put(folder, f"{number}.md", f"Number {number}.")
    assert look(spec).fault == ""
    folder.rename(tmp_path / "elsewhere")
    assert "Is the share mounted" in look(spec).fault
    folder.mkdir()
    assert "6 of 6 files are no longer below" in look(spec).fault
    put(folder, "0.md", "Number 0.")
    put(folder, "stranger.md", "Of another share.")
    assert "5 of 6 files are no longer below" in look(spec).fault
    assert gone() == set()
    assert "stranger" not in titles()
    folder.chmod(0)
    try:
        if os.geteuid():
            assert "can't be read: Permission denied" in look(spec).fault
    finally:
        folder.chmod(0o700)
    for number in range(1, 4):
        put(folder, f"{number}.md", f"Number {number}.")
    assert look(spec).fault == ""
    assert gone() == {"4.md", "5.md"}


def test_of_few_files_any_may_go_but_not_the_last(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    for name in ("a.md", "b.md", "c.md"):
        put(tmp_path, name, name)
    look(spec)
    for name in ("a.md", "b.md"):
        (tmp_path / name).unlink()
    look(spec)
    assert gone() == {"a.md", "b.md"}
    (tmp_path / "c.md").unlink()
    assert "Is the share mounted" in look(spec).fault
    assert gone() == {"a.md", "b.md"}


def test_a_link_out_of_the_folder_is_neither_read_nor_gone(tmp_path: Path) -> None:
    folder, secret = tmp_path / "share", put(tmp_path, "secret.md", "Not of the share.")
    spec = spec_of(folder)
    put(folder, "a.md", "One.")
    put(folder, "b.md", "Two.")
    look(spec)
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(secret)
    look(spec)
    assert gone() == set()
    assert "link that leads out" in rows()["a.md"].fault
    assert titles() == ["a", "b"]


def test_equal_bytes_are_one_document(tmp_path: Path) -> None:
    known = ingest(guideline("# Known"))
    spec = spec_of(tmp_path, collection=shelf("other"))
    for name in ("known.md", "twin.md"):
        put(tmp_path, name, guideline("# Known"))
    look(spec)
    assert list(Document.objects.all()) == [known]
    assert set(known.source_files.all()) == set(SourceFile.objects.all())
    (tmp_path / "known.md").unlink()
    look(spec)
    assert gone() == {"known.md"}  # and the document is not, which the start page counts


def test_what_staff_discarded_is_not_taken_in_again(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    path = put(tmp_path, "a.md", "One.")
    look(spec)
    Document.objects.all().delete()
    os.utime(path, (1, 1))
    look(spec)
    assert not Document.objects.exists()
    put(tmp_path, "a.md", "Two.")
    look(spec)
    assert titles() == ["a"]


def test_what_is_refused_is_a_fault_and_kept_nowhere(tmp_path: Path, settings: Settings) -> None:
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Played)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings.SCANNER = f"tcp://127.0.0.1:{server.server_address[1]}"
    settings.UPLOAD_MAX_BYTES = 100
    spec = spec_of(tmp_path)
    put(tmp_path, "virus.md", VIRUS)
    put(tmp_path, "large.md", "a " * 100)
    put(tmp_path, "desktop.ini", "[.ShellClassInfo]")
    put(tmp_path, "good.md", "Good.")
    assert look(spec).fault == ""
    faults = {ref: row.fault for ref, row in rows().items()}
    assert "Played.Virus-1" in faults["virus.md"]
    assert "larger than" in faults["large.md"]
    assert "can't be read" in faults["desktop.ini"]
    assert faults["good.md"] == ""
    assert titles() == ["good"]
    put(tmp_path, "virus.md", "Cleaned.", age_s=70)
    settings.UPLOAD_MAX_BYTES = 1000
    look(spec)
    assert titles() == ["good", "large", "virus"]
    assert rows()["large.md"].fault == ""
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_after_a_kill_the_next_look_goes_on(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(tmp_path)
    for name in ("a.md", "b.md", "c.md"):
        put(tmp_path, name, f"Text of {name}.")
    ingested = document_ingest

    def killed(document: Document, **more: Any) -> Document:
        is_second = more["filename"] == "b.md"
        if is_second and moment == "before":
            raise KeyboardInterrupt
        ingested(document, **more)
        if is_second:
            raise KeyboardInterrupt
        return document

    monkeypatch.setattr(taking, "document_ingest", killed)
    with pytest.raises(KeyboardInterrupt):
        look(spec)
    assert rows().keys() == {"a.md"}
    monkeypatch.setattr(taking, "document_ingest", ingested)
    look(spec)
    assert rows().keys() == {"a.md"}  # its lease is not over
    long_ago()
    look(spec)
    assert rows().keys() == {"a.md", "b.md", "c.md"}
    assert titles() == ["a", "b", "c"]


def test_a_look_that_lost_its_lease_writes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(tmp_path)
    for name in ("a.md", "b.md"):
        put(tmp_path, name, f"Text of {name}.")
    ingested = document_ingest

    def slow(document: Document, **more: Any) -> Document:
        if not looked_meanwhile:
            looked_meanwhile.append(True)
            long_ago()
            source_look(spec)
        return ingested(document, **more)

    looked_meanwhile: list[bool] = []
    monkeypatch.setattr(taking, "document_ingest", slow)
    source = look(spec)
    assert titles() == ["a", "b"]
    assert (source.fault, source.lease_token) == ("", None)
    assert not any(row.fault for row in rows().values())


def test_a_look_that_is_wanted_during_another_follows_it(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, admin_user: User
) -> None:
    spec = spec_of(tmp_path)
    settings.SOURCES = (spec,)
    put(tmp_path, "a.md", "Text of a.")

    def listed(folder: Path) -> Any:
        found = files_in(folder)
        put(tmp_path, "b.md", "Text of b.")
        source_want(Source.objects.get(), by=admin_user)
        return found

    monkeypatch.setattr(looking, "files_in", listed)
    sources_look()
    monkeypatch.setattr(looking, "files_in", files_in)
    assert is_look_due()
    sources_look()
    assert titles() == ["a", "b"]
    assert not is_look_due()


def test_a_collection_that_is_missing_or_closed_is_a_fault(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "One.")
    source = look(SourceSpec("trust", "renal", tmp_path))
    assert "There is no collection renal" in source.fault
    renal = Collection.objects.create(slug="renal", name="Renal")
    narrow(renal, "uploaders", "Renal team")
    assert "Only groups may add" in look(SourceSpec("trust", "renal", tmp_path)).fault
    assert not Document.objects.exists()
    renal.uploaders.clear()
    assert look(SourceSpec("trust", "renal", tmp_path)).fault == ""
    assert titles() == ["a"]


def test_a_source_is_due_by_its_schedule_or_when_it_is_wanted(
    tmp_path: Path, settings: Settings, django_assert_num_queries: Any
) -> None:
    assert not is_look_due()
    spec = spec_of(tmp_path)
    settings.SOURCES = (spec,)
    with django_assert_num_queries(1):
        assert is_look_due()
    sources_look()
    assert not is_look_due()
    first = Source.objects.get().looked_at
    assert first is not None
    sources_look()
    assert Source.objects.get().looked_at == first
    Source.objects.update(looked_at=first - spec.every + timedelta(minutes=1))
    assert not is_look_due()
    Source.objects.update(looked_at=first - spec.every)
    assert is_look_due()
    Source.objects.update(looked_at=first, is_wanted=True)
    assert is_look_due()


def test_names_that_no_database_takes_are_kept_apart(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    for name, text in ((b"\xff.md", "One."), (b"\xfe.md", "Two.")):
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_text(text)
    put(tmp_path, "/".join(["d" * 100] * 6) + "/a.md", "Three.")
    put(tmp_path, "/".join(["d" * 100] * 6) + "/b.md", "Four.")
    for path in tmp_path.rglob("*.md"):
        os.utime(path, (1, 1))
    assert look(spec).fault == ""
    assert len(rows()) == Document.objects.count() == 4
    look(spec)
    assert (len(rows()), gone()) == (4, set())


def test_the_doctor_names_faults(
    tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_of(tmp_path / "share")
    settings.SOURCES = (spec,)

    def told() -> str:
        with pytest.raises(SystemExit):  # no worker is running
            call_command("doctor")
        lines = capsys.readouterr().out.splitlines()
        return next(line for line in lines if line[6:].startswith("sources"))

    assert told().startswith("todo  sources     trust waits for a look")
    look(spec)
    assert told().startswith("FAIL  sources     trust: ")
    put(tmp_path / "share", "a.exe", "MZ")
    look(spec)
    assert "trust: 1 could not be taken in" in told()
    (tmp_path / "share" / "a.exe").unlink()
    put(tmp_path / "share", "a.md", "One.")
    look(spec)
    assert told().startswith("ok    sources     1 watched")
