"""The site's encoders: those configured, and those whose vectors are searched.

The configuration is the goal, and decides how passages are cut. The database
(`corpus.models.Encoder`) says what is searched: a new encoder is searched once its vectors are
complete; until then the old one is, by the spec stored in its row. Each is loaded once a process.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models import QuerySet

from core.errors import MedragError
from corpus.encoders import vectors
from corpus.encoders.backends.local import LocalEmbedder, converted_names, make_converted
from corpus.encoders.backends.openai import OpenAIEmbedder
from corpus.encoders.backends.openvino_model import drop_unused, is_whole
from corpus.encoders.folders import Facts, endpoint, facts_of, local_model
from corpus.encoders.specs import EncoderSpec, SpecError, spec_from, specs_from
from corpus.encoders.types import Embedder, EncoderUnusable
from corpus.models import Encoder, EncoderState

DEFAULT_NAME = "minilm"


class EncoderUnavailable(MedragError):
    """A requested encoder has no vectors, or isn't the one that made them."""

    code = "configuration"


@dataclass(frozen=True)
class ActiveEncoder:
    """A searched encoder: its embedder and its table."""

    pk: int
    name: str
    table: str
    storage: str  # vector or halfvec
    dimensions: int
    embedder: Embedder
    is_remote: bool = False  # whether it is computed elsewhere, and waited for
    partitions: int = 1  # of its table, each with an index


def configured_specs() -> tuple[EncoderSpec, ...]:
    """Return the configured encoders, the primary one first.

    Raises `ImproperlyConfigured` with the setting's name.
    """
    if not settings.ENCODERS:
        return (EncoderSpec(DEFAULT_NAME, model=settings.EMBEDDER),)
    return _read(Path(settings.ENCODERS))


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[EncoderSpec, ...]:
    try:
        return specs_from(path.read_text(encoding="utf-8"), folder=path.resolve().parent)
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {path} can't be read.") from error
    except SpecError as error:
        raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {path}: {error}.") from error


def facts_for(spec: EncoderSpec) -> Facts:
    """Read an encoder's files without loading it. Raises `ImproperlyConfigured` by name."""
    try:
        return facts_of(_here(spec))
    except SpecError as error:
        raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {error}.") from error


def _here(spec: EncoderSpec) -> EncoderSpec:
    """Add the backend of this process to a spec."""
    if spec.kind == "local" and spec.backend == "auto":
        return replace(spec, backend=settings.ENCODER_BACKEND)
    return spec


def encoder_facts() -> Facts:
    """Return the facts of the primary configured encoder, without loading it."""
    return facts_for(configured_specs()[0])


def get_embedder() -> Embedder:
    """Return the primary configured encoder, by whose tokens passages are cut. Runs no query.

    Raises `ImproperlyConfigured` with the setting's name.
    """
    return embedder_for(configured_specs()[0])


def active_encoders(
    names: Sequence[str] = (), *, rows: Sequence[Encoder] | None = None
) -> tuple[ActiveEncoder, ...]:
    """Return the searched encoders, or `names` of them in that order; the first is primary.

    Runs one query; none with `rows`, the result of `searched_query` read elsewhere. Raises
    `EncoderUnavailable` where one is missing or its files have changed since its vectors were made,
    and `ImproperlyConfigured` where it can't be loaded.
    """
    searched = searched_rows() if rows is None else _in_order(rows)
    by_name = {row.name: row for row in searched}
    if missing := [name for name in names if name not in by_name]:
        raise _not_searched(missing[0], list(by_name))
    if not by_name:
        if not (being_made := _being_made()):
            raise EncoderUnavailable("No encoder is set up.", hint="Run manage.py migrate.")
        raise EncoderUnavailable(f"No vectors can be searched yet. {being_made}", hint=_REEMBED)
    return tuple(
        ActiveEncoder(
            row.pk,
            row.name,
            row.table,
            row.storage,
            row.dimensions,
            embedder_of(row),
            is_remote=_spec_of(row).kind != "local",
            partitions=len(row.partitions),
        )
        for row in map(by_name.__getitem__, names or by_name)
    )


def _not_searched(name: str, known: Sequence[str]) -> EncoderUnavailable:
    being_made = _being_made(name)
    return EncoderUnavailable(
        f"No vectors of the encoder {name} can be searched{' yet' if being_made else ''}.",
        hint=f"{being_made} {_REEMBED}"
        if being_made
        else f"Known: {', '.join(known) or 'none'}. Run manage.py doctor for details.",
    )


_REEMBED = "Run manage.py reembed, or wait for the worker, which does it in the background."


def _being_made(*names: str) -> str:
    """Describe the progress of vectors being made, for `names` or all; empty for none.

    Runs one query, plus one for each.
    """
    rows = Encoder.objects.filter(state=EncoderState.BUILDING).order_by("position", "pk")
    progress = [
        f"{row.name} {done:,} of {total:,} passages"
        for row in rows
        if not names or row.name in names
        for done, total in [vectors.progress(row)]
    ]
    return f"They are being made: {', '.join(progress)}." if progress else ""


def searched_rows() -> list[Encoder]:
    """Return the rows of the searched encoders, the primary first. Runs one query.

    A newly configured encoder joins them when its vectors are complete.
    """
    return _in_order(searched_query())


def searched_query() -> QuerySet[Encoder]:
    """Return a query for the searched encoders, unordered, to be part of a larger statement."""
    return Encoder.objects.filter(state=EncoderState.ACTIVE)


def _in_order(rows: Iterable[Encoder]) -> list[Encoder]:
    return sorted(rows, key=lambda row: (row.searched_as is None, row.searched_as or 0, row.pk))


def embedder_of(row: Encoder) -> Embedder:
    """Return the embedder for this row's table; raises as `active_encoders` does."""
    spec = _spec_of(row)
    facts = facts_for(spec)
    if facts.space != row.fingerprint:
        raise EncoderUnavailable(
            f"The files of the encoder {row.name} are not those that computed its vectors.",
            hint="Restore the old files, or run manage.py migrate and then manage.py reembed.",
        )
    return _embedder(_here(spec), facts)


def _spec_of(row: Encoder) -> EncoderSpec:
    if not row.fingerprint:  # moved by a migration, and not adopted yet
        raise EncoderUnavailable(
            "It is not known which encoder computed the stored vectors.",
            hint="Run manage.py migrate with the MEDRAG_ENCODERS that made them.",
        )
    return spec_from(row.spec)


def warm_up() -> None:
    """Load what a question needs, in a thread. Raises as `active_encoders` does, and Error."""
    try:
        get_embedder()
        active_encoders()
    finally:
        connection.close()  # this thread's own


def load_early() -> None:
    """Load the primary configured encoder in a thread, where that is quick. Runs no query.

    Not if it needs torch, whose import blocks other threads. A failure will be raised when it is
    used.
    """

    def load_converted() -> None:
        with contextlib.suppress(MedragError, ImproperlyConfigured, SpecError, OSError):
            names = converted_for(configured_specs()[0])
            if names and all((settings.MODELS_DIR / name).is_dir() for name in names):
                get_embedder()

    if not _loaded:
        threading.Thread(target=load_converted).start()


_loaded: dict[EncoderSpec, Embedder] = {}  # by what is computed where
_load_lock = threading.Lock()


def embedder_for(spec: EncoderSpec) -> Embedder:
    """Return the process's instance, loaded again if its files have changed since.

    Raises `ImproperlyConfigured` with the setting's name.
    """
    spec = _here(spec)
    return _embedder(spec, facts_for(spec))


def _embedder(spec: EncoderSpec, facts: Facts) -> Embedder:
    """Return the embedder of just these files, so that no other's vectors get their fingerprint."""
    embedder = _loaded.get(spec)
    if embedder is not None and embedder.fingerprint == facts.fingerprint:
        return embedder
    with _load_lock:
        embedder = _loaded.get(spec)
        if embedder is None or embedder.fingerprint != facts.fingerprint:
            embedder = load(spec)
            if embedder.fingerprint != facts.fingerprint:
                raise ImproperlyConfigured(
                    f"MEDRAG_ENCODERS: [{spec.name}]: its files were changed while it was loaded. "
                    "Nothing was encoded: wait until all are written, then try again."
                )
            if embedder.dimensions != facts.dimensions:
                raise ImproperlyConfigured(
                    f"MEDRAG_ENCODERS: [{spec.name}]: it makes {embedder.dimensions} dimensions; "
                    f"its files say {facts.dimensions}."
                )
            _loaded[spec] = embedder
        return embedder


def load(spec: EncoderSpec) -> Embedder:
    """Load the embedder of `spec`, which `facts_for` has accepted; every call loads it again.

    An endpoint's key is read from its file; neither settings nor database hold it.
    """
    if spec.kind != "local":
        try:
            key = Path(spec.key_file).read_text("utf-8").strip() if spec.key_file else ""
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(
                f"MEDRAG_ENCODERS: [{spec.name}]: {spec.key_file} can't be read."
            ) from error
        return OpenAIEmbedder(endpoint(spec, key=key))
    try:
        return LocalEmbedder(
            local_model(_here(spec)), kept_in=settings.MODELS_DIR, threads=settings.ENCODER_THREADS
        )
    except EncoderUnusable as error:
        raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {error.sentence}") from error


def converted_for(spec: EncoderSpec) -> frozenset[str]:
    """Return the names in `MODELS_DIR` of what computes it in this process. Raises `SpecError`."""
    if spec.kind != "local":
        return frozenset()
    try:
        return converted_names(local_model(_here(spec)))
    except EncoderUnusable as error:
        raise SpecError(f"[{spec.name}]: {error}") from error


def conversions_make() -> None:
    """Convert the configured models, so that no worker has to before its first document.

    Where workers run on other machines they convert their own. Takes seconds for a new model. Does
    nothing for a database that MEDRAG_DATABASE_NAME names. Raises `ImproperlyConfigured` or
    `SpecError` for an unusable model.
    """
    for spec in () if settings.DATABASE_NAME else configured_specs():
        if not all(is_whole(settings.MODELS_DIR / name) for name in converted_for(spec)):
            try:
                make_converted(local_model(_here(spec)), kept_in=settings.MODELS_DIR)
            except EncoderUnusable as error:
                raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {error.sentence}") from error


def conversions_drop_unused() -> tuple[str, ...]:
    """Delete converted models of no configured, searched or unfinished encoder; return their names.

    Spares models that another process runs. Runs one query. Does nothing for a database that
    MEDRAG_DATABASE_NAME names: it shares the folder with the site's own database, whose encoders it
    doesn't know. Raises `ImproperlyConfigured`.
    """
    if settings.DATABASE_NAME or not settings.MODELS_DIR.is_dir():
        return ()
    rows = Encoder.objects.exclude(state=EncoderState.RETIRED).order_by("pk")
    used: set[str] = set()
    for spec in [*configured_specs(), *(spec_from(row.spec) for row in rows if row.fingerprint)]:
        # Its files are gone or can't be read: nothing is computed with what was made.
        with contextlib.suppress(SpecError, OSError):
            used |= converted_for(spec)
    return drop_unused(settings.MODELS_DIR, used)
