"""Choose what a refusal shows of its nearest passages: their best statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from chat.checks.agreement import is_about_medicine
from chat.evidence.quotable import units_by_passage
from chat.reader.features import coverage
from chat.reader.lists import with_whole_lists
from chat.reader.types import ScoredStatements
from chat.types import DraftClaim, Excerpt, Unit
from core.language.en.questions.asked import asked_medicines
from core.language.gloss import question_in_english
from corpus.statements.lead_ins import as_lead
from retrieval.analysis import by_every_name
from retrieval.lexical.search import asked_lexemes
from retrieval.types import Hit

_NONE: Mapping[str, DraftClaim] = {}
SHOWN = 3  # statements of one passage at most, and
ROWS = 8  # as many of tables that they begin: some rows alone would read as the whole table


def excerpts(
    nearest: Sequence[Hit],
    reading: ScoredStatements,
    question: str,
    leading: Mapping[str, DraftClaim] = _NONE,
) -> Mapping[str, Excerpt]:
    """Return the best statements of each passage, complete, by chunk key.

    The best one leads, or the one of `leading` (by chunk key), with the rows or items that it
    stands among; the others follow in reading order. The first row of a table follows its caption.
    Of a passage without a scored statement, those with most words of the question are taken, in
    reading order. Runs one query, and up to five for such passages.
    """
    by_key: dict[str, list[Unit]] = {hit.key: [] for hit in nearest}
    for statement in reading.statements:
        own = by_key.get(statement.unit.hit.key)
        if own is not None:
            own.append(statement.unit)
    unread = [hit for hit in nearest if not by_key[hit.key]]
    by_key |= _by_words(unread, question)
    for hit in nearest:
        if claim := leading.get(hit.key):
            lead = Unit(hit, claim.text, claim.quotes)
            others = [unit for unit in by_key[hit.key] if unit.quotes[0] != lead.quotes[0]]
            by_key[hit.key] = [lead, *others]
    read = {hit.key for hit in nearest} - {hit.key for hit in unread} | leading.keys()
    return {key: _excerpt(units, is_read=key in read) for key, units in by_key.items() if units}


def _excerpt(units: Sequence[Unit], *, is_read: bool) -> Excerpt:
    best, *others = with_whole_lists(_best(units))

    def place(unit: Unit) -> tuple[bool, int, int]:
        quote = unit.quotes[0]
        return is_read and not _go_together(unit, best), quote.page, quote.start

    ordered = sorted([best, *others], key=place)
    texts = tuple(unit.text for unit in _captioned(ordered))
    return Excerpt(texts, ordered.index(best) if is_read else None)


def _go_together(unit: Unit, best: Unit) -> bool:
    """Tell whether a unit is the best one, or a row or item beside it."""
    if unit.is_row and best.is_row:
        return unit.caption == best.caption and unit.quotes[0].page == best.quotes[0].page
    return unit == best or (unit.quotes[1:] == best.quotes[1:] != ())


def _best(units: Sequence[Unit]) -> list[Unit]:
    """Return the first statements, best first, and the other rows of small tables among them."""
    best, others = list(units[:SHOWN]), units[SHOWN:]
    begun = {unit.caption for unit in best if unit.is_row}
    rows = [unit for unit in others if unit.is_row and unit.caption in begun]
    return best + rows if len(best + rows) <= ROWS else best


def _by_words(hits: Sequence[Hit], question: str) -> dict[str, list[Unit]]:
    """Return the statements of each passage that have most words of the question, by chunk key."""
    if not hits:
        return {}
    lexemes = asked_lexemes(question)
    ordered: dict[str, list[Unit]] = {}
    medicines = asked_medicines(by_every_name(question_in_english(question)))
    for key, every in units_by_passage(hits, question).items():
        units = [u for u in every if is_about_medicine(medicines, u.in_english)] or every
        words, _ = coverage(units, lexemes)
        best = np.argsort(-words, kind="stable")
        ordered[key] = [units[place] for place in best]
    return ordered


def _captioned(units: Iterable[Unit]) -> Iterator[Unit]:
    """Put the table's caption before rows, unless it was just shown or is part of the row."""
    above = ""
    for unit in units:
        is_said = unit.caption == above or " ".join(unit.caption.split()) in unit.text
        above = unit.caption
        yield unit if is_said else replace(unit, text=f"{as_lead(unit.caption)} {unit.text}")
