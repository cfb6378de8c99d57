"""Describe how a question's search was narrowed, from the turn's stored trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from chat.models import Turn
from corpus.models import SourceType

# Fields of the page by which a search can be narrowed, and their names in `Filters`.
NARROWING = {
    "specialty": "specialties",
    "population": "populations",
    "issuer": "issuers",
    "journal": "journals",
    "source_type": "source_types",
}
_NO_NAMES: Mapping[str, str] = {}
_LISTS = ("populations", "specialties", "issuers", "journals", "languages")


def narrowed_to(turn: Turn, names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return words such as `Diabetes, adult, from 2020`; empty for a search of everything.

    No query. `names` are those of collections by slug; one without a name is shown by its slug.
    """
    collections = [names.get(slug, slug) for slug in collections_asked(turn)]
    return ", ".join([*collections, *_words(filters_asked(turn))])


def collections_asked(turn: Turn) -> tuple[str, ...]:
    """Return the slugs of the collections that the search was limited to."""
    return tuple(_asked(turn).get("collections") or ())


def filters_asked(turn: Turn) -> Mapping[str, Any]:
    """Return the other filters of the search, by the names of `Filters`."""
    return _asked(turn).get("filters") or {}


def fields_asked(turn: Turn) -> dict[str, str]:
    """Return the form's fields that narrowed the search, with their values."""
    filters = filters_asked(turn)
    chosen = {name: filters.get(plural) for name, plural in NARROWING.items()}
    chosen["collection"] = collections_asked(turn)
    return {name: str(values[0]) for name, values in chosen.items() if values}


def _asked(turn: Turn) -> Mapping[str, Any]:
    searches = turn.trace.get("searches") or [{}]  # of turns that were stored before 0.4
    return turn.trace.get("asked") or searches[0] or {}


def _words(filters: Mapping[str, Any]) -> list[str]:
    named = [str(word) for name in _LISTS for word in filters.get(name) or ()]
    labels = dict(SourceType.choices)
    named += [str(labels.get(kind, kind)) for kind in filters.get("source_types") or ()]
    years = (
        (gettext("from %(year)s"), filters.get("year_from")),
        (gettext("up to %(year)s"), filters.get("year_to")),
    )
    return [*named, *(words % {"year": year} for words, year in years if year is not None)]
