"""Test the export of passages from a database, and their import into another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from corpus.intake.passages_export import Choice, passages_exported
from corpus.models import Chunk, Collection, Document, Job, JobState, Lifecycle
from corpus.services.indexing import document_index
from tests.corpora import publish
from tests.corpus.documents import guideline, ingest
from tests.databases import fresh_database

SAMPLE = Path(__file__).parents[3] / "samples" / "guidelines" / "gentamicin-once-daily-adults.pdf"
NAMED = ("id", "url", "title", "section_path", "text", "source", "page", "boxes")
KEPT = ("url", "title", "section_path", "text", "source", "page", "boxes")


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def exported(path: Path, **options: Any) -> list[dict[str, Any]]:
    call_command("export_chunks", str(path), **options)
    return lines_of(path)


def work_off() -> None:
    for job in Job.objects.filter(state=JobState.PENDING):
        document_index(job.document_id)
    assert not Job.objects.exclude(state=JobState.DONE).exists()


def importable(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    path = tmp_path / "import.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def shelf(db: None) -> Collection:
    return Collection.objects.create(slug="renal", name="Renal")


def test_a_pdf_goes_out_and_into_another_database_and_comes_out_the_same(
    own_database: str,
    socket_dir: str,
    tmp_path: Path,
    settings: Settings,
) -> None:
    ingest(SAMPLE.read_bytes(), SAMPLE.name, issuer="Northfield", source_url="https://n.example/g")
    ingest(guideline("# Two", sections=3), "two.md")
    work_off()
    Document.objects.update(version="4", population="adult", review_by="2029-01-02", year=2024)
    before = exported(tmp_path / "one.jsonl")
    assert {len(line["boxes"]) > 0 for line in before if line["source"]} == {True}
    assert all(tuple(line)[:8] == NAMED for line in before)
    assert len({line["title"] for line in before}) == 2
    settings.FILES_DIR = tmp_path / "elsewhere"
    with fresh_database(socket_dir):
        Collection.objects.create(slug="renal", name="Renal")
        for _ in range(2):  # the second run adds nothing
            call_command("import_chunks", str(tmp_path / "one.jsonl"), collection="renal")
        work_off()
        after = exported(tmp_path / "two.jsonl")
        documents = list(Document.objects.order_by("title"))
        assert [(d.version, d.population, d.year, str(d.review_by)) for d in documents] == [
            ("4", "adult", 2024, "2029-01-02")
        ] * 2
        assert {d.engine for d in documents} == {"chunks-jsonl/2"}
        assert {d.lifecycle for d in documents} == {Lifecycle.DRAFT}

    def kept(lines: list[dict[str, Any]]) -> list[list[Any]]:
        chosen = [[line[key] for key in KEPT] for line in lines]
        return sorted(chosen, key=lambda values: values[1])  # stable: by title, then as before

    assert kept(after) == kept(before)


@pytest.mark.django_db
def test_the_number_of_queries_does_not_grow_with_the_passages() -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert list(passages_exported(Choice()))
        return len(captured)

    publish("# One\n\nGive 5 mg.")
    few = queries()
    for number in range(12):
        sections = "\n".join(f"# Part {n}\n\nGive {n} mg of it." for n in range(9))
        publish(f"# Guideline {number}\n\n{sections}")
    assert queries() == few <= 2


@pytest.mark.django_db
def test_lines_come_in_one_order_and_only_those_that_were_chosen(tmp_path: Path) -> None:
    kept = publish("# Kept\n\n## A\n\nGive 5 mg.\n\n## B\n\nGive 6 mg.")
    publish("# Elsewhere\n\nGive 7 mg.", collection="renal")
    publish("# Draft\n\nGive 8 mg.", lifecycle=Lifecycle.DRAFT)
    publish("# Later\n\nGive 9 mg.", effective_from="2999-01-01")
    publish("# Half\n\nGive 10 mg.", indexed=False)
    path = tmp_path / "out.jsonl"
    ids = [line["id"] for line in exported(path)]
    assert ids == sorted(ids, key=lambda key: (key[:64], int(key.rsplit("_c", 1)[1])))
    in_force = {line["title"] for line in exported(path, in_force=True)}
    assert in_force == {"Kept", "Elsewhere"}
    assert {line["title"] for line in exported(path, collection="renal")} == {"Elsewhere"}
    of_one = exported(path, document=kept.sha256)
    assert [line["text"] for line in of_one] == ["Give 5 mg.", "Give 6 mg."]
    assert of_one[0]["document"]["lifecycle"] == "PUBLISHED"
    Chunk.objects.filter(key=of_one[0]["id"]).update(
        disabled_at="2026-01-01T00:00Z", disabled_reason="Wrong dose."
    )
    assert [line["text"] for line in exported(path, document=kept.sha256)] == ["Give 6 mg."]
    everything = exported(path, document=kept.sha256, with_disabled=True)
    assert everything[0]["disabled"] == "Wrong dose."


@pytest.mark.django_db
@pytest.mark.parametrize("where", ["", "nowhere/passages.jsonl"])
def test_where_nothing_can_be_written_nothing_is_begun(tmp_path: Path, where: str) -> None:
    with pytest.raises(CommandError, match=r"is a folder|can't be written"):
        call_command("export_chunks", str(tmp_path / where))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_the_standard_output_holds_nothing_but_lines(capsys: pytest.CaptureFixture[str]) -> None:
    publish("# One\n\nGive 5 mg.")
    call_command("export_chunks")
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["text"] == "Give 5 mg."


@pytest.mark.django_db
@pytest.mark.parametrize("options", [{"collection": "nowhere"}, {"document": "0" * 64}])
def test_what_is_not_there_is_not_exported_as_nothing(options: dict[str, str]) -> None:
    with pytest.raises(CommandError, match="There is no"):
        call_command("export_chunks", **options)


@pytest.mark.django_db
def test_lines_of_other_systems_become_documents_by_source_and_title(
    shelf: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = importable(
        tmp_path,
        {"id": 1, "title": "A", "text": "First of A.", "source": "Trust", "score": 0.5},
        {"id": 2, "title": "B", "text": "Only of B."},
        {"id": 3, "title": "A", "text": "Second of A.", "source": "Trust"},
        {"id": 4, "title": "A", "text": "Another's A.", "source": "Elsewhere"},
    )
    call_command("import_chunks", str(path), collection="renal")
    said = capsys.readouterr()
    assert "3 documents queued, 0 here already, 0 refused; 0 lines left out." in said.out
    assert "Ignored fields: score." in said.err
    work_off()
    document = Document.objects.get(issuer="Trust")
    assert (document.title, document.collection) == ("A", shelf)
    assert [chunk.text for chunk in document.chunks.all()] == ["First of A.", "Second of A."]
    call_command("import_chunks", str(path), collection="renal")
    assert "0 documents queued, 3 here already" in capsys.readouterr().out


@pytest.mark.django_db
def test_bad_lines_are_listed_by_number_and_the_others_come_in(
    shelf: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = importable(
        tmp_path,
        {"title": "A", "text": "Good."},
        {"title": "A"},
        {"title": "A", "text": "Good.", "url": "no address"},
        {"title": "B", "text": "Good.", "document": {"authority": "mine"}},
        {"title": "B", "text": "Good.", "document": {"review_by": "soon"}},
    )
    with path.open("ab") as stream:
        stream.write(b"\n\xff\xfe\n" + b'{"title": "' + b"x" * 5_000_000 + b'"}\n')
    with pytest.raises(SystemExit) as ended:
        call_command("import_chunks", str(path), collection="renal")
    assert ended.value.code == 1
    said = capsys.readouterr()
    for number, fault in {
        2: "text is missing",
        3: "source_url: Enter a valid URL",
        4: "Use one of national, trust, local",
        5: "review_by",
        6: "not JSON",
        7: "longer than 4 MB",
    }.items():
        assert f"line {number}: " in said.err
        assert fault in said.err
    assert "1 documents queued" in said.out
    assert "6 lines left out" in said.out
    assert Document.objects.get().title == "A"


@pytest.mark.django_db
def test_a_dry_run_writes_nothing(
    shelf: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str], files_dir: Path
) -> None:
    path = importable(tmp_path, {"title": "A", "text": "One."})
    call_command("import_chunks", str(path), collection="renal", dry_run=True)
    assert "1 documents would be queued" in capsys.readouterr().out
    assert not Document.objects.exists()
    assert not Job.objects.exists()
    assert not list(files_dir.rglob("*"))


@pytest.mark.django_db
def test_import_can_publish_in_the_names_of_two_people(
    shelf: Collection, tmp_path: Path, settings: Settings, alice: User, bob: User
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    for person, right in ((alice, "add_document"), (bob, "publish_document")):
        person.user_permissions.add(Permission.objects.get(codename=right))
    path = importable(tmp_path, {"title": "A", "text": "One."})
    call_command(
        "import_chunks",
        str(path),
        collection="renal",
        publish=True,
        user="alice",
        publisher="bob",
    )
    document = Document.objects.get()
    assert (document.lifecycle, document.published_by) == (Lifecycle.PUBLISHED, bob)
