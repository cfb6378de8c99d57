"""BM25 of any passage, and what restricts and limits a search."""

import datetime
from typing import Any

import pytest

from corpus.models import Chunk, Document, IndexStatistics, Lexeme, Lifecycle
from retrieval.config import RetrievalConfig
from retrieval.lexical.search import asked_lexemes, bm25_statement, search_lexical
from retrieval.prepared.pipelined import pipelined
from retrieval.types import Filters, Query, Ranking
from tests.corpora import publish

TODAY = datetime.date(2026, 5, 1)
EVERYTHING = Filters()
pytestmark = pytest.mark.django_db


def search(text: str, *, filters: Filters = EVERYTHING, **config: Any) -> Ranking:
    query = Query(text, on=TODAY, filters=filters)
    return search_lexical(query, asked_lexemes(text, spelled=()), RetrievalConfig(**config))


@pytest.fixture
def notes(db: None) -> None:
    for n in range(1, 9):
        publish(f"# Note {n}\n" + "Gentamicin levels. " * n + "Rest and tea. " * (9 - n))


def test_none_finds_nothing_without_a_query(notes: None, django_assert_num_queries: Any) -> None:
    lexemes = asked_lexemes("gentamicin")
    with django_assert_num_queries(0):
        query = Query("gentamicin", on=TODAY)
        assert search_lexical(query, lexemes, RetrievalConfig(lexical="none")).entries == ()


def test_bm25_of_any_passage_is_as_the_search_scores_it(notes: None) -> None:
    publish("# Zebra\nStripes of the zebra.")
    publish("# Tea\nGreen leaves.")
    lexemes = asked_lexemes("gentamicin zebra")
    found = {entry.chunk_id: entry.score for entry in search("gentamicin zebra").entries}
    every = list(Chunk.objects.values_list("pk", flat=True))
    config = RetrievalConfig()
    with pipelined(bm25_statement([*every, 10**9], lexemes, config)) as sent:
        (rows,) = sent.rows()
    assert dict(rows) == {pk: found.get(pk, 0.0) for pk in every}
    assert 0 < len(found) < len(every)
    assert bm25_statement([], lexemes, config) is bm25_statement(every, (), config) is None


def test_a_long_question_is_scored_by_its_rarest_lexemes(notes: None) -> None:
    publish("# Zebra\nZebra stripes.")
    whole = search("zebra gentamicin level rest tea", condense_above=0)
    short = search("zebra gentamicin level rest tea", condense_above=1)
    assert len(short.entries) == 1 < len(whole.entries)
    assert short.entries[0].key == search("zebra").entries[0].key


def many(count: int) -> None:
    """Store passages of one document that repeat the same frequent words, without marks."""
    first = Chunk.objects.get(document=publish("# Doses\nDose dose of tea."))
    Chunk.objects.bulk_create(
        Chunk(
            key=f"{first.document.sha256}_p1_c{n}", document=first.document, index=n, page=1,
            text=first.text, spans=[], tokens=9, length=4 + n % 5,
            search_vector=first.search_vector,
        )
        for n in range(1, count)
    )  # fmt: skip
    Lexeme.objects.update(document_frequency=count)
    IndexStatistics.objects.update(chunks=count, total_length=6 * count)


def test_a_word_in_every_passage_is_read_in_part_and_always_in_the_same(db: None) -> None:
    many(120)
    settings: dict[str, Any] = {"df_budget": 3, "collapse_twins": False}
    found = search("dose", **settings)
    first = sorted(Chunk.objects.values_list("key", flat=True))[:3]
    assert sorted(entry.key for entry in found.entries) == first
    assert search("dose", **settings).entries == found.entries
    assert len(search("dose", collapse_twins=False, rescored=200).entries) == 50


@pytest.mark.parametrize("length", [1000, 100_000])
def test_a_question_of_any_length_costs_a_bounded_number_of_queries(
    notes: None, length: int, django_assert_max_num_queries: Any
) -> None:
    words = " ".join(f"gentamicin word{n} tea" for n in range(length))[:length]
    with django_assert_max_num_queries(6):
        assert search(words).entries


def test_a_narrow_scope_finds_what_it_holds_behind_a_crowd(db: None) -> None:
    for n in range(12):
        publish(f"# Crowd {n}\nGentamicin gentamicin gentamicin level {n}.", specialty="icu")
    lone = publish("# Lone\nOne word on gentamicin among very many others that are of no use.",
                   specialty="skin")  # fmt: skip
    filters = Filters(specialties=("Skin",))
    found = search("gentamicin level", filters=filters, df_budget=1, rescored=2)
    assert [entry.key[:64] for entry in found.entries] == [lone.sha256]
    assert not search("gentamicin", filters=Filters(specialties=("eyes",))).entries


def test_a_wide_scope_that_loses_the_best_finds_the_next(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.lexical.search._FEW_DOCUMENTS", 2)
    for n in range(6):
        publish(f"# Draft {n}\nGentamicin gentamicin level {n}.", lifecycle=Lifecycle.WITHDRAWN)
        publish(f"# In force {n}\nGentamicin among many more words of little use {n}.")
    found = search("gentamicin level", df_budget=2, rescored=2, lexical_candidates=6)
    titles = Document.objects.filter(chunks__key__in=[e.key for e in found.entries])
    assert {title.split()[0] for title in titles.values_list("title", flat=True)} == {"In"}
    assert len(found.entries) == 6
