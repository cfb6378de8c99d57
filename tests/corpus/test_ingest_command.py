"""`manage.py ingest`: what it takes, what it says, and the whole way with a worker of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings
from reportlab.pdfgen.canvas import Canvas

from corpus.models import Collection, Document, Job, JobState, Lifecycle, WorkerHeartbeat
from tests.corpus.documents import guideline
from tests.processes import running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two guidelines, one of them twice, one below; a hidden file."""
    root = tmp_path / "guidelines"
    (root / "below").mkdir(parents=True)
    (root / "one.md").write_text(guideline("# One"))
    (root / "copy of one.md").write_text(guideline("# One"))
    (root / "below" / "two.md").write_text(guideline("# Two"))
    (root / ".hidden").write_text("not a guideline")
    return root


def filenames() -> list[str]:
    return sorted(Document.objects.values_list("filename", flat=True))


@pytest.mark.django_db
def test_folders_are_read_to_their_depth_and_duplicates_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("ingest", str(folder))
    assert filenames() == ["copy of one.md", "two.md"]
    assert "2 queued, 1 here already, 0 refused." in capsys.readouterr().out
    assert Document.objects.filter(lifecycle=Lifecycle.DRAFT).count() == 2
    call_command("ingest", str(folder))
    assert "0 queued, 3 here already, 0 refused." in capsys.readouterr().out


@pytest.mark.django_db
def test_patterns_and_files_and_a_collection(folder: Path) -> None:
    shelf = Collection.objects.create(slug="renal", name="Renal")
    call_command("ingest", str(folder / "**" / "t*.md"), collection="renal", publish=True)
    document = Document.objects.get()
    assert (document.filename, document.collection) == ("two.md", shelf)
    assert document.lifecycle == Lifecycle.PUBLISHED
    assert document.effective_from is not None


@pytest.mark.django_db
def test_a_refused_file_is_named_and_the_others_go_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "text.pdf").write_text("no PDF at all")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    with pytest.raises(SystemExit) as ended:
        call_command("ingest", str(folder), str(folder / "gone.md"))
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert f"{folder / 'empty.pdf'}: The file is empty." in said
    assert f"{folder / 'text.pdf'}: The file's name ends in .pdf" in said
    assert filenames() == ["copy of one.md", "two.md"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ([], {}, "Name files or folders"),
        (["/nowhere/at/all.pdf"], {}, "no such file or folder"),
        (["."], {"collection": "nowhere"}, "no collection nowhere"),
        (["."], {"user": "nobody"}, "no user nobody"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    arguments: list[str], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("ingest", *arguments, **options)


@pytest.fixture
def manifest(folder: Path) -> Path:
    documents = [
        {"file": "one.md", "title": "One, second edition", "version": "2", "supersedes": "old.md"},
        {"file": "old.md", "title": "One", "version": "1", "lifecycle": "SUPERSEDED"},
        {
            "file": "below/two.md",
            "title": "Two",
            "lifecycle": "WITHDRAWN",
            "withdrawn_reason": "Harm.",
            "review_by": "2027-05-01",
        },
    ]
    (folder / "old.md").write_text(guideline("# One, first edition"))
    whole = {
        "collections": [{"slug": "renal", "name": "Renal", "owner_name": "Dr Water"}],
        "documents": [{"lifecycle": "PUBLISHED", "collection": "renal", **d} for d in documents],
    }
    path = folder / "manifest.json"
    path.write_text(json.dumps(whole))
    return path


@pytest.mark.django_db
def test_a_manifest_sets_what_each_document_is_and_where_it_stands(
    manifest: Path, settings: Settings, alice: User, bob: User
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    for _ in range(2):  # the second time nothing changes
        call_command("ingest", manifest=manifest, user="alice", publisher="bob")
        new = Document.objects.get(title="One, second edition")
        old = Document.objects.get(title="One")
        gone = Document.objects.get(title="Two")
        assert (new.lifecycle, new.version, new.published_by) == (Lifecycle.PUBLISHED, "2", bob)
        assert new.collection.owner_name == "Dr Water"
        assert (old.lifecycle, old.superseded_by) == (Lifecycle.SUPERSEDED, new)
        assert (gone.lifecycle, gone.withdrawn_reason) == (Lifecycle.WITHDRAWN, "Harm.")
        assert str(gone.review_by) == "2027-05-01"
    assert Document.objects.count() == 3


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"file": "nowhere.md"}, "no such file"),
        ({"lifecycle": "RETIRED"}, "RETIRED"),
        ({"review_by": "soon"}, "soon"),
        ({"language": "x" * 20}, "language"),
        ({"colour": "red"}, "unknown keys colour"),
        ({"collection": "nowhere"}, "no collection nowhere"),
        ({"lifecycle": "WITHDRAWN"}, "without a withdrawn_reason"),
        ({"supersedes": None}, "no published entry supersedes it"),
    ],
)
def test_a_wrong_manifest_is_refused_before_anything_is_ingested(
    change: dict[str, Any], said: str, manifest: Path
) -> None:
    whole = json.loads(manifest.read_text())
    whole["documents"][0].update(change)
    manifest.write_text(json.dumps(whole))
    with pytest.raises(CommandError, match=said):
        call_command("ingest", manifest=manifest)
    assert Document.objects.count() == 0


@pytest.mark.slow
def test_waiting_starts_a_worker_and_stops_it_and_tells_what_failed(
    own_database: str, folder: Path, tmp_path: Path
) -> None:
    (folder / "corrupt.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00\xff garbage \n" * 50)
    locked = Canvas(str(folder / "locked.pdf"), encrypt="secret")
    locked.drawString(100, 700, "Give 5 mg.")
    locked.save()
    long_name = folder / ("x" * 240 + ".md")
    long_name.write_text(guideline("# Long"))
    log = tmp_path / "ingest.log"
    with running(
        "ingest", str(folder), "--publish", "--wait", log=log, MEDRAG_WORKERS="1"
    ) as command:
        assert command.wait(120) == 1
    said = log.read_text()
    assert "5 queued, 1 here already, 0 refused." in said
    assert "Traceback" not in said
    for filename in ("corrupt.pdf", "locked.pdf"):
        failed = Job.objects.get(document__filename=filename)
        assert (failed.state, failed.attempts) == (JobState.FAILED, 1)
        assert f"{filename}: {failed.last_error}" in said
    assert Job.objects.get(document__filename="locked.pdf").error_code == "pdf_encrypted"
    assert Job.objects.filter(state=JobState.DONE).count() == 3
    assert WorkerHeartbeat.objects.count() == 0
