"""How well a quotable unit fits a question: the features that the extractive generator weighs."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from django.db import connection

from chat.passages import Unit
from corpus.search_text import normalise
from retrieval.lexical import AskedLexeme, searched_names

Scores = npt.NDArray[np.float64]  # (n,), one per unit

_HELD_SQL = """
SELECT array(SELECT v.lexeme
             FROM unnest(to_tsvector(t.configuration::regconfig, t.text)) AS v(lexeme, p, w)
             WHERE v.lexeme = ANY(%s) ORDER BY v.lexeme)
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS t(text, configuration, place)
ORDER BY t.place
"""
_BEGINS = re.compile(r"^[\"'“‘(\[•*†‡§]*(?:\([a-h]\)\s*)?[A-Z0-9≥≤<>]")
_ENDS = re.compile(r"[.!?:;)”\"]\s*$")
_DEFINITION_ASKED = re.compile(
    r"^what (?:is|are)(?: an?| the)? ([\w\s()-]{2,40}?)\s*\??$", re.IGNORECASE
)


def coverage(
    units: Sequence[Unit], lexemes: Sequence[AskedLexeme], *, context_weight: float
) -> Scores:
    """In [0, 1]: the idf-weighted share of the question's lexemes that each unit holds.

    A lexeme that stands in the context only (title, section, population, caption) counts
    `context_weight`. One query.
    """
    total = sum(lexeme.idf for lexeme in lexemes) or 1.0
    cut_by = [unit.hit.search_configuration for unit in units]
    texts = [normalise(unit.text, by) for unit, by in zip(units, cut_by, strict=True)]
    contexts = [normalise(unit.context, by) for unit, by in zip(units, cut_by, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_HELD_SQL, [searched_names(lexemes), texts + contexts, cut_by * 2])
        held = [frozenset(row[0]) for row in cursor.fetchall()]
    shares = []
    for own, context in zip(held[: len(units)], held[len(units) :], strict=True):
        said = sum(lexeme.idf for lexeme in lexemes if lexeme.is_held(own))
        with_context = sum(lexeme.idf for lexeme in lexemes if lexeme.is_held(own | context))
        shares.append((said + context_weight * (with_context - said)) / total)
    return np.array(shares)


def fragments(units: Sequence[Unit]) -> Scores:
    """1 for a piece of running text that begins or ends inside a sentence, else 0."""
    return np.array([float(len(unit.quotes) == 1 and not _is_whole(unit.text)) for unit in units])


def definitions(question: str, units: Sequence[Unit]) -> Scores:
    """1 for a unit that says what the thing is, where the question asks just that."""
    asked = _DEFINITION_ASKED.match(question.strip())
    if asked is None:
        return np.zeros(len(units))
    says = re.compile(
        rf"\b{re.escape(asked.group(1).strip())}\b[^.;]{{0,30}}?"
        r"\b(?:is|are|was|refers to|means)\b (?:an?|the)\b",
        re.IGNORECASE,
    )
    return np.array([float(says.search(unit.text) is not None) for unit in units])


def numbers(units: Sequence[Unit]) -> Scores:
    """1 for the row of a table that a number of the question falls into, else 0."""
    return np.array([float(unit.holds_asked_number) for unit in units])


def passages(units: Sequence[Unit]) -> Scores:
    """The similarity of each unit's passage to the question, in [-1, 1]."""
    return np.array([unit.hit.cosine for unit in units])


def _is_whole(text: str) -> bool:
    return bool(_BEGINS.match(text) and _ENDS.search(text))
