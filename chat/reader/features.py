"""Compute the named features that tell whether a statement answers a question.

Similarity and words come from the encoder and the index, the rank from the search, whether it says
what was asked from the readers. The weight of each is learned (`chat.reader.weights`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from django.db import connection

from chat.types import Unit
from corpus.indexing.search_text import normalise
from retrieval.lexical.search import AskedLexeme, searched_names

Column = npt.NDArray[np.float64]  # one number for each statement
Features = dict[str, Column]

READER, LARGE = "reader", "large reader"


def cheap_features(units: Sequence[Unit], covered: Column, around: Column) -> Features:
    """Return the features that need no encoding, by name.

    `covered` and `around` are the idf-weighted shares of the question's words in each statement,
    alone and with its context, in [0, 1].
    """
    score = np.array([unit.hit.score for unit in units])
    words = np.array([unit.hit.coverage for unit in units])
    return {
        "passage score behind": score / (score.max() or 1.0) - 1.0,
        "passage rank": np.log([float(unit.hit.rank) for unit in units]),
        "passage words": words,
        "passage words behind": words - words.max(),
        "words": covered,
        "words with context": around,
        "row in range": np.array([float(unit.holds_asked_number) for unit in units]),
    }


def with_likeness(features: Features, likeness: Column) -> Features:
    """Add the cosines between statements and question."""
    return features | {"likeness": likeness, "likeness behind": likeness - likeness.max()}


def with_reader(features: Features, odds: Column) -> Features:
    """Add the small reader's odds."""
    return features | {READER: odds, f"{READER} behind": odds - odds.max()}


def with_large_reader(features: Features, odds: Column) -> Features:
    """Add the large reader's odds."""
    return features | {LARGE: odds, f"{LARGE} behind": odds - odds.max()}


def weighted(features: Mapping[str, Column], weights: Mapping[str, float], count: int) -> Column:
    """Return the weighted sum of features; missing features count 0."""
    total = np.zeros(count)
    for name in sorted(weights):
        if name in features:
            total = total + weights[name] * features[name]
    return total


_HELD_SQL = """
SELECT array(SELECT v.lexeme
             FROM unnest(to_tsvector(t.configuration::regconfig, t.text)) AS v(lexeme, p, w)
             WHERE v.lexeme = ANY(%s) ORDER BY v.lexeme)
FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS t(text, configuration, place)
ORDER BY t.place
"""


def coverage(units: Sequence[Unit], lexemes: Sequence[AskedLexeme]) -> tuple[Column, Column]:
    """Return the idf-weighted shares of a question's lexemes in each statement, in [0, 1].

    First for the statement alone, then with its context (title, section, population, caption).
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
    together = [alone | other for alone, other in zip(own, around, strict=True)]
    return _shares(own, lexemes), _shares(together, lexemes)


def _shares(held: Sequence[frozenset[str]], lexemes: Sequence[AskedLexeme]) -> Column:
    total = sum(lexeme.idf for lexeme in lexemes) or 1.0
    sums = [sum(lexeme.idf for lexeme in lexemes if lexeme.is_held(each)) for each in held]
    return np.array(sums) / total
