"""Test how a vector is written for the database."""

import numpy as np
import pytest
from django.db import connection

from corpus.encoders.vectors import literal

_LIMITS = np.finfo(np.float32)
_EDGES = (0.0, 1.0, -1.0, 0.1, 1 / 3, _LIMITS.max, _LIMITS.min, _LIMITS.tiny, _LIMITS.smallest_subnormal)  # fmt: skip  # noqa: E501


@pytest.mark.django_db
def test_the_database_reads_every_bit() -> None:
    random = np.random.default_rng(5)
    bits = random.integers(0, 2**32, 200_000, dtype=np.uint64).astype(np.uint32)
    any_at_all = bits.view(np.float32)
    near_units = random.normal(size=200_000).astype(np.float32) / np.float32(20)
    edges = np.array(_EDGES, dtype=np.float32)
    values = np.concatenate([edges, any_at_all[np.isfinite(any_at_all)], near_units])
    for first in range(0, len(values), 16_000):
        asked = values[first : first + 16_000]
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s::vector::real[]", [literal(asked.tolist())])
            (read,) = cursor.fetchone()
        assert np.array_equal(np.array(read, dtype=np.float32), asked)


@pytest.mark.django_db
def test_half_precision_rounds_what_was_meant() -> None:
    values = np.random.default_rng(6).normal(size=16_000).astype(np.float32)
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::halfvec::real[]", [literal(values.tolist())])
        (read,) = cursor.fetchone()
    assert np.array_equal(np.array(read, dtype=np.float16), values.astype(np.float16))
