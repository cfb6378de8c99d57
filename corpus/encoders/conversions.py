"""Models in the form that they are computed in: they are made by whoever needs one first."""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings

from corpus.encoders.backends.openvino_model import drop_unused
from corpus.encoders.registry import configured_specs, convert, converted_for
from corpus.encoders.specs import EncoderSpec, SpecError, spec_from
from corpus.models import Encoder, EncoderState


def conversions_drop_unused() -> tuple[str, ...]:
    """Delete what no encoder uses that is configured, searched or being built; the names of it.

    What another process computes with stays. One query. Raises `ImproperlyConfigured`. Nothing is
    deleted beside a database that MEDRAG_DATABASE_NAME names: it shares the folder with the site's
    own, and knows nothing of what that one's encoders use.
    """
    if settings.DATABASE_NAME or not settings.MODELS_DIR.is_dir():
        return ()
    rows = Encoder.objects.exclude(state=EncoderState.RETIRED).order_by("pk")
    specs = [*configured_specs(), *(spec_from(row.spec) for row in rows if row.fingerprint)]
    return drop_unused(settings.MODELS_DIR, _names(specs))


def conversions_make() -> None:
    """Convert the configured models, so that no worker has to before its first document.

    A site whose workers run elsewhere has them make it: that is the same, and later. Takes seconds
    for a model that is new. Nothing is made for a database that MEDRAG_DATABASE_NAME names, as
    nothing is deleted. Raises `ImproperlyConfigured` or `SpecError` for one that can't be used.
    """
    if settings.DATABASE_NAME:
        return
    for spec in configured_specs():
        convert(spec)


def _names(specs: list[EncoderSpec]) -> set[str]:
    found: set[str] = set()
    for spec in specs:
        # Its files are gone or can't be read: nothing is computed with what was made.
        with suppress(SpecError, OSError):
            found |= converted_for(spec)
    return found
