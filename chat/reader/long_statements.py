"""Cut the part of a long statement that a reader reads: its beginning and what was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.lexical.search import AskedLexeme

MAX_STATEMENT_CHARS = 900  # of a statement that are read; a window holds no more
_BEGINNING = 240  # of these, for the label of a row
_GAP = " ... "
_WORD = re.compile(r"[^\W_]+")
_BEGINS = re.compile(r"(?<=[.;:])\s+|\s+(?=[A-Z•])")  # a sentence, cell, item or name, behind it


def read_part(text: str, asked: Sequence[AskedLexeme]) -> str:
    """Return a statement or, of one that is too long, its beginning and the part that is asked for.

    A row with the doses of eight medicines is longer than what a reader reads, which would see the
    first three, whichever was asked for. The part begins with the sentence, cell or name that holds
    the rarest of the question's words which the beginning lacks; of several such parts the one with
    most of the other words, then the last.
    """
    if len(text) <= MAX_STATEMENT_CHARS:
        return text
    beginning = text[:_BEGINNING].rsplit(" ", 1)[0]
    room = MAX_STATEMENT_CHARS - len(beginning) - len(_GAP)
    places = _places(text, asked)
    behind = [(lexeme, at) for lexeme, at in places if at[0] > len(beginning)]
    if not behind:
        return text[:MAX_STATEMENT_CHARS]
    _, rarest = max(behind, key=lambda each: (each[0].idf, each[0].lexeme))
    starts = [found.end() for found in _BEGINS.finditer(text)]
    begun = {min(max(filter(at.__ge__, starts), default=at), len(text) - room) for at in rarest}

    def weight(start: int) -> float:
        held = (each.idf for each, at in places if any(start <= p < start + room for p in at))
        return sum(held)

    start = max(begun, key=lambda each: (round(weight(each), 6), each))
    if start <= len(beginning):
        return text[:MAX_STATEMENT_CHARS]
    part = text[start : start + room]
    return beginning + _GAP + (part if text[start - 1].isspace() else part.partition(" ")[2])


def _places(text: str, asked: Sequence[AskedLexeme]) -> list[tuple[AskedLexeme, list[int]]]:
    """Return where each lexeme stands that the text has, as the beginning of a word."""
    words = [(found.group().casefold(), found.start()) for found in _WORD.finditer(text)]
    every = (
        (lexeme, [at for word, at in words if word.startswith((lexeme.lexeme, *lexeme.forms))])
        for lexeme in asked
    )
    return [(lexeme, at) for lexeme, at in every if at]
