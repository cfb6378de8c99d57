"""Tell whether a claim repeats its citation word for word, with what the quote depends on. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chat.evidence.texts import tokens
from core.language.en.sentences import sentence_spans
from core.language.en.statements.leads import leans_on_before
from core.language.words import CELLS

MAX_SENTENCES = 12  # of a quote, examined one by one


def is_verbatim(claim: str, quotes: Sequence[str]) -> bool:
    """Tell whether a claim is the first quote of a citation, or whole sentences of that quote.

    `quotes` are one citation's: first the cited statement, then the quotes that it depends on. A
    lead-in before an item and a footnote below a row must be in the claim; the labels of a row may
    come between its cells. A sentence that refers to the one before it doesn't count alone.
    """
    words = tokens(claim)
    if not words or not quotes:
        return False
    own, *around = quotes
    needed = [tokens(quote) for quote in around if CELLS not in quote]
    if not all(_stands_in(need, words) for need in needed):
        return False
    others = [tokens(quote) for quote in around]
    return any(_is_made_of(words, run, others) for run in _runs(own))


def _runs(quote: str) -> Iterator[list[str]]:
    """Yield the tokens of a quote, and of each run of its sentences that can be read alone."""
    spans = sentence_spans(quote)
    sentences = [quote[start:end] for start, end in spans]
    yield tokens(quote)
    for first, sentence in enumerate(sentences[:MAX_SENTENCES]):
        if not leans_on_before(sentence):
            for last in range(first + 1, len(sentences[:MAX_SENTENCES]) + 1):
                yield tokens(" ".join(sentences[first:last]))


def _is_made_of(words: Sequence[str], own: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Tell whether `words` is all of `own` in order, mixed only with runs of `others`."""
    place = 0
    inserted: list[str] = []
    runs: list[list[str]] = []
    for token in words:
        if place < len(own) and token == own[place]:
            place += 1
            if inserted:
                runs.append(inserted)
                inserted = []
        else:
            inserted.append(token)
    if inserted:
        runs.append(inserted)
    return 0 < place == len(own) and all(_is_told(run, others) for run in runs)


def _is_told(run: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Tell whether a run of words consists of one or more runs of the other quotes."""
    place = 0
    while place < len(run):
        longest = max((_common(run, place, other) for other in others), default=0)
        if not longest:
            return False
        place += longest
    return True


def _stands_in(need: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether `words` contains `need` as one run of words."""
    size = len(need)
    return any(words[at : at + size] == need for at in range(len(words) - size + 1))


def _common(run: Sequence[str], place: int, other: Sequence[str]) -> int:
    """Count the words from `place` on that `other` has as one run."""
    longest = 0
    for start, token in enumerate(other):
        if token != run[place]:
            continue
        length = 0
        while (
            place + length < len(run)
            and start + length < len(other)
            and run[place + length] == other[start + length]
        ):
            length += 1
        longest = max(longest, length)
    return longest
