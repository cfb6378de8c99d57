"""The same question gives the same ranking: over connections, after VACUUM, after a re-index."""

import datetime
import itertools
import random
from typing import Any

import pytest
from django.db import connection, connections

from corpus.indexing import search_vectors, statistics
from corpus.models import Chunk, Document
from retrieval.config import RetrievalConfig
from retrieval.lexical.clauses import choose
from retrieval.lexical.search import asked_lexemes, conditions_of, search_lexical
from retrieval.types import Query
from tests.corpora import publish
from tests.retrieval.hostile import HANDMADE, random_queries

TODAY = datetime.date(2026, 5, 1)
WORDS = "gentamicin level dose insulin tea rest not renal adult child mg 5 10 night".split()
QUESTIONS = [
    "gentamicin level", "dose of insulin in renal impairment, not in a child", "tea",
    "5 mg at night",
    "rest " * 40, "gentamicin tea rest dose insulin level renal adult child night", "mg mg 10",
]  # fmt: skip


def ranked(**config: Any) -> list[list[tuple[str, float]]]:
    settings = RetrievalConfig(collapse_twins=False, **config)
    found = []
    for text in QUESTIONS:
        query = Query(text, on=TODAY)
        entries = search_lexical(query, asked_lexemes(text, spelled=()), settings).entries
        found.append([(entry.key, entry.score) for entry in entries])
    return found


def fill() -> None:
    generator = random.Random(8)
    for n in range(40):
        lines = [" ".join(generator.choices(WORDS, k=generator.randrange(3, 30))) for _ in range(4)]
        publish(f"# Note {n}\n" + "\n## Part\n".join(lines), title=f"Note {n}")


def cut_anew() -> None:
    """Every passage under another primary key and place on disk, in another order."""
    documents = list(Document.objects.order_by("-sha256"))
    for document in documents:
        statistics.subtract(document.pk)
        rows = list(document.chunks.order_by("-index"))
        document.chunks.all().delete()
        for row in rows:
            row.pk, row.search_vector = None, None
            row.save(force_insert=True)
        search_vectors.write(rows)
        statistics.add(document.pk)


def held_by(condition: str, parameters: Any) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM corpus_chunk c WHERE {condition}", parameters)
        return {pk for (pk,) in cursor.fetchall()}


def test_the_index_is_searched_by_what_the_clauses_say(db: None) -> None:
    """However they are put together to read it once."""
    fill()
    sizes = set()
    for text, budget in itertools.product(QUESTIONS, (1, 5, 12, 40, 100)):
        terms = tuple(term for asked in asked_lexemes(text, spelled=()) for term in asked.terms)
        seeds = choose(terms, chunks=1000, budget=budget)
        found = conditions_of(seeds)
        as_one = " | ".join(f"({' & '.join(map(repr, clause))})" for clause in seeds.clauses)
        expected = held_by("search_vector @@ %s::tsquery", [as_one])
        each = " OR ".join(f"search_vector @@ %({name})s::tsquery" for name in found)
        assert held_by(each, found) == expected != set()
        sizes.add((len(seeds.clauses), len(found)))
    assert any(clauses > searched > 1 for clauses, searched in sizes)


@pytest.mark.parametrize("config", [{}, {"df_budget": 12}, {"df_budget": 1, "rescored": 50}])
def test_the_ranking_is_the_same_whatever_happened_to_the_index(
    own_database: str, config: dict[str, Any]
) -> None:
    fill()
    before = ranked(**config)
    assert all(before)
    connections.close_all()
    assert ranked(**config) == before
    cut_anew()
    assert not statistics.drift()
    assert ranked(**config) == before
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE corpus_chunk")
    assert ranked(**config) == before
    with connection.cursor() as cursor:  # another plan
        cursor.execute("SET enable_bitmapscan = off")
    assert ranked(**config) == before
    connections.close_all()


@pytest.mark.django_db
def test_hostile_input_neither_raises_nor_is_searched_without_bounds() -> None:
    publish("# Asthma\nGive gentamicin for 5 days, not more.")
    long = [
        "'" * 100_000,
        "a " * 50_000,
        "gentamicin\x00" * 9000,
        "\ud800" * 100_000,
        "🩺" * 100_000,
    ]
    long += ["(" * 50_000 + ")" * 50_000, "\u202e" * 100_000, "1," * 50_000, "-" * 100_000]
    long += ["μ" * 100_000, "a.b" * 30_000, "x-" * 50_000, "10^" * 30_000, "1.0" * 30_000]
    for text in [*HANDMADE, *random_queries(200, seed=5), *long]:
        lexemes = asked_lexemes(text)
        assert len(lexemes) < 20_000
        search_lexical(Query("", on=TODAY), lexemes, RetrievalConfig())
    assert Chunk.objects.count() == 1
