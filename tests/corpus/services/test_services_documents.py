"""Test uploads: what is stored, which sentence refuses, and that no file is stored twice."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from corpus import signals
from corpus.access import NotPermitted
from corpus.files import FileTooLarge
from corpus.models import Document, Job, JobState, Lifecycle, Stage
from corpus.parsing.types import ParseError
from corpus.services.documents import (
    DuplicateDocument,
    NotNow,
    collection_default,
    document_ingest,
    document_reindex,
    document_retry,
)
from medrag_site.groups import CLINICIANS, STAFF
from tests.corpora import shelf
from tests.corpus.documents import GUIDELINE, ingest
from tests.corpus.listening import refused
from tests.corpus.stored import document_path
from tests.people import narrow, person

pytestmark = pytest.mark.django_db


def kept_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def upload(by: User | None, slug: str = "blood", **fields: str) -> Document:
    document = Document(collection=shelf(slug), **fields)
    content = BytesIO(GUIDELINE.encode())
    return document_ingest(document, upload=content, uploaded_by=by, filename="hidden.md")


def test_an_upload_is_stored_under_its_hash_with_its_job_and_its_wake_up() -> None:
    mine = Document(collection=collection_default())
    content = SimpleUploadedFile("hyperkalaemia_adults.md", GUIDELINE.encode())
    assert document_ingest(mine, upload=content, uploaded_by=None) is mine
    stored = Document.objects.get(pk=mine.pk)
    assert document_path(stored.sha256).read_bytes() == GUIDELINE.encode()
    assert (stored.title, stored.filename) == ("hyperkalaemia adults", "hyperkalaemia_adults.md")
    assert (stored.media_type, stored.size_bytes) == ("text/markdown", len(GUIDELINE.encode()))
    assert (stored.lifecycle, stored.indexed_at) == (Lifecycle.DRAFT, None)
    assert (stored.job.state, stored.job.stage) == (JobState.PENDING, Stage.STORED)


def test_the_same_bytes_again_name_the_document_that_is_there() -> None:
    first = ingest(title="Hyperkalaemia")
    with pytest.raises(DuplicateDocument, match="Hyperkalaemia") as caught:
        ingest(filename="another-name.md")
    assert caught.value.existing == first
    assert Document.objects.count() == Job.objects.count() == 1


BAD_FILES = [
    ("empty.pdf", b"", "empty_file"),
    ("blank.md", b" \n\n ", "empty_file"),
    ("letter.pdf", b"Dear colleague, this is text.", "type_mismatch"),
    ("photo.md", b"\x89PNG\r\n\x1a\n" + b"\x00" * 64, "type_mismatch"),
    ("program.exe", b"MZ\x90\x00", "unsupported_type"),
    ("without-extension", b"text", "unsupported_type"),
    ("broken.docx", b"PK\x03\x04 and nothing more", None),
]


@pytest.mark.parametrize(("filename", "content", "code"), BAD_FILES)
def test_a_bad_file_is_refused_in_a_sentence_and_not_kept(
    filename: str, content: bytes, code: str | None, files_dir: Path
) -> None:
    with pytest.raises(ParseError) as caught:
        ingest(content, filename)
    assert code in (None, caught.value.code)
    assert caught.value.sentence.endswith(".")
    assert Document.objects.count() == 0
    assert kept_files(files_dir) == []


def test_a_large_file_is_refused_before_it_is_read_to_its_end(
    settings: Settings, files_dir: Path
) -> None:
    settings.UPLOAD_MAX_BYTES = 1024**2

    class Endless(BytesIO):
        read_bytes = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.read_bytes += size or 0
            return b"x" * (size or 0)

    endless, document = Endless(), Document(collection=collection_default())
    with pytest.raises(FileTooLarge, match="1 MB"):
        document_ingest(document, upload=endless, uploaded_by=None, filename="endless.md")
    assert endless.read_bytes <= 3 * 1024**2
    assert kept_files(files_dir) == []


def test_long_names_and_titles_fit() -> None:
    document = ingest(filename="../" + "ä" * 300 + "\u202e.md", title="t" * 700)
    document.refresh_from_db()
    assert (len(document.filename), len(document.title)) == (255, 500)
    assert document.filename.endswith(".md")


def test_row_job_and_wake_up_are_undone_together_with_what_listens(files_dir: Path) -> None:
    with refused(signals.document_uploaded, lambda: Job.objects.exists()):
        ingest()
    assert Document.objects.count() == Job.objects.count() == 0


def test_only_a_failed_document_is_retried_with_all_its_attempts() -> None:
    document = ingest()
    with pytest.raises(NotNow):
        document_retry(document, by=None)
    Job.objects.update(state=JobState.FAILED, attempts=3, last_error="x", error_code="y")
    document_retry(document, by=None)
    (told,) = Job.objects.values_list("state", "attempts", "last_error", "error_code")
    assert told == (JobState.PENDING, 0, "", "")


def test_a_document_that_is_being_read_is_not_indexed_again() -> None:
    with pytest.raises(NotNow):
        document_reindex(ingest(), by=None)


@pytest.mark.parametrize(
    ("signal", "step", "state"),
    [
        (signals.document_retried, document_retry, JobState.FAILED),
        (signals.document_reindexed, document_reindex, JobState.DONE),
    ],
)
def test_what_can_not_be_recorded_is_not_queued(signal: Any, step: Any, state: JobState) -> None:
    document = ingest()
    Job.objects.update(state=state, attempts=2)
    with refused(signal, lambda: Job.objects.get().state == JobState.PENDING):
        step(document, by=None)
    assert (Job.objects.get().state, Job.objects.get().attempts) == (state, 2)


def test_an_upload_takes_the_permission_and_the_group_of_the_collection(files_dir: Path) -> None:
    narrow(shelf("blood"), "uploaders", "Haematology")
    for by in (None, person("a", STAFF), person("b", CLINICIANS, "Haematology")):
        with pytest.raises(NotPermitted):
            upload(by)
    assert kept_files(files_dir) == []
    member = person("c", STAFF, "Haematology")
    assert upload(member).uploaded_by == member


def test_the_same_bytes_in_a_collection_that_is_not_open_are_not_named() -> None:
    for right in ("searchers", "uploaders"):
        narrow(shelf("blood"), right, "Haematology")
    insider = person("insider", STAFF, "Haematology")
    first = upload(insider, title="Secret")
    for by in (insider, person("outsider", STAFF), None):
        with pytest.raises(DuplicateDocument) as caught:
            upload(by, "blood" if by == insider else "general")
        assert (caught.value.existing, caught.value.may_be_named) == (first, by == insider)
        said = caught.value.sentence
        assert ("Secret" in said, "hidden" in said) == (by == insider, by == insider)
