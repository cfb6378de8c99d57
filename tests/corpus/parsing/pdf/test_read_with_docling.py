"""Test the choice of docling for one PDF: what reads it, what is kept, and the way back."""

import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from corpus.models import Document, JobState, Page, ReadWith
from corpus.parsing.engines import DOCLING_MODELS, LAYOUT_EXTRA, is_for_models
from corpus.parsing.registry import engine_name
from corpus.parsing.sniff import MARKDOWN, PDF
from corpus.selectors import documents_stale
from corpus.services.indexing import document_index
from medrag_site.groups import AUDITORS, STAFF
from tests.corpus.admin.test_admin import member, page_of
from tests.corpus.documents import derived, ingest
from tests.corpus.hostile.bad_pdfs import leaflet

WITH_DOCLING, WITH_STANDARD = "Read again with docling", "Read again with the standard reader"

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF)


@pytest.fixture
def weights(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what docling's models need, and a stand-in for them, for PDFs that choose them."""
    for name in LAYOUT_EXTRA:
        (tmp_path / "packages" / name).mkdir(parents=True)
        (tmp_path / "packages" / name / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    for folder in DOCLING_MODELS:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.safetensors").touch()
    settings.DOCLING_ARTIFACTS_PATH, settings.DOCLING_READS = str(tmp_path), "chosen"
    parser = Path(__file__).parent / "docling_parser.py"
    settings.PARSER_COMMAND = (sys.executable, str(parser))


def indexed() -> Document:
    document = ingest(leaflet(), "leaflet.pdf")
    document_index(document.pk)
    document.refresh_from_db()
    assert document.indexed_at is not None, document.job.last_error
    return document


def shown(client: Client, name: str, *args: object) -> str:
    return client.get(page_of(name, *args)).content.decode()


def choose(client: Client, document: Document, action: str) -> None:
    """Press a button, and let the worker work."""
    response = client.post(page_of("step", document.pk, action), follow=True)
    assert b"Queued to be read again" in response.content
    document_index(document.pk)
    document.refresh_from_db()


@pytest.mark.usefixtures("weights")
def test_docling_reads_one_document_and_the_standard_reader_again(staff: Client) -> None:
    document = indexed()
    before = derived(document)
    assert document.engine == engine_name(PDF)
    page = shown(staff, "change", document.pk)
    assert WITH_DOCLING in page
    assert WITH_STANDARD not in page

    choose(staff, document, "docling")
    assert document.job.state == JobState.DONE, document.job.last_error
    assert (document.read_with, document.engine) == (
        ReadWith.MODELS,
        engine_name(PDF, with_models=True),
    )
    page = shown(staff, "change", document.pk)
    assert WITH_STANDARD in page
    assert WITH_DOCLING not in page
    for name, more in (("approve", ()), ("read", (1,))):
        assert "Read by" in shown(staff, name, document.pk, *more)
        assert f"docling ({document.engine})" in shown(staff, name, document.pk, *more)
    assert not documents_stale().exists()

    choose(staff, document, "standard")
    assert (document.read_with, document.engine) == (ReadWith.GEOMETRY, engine_name(PDF))
    assert f"the standard reader ({document.engine})" in shown(staff, "approve", document.pk)
    assert derived(document) == before


@pytest.mark.usefixtures("weights")
def test_its_pages_have_blocks_and_boxes_and_are_compared_with_the_file(staff: Client) -> None:
    document = indexed()
    choose(staff, document, "docling")
    first, second = document.pages.order_by("number")
    assert first.text.startswith("1 Dose\nGive ten milligrams")
    assert [block["kind"] for block in first.blocks] == ["heading", "paragraph", "paragraph"]
    assert first.blocks[1]["lines"][0]["box"] == [8.0, 26.0, 190.0, 38.0]
    assert (first.width, first.height) == (200.0, 120.0)
    assert (first.words_found, first.doubts) == (first.words_checked, [])
    assert second.words_found is not None
    assert second.words_checked is not None
    assert second.words_found < second.words_checked
    assert [doubt["code"] for doubt in second.doubts] == ["values_not_found"]


@pytest.mark.usefixtures("weights")
def test_another_version_of_docling_makes_only_its_document_stale(staff: Client) -> None:
    choose(staff, document := indexed(), "docling")
    Document.objects.update(engine="docling-models/0.1 blocks/1")
    (stale,) = documents_stale()
    assert (stale.pk, stale.must_be_read) == (document.pk, True)


def test_without_weights_it_is_not_offered_and_a_wrong_folder_is_told(
    staff: Client, settings: Settings, tmp_path: Path
) -> None:
    document = indexed()
    page = shown(staff, "change", document.pk)
    assert WITH_DOCLING not in page
    assert "docling: DOCLING_ARTIFACTS_PATH" not in page  # a site without them is the default
    response = staff.post(page_of("step", document.pk, "docling"), follow=True)
    assert "layout models are not set up" in response.content.decode()
    document.refresh_from_db()
    assert (document.read_with, document.job.state) == (ReadWith.DEFAULT, JobState.DONE)
    settings.DOCLING_ARTIFACTS_PATH, settings.DOCLING_READS = str(tmp_path / "no"), "chosen"
    assert "there is no folder" in shown(staff, "change", document.pk)


def test_only_pdfs_have_the_choice_and_only_those_who_may_change_them(
    bob: User, staff: Client
) -> None:
    other = ingest("# Dose\n\nGive 5 mg.", "a.md")
    document_index(other.pk)
    assert other.media_type == MARKDOWN
    assert "docling:" not in shown(staff, "change", other.pk)
    auditor = member(bob, AUDITORS)
    assert auditor.post(page_of("step", indexed().pk, "docling")).status_code in (403, 404)


@pytest.mark.usefixtures("weights")
@pytest.mark.parametrize("is_set", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_weights_that_went_away_fail_it_with_a_sentence_and_lose_nothing(
    staff: Client, settings: Settings, tmp_path: Path, is_set: bool
) -> None:
    choose(staff, document := indexed(), "docling")
    before, pages = derived(document), list(Page.objects.values())
    settings.PARSER_COMMAND = ()  # the parser itself, which has no models
    settings.DOCLING_ARTIFACTS_PATH = str(tmp_path / "gone") if is_set else ""
    staff.post(page_of("step", document.pk, "read_again"))
    document_index(document.pk)
    document.refresh_from_db()
    code = "models_unusable" if is_set else "models_missing"
    told = document.job
    assert (told.state, told.error_code, told.attempts) == (JobState.FAILED, code, 1)
    for said in ("Nothing was lost", "DOCLING_ARTIFACTS_PATH", WITH_STANDARD):
        assert said in told.last_error
    assert WITH_STANDARD in shown(staff, "change", document.pk)
    assert document.indexed_at is not None
    assert (derived(document), list(Page.objects.values())) == (before, pages)

    choose(staff, document, "standard")
    assert (document.job.state, document.engine) == (JobState.DONE, engine_name(PDF))


def test_docling_reads_all_or_only_what_chooses_it(settings: Settings) -> None:
    settings.DOCLING_ARTIFACTS_PATH, settings.DOCLING_READS = "/models", "all"
    assert is_for_models(ReadWith.DEFAULT)
    settings.DOCLING_READS = "chosen"
    assert not is_for_models(ReadWith.DEFAULT)
    assert is_for_models(ReadWith.MODELS)
