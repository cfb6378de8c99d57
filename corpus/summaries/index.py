"""An HNSW index over the summaries of each encoder, as its passages have one.

The vectors of all encoders stand in one table and have several lengths, so that an index is over
those of one, as its own type. They are compared as that type whether by the index or without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from django.db import connections

from corpus.models import Encoder, EncoderState, SummaryVector

_BUILD_MEMORY = "1GB"  # at most, for the graph of an index while it is built
_INDEXES = r"""
SELECT indexname FROM pg_indexes
WHERE schemaname = current_schema() AND tablename = %s AND indexname LIKE '%%\_hnsw'
"""
_INDEX = """
CREATE INDEX {name} ON {table} USING hnsw (({compared}) {storage}_cosine_ops)
WITH (m = {m}, ef_construction = {ef_construction}) WHERE encoder_id = {encoder}
"""
_TABLE = SummaryVector._meta.db_table


class Stored(Protocol):
    """An encoder's row, or what is searched of it."""

    @property
    def dimensions(self) -> int: ...
    @property
    def storage(self) -> str: ...


def compared_as(encoder: Stored) -> str:
    """The type that `corpus_summaryvector.embedding` is compared as, such as `vector(384)`."""
    return f"{encoder.storage}({int(encoder.dimensions)})"


def indexes_sync(using: str) -> None:
    """Make the index of each encoder that has none, and drop those of encoders that are gone.

    As the table's owner, in the caller's transaction: summaries can't be written until its end
    where an index is made, nor read where one is dropped. One query, and two more where
    anything is to be done.
    """
    encoders = Encoder.objects.using(using).exclude(state=EncoderState.RETIRED).order_by("pk")
    wanted = {_name(encoder): encoder for encoder in encoders}
    with connections[using].cursor() as cursor:
        cursor.execute(_INDEXES, [_TABLE])
        there = {name for (name,) in cursor.fetchall()}
    _execute(using, [f"DROP INDEX {name}" for name in sorted(there - wanted.keys())])
    missing = [_made(encoder) for name, encoder in wanted.items() if name not in there]
    if missing:
        # As for the passages' index: its helpers would share that memory by a small file system.
        memory = f"SET LOCAL maintenance_work_mem = '{_BUILD_MEMORY}'"
        _execute(using, [memory, "SET LOCAL max_parallel_maintenance_workers = 0", *missing])


def _name(encoder: Encoder) -> str:
    return f"{_TABLE}_{int(encoder.pk)}_hnsw"


def _made(encoder: Encoder) -> str:
    return _INDEX.format(
        name=_name(encoder),
        table=_TABLE,
        compared=f"embedding::{compared_as(encoder)}",
        storage=encoder.storage,
        m=int(encoder.spec.get("m", 16)),  # pgvector's own, as in `corpus_vectors_index`
        ef_construction=int(encoder.spec.get("ef_construction", 64)),
        encoder=int(encoder.pk),
    )


def _execute(using: str, statements: Sequence[str]) -> None:
    with connections[using].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
