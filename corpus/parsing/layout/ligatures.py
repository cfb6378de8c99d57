"""Join words that are parted at a ligature, as some programs print them (`fl uconazole`). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.language.en.medicines.names import drugs

_LETTER = r"[^\W\d_]"
_LIGATURE = r"(?:[Ff]f?[il]|[Ff]f)"
# `95 fl` is a volume; a word goes on with small letters.
_PARTED = re.compile(
    rf"(?<!{_LETTER})(?<!\d )({_LETTER}*{_LIGATURE}) ({_LETTER}+)(?!{_LETTER})(?![-'’])"
)
_APART = re.compile(rf"(?<!{_LETTER})({_LETTER}{{2,}} {_LIGATURE} {_LETTER}+)(?!{_LETTER})")
_WORDS = frozenset(
    """
    bluff buff cliff cuff cutoff dandruff duff fluff gruff handoff huff layoff muff off payoff
    puff runoff scruff scuff sheriff skiff sniff snuff staff stiff stuff takeoff tariff tiff whiff
    """.split()
)
# What hardly a word ends in; `Wi-Fi` does.
_BROKEN = re.compile(
    rf"(?<!{_LETTER})(?<!\d )(?<![Ww]i-)(?!(?:hi|sci|wi)fi)({_LETTER}*(?:f[fil]|F[il])) (?=[a-z])"
)


def mend_ligatures(text: str, is_word: Callable[[str], bool]) -> str:
    """Join what is parted at a ligature, where the whole is a medicine or `is_word` says it is one.

    `is_word` is asked for words in small letters, which the document prints elsewhere.
    """

    def apart(match: re.Match[str]) -> str:
        whole = match.group().replace(" ", "")
        return whole if is_word(whole.lower()) else match.group()

    def parted(match: re.Match[str]) -> str:
        first, second = match.groups()
        whole = first + second
        if not second.islower() or first.lower() in _WORDS:
            return match.group()
        named = not first.lower().endswith("ff") and bool(drugs(whole))
        return whole if named or is_word(whole.lower()) else match.group()

    return _PARTED.sub(parted, _APART.sub(apart, text))


def is_parted(text: str) -> bool:
    """Tell whether a text still has a word that ends in a ligature as no word does."""
    return any(match.group(1).lower() not in _WORDS for match in _BROKEN.finditer(text))
