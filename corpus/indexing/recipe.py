"""Fingerprint everything that decides which passages a document's bytes give.

The same expression exists in Python and in SQL, so that a whole corpus is compared in one
statement. A change to something outside the fingerprint marks no document as stale.
"""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.db.models import Case, F, Func, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Concat

from core.language.detection import base_of
from core.language.gloss import tables
from corpus.chunking import CHUNKER_VERSION, ChunkSettings
from corpus.encoders.folders import Facts
from corpus.encoders.types import Embedder
from corpus.indexing import context_lines
from corpus.indexing.search_text import SEARCH_TEXT_REVISION
from corpus.models import Document
from corpus.parsing.engines import ModelsMissing, artifacts_for
from corpus.parsing.registry import MODELS_ENGINE, engine_name
from corpus.statements import STATEMENTS_VERSION

ENGINE_CHARS = 300  # as many as `Document.engine` keeps


def chunk_settings(encoder: Facts | Embedder) -> ChunkSettings:
    """Return the site's settings for cutting, limited by what the encoder reads."""
    wanted = ChunkSettings(
        max_tokens=settings.CHUNK_TOKENS,
        overlap_tokens=settings.CHUNK_OVERLAP_TOKENS,
        reserved_tokens=context_lines.MAX_LINE_TOKENS if context_lines.is_configured() else 0,
    )
    return wanted.bounded(encoder.max_tokens)


def site_recipe(encoder: Facts) -> str:
    """Return the part of the fingerprint that all documents of the site share.

    Of the primary encoder it has the tokenizer and maximum length, not the weights: encoding
    existing passages again is a separate process (`corpus.services.encoders`).
    """
    parts = [CHUNKER_VERSION, chunk_settings(encoder).recipe, encoder.tokenizer]
    parts += [f"search text {SEARCH_TEXT_REVISION}", STATEMENTS_VERSION]
    return "\n".join([*parts, context_lines.recipe()])


def pdf_reader() -> str:
    """Identify the PDF reader with its versions: another one gives other passages."""
    return engine_name("application/pdf")


def is_read_otherwise(engine: str, *, media_type: str, read_with: str) -> bool:
    """Tell whether another engine than `engine` would read a file of this type now.

    False for files read by models that the site no longer has: nothing else can read them like
    that.
    """
    try:
        with_models = artifacts_for(read_with) is not None
    except ModelsMissing:
        if engine.startswith(MODELS_ENGINE):
            return False
        with_models = True
    return engine_name(media_type, with_models=with_models)[:ENGINE_CHARS] != engine


def fingerprint(document: Document, recipe: str) -> str:
    """Return 64 hexadecimal digits over all that its passages were made by."""
    parts = [document.engine, recipe, document.title, document.population]
    table = tables().get(base_of(document.language), "")
    parts.append(document.language + table + document.corrections_key)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def fingerprint_in_sql(recipe: str) -> Combinable:
    """Return `fingerprint` as an expression over documents."""
    line = Value("\n")
    parts = [F("engine"), line, Value(recipe), line, F("title"), line, F("population"), line]
    cases = (
        When(language__iregex=rf"^{code}([-_].*)?$", then=Value(digest))
        for code, digest in sorted(tables().items())
    )
    table = Case(*cases, default=Value(""), output_field=TextField())
    parts += [F("language"), table, F("corrections_key")]
    return _Sha256(Concat(*parts, output_field=TextField()))


class _Sha256(Func):
    """PostgreSQL's own function; Django's needs the extension pgcrypto."""

    template = "encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"
    output_field = TextField()
