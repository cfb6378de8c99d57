"""Find what a question calls by a name of its own, such as a device, a score or a trial."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.detection import DEFAULT
from core.language.gloss import spoken_in
from core.language.words import MAX_CHARS, distinct
from retrieval.prepared.site_lexicon import site_lexicon

_WORD = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
# `AdvProp`, `CURB-65`, `qSOFA`, `ATRIA`; not `Name`, nor a heading's `TOCOLYSIS`.
_LIKE_A_NAME = re.compile(r"[A-Z]{4,6}|.*[0-9].*|.*[a-z].*[A-Z].*|[A-Z]{2,}[a-z]{2,}.*")
_LEAST = 4
_RARE = 1.0  # on the Zipf scale, uses in 10^8 words: names of things are below


def things_named(text: str, passages: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question, in lower case, that passages print as names of things.

    A word that English hardly has, that the lexicon doesn't know, and that some passage prints with
    a capital or a digit inside. Amounts are none. Empty for another language than English.
    """
    if spoken_in(text) != DEFAULT:
        return ()
    from wordfreq import zipf_frequency  # late: 60 MB

    known = {each.short.lower() for each in site_lexicon().every_in(text)}
    asked = [word.lower() for word in distinct(_WORD.findall(text[:MAX_CHARS]))]
    rare = {
        word
        for word in asked
        if len(word) >= _LEAST
        and word[0].isalpha()  # `50mcg` is an amount
        and word not in known
        and zipf_frequency(word, DEFAULT, wordlist="best") < _RARE
    }
    if not rare:
        return ()
    printed = {
        word.lower()
        for passage in passages
        for word in _WORD.findall(passage)
        if word.lower() in rare and _LIKE_A_NAME.fullmatch(word)
    }
    return tuple(word for word in asked if word in printed)


def tells_of(things: Sequence[str], text: str) -> bool:
    """Tell whether a text has the name of one of the things."""
    return not set(things).isdisjoint(word.lower() for word in _WORD.findall(text))
