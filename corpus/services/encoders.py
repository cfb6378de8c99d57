"""Manage the encoders' tables: create, fill in the background, switch over, drop.

    configured -> BUILDING: filled while the old serves -> ACTIVE; the old one RETIRED -> dropped

The tables' owner creates and drops them (`encoders_sync`, called by `migrate`) and indexes them
(`corpus.indexing.vector_index`). Filling and switching need only the application's rights. Every
step can be interrupted and resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from django.db import OperationalError, connection, connections, transaction
from django.db.models import F
from django.db.models.functions import Now

from core.database_availability import sqlstate
from core.errors import MedragError
from corpus.encoders import statement_vectors, vectors
from corpus.encoders.adoption import encoders_to_adopt
from corpus.encoders.batches import BATCH, encode_rows
from corpus.encoders.folders import Facts
from corpus.encoders.registry import configured_specs, embedder_of, encoder_facts, facts_for
from corpus.encoders.specs import EncoderSpec
from corpus.encoders.types import Embedder
from corpus.indexing.vector_index import FILLING, OWNER, alone, index_build
from corpus.models import Chunk, Encoder, EncoderState, SectionSummary, Storage

_LOCK_LIMIT = "30s"  # a new table's key waits for those who write chunks, and all wait behind it
_NO_LOCK = ("55P03", "40P01")  # PostgreSQL: lock_not_available, deadlock_detected

_TABLE = """
CREATE TABLE {table} (
    chunk_id bigint PRIMARY KEY REFERENCES corpus_chunk ON DELETE CASCADE,
    embedding {storage}({dimensions}) NOT NULL
) {partitioned}
"""
_PARTITION = (
    "CREATE TABLE {name} PARTITION OF {table} FOR VALUES WITH (MODULUS {modulus}, REMAINDER {n})"
)
_BATCHES = """
SELECT c.document_id, c.index / %s AS batch
FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
WHERE d.indexed_at IS NOT NULL AND NOT EXISTS (SELECT FROM {table} v WHERE v.chunk_id = c.id)
GROUP BY 1, 2 ORDER BY 1, 2
"""

OnProgress = Callable[[int, int], None]


class TablesInUse(MedragError):
    """Others use passages without a pause long enough to create a table."""

    retryable = True


@dataclass(frozen=True)
class Synced:
    """What a sync changed, by name."""

    made: tuple[str, ...] = ()  # to be filled by `encoder_reembed`
    activated: tuple[str, ...] = ()  # at once, since nothing was indexed
    dropped: tuple[str, ...] = ()


def encoders_sync() -> Synced:
    """Create tables for new or changed encoders, and drop those of retired ones.

    Runs as the tables' owner, in one transaction. Searched tables stay. Raises
    `ImproperlyConfigured` for an unusable encoder, by name, `EncoderUnavailable` where adopted
    vectors were made by another encoder, and `TablesInUse`.
    """
    configured = [(spec, facts_for(spec)) for spec in configured_specs()]
    adopted = encoders_to_adopt(*configured[0], OWNER)
    with _not_in_use(), transaction.atomic(using=OWNER):
        _execute(f"SET LOCAL lock_timeout = '{_LOCK_LIMIT}'")
        _execute("LOCK TABLE corpus_encoder IN SHARE ROW EXCLUSIVE MODE")
        _adopt(adopted, *configured[0])
        _forget_unfinished(configured)
        dropped = _drop_retired()
        is_empty = not Chunk.objects.using(OWNER).exists()
        made = [_wanted(place, *each) for place, each in enumerate(configured)]
        new = [encoder for encoder in made if encoder is not None]
        if is_empty:
            for encoder in new:
                _execute("SELECT corpus_vectors_index(%s)", [encoder.pk])
                _activate(encoder, OWNER)
        names = tuple(encoder.name for encoder in new)
        _retire_replaced(OWNER)
    return Synced((), names, dropped) if is_empty else Synced(names, (), dropped)


@dataclass(frozen=True)
class EncoderProgress:
    """How many of the searched chunks have a vector of this encoder."""

    encoder: Encoder
    done: int
    total: int


def encoders_progress() -> list[EncoderProgress]:
    """Return the progress of every encoder with a table, by key. Runs a query and one for each."""
    rows = Encoder.objects.exclude(state=EncoderState.RETIRED).order_by("pk")
    return [EncoderProgress(row, *vectors.progress(row)) for row in rows]


def encoders_are_building() -> bool:
    """Tell whether `encoder_reembed` has anything to do. Runs one query."""
    return Encoder.objects.filter(state=EncoderState.BUILDING).exists()


def encoders_not_as_configured() -> list[str]:
    """Return the names of encoders that need a new table. Runs one query."""
    rows = list(Encoder.objects.exclude(state=EncoderState.RETIRED))
    return [
        spec.name
        for spec in configured_specs()
        if not any(_is_made_by(row, spec, facts_for(spec)) for row in rows)
    ]


@contextmanager
def _not_in_use() -> Iterator[None]:
    """Turn a lock timeout into TablesInUse."""
    try:
        yield
    except OperationalError as error:
        if sqlstate(error) not in _NO_LOCK:
            raise
        raise TablesInUse(
            f"The encoders' tables could not be changed: passages were in use for {_LOCK_LIMIT} "
            "without a break. Nothing was changed or lost, and search continues.",
            hint="Run manage.py migrate again. If it fails again, stop the worker first.",
        ) from error


def _adopt(known: Sequence[int], spec: EncoderSpec, facts: Facts) -> None:
    """Record that `spec` made the vectors moved by a migration, as `encoders_to_adopt` found."""
    for encoder in Encoder.objects.using(OWNER).filter(fingerprint="", pk__in=known):
        encoder.name, encoder.fingerprint = spec.name, facts.space
        # With the index that the migration made.
        encoder.spec = replace(spec, storage=encoder.storage, m=16, ef_construction=64).as_json()
        encoder.save(using=OWNER)


def _forget_unfinished(configured: Sequence[tuple[EncoderSpec, Facts]]) -> None:
    """Retire encoders still being built that are no longer wanted; nobody has searched them."""
    Encoder.objects.using(OWNER).update(position=None)
    for encoder in Encoder.objects.using(OWNER).filter(state=EncoderState.BUILDING):
        if not any(_is_made_by(encoder, spec, facts) for spec, facts in configured):
            Encoder.objects.using(OWNER).filter(pk=encoder.pk).update(state=EncoderState.RETIRED)


def _drop_retired() -> tuple[str, ...]:
    retired = list(Encoder.objects.using(OWNER).filter(state=EncoderState.RETIRED))
    for encoder in retired:
        _execute(f"DROP TABLE IF EXISTS {encoder.table}")
        encoder.delete(using=OWNER)
    return tuple(encoder.name for encoder in retired)


def _wanted(position: int, spec: EncoderSpec, facts: Facts) -> Encoder | None:
    """Return the new row with its table; None where one exists, though its query may differ."""
    rows = Encoder.objects.using(OWNER).filter(name=spec.name)
    rows.update(position=position)
    for encoder in rows:
        if _is_made_by(encoder, spec, facts):
            rows.filter(pk=encoder.pk).update(spec=spec.as_json())
            return None
    encoder = Encoder.objects.using(OWNER).create(
        name=spec.name,
        fingerprint=facts.space,
        spec=spec.as_json(),
        dimensions=facts.dimensions,
        storage=spec.storage,
        position=position,
    )
    kind = {"table": encoder.table, "storage": spec.storage, "dimensions": facts.dimensions}
    parts = encoder.partitions if spec.partitions > 1 else []
    _execute(_TABLE.format(**kind, partitioned="PARTITION BY HASH (chunk_id)" if parts else ""))
    for n, name in enumerate(parts):
        _execute(_PARTITION.format(name=name, table=encoder.table, modulus=len(parts), n=n))
    return encoder


def _is_made_by(encoder: Encoder, spec: EncoderSpec, facts: Facts) -> bool:
    """Tell whether vectors, type and index are those that `spec` would make."""
    index = (encoder.spec.get("m"), encoder.spec.get("ef_construction"), len(encoder.partitions))
    stored = (encoder.name, encoder.fingerprint, encoder.storage, *index)
    wanted = (spec.name, facts.space, spec.storage, spec.m, spec.ef_construction, spec.partitions)
    return stored == wanted


def encoder_reembed(
    encoder: Encoder, *, on_progress: OnProgress = lambda done, total: None
) -> None:
    """Fill an encoder's table, index it and switch searches to it.

    If only storage or index changed, existing vectors of passages and summaries are copied. Resumes
    where another attempt ended, with the same result. Waits for documents being indexed meanwhile.
    `on_progress` is called with chunks. Raises `AlreadyRunning`, and `EncoderUnavailable` or
    `ImproperlyConfigured` where the encoder can't be loaded.
    """
    with alone(encoder, FILLING):
        embedder = embedder_of(encoder)
        _fill(encoder, embedder, on_progress)
        index_build(encoder)
        while not encoder_switch(encoder):
            _fill(encoder, embedder, on_progress)


def _fill(encoder: Encoder, embedder: Embedder, on_progress: OnProgress) -> None:
    done, total = vectors.progress(encoder)
    on_progress(done, total)
    made, read_by = _with_its_vectors(encoder), encoder_facts()
    with connection.cursor() as cursor:
        cursor.execute(_BATCHES.replace("{table}", encoder.table), [BATCH])
        lacking = list(cursor.fetchall())
    for document_id, batch in lacking:
        in_batch = Chunk.objects.filter(
            document=document_id, index__gte=batch * BATCH, index__lt=(batch + 1) * BATCH
        )
        rows = list(in_batch.order_by("index"))
        ids = [row.pk for row in rows]
        known = vectors.read(made, ids) if made else {}
        # A batch is taken whole or encoded whole: a vector may depend on the others of its batch.
        is_there = len(known) == len(ids)
        components = (
            np.array([known[pk] for pk in ids]) if is_there else encode_rows(embedder, rows)
        )
        vectors.write(encoder, ids, components)
        if encoder.fingerprint == read_by.space:
            wanted = statement_vectors.unencoded(rows, read_by.space, in_english=read_by.is_english)
            statement_vectors.write(wanted, statement_vectors.encode(embedder, wanted))
        done += len(rows)
        on_progress(min(done, total), total)


def _with_its_vectors(encoder: Encoder) -> Encoder | None:
    """Return a searched encoder with the same vectors, as exact or more."""
    return next(
        (
            other
            for other in vectors.searched()
            if other.fingerprint == encoder.fingerprint
            and other.storage in (Storage.VECTOR, encoder.storage)
        ),
        None,
    )


@transaction.atomic
def encoder_switch(encoder: Encoder) -> bool:
    """Search this encoder instead of the one it replaces; False while a vector is missing.

    No document becomes searchable during the decision (`vectors.searched_to_the_end`).
    """
    list(Encoder.objects.select_for_update().order_by("pk"))
    done, total = vectors.progress(encoder)
    if done < total:
        return False
    _activate(encoder, "default")
    _retire_replaced("default")
    return True


def _activate(encoder: Encoder, alias: str) -> None:
    rows = Encoder.objects.using(alias)
    old = rows.filter(name=encoder.name, state=EncoderState.ACTIVE)
    replaced = list(old.values_list("searched_as", flat=True))
    same = old.filter(fingerprint=encoder.fingerprint)
    SectionSummary.objects.using(alias).filter(encoder__in=same).update(encoder=encoder)
    old.update(state=EncoderState.RETIRED)
    rows.filter(pk=encoder.pk, state=EncoderState.BUILDING).update(
        state=EncoderState.ACTIVE,
        activated_at=Now(),
        searched_as=replaced[0] if replaced else None,
    )


def _retire_replaced(alias: str) -> None:
    """Retire encoders that are no longer configured once all configured ones are searched."""
    rows = Encoder.objects.using(alias)
    if not rows.filter(state=EncoderState.BUILDING).exists():
        gone = rows.filter(state=EncoderState.ACTIVE, position=None)
        gone.update(state=EncoderState.RETIRED)
        rows.filter(state=EncoderState.ACTIVE).update(searched_as=F("position"))


def _execute(statement: str, parameters: Sequence[int] = ()) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(statement, list(parameters) or None)
