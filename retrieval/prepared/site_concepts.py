"""Provide the site's concepts: from MEDRAG_CONCEPTS, else from its lexicon."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from pathlib import Path

from django.conf import settings

from retrieval.config import RetrievalConfig
from retrieval.lexicon.concepts import (
    Concepts,
    ConceptsUnreadable,
    concepts_of_lexicon,
    concepts_of_rows,
)
from retrieval.lexicon.terms import Lexicon
from retrieval.prepared.site_lexicon import site_lexicon

FILE = "MRCONSO.RRF"


def site_concepts() -> Concepts:
    """Return the site's concepts. Runs one query, two after the lexicon has changed.

    Raises ConceptsUnreadable.
    """
    return concepts_with(site_lexicon())


def concepts_with(lexicon: Lexicon) -> Concepts:
    """Return the site's concepts without a query, given its lexicon. Raises ConceptsUnreadable.

    The rows of MEDRAG_CONCEPTS are read once a process, and so is an error in them.
    """
    known = _read(settings.CONCEPTS) if settings.CONCEPTS else _of_lexicon(lexicon)
    if isinstance(known, ConceptsUnreadable):
        raise known
    return known


def concepts_fault() -> str:
    """Say why MEDRAG_CONCEPTS can't be used, judged by its first row; empty if it can."""
    if not settings.CONCEPTS:
        return ""
    concepts = _read_from(Path(settings.CONCEPTS) / FILE, rows=1)
    return f"MEDRAG_CONCEPTS: {concepts}" if isinstance(concepts, ConceptsUnreadable) else ""


def concepts_fingerprint(config: RetrievalConfig) -> str:
    """Identify the rows of MEDRAG_CONCEPTS if a search is boosted by them; else empty.

    Empty for the lexicon too, which isn't part of a search's fingerprint.
    """
    if not (config.concept_weight and settings.CONCEPTS):
        return ""
    known = _read(settings.CONCEPTS)
    return "unreadable" if isinstance(known, ConceptsUnreadable) else known.fingerprint


_of_lexicon = lru_cache(maxsize=2)(concepts_of_lexicon)


@lru_cache(maxsize=2)
def _read(folder: str) -> Concepts | ConceptsUnreadable:
    return _read_from(Path(folder) / FILE)


def _read_from(path: Path, *, rows: int | None = None) -> Concepts | ConceptsUnreadable:
    try:
        with path.open(encoding="utf-8") as lines:
            return concepts_of_rows(islice(lines, rows))
    except ConceptsUnreadable as error:
        return error
    except (OSError, UnicodeDecodeError) as error:
        why = f"{FILE} can't be read ({type(error).__name__})."
        return ConceptsUnreadable(why, hint="See MEDRAG_CONCEPTS.")
