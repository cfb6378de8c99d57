"""Spell out the short forms of medicines that guidelines print without a word: `LMWH/UFH`. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from core.language.en.medicines.names import drugs
from core.language.en.short_forms.table import members_of_classes, ward_words

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


def members_named(text: str) -> frozenset[str]:
    """Return the medicines of the classes that a text names: `avoid NSAIDs`, `an oral DOAC`."""
    pattern, members = _classes()
    return frozenset(
        name for match in pattern.finditer(text) for name in members[match[1].casefold()]
    )


@lru_cache(maxsize=1)
def _classes() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    members = dict(members_of_classes())
    for row in ward_words():
        if row.kind == "class" and row.short.casefold() in members:
            members.setdefault(row.words.casefold(), members[row.short.casefold()])
    longest = sorted(members, key=lambda name: (-len(name), name))
    words = "|".join(re.escape(name).replace("\\ ", "[ -]") for name in longest if len(name) > 2)
    spelled = {name.replace("-", " "): each for name, each in members.items()}
    return re.compile(rf"(?<![\w-])({words})(?:s|es)?(?![\w-])", re.IGNORECASE), _Spelled(
        members | spelled
    )


class _Spelled(dict[str, tuple[str, ...]]):
    """Look a class up with or without hyphens."""

    def __missing__(self, name: str) -> tuple[str, ...]:
        return self.get(name.replace("-", " "), ())
