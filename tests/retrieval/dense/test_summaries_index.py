"""Summaries through their HNSW index: nearly those of the exact search, in every scope.

5,000 passages with a summary of each four, in a database of their own; vectors of 32 dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext, override_settings
from pytest_django import DjangoDbBlocker

from core.rounding import COSINE_DIGITS
from corpus.encoders.registry import ActiveEncoder, active_encoders
from corpus.encoders.types import Vectors
from corpus.models import Chunk, Encoder, EncoderState, SectionSummary
from corpus.services.encoders import encoders_sync
from corpus.summaries.index import indexes_sync
from retrieval.config import RetrievalConfig
from retrieval.dense import summaries
from retrieval.dense.summaries import LEAVES, SUMMARIES, search_summaries
from retrieval.types import Query, Ranking
from tests.corpus.encoders import tiny_models
from tests.databases import fresh_database
from tests.retrieval.dense.test_dense_scopes import (
    COUNT,
    DIMENSIONS,
    ON,
    SHELVES,
    around_centres,
    configured_as,
    fill,
)
from tests.retrieval.plans import plan_of

OF_EACH = 4  # passages
_SUMMARIES = """
INSERT INTO corpus_sectionsummary
    (document_id, section_path, first_index, last_index, text, made_by)
SELECT document_id, '{}', index, index + %(more)s, '', 'hand'
FROM corpus_chunk WHERE index %% %(each)s = 0
"""
_VECTORS = """
INSERT INTO corpus_summaryvector (summary_id, encoder_id, key, embedding)
SELECT s.id, %(encoder)s, d.sha256 || '_s' || s.first_index, v.embedding::vector
FROM corpus_sectionsummary s
JOIN corpus_document d ON d.id = s.document_id
JOIN corpus_chunk c ON c.document_id = s.document_id AND c.index = s.first_index
JOIN {table} v ON v.chunk_id = c.id
"""


@pytest.fixture(scope="module", params=["vector", "halfvec"])
def encoder(
    request: pytest.FixtureRequest,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    django_db_setup: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ActiveEncoder]:
    folder = tmp_path_factory.mktemp("models")
    model = tiny_models.transformer(folder / "tiny", width=DIMENSIONS)
    configured = override_settings(ENCODERS=configured_as(folder, model, request.param))
    with django_db_blocker.unblock(), fresh_database(socket_dir), configured:
        encoders_sync()
        fill()
        encoder = active_encoders()[0]
        with connection.cursor() as cursor:
            cursor.execute(_SUMMARIES, {"each": OF_EACH, "more": OF_EACH - 1})
            cursor.execute(_VECTORS.replace("{table}", encoder.table), {"encoder": encoder.pk})
        yield encoder


def search(encoder: ActiveEncoder, asked: Vectors, shelf: str = "", **config: int) -> Ranking:
    query = Query("", on=ON, collections=(shelf,) if shelf else ())
    config = {"dense_candidates": SUMMARIES * LEAVES, **config}
    return search_summaries(query, asked.tolist(), RetrievalConfig(**config), encoder)  # type: ignore[arg-type]


def numpys_own(encoder: ActiveEncoder, asked: Vectors) -> list[int]:
    """The passages of the nearest summaries, each summary's by their own cosine."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT chunk_id, embedding::real[] FROM {encoder.table}")
        exact = {chunk: float(np.asarray(made) @ asked) for chunk, made in cursor.fetchall()}
    cosines = {chunk: round(cosine, COSINE_DIGITS) for chunk, cosine in exact.items()}
    keys = dict(Chunk.objects.values_list("pk", "key"))
    at = {(doc, n): pk for pk, doc, n in Chunk.objects.values_list("pk", "document_id", "index")}
    rows = SectionSummary.objects.values_list(
        "document_id", "first_index", "last_index", "document__sha256"
    )
    first = sorted(rows, key=lambda row: -exact[at[row[0], row[1]]])[:SUMMARIES]
    best = sorted(first, key=lambda row: (-cosines[at[row[0], row[1]]], f"{row[3]}_s{row[1]}"))
    leaves = [[at[doc, n] for n in range(a, b + 1) if (doc, n) in at] for doc, a, b, _ in best]
    return [pk for of_one in leaves for pk in sorted(of_one, key=lambda pk: (-cosines[pk], keys[pk]))]  # noqa: E501  # fmt: skip


def test_up_to_the_limit_all_are_compared(encoder: ActiveEncoder) -> None:
    for asked in around_centres(3, seed=11):
        found = [entry.chunk_id for entry in search(encoder, asked).entries]
        if encoder.storage == "vector":
            assert found == numpys_own(encoder, asked)
        else:  # of 16 bits two may be as near
            assert len(set(found) & set(numpys_own(encoder, asked))) >= 0.95 * len(found)


@pytest.mark.parametrize("shelf", ["", *SHELVES])
def test_the_index_finds_nearly_the_same_in_every_scope(encoder: ActiveEncoder, shelf: str) -> None:
    shares = []
    for asked in around_centres(10, seed=7):
        exact = search(encoder, asked, shelf)
        found = search(encoder, asked, shelf, exact_below=5)
        assert len(found.entries) == len(exact.entries) > 0
        assert search(encoder, asked, shelf, exact_below=5).entries == found.entries
        best = {entry.key for entry in exact.entries}
        shares.append(len(best & {entry.key for entry in found.entries}) / len(best))
    assert np.mean(shares) >= 0.97, shares


@pytest.mark.parametrize("shelf", ["rare", "rarest"])
def test_of_a_narrow_scope_all_are_compared(encoder: ActiveEncoder, shelf: str) -> None:
    """More summaries than the limit, fewer passages in scope: the same as when it is not met."""
    for asked in around_centres(5, seed=12):
        narrow = search(encoder, asked, shelf, exact_below=200)
        assert narrow.entries == search(encoder, asked, shelf).entries
        assert narrow.entries


def test_a_scan_that_gives_up_is_made_good(encoder: ActiveEncoder) -> None:
    (asked,) = around_centres(1, seed=13)
    found = search(encoder, asked, "rare", exact_below=5, ef_search=1, max_scan_tuples=1)
    assert found.entries == search(encoder, asked, "rare").entries


@pytest.mark.parametrize("shelf", ["", "half"])
def test_above_the_limit_the_plan_is_the_index_and_below_it_is_not(
    encoder: ActiveEncoder, shelf: str
) -> None:
    """Before statistics were gathered and after: what the planner believes must not matter."""
    (asked,) = around_centres(1, seed=9)
    name = f"corpus_summaryvector_{encoder.pk}_hnsw"
    for statement in ("SELECT 1", "ANALYZE"):
        with connections["owner"].cursor() as cursor:
            cursor.execute(statement)
        assert f"Index Scan using {name}" in plan(encoder, asked, shelf, exact_below=5)
        assert name not in plan(encoder, asked, shelf, exact_below=COUNT)
        assert name not in plan(encoder, asked, "rare", exact_below=200)


def plan(encoder: ActiveEncoder, asked: Vectors, shelf: str, **config: int) -> str:
    return plan_of(lambda: search(encoder, asked, shelf, **config))


def test_it_leaves_sorting_on_for_what_follows(encoder: ActiveEncoder) -> None:
    (asked,) = around_centres(1, seed=9)
    with transaction.atomic(), connection.cursor() as cursor:
        search(encoder, asked, exact_below=5)
        cursor.execute("SHOW enable_sort")
        assert cursor.fetchone() == ("on",)


def test_equal_summaries_are_ordered_by_key(
    encoder: ActiveEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as many the same as are fetched the index may choose among them, never their order."""
    monkeypatch.setattr(summaries, "SUMMARIES", 5)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE corpus_summaryvector SET embedding = (SELECT min(embedding::text)::vector "
                "FROM corpus_summaryvector)"
            )
        (asked,) = around_centres(1, seed=9)
        found = search(encoder, asked, exact_below=COUNT)
        first = sorted(SectionSummary.objects.values_list("vector__key", flat=True))[:5]
        expected = SectionSummary.objects.filter(vector__key__in=first)
        leaves = {(row.document_id, n) for row in expected for n in range(row.first_index, row.last_index + 1)}  # noqa: E501  # fmt: skip
        kept = Chunk.objects.in_bulk([entry.chunk_id for entry in found.entries]).values()
        assert {(chunk.document_id, chunk.index) for chunk in kept} == leaves
        transaction.set_rollback(True)


def test_each_encoder_has_an_index_for_as_long_as_it_is_there(encoder: ActiveEncoder) -> None:
    assert f"corpus_summaryvector_{encoder.pk}_hnsw" in indexes()
    with transaction.atomic(using="owner"):
        rows = Encoder.objects.using("owner")
        other = rows.create(name="other", dimensions=7, storage="halfvec", spec={"m": 4})
        indexes_sync("owner")
        name = f"corpus_summaryvector_{other.pk}_hnsw"
        assert "halfvec(7)" in indexes("owner")[name]
        assert "m='4'" in indexes("owner")[name]
        with CaptureQueriesContext(connections["owner"]) as queries:
            indexes_sync("owner")
        assert len(queries) == 2  # nothing to do
        rows.filter(pk=other.pk).update(state=EncoderState.RETIRED)
        indexes_sync("owner")
        assert name not in indexes("owner")
        transaction.set_rollback(True, using="owner")


def indexes(using: str = "default") -> dict[str, str]:
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'corpus_summaryvector' "
            "AND indexdef LIKE '%USING hnsw%'"
        )
        return dict(cursor.fetchall())
