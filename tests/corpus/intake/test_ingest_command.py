"""Test `manage.py ingest`: what it takes, its output, and the whole way with its own worker."""

import csv
import io
import json
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings
from reportlab.pdfgen.canvas import Canvas

from chat.models import AuditEvent
from corpus.intake.wait import list_held_back
from corpus.models import Collection, Document, Job, JobState, Lifecycle, WorkerHeartbeat
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish
from tests.corpus.documents import guideline
from tests.processes import in_processes, running
from tests.tables import rows

IN_TABLE = "file,title,lifecycle,supersedes\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a guideline, its copy, one in a subfolder, and a hidden file."""
    root = tmp_path / "guidelines"
    (root / "below").mkdir(parents=True)
    (root / "one.md").write_text(guideline("# One"))
    (root / "copy of one.md").write_text(guideline("# One"))
    (root / "below" / "two.md").write_text(guideline("# Two"))
    (root / ".hidden").write_text("not a guideline")
    return root


def never_calculated(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("Drug", "Dose"), ("Alpha", 5), ("Beta", "=1+1")):
        book.active.append(row)
    book.save(path)


@pytest.fixture(autouse=True)
def with_database(request: pytest.FixtureRequest) -> None:
    """Let each test write to the database, but for the one that has its own."""
    if "own_database" not in request.fixturenames:
        request.getfixturevalue("db")


def filenames() -> list[str]:
    return sorted(Document.objects.values_list("filename", flat=True))


def named(title: str) -> Document:
    return Document.objects.get(title=title)


def test_folders_are_read_to_their_depth_and_duplicates_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("ingest", str(folder))
    assert filenames() == ["copy of one.md", "two.md"]
    said = capsys.readouterr().out
    for part in ("2 queued, 1 here already, 0 refused.", "(general)", "Drafts: 2.", "No worker"):
        assert part in said
    assert Document.objects.filter(lifecycle=Lifecycle.DRAFT).count() == 2
    call_command("ingest", str(folder))
    assert "0 queued, 3 here already, 0 refused." in capsys.readouterr().out


def test_patterns_and_files_and_a_collection(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Collection.objects.create(slug="renal", name="Renal")
    WorkerHeartbeat.objects.create(name="here:1", seen_at=Now())
    call_command("ingest", str(folder / "**" / "t*.md"), collection="renal", publish=True)
    said = capsys.readouterr().out
    assert "Renal (renal)" in said
    assert "Drafts" not in said and "No worker" not in said
    document = Document.objects.get()
    assert (document.filename, document.collection) == ("two.md", shelf)
    assert document.lifecycle == Lifecycle.PUBLISHED
    assert document.effective_from is not None


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
    assert f"{folder / 'empty.pdf'}: " in said and f"{folder / 'text.pdf'}: " in said
    assert filenames() == ["copy of one.md", "two.md"]


@pytest.fixture
def secret(folder: Path, tmp_path: Path) -> Path:
    """Make a folder outside, and links from `folder` to it, to its file and in circles."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(guideline("# Secret"))
    (folder / "below" / "file.md").symlink_to(outside / "secret.md")
    (folder / "below" / "way").symlink_to(outside)
    (folder / "again.md").symlink_to(folder / "one.md")
    (folder / "round").symlink_to(folder)
    (folder / "loop.md").symlink_to(folder / "loop.md")
    return outside


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("pattern", ["", "**/*", "below/*.md", "*/way", "below/w*/*.md"])
def test_no_link_leads_out_of_a_folder(
    folder: Path, secret: Path, capsys: pytest.CaptureFixture[str], dry_run: bool, pattern: str
) -> None:
    leads_out_alone = pattern in ("*/way", "below/w*/*.md")
    with (
        pytest.raises(CommandError, match="No file was found") if leads_out_alone else nullcontext()
    ):
        call_command("ingest", str(folder / pattern) if pattern else str(folder), dry_run=dry_run)
    assert not {"secret.md", "file.md"} & set(filenames())
    said = capsys.readouterr()
    left_out, queued = ("file.md", "1 ") if pattern == "below/*.md" else ("way", "2 ")
    assert left_out in said.err and "symbolic link" in said.err
    assert said.out.startswith("" if leads_out_alone else queued)


def test_a_link_that_is_named_itself_is_followed(folder: Path, secret: Path) -> None:
    call_command("ingest", str(folder / "below" / "file.md"), str(folder / "below" / "way"))
    assert filenames() == ["file.md"]


@pytest.mark.parametrize("name", ["below/file.md", "../outside/secret.md", "below/way/secret.md"])
def test_a_manifest_names_files_of_its_folder_alone(folder: Path, secret: Path, name: str) -> None:
    path = folder / "table.json"
    path.write_text(json.dumps({"documents": [{"file": name, "collection": "a"}]}))
    Collection.objects.create(slug="a", name="A")
    with pytest.raises(CommandError, match="lies outside"):
        call_command("ingest", manifest=path)
    assert not Document.objects.exists()


def test_an_import_leaves_links_out_too(
    folder: Path, secret: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.dumps({"id": "1", "title": "Secret", "text": "Secret words. " * 20})
    (secret / "secret.jsonl").write_text(record)
    (folder / "more.jsonl").symlink_to(secret / "secret.jsonl")
    call_command("import_corpus", "jsonl", str(folder), dry_run=True)
    said = capsys.readouterr()
    assert said.out.startswith("0 records")
    assert f"{folder / 'more.jsonl'}: left out" in said.err


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ([], {}, "Name files"),
        (["/nowhere/at/all.pdf"], {}, "no such file"),
        (["."], {"collection": "nowhere"}, "nowhere"),
        (["."], {"user": "nobody"}, "nobody"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    arguments: list[str], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("ingest", *arguments, **options)


def test_a_folder_without_files_is_told_with_what_is_read(tmp_path: Path) -> None:
    (tmp_path / ".hidden.md").write_text("nobody means this one")
    with pytest.raises(CommandError, match=r"docx, eml, epub, htm.*pdf"):
        call_command("ingest", str(tmp_path))


@pytest.fixture
def manifest(folder: Path) -> Path:
    new = {"title": "One, second edition", "version": "2", "supersedes": "old.md"}
    old = {"title": "One", "version": "1", "lifecycle": "SUPERSEDED", "population": "adult"}
    gone = {"title": "Two", "lifecycle": "WITHDRAWN", "withdrawn_reason": "Harm."}
    documents = [
        {"file": "one.md", **new},
        {"file": "old.md", **old},
        {"file": "below/two.md", **gone, "review_by": "2027-05-01"},
    ]
    (folder / "old.md").write_text(guideline("# One, first edition"))
    whole = {
        "collections": [{"slug": "renal", "name": "Renal", "owner_name": "Dr Water"}],
        "documents": [{"lifecycle": "PUBLISHED", "collection": "renal", **d} for d in documents],
    }
    path = folder / "manifest.json"
    path.write_text(json.dumps(whole))
    return path


def test_a_manifest_sets_what_each_document_is_and_where_it_stands(
    manifest: Path, settings: Settings, alice: User, bob: User
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    for person, right in ((alice, "add_document"), (bob, "publish_document")):
        person.user_permissions.add(Permission.objects.get(codename=right))
    for _ in range(2):  # the second run changes nothing
        call_command("ingest", manifest=manifest, user="alice", publisher="bob")
        index_all()
        new, old, gone = (named(title) for title in ("One, second edition", "One", "Two"))
        assert (new.lifecycle, new.version, new.published_by) == (Lifecycle.PUBLISHED, "2", bob)
        assert new.collection.owner_name == "Dr Water"
        assert (new.population, new.inherited) == ("adult", ["population"])
        assert (old.lifecycle, old.superseded_by) == (Lifecycle.SUPERSEDED, new)
        assert (gone.lifecycle, gone.withdrawn_reason) == (Lifecycle.WITHDRAWN, "Harm.")
        (line,) = LogEntry.objects.filter(object_id=gone.pk, change_message="Withdrawn: Harm.")
        assert (line.user, str(gone.review_by)) == (bob, "2027-05-01")
    assert Document.objects.count() == 3


def test_what_could_not_be_published_is_not_taken_in(
    folder: Path, manifest: Path, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    for paths, options in (([str(folder)], {"publish": True}), ([], {"manifest": manifest})):
        with pytest.raises(CommandError, match="second person"):
            call_command("ingest", *paths, **options)
    assert not Document.objects.exists()


def test_a_worker_that_does_not_run_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a setting with which no worker starts."""
    monkeypatch.setenv("MEDRAG_WORKER", "processes=none")
    with pytest.raises(CommandError, match=r"worker ended.*stays queued"):
        call_command("ingest", str(folder), wait=True)


@pytest.mark.parametrize(("change", "said"), rows(__file__, "wrong_manifests.jsonl"))
def test_a_wrong_manifest_is_refused_before_anything_is_ingested(
    change: dict[str, Any], said: str, manifest: Path
) -> None:
    whole = json.loads(manifest.read_text())
    whole["documents"][0].update(change)
    manifest.write_text(json.dumps(whole))
    with pytest.raises(CommandError, match=said):
        call_command("ingest", manifest=manifest)
    assert Document.objects.count() == 0


CSV = """\
file,title,collection,version,year,source_type,lifecycle,supersedes,review_by
one.md,"One, second edition",renal,2,2024,guideline,published,old.md,2027-05-01
old.md,One,renal,1,,,SUPERSEDED,,
below/two.md,Two,,,2020,article,,,
"""


@pytest.fixture
def table(folder: Path) -> Path:
    (folder / "old.md").write_text(guideline("# One, first edition"))
    path = folder / "manifest.csv"
    path.write_text(CSV, encoding="utf-8-sig")
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_manifest_may_be_a_table(separator: str, table: Path, tmp_path: Path) -> None:
    Collection.objects.create(slug="renal", name="Renal")
    other = tmp_path / "elsewhere.csv"
    rows = csv.reader(table.read_text(encoding="utf-8-sig").splitlines())
    with other.open("w", newline="") as stream:
        csv.writer(stream, delimiter=separator).writerows(rows)
    for _ in range(2):
        call_command("ingest", str(table.parent), manifest=other, collection="renal")
        index_all()
        new, two = named("One, second edition"), named("Two")
        assert (new.lifecycle, new.version, new.year) == (Lifecycle.PUBLISHED, "2", 2024)
        assert str(new.review_by) == "2027-05-01"
        assert named("One").superseded_by == new
        assert (two.collection.slug, two.source_type) == ("renal", "article")
    assert Document.objects.count() == Job.objects.count() == 3


def test_every_bad_row_of_a_table_is_told_with_its_line_and_what_to_do(table: Path) -> None:
    Collection.objects.create(slug="renal", name="Renal")
    bad = {
        'nowhere.md,"A title\nof two lines",renal,,,,,,': (5, "nowhere.md: "),
        "copy of one.md,Copy,renal,,MMXX,,,,": (7, "year: "),
        "one.md,Twice,renal,,,blog,,,": (8, "source_type: "),
        "one.md,Twice,renal,,,,,,": (9, "the file is that of line 2"),
        "one.md,Long,renal,,,,,,,,": (10, "the row has more cells"),
        ",Nameless,renal,,,,,,": (11, "file is missing"),
    }
    with table.open("a") as stream:
        stream.writelines(f"{row}\n" for row in bad)
    with pytest.raises(CommandError) as refused:
        call_command("ingest", manifest=table)
    said = str(refused.value)
    for line, fault in ((4, "collection is missing"), *bad.values()):
        assert f"line {line}: {fault}" in said
    assert "nothing was ingested" in said and "Use one of guideline, article" in said
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("m.csv", "file,colour\none.md,red\n", "colour; those that are known: file"),
        ("m.csv", 'file,title\n"one.md,x\n', "can't be read"),
        ("m.csv", b"file,title\none.md,\xff\n", "can't be read"),
        ("m.json", "{", "can't be read"),
        ("m.json", '{"documents": [{"file": "one.md", "title": ["x"]}]}', "text or a number"),
        ("m.txt", "file", ".csv or .json"),
    ],
)
def test_what_is_no_manifest_is_refused_whole(
    name: str, content: str | bytes, said: str, folder: Path
) -> None:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CommandError, match=said):
        call_command("ingest", manifest=path, collection="renal")


def test_a_dry_run_says_what_would_happen_and_writes_nothing(
    manifest: Path, folder: Path, files_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "text.pdf").write_text("no PDF at all")
    one = folder / "one.md"
    call_command("ingest", str(one))
    before = sorted(files_dir.rglob("*"))
    call_command("ingest", manifest=manifest, dry_run=True)
    assert "2 would be queued, 1 here already, 0 refused." in capsys.readouterr().out
    with pytest.raises(SystemExit):
        call_command("ingest", str(folder / "text.pdf"), str(one), dry_run=True, publish=True)
    captured = capsys.readouterr()
    assert "0 would be queued, 1 here already, 1 refused." in captured.out
    assert "text.pdf: " in captured.err
    assert Document.objects.count() == Job.objects.count() == 1
    assert not Collection.objects.exclude(slug="general").exists()
    assert sorted(files_dir.rglob("*")) == before


def test_a_second_run_over_a_folder_reads_it_and_asks_once_for_many_files(
    folder: Path, files_dir: Path
) -> None:
    for number in range(20):
        (folder / f"{number}.md").write_text(guideline(f"# {number}"))
    call_command("ingest", str(folder))

    def state() -> list[object]:
        kept = [(path, path.stat().st_mtime_ns) for path in sorted(files_dir.rglob("*"))]
        tables = (Document, Job, AuditEvent)
        return [kept, *(list(table.objects.order_by("pk").values()) for table in tables)]

    before = state()
    with CaptureQueriesContext(connection) as captured:
        call_command("ingest", str(folder))
    assert [query["sql"] for query in captured if not query["sql"].startswith("SELECT")] == []
    assert len(captured) <= 4
    assert state() == before


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
    never_calculated(folder / "sums.xlsx")
    log = tmp_path / "ingest.log"
    arguments = ("ingest", str(folder), "--publish", "--wait")
    with running(*arguments, log=log, **in_processes(1)) as command:
        assert command.wait(120) == 1
    said = log.read_text()
    assert "6 queued, 1 here already, 0 refused." in said
    assert "Left in review: sums.xlsx" in said
    assert "Traceback" not in said
    for filename in ("corrupt.pdf", "locked.pdf"):
        failed = Job.objects.get(document__filename=filename)
        assert (failed.state, failed.attempts) == (JobState.FAILED, 1)
        assert f"{filename}: {failed.last_error}" in said
    assert Job.objects.get(document__filename="locked.pdf").error_code == "pdf_encrypted"
    assert Job.objects.filter(state=JobState.DONE).count() == 4
    assert WorkerHeartbeat.objects.count() == 0


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    """Make a folder with a clear guideline, and one with a sum that was never calculated."""
    root = tmp_path / "both"
    root.mkdir()
    (root / "clear.md").write_text(guideline("# Clear"))
    never_calculated(root / "sums.xlsx")
    Collection.objects.create(slug="renal", name="Renal")
    return root


def in_table(folder: Path, rows: str) -> list[str]:
    """Return arguments that take the folder in by a manifest of these rows."""
    (folder / "table.csv").write_text(IN_TABLE + rows)
    return [str(folder), "--manifest", str(folder / "table.csv"), "--collection", "renal"]


def index_all() -> None:
    for document in Document.objects.all():
        document_index(document.pk)
        assert document.job.state == JobState.DONE, document.job.last_error


def lifecycles_after(*arguments: str) -> dict[str, str]:
    """Ingest and index; return the lifecycle of each file."""
    call_command("ingest", *arguments)
    index_all()
    return dict(Document.objects.values_list("filename", "lifecycle"))


@pytest.mark.parametrize("despite", [False, True])
def test_publishing_leaves_what_has_doubts_in_review(
    doubtful: Path, capsys: pytest.CaptureFixture[str], *, despite: bool
) -> None:
    found = lifecycles_after(str(doubtful), "--publish", *(["--despite-doubts"] * despite))
    held = Lifecycle.PUBLISHED if despite else Lifecycle.REVIEW
    assert found == {"clear.md": Lifecycle.PUBLISHED, "sums.xlsx": held}
    assert ("review" in capsys.readouterr().out) is not despite
    assert AuditEvent.objects.filter(action="document.returned").count() == (not despite)
    with pytest.raises(CommandError, match="--publish"):
        call_command("ingest", str(doubtful), "--despite-doubts")


@pytest.mark.parametrize("despite", [False, True])
def test_a_manifest_leaves_what_has_doubts_in_review(doubtful: Path, *, despite: bool) -> None:
    arguments = in_table(doubtful, "clear.md,A,PUBLISHED,\nsums.xlsx,B,PUBLISHED,\n")
    found = lifecycles_after(*arguments, *(["--despite-doubts"] * despite))
    state = Lifecycle.PUBLISHED if despite else Lifecycle.REVIEW
    assert found == {"clear.md": Lifecycle.PUBLISHED, "sums.xlsx": state}
    held = OutputWrapper(io.StringIO())
    list_held_back([document.pk for document in Document.objects.all()], held)
    assert ("Left in review: sums.xlsx" in held.getvalue()) is not despite


def test_a_document_stays_in_force_while_its_successor_is_held_back(doubtful: Path) -> None:
    rows = "clear.md,First,SUPERSEDED,\nsums.xlsx,Second,PUBLISHED,clear.md\n"
    arguments = in_table(doubtful, rows)
    for _ in range(2):  # the second run changes nothing
        with suppress(SystemExit):
            call_command("ingest", *arguments)
        assert named("First").lifecycle == Lifecycle.PUBLISHED
        index_all()
        states = dict(Document.objects.values_list("title", "lifecycle"))
        assert states == {"First": Lifecycle.PUBLISHED, "Second": Lifecycle.REVIEW}
    document_publish(named("Second"), by=None, today=timezone.localdate(), looked=[1])
    first = named("First")
    assert (first.lifecycle, first.superseded_by) == (Lifecycle.SUPERSEDED, named("Second"))


def test_what_a_manifest_can_not_publish_stops_none_after_it(
    doubtful: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("ingest", str(doubtful / "sums.xlsx"), "--collection", "renal")
    Job.objects.update(state=JobState.FAILED)
    rows = "sums.xlsx,A,PUBLISHED,\nclear.md,B,PUBLISHED,\n"
    with suppress(SystemExit):
        call_command("ingest", *in_table(doubtful, rows))
    found = dict(Document.objects.values_list("filename", "lifecycle"))
    assert found == {"sums.xlsx": Lifecycle.DRAFT, "clear.md": Lifecycle.PUBLISHED}
    assert "sums.xlsx" in capsys.readouterr().err
