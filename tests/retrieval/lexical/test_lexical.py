"""Lexical search against an independent BM25 over the same lexemes, and against hostile syntax."""

import datetime
import math
import re
from collections import Counter
from typing import Any

import pytest
from django.db import connection

from corpus.indexing.search_text import normalise
from corpus.models import Chunk, IndexStatistics, Lexeme
from retrieval.config import RetrievalConfig
from retrieval.lexical.clauses import Term
from retrieval.lexical.search import AskedLexeme, asked_lexemes, search_lexical
from retrieval.types import Query, Ranking
from tests.corpora import publish

TODAY = datetime.date(2026, 5, 1)
DRUGS = "gentamicin amikacin vancomycin teicoplanin enoxaparin warfarin alteplase insulin".split()
ADVICE = (
    "Give {drug} {n} mg once daily for {n} days. Measure the {drug} level before the next dose. "
    "Stop {drug} when creatinine rises above {n} micromol/L. Tell the pharmacist of each dose."
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus(db: None) -> None:
    for n, drug in enumerate(DRUGS, start=1):
        sections = "\n".join(
            f"## Part {part}\n" + ADVICE.format(drug=drug, n=n + part) + " Repeat it." * part
            for part in range(1, 4)
        )
        publish(f"# {drug.title()} in adults\n{sections}")


def search(text: str, **config: Any) -> Ranking:
    return search_lexical(Query(text, on=TODAY), asked_lexemes(text), RetrievalConfig(**config))


def indexed_lexemes() -> dict[str, Counter[str]]:
    """Count each chunk's lexemes, read from the text of its tsvector."""
    found = {}
    for key, vector in Chunk.objects.values_list("key", "search_vector"):
        positions = re.findall(r"'((?:[^']|'')+)':([\d,A-D]+)", str(vector))
        found[key] = Counter({lexeme: places.count(",") + 1 for lexeme, places in positions})
    return found


def bm25(asked: list[str], *, k1: float, b: float) -> dict[str, float]:
    """Robertson and Zaragoza 2009 with Lucene's idf, independent of the product's code."""
    chunks = indexed_lexemes()
    n = len(chunks)
    average = sum(counts.total() for counts in chunks.values()) / n
    scores: dict[str, float] = {}
    for key, counts in chunks.items():
        for lexeme in asked:
            if not (tf := counts[lexeme]):
                continue
            df = sum(lexeme in other for other in chunks.values())
            idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
            norm = k1 * (1 - b + b * counts.total() / average)
            scores[key] = scores.get(key, 0.0) + idf * tf * (k1 + 1) / (tf + norm)
    return scores


@pytest.mark.parametrize(
    ("question", "k1", "b"),
    [
        ("gentamicin level", 0.9, 0.4),
        ("What dose of warfarin, and when is the level measured?", 0.9, 0.4),
        ("creatinine pharmacist insulin 5 mg", 1.2, 0.75),
        ("repeat repeat repeat", 2.0, 0.0),
        ("vancomycin or teicoplanin in adults", 0.9, 1.0),
    ],
)
def test_scores_and_order_are_those_of_bm25(
    corpus: None, question: str, k1: float, b: float
) -> None:
    asked = [lexeme.lexeme for lexeme in asked_lexemes(question)]
    expected = bm25(asked, k1=k1, b=b)
    found = search(question, k1=k1, b=b, lexical_candidates=1000, df_budget=10**6)
    assert len(found.entries) == len(expected) > 0
    for entry in found.entries:
        assert entry.score == pytest.approx(expected[entry.key], abs=1e-6)
    order = sorted(expected, key=lambda key: (-round(expected[key], 9), key))
    assert [entry.key for entry in found.entries] == order


def test_the_idf_of_a_lexeme_follows_its_formula(corpus: None) -> None:
    total = IndexStatistics.objects.get().chunks
    for lexeme in asked_lexemes("gentamicin level zebra"):
        df = lexeme.document_frequency
        assert lexeme.idf == pytest.approx(math.log(1 + (total - df + 0.5) / (df + 0.5)))
    by_name = {lexeme.lexeme: lexeme for lexeme in asked_lexemes("gentamicin level zebra")}
    assert by_name["zebra"].document_frequency == 0
    assert by_name["zebra"].idf == max(lexeme.idf for lexeme in by_name.values())


def test_statistics_count_what_is_indexed(corpus: None) -> None:
    counts = indexed_lexemes()
    assert IndexStatistics.objects.get().chunks == len(counts)
    assert IndexStatistics.objects.get().total_length == sum(c.total() for c in counts.values())
    stored = dict(Lexeme.objects.values_list("lexeme", "document_frequency"))
    said = Counter(lexeme for chunk in counts.values() for lexeme in chunk)
    marks = Counter(
        f"{lexeme}~{level}"
        for chunk in counts.values()
        for lexeme, times in chunk.items()
        for level in (65, 75, 80, 85, 90)
        if 100 * times >= level * (times + 0.3 + 0.009 * chunk.total())
    )
    assert marks
    assert stored == said + marks


def test_a_budget_takes_candidates_from_the_rarest_lexemes(corpus: None) -> None:
    # `warfarin` is in 3 chunks, `dose` in all: a budget of 1 allows only the rarest.
    found = search("warfarin dose", df_budget=1, lexical_candidates=1000)
    chunks = Chunk.objects.filter(key__in=[entry.key for entry in found.entries])
    assert {chunk.document.title for chunk in chunks} == {"Warfarin in adults"}
    # All lexemes count for their scores nevertheless.
    everything = {e.key: e.score for e in search("warfarin dose", lexical_candidates=1000).entries}
    assert all(entry.score == everything[entry.key] for entry in found.entries)


def test_ties_are_decided_by_key() -> None:
    for sha in "cab":
        publish("# Same\nThe very same words of advice.", title="Same", sha256=sha * 64)
    found = search("advice words", collapse_twins=False)
    assert len({entry.score for entry in found.entries}) == 1
    assert [entry.key[0] for entry in found.entries] == ["a", "b", "c"]
    assert [entry.rank for entry in found.entries] == [1, 2, 3]


def test_a_candidate_limit_with_ties_is_stable() -> None:
    for number in range(9):
        publish("# Same\nThe same words.", title="Same", sha256=f"{number}" * 64)
    found = search("same words", rescored=4, collapse_twins=False)
    assert [entry.key[0] for entry in found.entries] == list("0123")


@pytest.mark.parametrize("question", ["", "the of and", "?!", "🩺"])
def test_stop_words_alone_find_nothing_without_a_query(
    corpus: None, question: str, django_assert_num_queries: Any
) -> None:
    assert asked_lexemes(question) == ()
    with django_assert_num_queries(0):
        assert search_lexical(Query(question, on=TODAY), (), RetrievalConfig()).entries == ()


def test_one_query_for_the_search(corpus: None, django_assert_num_queries: Any) -> None:
    lexemes = asked_lexemes("gentamicin level")
    with django_assert_num_queries(1):
        search_lexical(Query("gentamicin level", on=TODAY), lexemes, RetrievalConfig())


def test_lexemes_with_quotes_and_backslashes_are_found() -> None:
    """The parser seldom produces such lexemes, but the statement must work for them."""
    document = publish("# Odd\nSome words.")
    for lexeme in ("o'brien", "back\\slash", "' | !x", "a:*b", "it''s"):
        with connection.cursor() as cursor:
            quoted = "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "':1"
            cursor.execute(
                "UPDATE corpus_chunk SET search_vector = %s::tsvector WHERE document_id = %s",
                [quoted, document.pk],
            )
        Lexeme.objects.create(lexeme=lexeme, document_frequency=1)
        asked = (AskedLexeme(lexeme, 1, 1.0, terms=(Term(lexeme, 1, 1.0),), chunks=1),)
        found = search_lexical(Query(lexeme, on=TODAY), asked, RetrievalConfig())
        assert len(found.entries) == 1, lexeme


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Give .5 mg of digoxin", "0.5"),
        ("metformin/sitagliptin tablets", "sitagliptin"),
        ("2 mg/kg per dose", "kg"),
        ("IL-6 was raised", "IL6"),
        ("IL-6 was raised", "IL-6"),
        ("IL 6 was raised", "IL-6"),
        ("β-blocker", "beta"),
        ("give 1,500 units", "1500"),
    ],
)
def test_finds_what_the_parser_would_have_lost(written: str, asked: str) -> None:
    publish(f"# Notes\n{written}")
    assert search(asked).entries


def test_half_a_milligram_is_not_found_as_five() -> None:
    publish("# Notes\nGive .5 mg of digoxin")
    assert not search("5").entries
    assert normalise(".5 mg") == "0.5 mg"
