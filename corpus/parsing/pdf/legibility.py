"""Tell whether the text layer of a page consists of words at all. Pure.

Fonts without a mapping to Unicode give codes instead of letters, and fonts with a wrong mapping
give plausible letters that form no words. The latter shows in the pairs of letters: four of five
pairs in English are of the 120 commonest, and three of five in other languages of the same script,
but two of five at most once the letters are swapped. Numbers, signs and dots do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# Counted over the sample guidelines and two papers, of which they make up 82 %. German, French,
# Spanish, Polish, Turkish and Finnish sentences reach 61 to 86 %, lists of drugs 75 %; the same
# pages with shifted letters reach 34 % at most, with any swapped letters 40 %.
_COMMON_PAIRS = frozenset(
    """
    ab ac ad ag ai al am an ar as at ay be bl ca ce ch ci cl co ct da de di do ea ec ed ee el em en
    ep er es et ev ex fi fo ge gi ha he hi ho ia ic id ie il im in io is it iv la le li ll lo lu ly
    ma me mi mo na nc nd ne ng ni no ns nt od of og ol om on or os ot ou pa pe po pr ra re ri ro rs
    rt ry sc se si ss st su ta te th ti to tr ts ul um un ur us ut ve we wi
    """.split()
)
_MIN_SHARE = 0.45
_WINDOW = 80  # pairs: about 16 words
_LEAST = 32
_LATIN = re.compile(r"[a-z]{3,}")
# The forms in which programs write a character whose code alone they know, and private characters.
_CODE = re.compile(r"/g\d+|\(cid:\d+\)|[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]")
_MIN_UNMAPPED = 16
_UNMAPPED_SHARE = 0.05  # of a page's characters: a paragraph
_MIN_WORD = 3


def has_unmapped_letters(words: Sequence[str], unmapped: int) -> bool:
    """Tell whether many letters of a text are in fonts that do not say which letters they are.

    `unmapped` is the reader's count of such characters; codes in `words` count too. Signs that
    stand alone don't: they are bullets and ticks, which have codes for private use.
    """
    alone = sum(_CODE.fullmatch(word) is not None for word in words)
    codes = max(unmapped, sum(len(_CODE.findall(word)) for word in words)) - alone
    return codes >= max(_MIN_UNMAPPED, _UNMAPPED_SHARE * sum(map(len, words)))


def has_swapped_letters(words: Sequence[str]) -> bool:
    """Tell whether a stretch of Latin letters forms no words of any known language.

    Columns of units and abbreviations form no words either, so words of fewer than three letters do
    not count, and each word counts once in a stretch. False for a few words, and for other scripts.
    """
    long = [window for window in _windows(words) if len(window) >= _LEAST]
    return any(sum(window) < _MIN_SHARE * len(window) for window in long)


def _windows(words: Sequence[str]) -> Iterator[list[bool]]:
    """Yield stretches of text: for each pair of letters, whether it is a common one."""
    window: list[bool] = []
    known: set[str] = set()
    for run in (run for word in words for run in _LATIN.findall(word.lower())):
        if run not in known:
            known.add(run)
            window += [run[at : at + 2] in _COMMON_PAIRS for at in range(len(run) - 1)]
        if len(window) >= _WINDOW:
            yield window
            window, known = [], set()
    yield window


def share_confirmed(words: Sequence[str], read: Sequence[str]) -> float:
    """Return the share of words read from the picture that the text layer has too.

    In [0, 1]; 1 where nothing was read. Words of fewer than three letters are not counted.
    """
    own = {_letters(word) for word in words}
    seen = [letters for letters in map(_letters, read) if len(letters) >= _MIN_WORD]
    return sum(letters in own for letters in seen) / len(seen) if seen else 1.0


def _letters(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())
