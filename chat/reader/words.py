"""How much of a question's words a statement holds: one query for all statements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db import connection

from chat.reader.features import Column
from chat.types import Unit
from corpus.indexing.search_text import normalise
from retrieval.lexical.search import AskedLexeme, searched_names

_HELD_SQL = """
SELECT array(SELECT v.lexeme
             FROM unnest(to_tsvector(t.configuration::regconfig, t.text)) AS v(lexeme, p, w)
             WHERE v.lexeme = ANY(%s) ORDER BY v.lexeme)
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS t(text, configuration, place)
ORDER BY t.place
"""


def coverage(units: Sequence[Unit], lexemes: Sequence[AskedLexeme]) -> tuple[Column, Column]:
    """Return the idf-weighted shares of a question's lexemes, in [0, 1], that each statement holds.

    First by itself, then with its context (title, section, population, caption).
    """
    if not units:
        return np.zeros(0), np.zeros(0)
    cut_by = [unit.hit.search_configuration for unit in units]
    texts = [normalise(unit.text, by) for unit, by in zip(units, cut_by, strict=True)]
    contexts = [normalise(unit.context, by) for unit, by in zip(units, cut_by, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_HELD_SQL, [searched_names(lexemes), texts + contexts, cut_by * 2])
        held = [frozenset(row[0]) for row in cursor.fetchall()]
    own, around = held[: len(units)], held[len(units) :]
    together = [one | other for one, other in zip(own, around, strict=True)]
    return _shares(own, lexemes), _shares(together, lexemes)


def _shares(held: Sequence[frozenset[str]], lexemes: Sequence[AskedLexeme]) -> Column:
    total = sum(lexeme.idf for lexeme in lexemes) or 1.0
    said = [sum(lexeme.idf for lexeme in lexemes if lexeme.is_held(one)) for one in held]
    return np.array(said) / total
