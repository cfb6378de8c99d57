"""Test which engine reads a document: the site's, or the one that staff chose."""

from pathlib import Path

import pytest
from pytest_django import Settings

from corpus.indexing.recipe import is_read_otherwise
from corpus.models import ReadWith
from corpus.parsing.engines import ModelsMissing, artifacts_for
from corpus.parsing.registry import engine_name
from corpus.parsing.sniff import MARKDOWN, PDF


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
