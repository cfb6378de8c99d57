"""Test `manage.py import_corpus` and its service: what it adds, skips and resumes."""

import gzip
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from corpus.intake.corpus_import import ImportOutcome, Plan, corpus_import
from corpus.intake.files import People
from corpus.intake.published_formats import FORMATS
from corpus.models import Collection, Document, Job, JobState, Lifecycle, SourceType
from corpus.services.documents import collection_default, document_add
from corpus.services.indexing import document_index
from tests.corpus.documents import derived
from tests.corpus.intake.importing_fixtures import corpus, records

pytestmark = pytest.mark.django_db


def _import(name: str, path: Path | None = None, **options: Any) -> ImportOutcome:
    plan = Plan(
        form=FORMATS[name],
        collection=collection_default(),
        people=People(),
        today=timezone.localdate(),
        **options,
    )
    return corpus_import(path or corpus(name), plan=plan)


def _filenames() -> list[str]:
    return sorted(Document.objects.values_list("filename", flat=True))


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Make a tar of 60 MedQuAD files, a copy of one, and one without an answer."""
    text = corpus("medquad").read_text()
    folder = tmp_path / "medquad"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:03}.xml").write_text(text.replace("Inventitis", f"Inventitis {number}"))
    (folder / "twice.xml").write_text(text.replace("Inventitis", "Inventitis 0"))
    (folder / "unanswered.xml").write_text(text.replace("Inventitis is an itch of the nails.", " "))
    with tarfile.open(tmp_path / "medquad.tar.gz", "w:gz") as archive:
        archive.add(folder, arcname="medquad")
    return tmp_path / "medquad.tar.gz"


def test_each_record_is_a_document_with_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("import_corpus", "pubmed", str(corpus("pubmed")))
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out.startswith("7 records: 3 queued, 0 here already, 3 left out (1 without text, 2")
    assert "PMID-90000005.xml: " in said.err
    assert _filenames() == ["PMID-90000001.xml", "PMID-90000002.xml", "PMID-90000007.xml"]
    assert Job.objects.filter(state=JobState.PENDING).count() == 3
    assert {d.lifecycle for d in Document.objects.all()} == {Lifecycle.DRAFT}


@pytest.mark.parametrize("name", FORMATS)
def test_a_second_run_changes_nothing(name: str) -> None:
    first = _import(name)
    rows = list(Document.objects.order_by("pk").values())
    jobs = list(Job.objects.order_by("pk").values())
    second = _import(name)
    assert first.added
    assert (second.new, second.added) == (0, [])
    assert second.present == first.added
    assert (second.left_out, second.refused) == (first.left_out, first.refused)
    assert list(Document.objects.order_by("pk").values()) == rows
    assert list(Job.objects.order_by("pk").values()) == jobs


def test_what_is_known_costs_one_query_for_hundreds(many: Path) -> None:
    _import("medquad", many)
    with CaptureQueriesContext(connection) as queries:
        outcome = _import("medquad", many)
    assert len(outcome.present) == 61
    assert len(queries) <= 5


def test_equal_records_are_one_document(many: Path) -> None:
    outcome = _import("medquad", many)
    assert (outcome.read, len(outcome.added), outcome.repeated) == (62, 60, 1)
    assert outcome.left_out == {"no_text": 1}


def test_a_dry_run_says_the_same_and_writes_nothing(
    many: Path, files_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_corpus", "medquad", str(many), dry_run=True)
    told = "62 records: 60 would be queued, 1 here already, 1 left out (1 without text), 0 refused."
    assert told in capsys.readouterr().out
    assert not Document.objects.exists()
    assert not Collection.objects.exists()
    assert not list(files_dir.iterdir())
    call_command("import_corpus", "medquad", str(many), limit=10)
    capsys.readouterr()
    call_command("import_corpus", "medquad", str(many), dry_run=True)
    assert "62 records: 50 would be queued, 11 here already" in capsys.readouterr().out


def test_a_limit_counts_records_so_that_a_second_run_adds_none(many: Path) -> None:
    for _ in range(2):
        _import("medquad", many, limit=7)
        assert Document.objects.count() == 7


def test_a_folder_ingested_as_files_is_known_to_the_import(many: Path, tmp_path: Path) -> None:
    call_command("ingest", str(tmp_path / "medquad"))
    before = Document.objects.count()
    outcome = _import("medquad", many)
    assert outcome.added == []
    assert Document.objects.count() == before


def test_interrupted_and_started_again_it_finishes(
    many: Path, monkeypatch: pytest.MonkeyPatch, files_dir: Path
) -> None:
    real = document_add
    calls = 0

    def interrupted(document: Document, *, uploaded_by: User | None) -> Document:
        nonlocal calls
        calls += 1
        if calls == 47:
            raise KeyboardInterrupt
        return real(document, uploaded_by=uploaded_by)

    with monkeypatch.context() as patch:
        patch.setattr("corpus.intake.corpus_import.document_add", interrupted)
        with pytest.raises(CommandError, match="Run the same command"):
            call_command("import_corpus", "medquad", str(many))
    assert Document.objects.count() == 40  # whole commits of 20
    assert Job.objects.count() == 40
    call_command("import_corpus", "medquad", str(many))
    assert Document.objects.count() == Job.objects.count() == 60
    stored = {path.name for path in (files_dir / "documents").rglob("*") if path.is_file()}
    assert stored == set(Document.objects.values_list("sha256", flat=True))
    assert not list((files_dir / "tmp").iterdir())


def test_languages(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(corpus("medlineplus"))
    call_command("import_corpus", "medlineplus", path)
    assert "1 in another language, 1 without text" in _kinds(capsys.readouterr().out)
    assert Document.objects.count() == 2
    call_command("import_corpus", "medlineplus", path, language=["es"])
    assert Document.objects.count() == 3
    call_command("import_corpus", "medlineplus", path, language=["any"])
    assert Document.objects.count() == 3


def _kinds(said: str) -> str:
    return ", ".join(sorted(said[said.index("(") + 1 : said.index(")")].split(", ")))


@pytest.fixture
def librarian(db: None) -> User:
    return _with_right("librarian", "add_document")


@pytest.fixture
def publisher(db: None) -> User:
    return _with_right("publisher", "publish_document")


def _with_right(name: str, codename: str) -> User:
    user = User.objects.create_user(name)
    user.user_permissions.add(Permission.objects.get(codename=codename))
    return user


def test_publishing_at_once(librarian: User, publisher: User, settings: Settings) -> None:
    settings.TWO_PERSON_PUBLISH = True
    shelf = Collection.objects.create(slug="letters", name="Letters")
    people: dict[str, Any] = {"user": "librarian", "publisher": "publisher", "publish": True}
    path = str(corpus("medlineplus"))
    call_command("import_corpus", "medlineplus", path, collection="letters", **people)
    for document in Document.objects.all():
        assert (document.lifecycle, document.collection) == (Lifecycle.PUBLISHED, shelf)
        assert (document.uploaded_by, document.published_by) == (librarian, publisher)
        assert document.effective_from == timezone.localdate()
    assert Document.objects.count() == 2


@pytest.mark.parametrize(
    ("options", "left"), [({}, Lifecycle.REVIEW), ({"despite_doubts": True}, Lifecycle.PUBLISHED)]
)
def test_publishing_leaves_what_has_doubts_in_review(options: dict[str, bool], left: str) -> None:
    call_command("import_corpus", "jats", str(corpus("jats")), publish=True, **options)
    for document in Document.objects.all():
        document_index(document.pk)
    doubtful = [d.pk for d in Document.objects.all() if any(p.doubts for p in d.pages.all())]
    assert doubtful
    states = dict(Document.objects.values_list("pk", "lifecycle"))
    assert {states[pk] for pk in doubtful} == {left}
    assert {state for pk, state in states.items() if pk not in doubtful} <= {Lifecycle.PUBLISHED}
    with pytest.raises(CommandError, match="--publish"):
        call_command("import_corpus", "jats", str(corpus("jats")), despite_doubts=True)


def test_publishing_needs_the_second_person_and_the_right(
    librarian: User, publisher: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    people: dict[str, Any] = {"user": "librarian", "publisher": "librarian", "publish": True}
    arguments = ("import_corpus", "medlineplus", str(corpus("medlineplus")))
    with pytest.raises(CommandError, match="right"):
        call_command(*arguments, **people)
    librarian.user_permissions.add(Permission.objects.get(codename="publish_document"))
    with pytest.raises(CommandError, match="second person"):
        call_command(*arguments, **people)
    assert not Document.objects.exists()


def test_a_shelf_that_is_not_open_is_refused_before_anything_is_read(librarian: User) -> None:
    shelf = Collection.objects.create(slug="closed", name="Closed")
    shelf.uploaders.add(Group.objects.create(name="others"))
    arguments = ("import_corpus", "jsonl", str(corpus("jsonl")))
    for user in ("", "librarian"):
        with pytest.raises(CommandError, match="right to upload"):
            call_command(*arguments, collection="closed", user=user)
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (["nothing", "."], {}, "invalid choice"),
        (["pubmed", "/nowhere/at/all.xml"], {}, "no such file"),
        (["pubmed", "."], {"collection": "nowhere"}, "nowhere"),
        (["pubmed", "."], {"user": "nobody"}, "nobody"),
        (["pubmed", "."], {"limit": 0}, "at least 1"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    arguments: list[str], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("import_corpus", *arguments, **options)


def test_many_of_one_fault_are_counted_not_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"broken\n" * 30))
    with pytest.raises(SystemExit):
        call_command("import_corpus", "jsonl", str(path))
    said = capsys.readouterr().err
    assert said.count("JSON object") == 21
    assert "and 10 more:" in said


def _index(name: str, **fields: Any) -> Document:
    """Import the first record, set fields as staff would before it is read, and index it."""
    outcome = _import(name, limit=1)
    document = Document.objects.get(pk=outcome.added[0])
    if fields:
        Document.objects.filter(pk=document.pk).update(**fields)
    document_index(document.pk)
    document.refresh_from_db()
    assert document.job.state == JobState.DONE, document.job.last_error
    return document


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "pubmed",
            {
                "title": "Examplamycin versus placebo at 10⁹ units & above: a trial.",
                "journal": "Invented Journal of Renal Dosing",
                "year": 2019,
                "source_type": SourceType.ARTICLE,
                "source_url": "https://pubmed.ncbi.nlm.nih.gov/90000001/",
                "population": "adult, aged",
                "language": "en",
            },
        ),
        (
            "jats",
            {
                "journal": "Annals of Invented Nephrology",
                "year": 2019,
                "source_type": SourceType.ARTICLE,
                "licence": "CC BY-NC 4.0",
                "engine": "jats-xml/4",
            },
        ),
        ("statpearls", {"source_type": SourceType.BOOK, "issuer": "StatPearls", "year": 2023}),
        ("medlineplus", {"source_type": SourceType.REFERENCE, "issuer": "MedlinePlus"}),
        ("wikipedia", {"title": "Inventitis", "licence": "CC BY-SA 4.0", "year": 2022}),
        ("medquad", {"source_type": SourceType.ANSWERS, "licence": "CC BY 4.0"}),
        ("jsonl", {"title": "Anatomy_Invented", "issuer": ""}),
    ],
)
def test_metadata_is_taken_over(name: str, expected: dict[str, Any]) -> None:
    document = _index(name)
    assert {key: getattr(document, key) for key in expected} == expected
    assert document.indexed_at is not None
    assert document.chunks.exists()


def test_what_staff_filled_in_stays() -> None:
    own = {"title": "Our title", "issuer": "Our hospital", "year": 1999, "language": "de"}
    own |= {"source_type": SourceType.OTHER, "population": "children"}
    document = _index("pubmed", **own)
    assert {key: getattr(document, key) for key in own} == own


def test_what_staff_chose_after_the_first_reading_stays() -> None:
    document = _index("pubmed")
    Document.objects.filter(pk=document.pk).update(source_type=SourceType.GUIDELINE)
    _read_again(document)
    document.refresh_from_db()
    assert document.source_type == SourceType.GUIDELINE


def _read_again(document: Document) -> None:
    Job.objects.filter(document=document).update(state=JobState.PENDING, stage="STORED", attempts=0)
    assert document_index(document.pk)
    assert Job.objects.get(document=document).state == JobState.DONE


def test_an_address_that_no_form_would_accept_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "Give 5 mg.", "url": "javascript:alert(1)", "year": 1850}')
    outcome = _import("jsonl", path)
    document_index(outcome.added[0])
    document = Document.objects.get()
    assert (document.source_url, document.year) == ("", 1850)


def test_the_same_record_gives_the_same_passages_from_another_wrapping(tmp_path: Path) -> None:
    document = _index("jats")
    before = derived(document)
    (record,) = records("jats")
    path = tmp_path / "other.tar"
    (tmp_path / "other.nxml").write_bytes(record.content)
    with tarfile.open(path, "w") as archive:
        archive.add(tmp_path / "other.nxml", arcname="PMC1/other.nxml")
    outcome = _import("jats", path)
    assert outcome.present == [document.pk]
    _read_again(document)
    assert derived(document) == before
