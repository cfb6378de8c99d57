"""Spell out the short forms of medicines that guidelines print without a word: `LMWH/UFH`. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from core.language.en.medicines.names import drugs
from core.language.en.short_forms.table import ward_words

_LEAST = 3  # letters and digits of a form that is read without the words beside it
# `meticillin resistant Staphylococcus aureus` is no meticillin.
_NO_MEDICINE = re.compile(
    r"\b(?:resistant|sensitive|induced|overdose|ratio|gradient|factor)\b", re.IGNORECASE
)


def with_medicines_spelled_out(text: str) -> str:
    """Return the text with the name behind each short form: `LMWH (low molecular weight heparin)`.

    Only forms in capitals whose usual meaning is a medicine that they don't name themselves.
    """
    pattern, meant = _forms()
    return pattern.sub(lambda match: f"{match[0]} ({meant[match[0]]})", text)


@lru_cache(maxsize=1)
def _forms() -> tuple[re.Pattern[str], dict[str, str]]:
    usual = {row.short: row.words for row in ward_words() if not row.beside}
    meant = {
        short: words
        for short, words in usual.items()
        if len(short) >= _LEAST and short.upper() == short and not short.isdigit()
        if not _NO_MEDICINE.search(words) and drugs(words) and not drugs(short)
    }
    longest = sorted(meant, key=lambda short: (-len(short), short))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"), meant
