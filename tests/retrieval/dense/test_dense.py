"""Dense search against numpy, exact and through the index, also in narrow scopes."""

import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.rounding import COSINE_DIGITS
from corpus.encoders.registry import active_encoders
from corpus.models import Chunk, Document, IndexStatistics
from retrieval.config import RetrievalConfig
from retrieval.dense.search import search_dense
from retrieval.types import Query, Ranking, Scope
from tests.corpora import publish, shelf, vector_of, vectors_only
from tests.retrieval.dense import scopes

TODAY = datetime.date(2026, 5, 1)
Vectors = npt.NDArray[np.float32]
DIMENSIONS = 384

pytestmark = pytest.mark.django_db


def unit_vectors(count: int, *, seed: int) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(count, DIMENSIONS))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def holding(vectors: Vectors, *, name: str = "a", collection: str = "general") -> Document:
    document = publish("", title=name, collection=collection, sha256=name * 64)
    vectors_only(document, vectors.tolist())
    IndexStatistics.objects.update(chunks=Chunk.objects.count())
    return document


def search(vector: Any, query: Query | None = None, **config: Any) -> Ranking:
    (encoder,) = active_encoders()
    return search_dense(
        query or Query("", on=TODAY),
        np.asarray(vector).tolist(),
        RetrievalConfig(**config),
        encoder,
    )


def kept(vectors: Any) -> npt.NDArray[np.float64]:
    """Round vectors to 16 bits, as they are stored and asked for, and normalise them."""
    half = np.asarray(vectors).astype(np.float16).astype(np.float64)
    return np.asarray(half / np.linalg.norm(half, axis=-1, keepdims=True))


def nearest(vectors: Vectors, asked: Any, keys: list[str], k: int) -> list[tuple[str, float]]:
    scores = (kept(vectors) @ kept(asked)).astype(float).round(COSINE_DIGITS).tolist()
    return sorted(zip(keys, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))[:k]


def narrow_among_many() -> Vectors:
    """Store 1,000 chunks on one shelf and 40 on the shelf `narrow`; return the latter's vectors."""
    narrow = unit_vectors(40, seed=5)
    holding(unit_vectors(1000, seed=4), name="a")
    holding(narrow, name="b", collection="narrow")
    return narrow


def test_exact_search_is_that_of_numpy() -> None:
    vectors = unit_vectors(300, seed=1)
    document = holding(vectors)
    keys = [f"{document.sha256}_p1_c{index}" for index in range(300)]
    for asked in unit_vectors(5, seed=2):
        found = search(asked, dense_candidates=20)
        expected = nearest(vectors, asked, keys, 20)
        assert [entry.key for entry in found.entries] == [key for key, _ in expected]
        scores = [entry.score for entry in found.entries]
        assert scores == pytest.approx([score for _, score in expected], abs=1e-5)
        assert [entry.rank for entry in found.entries] == list(range(1, 21))


def test_equal_vectors_are_ordered_by_key() -> None:
    same = np.repeat(unit_vectors(1, seed=3), 12, axis=0)
    document = holding(same)
    found = search(same[0], dense_candidates=5)
    keys = sorted(f"{document.sha256}_p1_c{index}" for index in range(12))
    assert [entry.key for entry in found.entries] == keys[:5]


def test_a_narrow_scope_is_searched_exactly_however_large_the_index_is() -> None:
    """40 of 1,040 chunks are in scope: filtering after an index scan would find hardly any."""
    narrow = narrow_among_many()
    query = Query("", on=TODAY, collections=("narrow",))
    keys = [f"{'b' * 64}_p1_c{index}" for index in range(40)]
    for asked in unit_vectors(3, seed=6):
        found = search(asked, query, exact_below=100, dense_candidates=25)
        expected = [key for key, _ in nearest(narrow, asked, keys, 25)]
        assert [entry.key for entry in found.entries] == expected


def test_settings_of_the_scan_last_no_longer_than_their_transaction() -> None:
    holding(unit_vectors(10, seed=9))
    with CaptureQueriesContext(connection) as queries:
        search(unit_vectors(1, seed=10)[0], exact_below=0, ef_search=7)
    (made,) = [query["sql"] for query in queries if "set_config" in query["sql"]]
    assert made.count("set_config(") == made.count(", true)") == 5
    with connection.cursor() as cursor:  # same transaction: later statements may sort
        cursor.execute("SHOW enable_sort")
        assert cursor.fetchone() == ("on",)


def test_finds_only_what_the_scope_allows() -> None:
    documents = scopes.one_of_each()
    vector = vector_of(Chunk.objects.filter(document=documents["published"])[0])
    for scope, names in (
        (Scope.IN_FORCE, scopes.IN_FORCE),
        (Scope.OUT_OF_DATE, scopes.OUT_OF_DATE),
    ):
        for exact_below in (0, 10_000):
            found = search(vector, Query("", on=scopes.TODAY, scope=scope), exact_below=exact_below)
            titles = Document.objects.filter(chunks__key__in=[e.key for e in found.entries])
            assert set(titles.values_list("title", flat=True)) == names


def test_an_unknown_collection_finds_nothing() -> None:
    holding(unit_vectors(3, seed=12))
    shelf("empty")
    for slug in ("empty", "nowhere", "'; --"):
        query = Query("", on=TODAY, collections=(slug,))
        assert search(unit_vectors(1, seed=13)[0], query).entries == ()
        assert search(unit_vectors(1, seed=13)[0], query, exact_below=0).entries == ()


def test_an_empty_index_finds_nothing() -> None:
    assert search(unit_vectors(1, seed=14)[0]).entries == ()
    assert search(unit_vectors(1, seed=14)[0], exact_below=0).entries == ()
