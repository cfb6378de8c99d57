"""Tell whether a page's own text is words at all. Pure.

Fonts that lack a mapping to Unicode give signs instead of letters, and fonts with a wrong one give
letters that look plausible and are no words. The second shows in the pairs of letters: four of five
pairs in English are of the 120 commonest, and three of five in other languages of the same script,
but two of five at most once the letters are swapped.
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
_LATIN = re.compile(r"[a-z]{2,}")
_MIN_WORD = 3


def has_signs_for_letters(words: Sequence[str]) -> bool:
    """Tell text that comes out of fonts without a mapping to Unicode: signs instead of words."""
    text = "".join(words)
    letters = sum(c.isalnum() for c in text)
    unmapped = text.count("/g") + text.count("(cid:") + text.count("\ufffd")
    return letters < 0.4 * len(text) or unmapped * 4 > len(words)


def has_swapped_letters(words: Sequence[str]) -> bool:
    """Tell whether a stretch of Latin letters is no words of any language that we know.

    A suspicion, to be settled by looking at the picture: formulas and codes raise it too. False for
    fewer than 40 pairs of letters, and for other scripts.
    """
    common = [pair in _COMMON_PAIRS for pair in _pairs(words)]
    windows = [common[at : at + _WINDOW] for at in range(0, len(common), _WINDOW)]
    long = [window for window in windows if len(window) >= _WINDOW // 2]
    return any(sum(window) < _MIN_SHARE * len(window) for window in long)


def _pairs(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        for run in _LATIN.findall(word.lower()):
            yield from (run[at : at + 2] for at in range(len(run) - 1))


def share_confirmed(words: Sequence[str], read: Sequence[str]) -> float:
    """Return the share of the words read from the picture that the page's own text has too.

    In [0, 1]; 1 where nothing was read. Words of less than three letters are not counted.
    """
    own = {_letters(word) for word in words}
    seen = [letters for letters in map(_letters, read) if len(letters) >= _MIN_WORD]
    return sum(letters in own for letters in seen) / len(seen) if seen else 1.0


def _letters(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())
