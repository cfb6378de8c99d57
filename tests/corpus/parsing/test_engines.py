"""Test which engine reads a document: the site's, or the one that staff chose."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from corpus.indexing.recipe import is_read_otherwise
from corpus.models import Document, Job, JobState, ReadWith
from corpus.parsing.engines import ModelsMissing, artifacts_for
from corpus.parsing.registry import engine_name
from corpus.parsing.sniff import MARKDOWN, PDF
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from tests.corpus.documents import ingest
from tests.corpus.hostile.bad_pdfs import leaflet


@pytest.mark.parametrize(
    ("folder", "read_with", "expected"),
    [
        ("", ReadWith.DEFAULT, None),
        ("", ReadWith.GEOMETRY, None),
        ("/models", ReadWith.DEFAULT, Path("/models")),
        ("/models", ReadWith.GEOMETRY, None),
        ("/models", ReadWith.MODELS, Path("/models")),
    ],
)
def test_the_documents_choice_goes_before_the_sites(
    folder: str, read_with: ReadWith, expected: Path | None, settings: Settings
) -> None:
    settings.DOCLING_ARTIFACTS_PATH = folder
    assert artifacts_for(read_with) == expected


def test_models_that_the_site_has_not_got_are_an_error(settings: Settings) -> None:
    settings.DOCLING_ARTIFACTS_PATH = ""
    with pytest.raises(ModelsMissing) as caught:
        artifacts_for(ReadWith.MODELS)
    assert "DOCLING_ARTIFACTS_PATH" in caught.value.hint


def test_what_models_read_that_the_site_no_longer_has_stays_as_it_is(settings: Settings) -> None:
    settings.DOCLING_ARTIFACTS_PATH = ""
    read = {"media_type": PDF, "read_with": ReadWith.MODELS}
    assert not is_read_otherwise("docling-models/2.143.0 html/3", **read)
    assert is_read_otherwise(engine_name(PDF), **read)
    settings.DOCLING_ARTIFACTS_PATH = "/models"
    assert is_read_otherwise("docling-models/0.1 html/3", **read)


def test_models_have_a_name_of_their_own_and_read_pdfs_only() -> None:
    assert engine_name(PDF, with_models=True) != engine_name(PDF)
    assert engine_name(MARKDOWN, with_models=True) == engine_name(MARKDOWN)


@pytest.mark.django_db
def test_models_that_went_away_fail_the_document_with_a_sentence() -> None:
    document = ingest(leaflet(), "leaflet.pdf")
    Document.objects.update(read_with=ReadWith.MODELS)
    document_index(document.pk)
    job = Job.objects.get()
    assert (job.state, job.error_code, job.attempts) == (JobState.FAILED, "models_missing", 1)
    assert "DOCLING_ARTIFACTS_PATH" in job.last_error


@pytest.mark.django_db
def test_a_document_that_models_could_not_read_is_read_again_by_geometry(
    settings: Settings, tmp_path: Path
) -> None:
    """The folder has no weights, and docling itself may be absent."""
    settings.DOCLING_ARTIFACTS_PATH = str(tmp_path)
    document = ingest(leaflet(), "leaflet.pdf")
    document_index(document.pk)
    job = Job.objects.get()
    assert (job.state, job.error_code, job.attempts) == (JobState.FAILED, "models_unusable", 1)
    assert "DOCLING_ARTIFACTS_PATH" in job.last_error
    document_reindex(document, by=None, read_with=ReadWith.GEOMETRY)
    document_index(document.pk)
    document.refresh_from_db()
    assert document.job.state == JobState.DONE, document.job.last_error
    assert (document.read_with, document.engine) == (ReadWith.GEOMETRY, engine_name(PDF))
