"""Narrow scopes in a large index: the wanted number of passages is found if they exist.

5,000 chunks, most on four shelves, in a database of their own, with vectors of 32 dimensions around
400 centres, as texts on 400 topics have.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import numpy as np
import pytest
from django.db import connection, connections

from core.rounding import COSINE_DIGITS
from corpus.encoders import vectors
from corpus.encoders.registry import ActiveEncoder, searched_rows
from corpus.encoders.types import Vectors
from corpus.models import Chunk, IndexStatistics
from retrieval.config import RetrievalConfig
from retrieval.dense.hnsw import candidates_of
from retrieval.dense.search import cosines_statement, search_dense
from retrieval.prepared.pipelined import pipelined
from retrieval.types import Query, Ranking
from tests.corpora import publish
from tests.retrieval.plans import plan_of

COUNT = 5_000
DIMENSIONS = 32
SHELVES = {"half": 0.5, "twentieth": 0.05, "rare": 0.02, "rarest": 0.002}
WANTED = 50
ON = date(2026, 5, 1)
_CHUNKS = """
INSERT INTO corpus_chunk
    (key, document_id, index, page, section_path, context, text, spans, tokens, length, twins,
     disabled_reason)
SELECT %s || lpad(i::text, 5, '0'), %s, i, 1, '{}', '', i::text, '[]', 1, 1, '', ''
FROM generate_series(0, %s - 1) AS i
"""


def fill() -> None:
    (row,) = searched_rows()
    left = COUNT
    for name, share in {**SHELVES, "rest": 0.428}.items():
        count = round(COUNT * share)
        document = publish("", title=name, collection=name, sha256=name.ljust(64, "0"))
        with connection.cursor() as cursor:
            cursor.execute(_CHUNKS, [name, document.pk, count])
        left -= count
    assert left == 0
    ids = list(Chunk.objects.order_by("key").values_list("pk", flat=True))
    # Vectors are spread so that each shelf covers every topic.
    made = around_centres(COUNT, seed=1)
    with linked_afterwards(f"{row.table}_hnsw"):
        for first in range(0, COUNT, 1000):
            vectors.write(row, ids[first : first + 1000], made[first : first + 1000])
    IndexStatistics.objects.update(chunks=COUNT)


@contextmanager
def linked_afterwards(index: str) -> Iterator[None]:
    """Drop the index and build it again after the block: adding row by row takes minutes."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [index])
        (definition,) = cursor.fetchone()
        cursor.execute(f"DROP INDEX {index}")
        yield
        cursor.execute(definition)


def around_centres(count: int, *, seed: int) -> Vectors:
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(400, DIMENSIONS))
    made = centres[random.integers(0, 400, count)] + 0.6 * random.normal(size=(count, DIMENSIONS))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def search(encoder: ActiveEncoder, asked: Vectors, shelf: str = "", **config: int) -> Ranking:
    query = Query("", on=ON, collections=(shelf,) if shelf else ())
    return search_dense(query, asked.tolist(), RetrievalConfig(**config), encoder)  # type: ignore[arg-type]


@pytest.mark.parametrize("scans", [40_000, 125])
@pytest.mark.parametrize("shelf", ["", *SHELVES])
def test_as_many_as_are_wanted_come_back_at_every_selectivity(
    encoder: ActiveEncoder, shelf: str, scans: int
) -> None:
    there = round(COUNT * SHELVES.get(shelf, 1))
    shares = []
    for asked in around_centres(10, seed=7):
        exact = search(encoder, asked, shelf)
        assert len(exact.entries) == min(WANTED, there)
        found = search(encoder, asked, shelf, exact_below=0, max_scan_tuples=scans)
        assert len(found.entries) == min(WANTED, there)
        assert ordered(found)
        again = search(encoder, asked, shelf, exact_below=0, max_scan_tuples=scans)
        assert again.entries == found.entries
        best = {entry.key for entry in exact.entries[:10]}
        shares.append(len(best & {entry.key for entry in found.entries[:10]}) / len(best))
    assert np.mean(shares) >= 0.97, shares


def test_a_graph_that_is_built_anew_gives_the_same_best_passages(encoder: ActiveEncoder) -> None:
    """HNSW draws levels at random; `ef_search` candidates compensate for that."""
    questions = around_centres(50, seed=11)

    def best() -> list[list[tuple[str, float]]]:
        found = (search(encoder, asked, exact_below=0) for asked in questions)
        return [[(entry.key, entry.score) for entry in each.entries[:10]] for each in found]

    before = best()
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"REINDEX INDEX {encoder.table}_hnsw")
    after = best()
    assert sum(one == other for one, other in zip(before, after, strict=True)) >= 49


def ordered(ranking: Ranking) -> bool:
    marks = [(-entry.score, entry.key) for entry in ranking.entries]
    return marks == sorted(marks) and [e.rank for e in ranking.entries] == list(
        range(1, len(marks) + 1)
    )


def test_what_is_exact_is_that_of_the_formula(encoder: ActiveEncoder) -> None:
    (asked,) = around_centres(1, seed=8)
    found = search(encoder, asked, "rare")
    ids = list(Chunk.objects.filter(document__title="rare").values_list("pk", flat=True))
    kept = vectors.read(searched_rows()[0], ids)
    best = sorted(ids, key=lambda pk: -float(kept[pk] @ asked))[:10]
    half = 0.5 * 10**-COSINE_DIGITS
    tolerance = half + (1e-5 if encoder.storage == "vector" else 1e-3)
    for entry, pk in zip(found.entries, best, strict=False):
        assert entry.score == pytest.approx(float(kept[pk] @ asked), abs=tolerance)
    with pipelined(cosines_statement(encoder, asked.tolist(), [*best, 0])) as sent:
        (near,) = sent.rows()
    assert dict(near) == {pk: pytest.approx(float(kept[pk] @ asked), abs=tolerance) for pk in best}
    assert cosines_statement(encoder, asked.tolist(), []) is None


@pytest.mark.parametrize("shelf", ["", "half", "twentieth"])
def test_a_large_scope_is_searched_through_the_index_and_a_small_one_is_not(
    encoder: ActiveEncoder, shelf: str
) -> None:
    """Without and with the planner's statistics, which must make no difference."""
    (asked,) = around_centres(1, seed=9)
    for statement in ("SELECT 1", "ANALYZE"):
        with connections["owner"].cursor() as cursor:
            cursor.execute(statement)
        assert f"{encoder.table}_hnsw" in plan(encoder, asked, shelf, exact_below=0)
        assert f"{encoder.table}_hnsw" not in plan(encoder, asked, shelf, exact_below=COUNT)


@pytest.mark.parametrize("shelf", ["", "half", "twentieth"])
def test_a_plan_for_all_values_goes_through_the_index_too(
    encoder: ActiveEncoder, shelf: str
) -> None:
    (asked,) = around_centres(1, seed=9)
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SET plan_cache_mode = force_generic_plan")
    plan(encoder, asked, shelf, exact_below=0)
    for statement in ("SELECT 1", "ANALYZE"):
        with connections["owner"].cursor() as cursor:
            cursor.execute(statement)
        found = plan(encoder, asked, shelf, exact_below=0)
        assert f"{encoder.table}_hnsw" in found
        assert "$1" in found  # a generic plan
    connection.close()


def test_a_narrow_scope_of_a_large_index_is_looked_up_vector_by_vector(
    encoder: ActiveEncoder,
) -> None:
    (asked,) = around_centres(1, seed=9)
    found = plan(encoder, asked, "twentieth", exact_below=1)
    assert f"{encoder.table}_pkey" in found
    assert f"{encoder.table}_hnsw" not in found
    assert f"{encoder.table}_hnsw" in plan(encoder, asked, "half", exact_below=1)
    narrow, exact = (search(encoder, asked, "twentieth", exact_below=n) for n in (1, COUNT))
    assert narrow == exact


def plan(encoder: ActiveEncoder, asked: Vectors, shelf: str, **config: int) -> str:
    return plan_of(lambda: search(encoder, asked, shelf, **config))


@pytest.mark.parametrize(
    ("vectors", "candidates"),
    [(0, 150), (187_500, 150), (500_000, 400), (1_000_000, 800), (10_000_000, 1000)],
)
def test_the_list_of_candidates_grows_with_the_graph(vectors: int, candidates: int) -> None:
    assert candidates_of(RetrievalConfig(), vectors=vectors) == candidates
    assert candidates_of(RetrievalConfig(ef_search=800), vectors=vectors) == max(800, candidates)
