"""Tell whether a text states a claim verbatim, so that no judge is needed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from chat.evidence.texts import tokens
from chat.verification.verbatim import is_verbatim
from core.language.en.sentences import sentence_spans
from core.language.en.statements.leads import is_negative_lead, leans_on_before

_PARAGRAPH = re.compile(r"(?:(?!\n\s*\n).)+", re.DOTALL)


def states(text: str, claim: str, quotes: Sequence[str] = ()) -> bool:
    """Tell whether the claim is whole sentences of the text, below no line that negates them.

    True also if the claim is its `quotes` verbatim, and the text contains the first of them: an
    item of a list with its lead-in is no sentence. The verification of an answer does likewise,
    since the bundled verifier does not support every claim that it reads verbatim.
    """
    claimed = tokens(claim)
    if not claimed:
        return False
    if quotes and is_verbatim(claim, quotes) and _stands_in(tokens(quotes[0]), tokens(text)):
        return True
    spans = list(_sentences(text))
    words = [tokens(text[start:end]) for start, end in spans]
    whole = [token for sentence in words for token in sentence]
    places = [0, *accumulate(map(len, words))]
    return any(
        place + len(claimed) in places
        and whole[place : place + len(claimed)] == claimed
        and not leans_on_before(text[start:end])
        and not any(map(is_negative_lead, text[:start].splitlines()))
        for place, (start, end) in zip(places, spans, strict=False)
    )


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of each sentence; a blank line ends one, as after a heading."""
    for paragraph in _PARAGRAPH.finditer(text):
        for start, end in sentence_spans(paragraph.group()):
            yield paragraph.start() + start, paragraph.start() + end


def _stands_in(need: Sequence[str], words: Sequence[str]) -> bool:
    size = len(need)
    return any(words[at : at + size] == need for at in range(len(words) - size + 1))
