"""Nearest vectors through the HNSW index, each time in a database of its own.

How an index is linked is chance, and rows that were rolled back stay in it: so a new one for each
test, and bounds far below what was seen.
"""

import datetime

import pytest

from retrieval.types import Query
from tests.retrieval.dense.test_dense import (
    holding,
    narrow_among_many,
    nearest,
    search,
    unit_vectors,
)

TODAY = datetime.date(2026, 5, 1)

pytestmark = pytest.mark.usefixtures("own_database")


def test_a_narrow_scope_is_not_starved_by_the_index() -> None:
    narrow = narrow_among_many()
    query = Query("", on=TODAY, collections=("narrow",))
    keys = [f"{'b' * 64}_p1_c{index}" for index in range(40)]
    for asked in unit_vectors(3, seed=6):
        expected = {key for key, _ in nearest(narrow, asked, keys, 25)}
        for scans in (10, 40_000):
            found = search(asked, query, exact_below=0, ef_search=10, max_scan_tuples=scans, dense_candidates=25)  # fmt: skip  # noqa: E501
            assert len(found.entries) == 25
            overlap = len({entry.key for entry in found.entries} & expected)
            assert overlap >= 18, f"{overlap} of 25 with {scans} tuples"  # 16 by chance


def test_the_index_finds_nearly_what_the_exact_search_finds() -> None:
    vectors = unit_vectors(1000, seed=7)
    holding(vectors)
    shares = []
    for asked in vectors[:20] + 0.05 * unit_vectors(20, seed=8):
        exact = {entry.key for entry in search(asked, dense_candidates=10).entries}
        through = {entry.key for entry in search(asked, exact_below=0, ef_search=100, dense_candidates=10).entries}  # fmt: skip  # noqa: E501
        shares.append(len(exact & through) / len(exact))
    assert sum(shares) / len(shares) >= 0.6
