"""Test that summaries are made, kept, replaced and deleted with their passages."""

from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from pytest_django import Settings

from corpus.encoders.registry import active_encoders
from corpus.indexing import statistics
from corpus.models import Document, IndexStatistics, Lexeme, SectionSummary
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from corpus.services.passages import chunk_disable
from corpus.services.summaries import document_summarise, documents_to_summarise, sections_of
from tests.corpora import publish
from tests.corpus.documents import guideline, ingest

pytestmark = pytest.mark.django_db

A, B = ("Treatment",), ("Monitoring",)
A1, A2 = ("Treatment", "Adults"), ("Treatment", "Children")


@pytest.mark.parametrize(
    ("paths", "sections"),
    [
        ([A, A, A, B, B], {(0, 4): (), (0, 2): A}),
        ([A, A1, A1, A1, A2, A2, A2, B], {(0, 7): (), (0, 6): A, (1, 3): A1, (4, 6): A2}),
        ([A1, A1, A1], {(0, 2): A1}),  # of the same passages the innermost section is kept
        ([A, A, A, B, A, A, A], {(0, 6): (), (0, 2): A, (4, 6): A}),  # it goes on later
        ([A1, A1, A, A1], {(0, 3): A}),  # text of the outer section splits the inner one
        *(([], {}), ([A], {}), ([A, A], {}), ([A, B], {})),  # what is short has none
    ],
)
def test_sections_of_three_passages_and_the_document_are_summarised(
    paths: list[tuple[str, ...]], sections: dict[tuple[int, int], tuple[str, ...]]
) -> None:
    assert sections_of(paths) == sections


def section(name: str, words: str) -> str:
    points = [f"{words}, which is point {n} of this part of the guideline." for n in range(40)]
    return "\n".join([f"## {name}", *points])


FLUIDS = section("Fluids", "Crystalloid fluid is infused quickly into the vein")
GIVEN = section("Antibiotics", "A broad spectrum antibiotic is given within an hour")
TEXT = f"# Sepsis\n{FLUIDS}\n{GIVEN}"


@pytest.fixture
def extractive(settings: Settings) -> None:
    settings.SUMMARIES = "extractive"


def indexed(text: str) -> Document:
    document = ingest(text)
    document_index(document.pk)
    document.refresh_from_db()
    assert document.indexed_at is not None
    return document


def summaries_of(document: Document) -> list[SectionSummary]:
    return list(document.summaries.order_by("first_index", "-last_index"))


def made(document: Document) -> list[tuple[object, ...]]:
    return [
        (row.first_index, row.last_index, row.text, np.asarray(row.embedding).tobytes())
        for row in summaries_of(document)
    ]


def test_none_are_made_by_default() -> None:
    assert made(indexed(guideline(sections=5))) == []


def test_they_are_made_with_the_index(extractive: None) -> None:
    document = indexed(TEXT)
    rows = summaries_of(document)
    assert len(rows) == 3
    assert (rows[0].first_index, rows[0].last_index) == (0, document.chunks.count() - 1)
    assert rows[1].last_index + 1 == rows[2].first_index
    assert "Fluids" in rows[1].text and "Crystalloid" in rows[1].text
    assert "antibiotic" not in rows[1].text.split("\n")[1]
    (encoder,) = active_encoders()
    for row in rows:
        assert row.text.startswith("Sepsis")
        assert row.text.count("which is point") >= 5
        assert float(np.linalg.norm(row.embedding)) == pytest.approx(1, abs=1e-3)
        assert row.encoder_id == encoder.pk


def test_the_same_bytes_give_the_same_summaries(extractive: None) -> None:
    document = indexed(TEXT)
    before = made(document)
    document_reindex(document, by=None)
    document_index(document.pk)
    assert made(document) == before
    document_summarise(Document.objects.get(pk=document.pk))
    assert made(document) == before


def test_they_go_with_the_passages_that_they_lead_to(extractive: None, settings: Settings) -> None:
    document = indexed(TEXT)
    settings.SUMMARIES = "none"
    document_reindex(document, by=None)
    document_index(document.pk)
    assert not SectionSummary.objects.exists()


def test_bm25_knows_nothing_of_them(settings: Settings) -> None:
    found = []
    for kind in ("none", "extractive"):
        settings.SUMMARIES = kind
        document = indexed(TEXT)
        totals = IndexStatistics.objects.values("chunks", "total_length").get()
        found.append((totals, list(Lexeme.objects.order_by("pk").values_list())))
        document.job.delete()
        statistics.subtract(document.pk)
        Lexeme.objects.filter(document_frequency=0).delete()
        document.delete()
    assert found[0] == found[1]


def test_what_is_disabled_lends_no_statement(extractive: None) -> None:
    document = publish(TEXT)
    only_there = "Crystalloid fluid is infused quickly into the vein, which is point 0 of"
    assert document_summarise(document)
    assert any(only_there in row.text for row in summaries_of(document))
    chunk_disable(document.chunks.get(index=0), by=None, reason="Wrong.")
    document_summarise(document)
    rows = summaries_of(document)
    assert len(rows) == 3
    assert not any(only_there in row.text for row in rows)


def test_short_documents_have_none(extractive: None) -> None:
    document = publish("# Short\nGive 5 mg of demonstracillin daily to every adult.")
    assert document_summarise(document)
    assert not document.summaries.exists()
    assert not documents_to_summarise().exists()


def test_the_command_makes_what_is_missing_and_only_that(settings: Settings) -> None:
    document = publish(TEXT)
    publish("# Short\nGive 5 mg of demonstracillin daily to every adult.")
    settings.SUMMARIES = "extractive"
    assert run("--dry-run") == 1 and not document.summaries.exists()
    assert run() == 1
    assert document.summaries.count() == 3
    assert run("--dry-run") == 0
    settings.SUMMARIES = "none"
    assert run() == 1
    assert not SectionSummary.objects.exists()


def test_a_document_that_was_indexed_anew_meanwhile_is_left_alone(extractive: None) -> None:
    document = publish(TEXT)
    stale = Document.objects.get(pk=document.pk)
    Document.objects.filter(pk=document.pk).update(indexed_at=None)
    assert not document_summarise(stale)
    assert not document.summaries.exists()


def run(*arguments: str) -> int:
    """Return how many documents the command tells of."""
    out = StringIO()
    call_command("summarise", *arguments, stdout=out)
    return int(out.getvalue().split()[0])
