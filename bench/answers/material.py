"""Material to learn from: the statements found for each question, labelled right or wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from chat.reader.choose import shortlisted, sifted
from chat.types import Unit
from evaluation.measures.patterns import RIGHT, UNCLEAR, WRONG, folded, matches
from evaluation.question_sets.patterned import Question
from retrieval.analysis import plain_words
from retrieval.configured import site_config
from retrieval.pipeline import retrieve
from retrieval.types import Query, Rights

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_HELD, _PERHAPS = 0.8, 0.6  # shares of words in common from which a statement is right, or unclear
_LEAST_WORDS = 4  # of a statement that may be part of a longer quote


def material_of(question: Question) -> dict[str, Any]:
    """Return a question's row to learn from: its statements' features, and which are right.

    Cheap features of all, and all features of the shortlist. The large reader reads the whole
    shortlist here: `train choice` leaves some out.
    """
    query = Query(question.text, on=timezone.localdate(), rights=Rights.ALL)
    plain = plain_words(question.text)
    found = sifted(question.text, retrieve(query, site_config()).hits, plain)
    read = shortlisted(plain, found, reread=len(found.units))
    return {
        "id": question.id,
        "question": question.text,
        "document": question.document,
        "half": str(question.half),
        "answerable": question.is_answerable,
        "cheap": {name: column.tolist() for name, column in sorted(found.features.items())},
        "cheap_right": labels(question, found.units),
        "features": {name: column.tolist() for name, column in sorted(read.features.items())},
        "right": labels(question, read.units),
    }


def labels(question: Question, units: Sequence[Unit]) -> list[int]:
    """Return RIGHT, WRONG or UNCLEAR for each statement."""
    if not question.is_answerable:
        return [WRONG] * len(units)
    return [_label(question, unit) for unit in units]


def holds(question: Question, text: str) -> bool:
    """Tell whether a text holds all that answers, or nearly all words of one of its quotes."""
    if question.decisive:
        return matches(question.decisive, folded(text)) == len(question.decisive)
    words = _words(text)
    return any(_share(_words(quote), words) >= _HELD for quote in question.quotes)


def _label(question: Question, unit: Unit) -> int:
    by_patterns = _by_patterns(question, unit) if question.decisive else WRONG
    # A statement may hold a part of what a pattern finds as a whole.
    return by_patterns if by_patterns == RIGHT else _by_quotes(question, unit) or by_patterns


def _by_patterns(question: Question, unit: Unit) -> int:
    wanted = question.decisive
    found = matches(wanted, folded("\n".join([unit.text, *(part.text for part in unit.quotes)])))
    near = unit.hit.filename == question.document and (
        question.page is None or abs(unit.quotes[0].page - question.page) <= 1
    )
    half = found >= max(1, len(wanted) / 2)
    if found == len(wanted) or (near and half):
        return RIGHT
    return UNCLEAR if half or (found and near) else WRONG


def _by_quotes(question: Question, unit: Unit) -> int:
    """Label a statement by the share of words it has in common with the question's quotes.

    Either way round: of a quote held by the statement, or of the statement held by a quote.
    """
    whole = _words(" ".join([unit.text, *(part.text for part in unit.quotes)]))
    own = _words(unit.quotes[0].text)
    held = max((_share(_words(quote), whole) for quote in question.quotes), default=0.0)
    part = 0.0
    if unit.hit.filename == question.document and len(own) >= _LEAST_WORDS:
        part = max((_share(own, _words(quote)) for quote in question.quotes), default=0.0)
    if max(held, part) >= _HELD:
        return RIGHT
    return UNCLEAR if max(held, part) >= _PERHAPS else WRONG


def _share(of: Sequence[str], held_by: Sequence[str]) -> float:
    """Return the share of the words in `of` that `held_by` has too, counting repeats."""
    both = Counter(of) & Counter(held_by)
    return both.total() / len(of) if of else 0.0


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text).lower())
