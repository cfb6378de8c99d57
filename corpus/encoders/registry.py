"""The encoders of this site: those that are configured, and those whose vectors are searched.

What is configured is a wish, and decides how passages are cut. What is searched stands in the
database (`corpus.models.Encoder`): a new encoder is searched when its vectors are all there, and
until then the old one is, by the spec that its row keeps. Each is loaded once a process.
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
from django.db import Error, connection
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
    """An encoder that was asked for has no vectors, or isn't what made them."""

    code = "configuration"


@dataclass(frozen=True)
class ActiveEncoder:
    """An encoder whose vectors are searched: what computes it, and where they are."""

    pk: int
    name: str
    table: str
    storage: str  # vector or halfvec
    dimensions: int
    embedder: Embedder
    is_remote: bool = False  # whether it is computed elsewhere, and waited for


def configured_specs() -> tuple[EncoderSpec, ...]:
    """As set for this site, the primary one first. Raises `ImproperlyConfigured` by name."""
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
    """Return what its files say, without loading it. Raises `ImproperlyConfigured` by name."""
    try:
        return facts_of(_here(spec))
    except SpecError as error:
        raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {error}.") from error


def _here(spec: EncoderSpec) -> EncoderSpec:
    """With what computes it in this process."""
    if spec.kind == "local" and spec.backend == "auto":
        return replace(spec, backend=settings.ENCODER_BACKEND)
    return spec


def encoder_facts() -> Facts:
    """Return the primary configured encoder's facts, without loading it."""
    return facts_for(configured_specs()[0])


def searched_facts(names: Sequence[str] = ()) -> Facts:
    """Return those of the primary encoder that is searched, without loading it. One query.

    With `names` it is the first of them, as for `active_encoders`. Before there is one, the
    configured one's. Raises `EncoderUnavailable` where the first of `names` is not searched.
    """
    rows = searched_rows()
    if not names:
        return facts_for(_spec_of(rows[0])) if rows else encoder_facts()
    for row in rows:
        if row.name == names[0]:
            return facts_for(_spec_of(row))
    raise _not_searched(names[0], [row.name for row in rows])


def get_embedder() -> Embedder:
    """Return the primary configured encoder: its tokens are counted where passages are cut.

    Raises `ImproperlyConfigured` with the setting's name. No query.
    """
    return embedder_for(configured_specs()[0])


def active_encoders(
    names: Sequence[str] = (), *, rows: Sequence[Encoder] | None = None
) -> tuple[ActiveEncoder, ...]:
    """Return those that are searched, or of them `names` in that order; the first is the primary
    one.

    One query; none where `rows`, those of `searched_query`, were read with something else. Raises
    `EncoderUnavailable` where one is missing or its files have changed since its vectors were
    made, and `ImproperlyConfigured` where it can't be loaded.
    """
    found = searched_rows() if rows is None else _in_order(rows)
    by_name = {row.name: row for row in found}
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
        )
        for row in map(by_name.__getitem__, names or by_name)
    )


def _not_searched(name: str, known: Sequence[str]) -> EncoderUnavailable:
    being_made = _being_made(name)
    return EncoderUnavailable(
        f"No vectors of the encoder {name} can be searched{' yet' if being_made else ''}.",
        hint=f"{being_made} {_REEMBED}"
        if being_made
        else f"There are {', '.join(known) or 'none'}; manage.py doctor says more.",
    )


_REEMBED = "Run manage.py reembed, or wait for the worker, which does it in the background."


def _being_made(*names: str) -> str:
    """Return how far the vectors are that are being made, of `names` or all; empty where none are.

    One query, and one for each.
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
    """Return the rows of the encoders that are searched, the primary first. One query.

    What is configured anew takes its place among them when all of it is there.
    """
    return _in_order(searched_query())


def searched_query() -> QuerySet[Encoder]:
    """Return the rows of the encoders that are searched, in no order, for a statement that reads
    more.
    """
    return Encoder.objects.filter(state=EncoderState.ACTIVE)


def _in_order(rows: Iterable[Encoder]) -> list[Encoder]:
    return sorted(rows, key=lambda row: (row.searched_as is None, row.searched_as or 0, row.pk))


def embedder_of(row: Encoder) -> Embedder:
    """Return what computes the vectors of this row's table; raises as `active_encoders`."""
    spec = _spec_of(row)
    if facts_for(spec).space != row.fingerprint:
        raise EncoderUnavailable(
            f"The files of the encoder {row.name} are not those that made its vectors.",
            hint="Put the old ones back, or run manage.py migrate and then manage.py reembed.",
        )
    return embedder_for(spec)


def _spec_of(row: Encoder) -> EncoderSpec:
    if not row.fingerprint:  # moved by a migration, and not adopted yet
        raise EncoderUnavailable(
            "It is not known which encoder made the vectors that are here.",
            hint="Run manage.py migrate with the MEDRAG_ENCODERS that made them.",
        )
    return spec_from(row.spec)


def warm_up() -> None:
    """Load what a question needs, from a thread of its own; what fails will say so when asked."""
    with contextlib.suppress(MedragError, ImproperlyConfigured, Error):
        get_embedder()
        active_encoders()
    connection.close()  # this thread's own


def load_early() -> None:
    """Load the primary configured encoder in a thread of its own, where that is quick.

    Not where torch is needed: its import keeps other threads from running. No query. What fails
    says so when the encoder is asked for.
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
    """Return the one instance in this process. Raises `ImproperlyConfigured` with the setting's
    name.
    """
    spec = _here(spec)
    embedder = _loaded.get(spec)
    if embedder is not None:
        return embedder
    with _load_lock:
        if spec not in _loaded:
            facts, embedder = facts_for(spec), load(spec)
            if embedder.dimensions != facts.dimensions:
                raise ImproperlyConfigured(
                    f"MEDRAG_ENCODERS: [{spec.name}]: it makes {embedder.dimensions} dimensions; "
                    f"its files say {facts.dimensions}."
                )
            _loaded[spec] = embedder
        return _loaded[spec]


def load(spec: EncoderSpec) -> Embedder:
    """Return what computes `spec`; every call loads it anew. `facts_for` has accepted it before.

    The key of an endpoint is read from its file: it stands neither in settings nor in the database.
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

    A site whose workers run elsewhere has them make it: that is the same, and later. Takes seconds
    for a model that is new. Nothing is made for a database that MEDRAG_DATABASE_NAME names, as
    nothing is deleted. Raises `ImproperlyConfigured` or `SpecError` for one that can't be used.
    """
    for spec in () if settings.DATABASE_NAME else configured_specs():
        if not all(is_whole(settings.MODELS_DIR / name) for name in converted_for(spec)):
            try:
                make_converted(local_model(_here(spec)), kept_in=settings.MODELS_DIR)
            except EncoderUnusable as error:
                raise ImproperlyConfigured(f"MEDRAG_ENCODERS: {error.sentence}") from error


def conversions_drop_unused() -> tuple[str, ...]:
    """Delete what no encoder uses that is configured, searched or being built; the names of it.

    What another process computes with stays. One query. Raises `ImproperlyConfigured`. Nothing is
    deleted beside a database that MEDRAG_DATABASE_NAME names: it shares the folder with the site's
    own, and knows nothing of what that one's encoders use.
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
