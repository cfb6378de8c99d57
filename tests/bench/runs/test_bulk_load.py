"""Test that many texts indexed at once come out as other documents do, and are counted once."""

import hashlib
from itertools import pairwise
from unittest import mock

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from bench.runs import bulk_load as loading
from bench.runs.bulk_load import PlainDocument, documents_load
from bench.runs.configurations import Window
from bench.runs.windows import cut_by, windows_of
from corpus.encoders.registry import get_embedder
from corpus.indexing import statistics
from corpus.models import Chunk, Document, IndexStatistics, Lexeme, SectionSummary
from retrieval.config import config_from
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests import corpora

pytestmark = pytest.mark.django_db


def text_of(number: int) -> PlainDocument:
    text = f"Drug number {number} is given once daily.\nStop it when a rash appears."
    digest = hashlib.sha256(text.encode()).hexdigest()
    return PlainDocument(digest, f"t{number}", f"Drug {number}", text, len(text.encode()))


def load(*numbers: int) -> list[tuple[int, int]]:
    said: list[tuple[int, int]] = []
    documents_load(
        map(text_of, numbers),
        collection=corpora.shelf(),
        on_progress=lambda documents, passages: said.append((documents, passages)),
    )
    return said


def counted() -> tuple[object, ...]:
    totals = IndexStatistics.objects.values_list("chunks", "total_length").get()
    held = Lexeme.objects.filter(document_frequency__gt=0).order_by("lexeme")
    return totals, list(held.values_list("lexeme", "document_frequency"))


def test_they_are_found_as_any_other() -> None:
    assert load(1, 2, 3) == [(3, 3)]
    document = Document.objects.get(filename="t2")
    (chunk,) = document.chunks.all()
    assert chunk.context == "Drug 2"
    assert chunk.text == text_of(2).text
    assert len(chunk.spans) == 1
    (page,) = document.pages.all()
    assert "\n".join(page.text[start:end] for _, start, end in chunk.spans) == chunk.text
    best = retrieve(Query("drug number 2", on=timezone.localdate())).hits[0]
    assert best.document_id == document.pk


def test_the_statistics_are_those_of_documents_added_one_by_one() -> None:
    load(1, 2, 3)
    at_once = counted()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM corpus_lexeme")
    IndexStatistics.objects.update(chunks=0, total_length=0)
    for pk in Document.objects.values_list("pk", flat=True):
        statistics.add(pk)
    assert counted() == at_once


def test_what_is_here_is_not_loaded_again() -> None:
    load(1, 2)
    before = list(Chunk.objects.order_by("key").values_list("pk", "key"))
    assert load(1, 2) == []
    assert list(Chunk.objects.order_by("key").values_list("pk", "key")) == before


def test_it_goes_on_where_it_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "TOGETHER", 1)
    real = loading._load
    with mock.patch.object(loading, "_load", side_effect=[real, KeyboardInterrupt]) as made:
        made.side_effect = lambda batch, *rest, **named: (
            real(batch, *rest, **named) if made.call_count < 3 else _stop()
        )
        with pytest.raises(KeyboardInterrupt):
            load(1, 2, 3)
    assert Document.objects.count() == 2
    load(1, 2, 3)
    whole = counted()
    assert Document.objects.count() == 3
    assert IndexStatistics.objects.get().chunks == 3
    statistics.recount()
    assert counted() == whole


def _stop() -> int:
    raise KeyboardInterrupt


def test_a_text_of_nothing_is_its_title() -> None:
    empty = PlainDocument("e" * 64, "e", "Only a title", " \n ", 3)
    documents_load([empty], collection=corpora.shelf())
    assert Chunk.objects.get().text == "Only a title"


def long_text() -> PlainDocument:
    lines = [f"Point {n} of sepsis: infuse crystalloid when pressure is low." for n in range(90)]
    text = "\n".join(lines)
    return PlainDocument("f" * 64, "long", "Sepsis", text, len(text))


def test_summaries_are_made_where_the_site_makes_them(settings: Settings) -> None:
    load(1)
    documents_load([long_text()], collection=corpora.shelf())
    assert not SectionSummary.objects.exists()
    settings.SUMMARIES = "extractive"
    documents_load([], collection=corpora.shelf())  # resumes after the interruption
    (summary,) = SectionSummary.objects.all()
    assert summary.document.filename == "long"
    assert summary.text.startswith("Sepsis\n")
    documents_load([long_text()], collection=corpora.shelf())
    assert SectionSummary.objects.get().pk == summary.pk
    found = retrieve(
        Query("low pressure in sepsis", on=timezone.localdate()), config_from("summaries=yes")
    )
    assert "summaries" in {ranking.name for ranking in found.trace.rankings if ranking.entries}


SIZES = (Window(128, 64), Window(256, 128), Window(512, 256))


@pytest.mark.parametrize("window", SIZES)
def test_no_word_is_left_out_and_neighbours_share_half(window: Window) -> None:
    sizes = [1 + number % 4 for number in range(900)]
    found = list(windows_of(sizes, window))
    assert {word for first, stop in found for word in range(first, stop)} == set(range(900))
    for (first, stop), (following, _) in pairwise(found):
        assert window.tokens - 4 < sum(sizes[first:stop]) <= window.tokens
        assert window.stride <= sum(sizes[first:following]) < window.stride + 4


@pytest.mark.django_db
def test_a_database_is_filled_with_them() -> None:
    text = " ".join(f"Word {number}." for number in range(100)) + "\nAnd a last line."
    digest = hashlib.sha256(text.encode()).hexdigest()
    plain = PlainDocument(digest, "long", "Long", text, len(text))
    documents_load([plain], collection=corpora.shelf(), cut=cut_by(Window(128, 64)))
    page = Document.objects.get().pages.get()
    chunks = list(Chunk.objects.order_by("index"))
    assert len(chunks) > 3
    for chunk in chunks:
        ((_, start, end),) = chunk.spans
        assert page.text[start:end] == chunk.text
        assert get_embedder().count_tokens(chunk.text) <= 128
        assert (chunk.context, chunk.section_path) == ("Long", [])
    assert chunks[-1].text.endswith("And a last line.")
    starts = [chunk.spans[0][1] for chunk in chunks]
    ends = [chunk.spans[0][2] for chunk in chunks]
    assert all(start < end for start, end in zip(starts[1:], ends, strict=False))
