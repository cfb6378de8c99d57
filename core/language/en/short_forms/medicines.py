"""Spell out the short forms of medicines that guidelines print without a word: `LMWH/UFH`. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set
from functools import lru_cache

from core.language.en.medicines.names import drug_classes, drugs
from core.language.en.short_forms.table import (
    WardWord,
    is_beside,
    members_of_classes,
    ward_words,
)
from core.language.words import words

_LEAST = 3  # letters and digits of a form that is read without the words beside it
# `meticillin resistant Staphylococcus aureus` is no meticillin.
_NO_MEDICINE = re.compile(
    r"\b(?:resistant|sensitive|induced|overdose|ratio|gradient|factor)\b", re.IGNORECASE
)


def with_medicines_spelled_out(text: str, context: str = "") -> str:
    """Return the text with the name behind each short form: `LMWH (low molecular weight heparin)`.

    Only forms in capitals that stand for a medicine which they don't name themselves: by their only
    meaning, or by the words beside them and in the context (`NVP` under a heading on HIV).
    """
    pattern, meanings = _forms()
    found = frozenset(pattern.findall(text))
    if not found:
        return text
    around = frozenset(words(f"{context} {text}".casefold()))
    meant = {form: _meant(meanings[form], around - {form.casefold()}) for form in found}
    return pattern.sub(lambda m: f"{m[0]} ({meant[m[0]]})" if meant[m[0]] else m[0], text)


def _meant(rows: Sequence[WardWord], around: Set[str]) -> str:
    """Return the medicine that a form may stand for beside these words; empty where it is none."""
    likely = {row.words for row in rows if any(is_beside(row.beside, word) for word in around)}
    likely = likely or {row.words for row in rows if not row.beside}
    return "; ".join(sorted(filter(_is_medicine, likely)))


def _is_medicine(words: str) -> bool:
    return not _NO_MEDICINE.search(words) and bool(drugs(words))


@lru_cache(maxsize=1)
def _forms() -> tuple[re.Pattern[str], dict[str, list[WardWord]]]:
    """Return a pattern of the forms that may stand for a medicine, and all meanings of each."""
    meanings: dict[str, list[WardWord]] = defaultdict(list)
    for row in ward_words():
        short = row.short
        if len(short) >= _LEAST and short.upper() == short and not short.isdigit():
            meanings[short].append(row)
    meant = {
        short: rows
        for short, rows in meanings.items()
        if not drugs(short) and any(_is_medicine(row.words) for row in rows)
    }
    longest = sorted(meant, key=lambda short: (-len(short), short))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"), meant


def members_named(text: str) -> frozenset[str]:
    """Return the medicines of the classes that a text names: `avoid NSAIDs`, `an oral DOAC`."""
    return frozenset(name for members in members_by_class(text) for name in members)


def members_by_class(text: str) -> list[tuple[str, ...]]:
    """Return the members of each class that a text names, in its order."""
    pattern, members = _classes()
    return [members[match[1].casefold()] for match in pattern.finditer(text)]


@lru_cache(maxsize=1)
def _classes() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    members = dict(members_of_classes())
    for row in ward_words():
        if row.kind == "class" and row.short.casefold() in members:
            for name in (_inhibitor(row.short), row.words):
                members.setdefault(name.casefold(), members[row.short.casefold()])
    longest = sorted(members, key=lambda name: (-len(name), name))
    words = "|".join(re.escape(name).replace("\\ ", "[ -]") for name in longest if len(name) > 2)
    spelled = {name.replace("-", " "): each for name, each in members.items()}
    return re.compile(rf"(?<![\w-])({words})(?:s|es)?(?![\w-])", re.IGNORECASE), _Spelled(
        members | spelled
    )


def classes_of(medicine: str) -> tuple[str, ...]:
    """Return the names of the classes of a medicine: `ACE inhibitor`, `loop diuretic`.

    The widest class first. With what a name ends on, where that is a class: `diuretic` of `loop
    diuretic`. No name that is a medicine itself, as `low molecular weight heparin` is.
    """
    return _by_member().get(medicine, ())


def tells_of_class(medicines: frozenset[str], text: str) -> bool:
    """Tell whether a text names a class of one of the medicines, and no other member of it.

    `Avoid enalapril and other ACE inhibitors` is not looked into for ramipril.
    """
    named = {_plain(name) for name in drug_classes(text)}
    by_kind = any(named & set(map(_plain, classes_of(name))) for name in medicines)
    if not by_kind and medicines.isdisjoint(members_named(text)):
        return False
    sisters = {
        other
        for other in set(drugs(text)) - medicines
        if any(set(classes_of(other)) & set(classes_of(name)) for name in medicines)
    }
    return not sisters


def _plain(name: str) -> str:
    return name.casefold().replace("-", " ").removesuffix("s")


@lru_cache(maxsize=1)
def _by_member() -> dict[str, tuple[str, ...]]:
    classes = sorted(members_of_classes(), key=lambda name: -len(members_of_classes()[name]))
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for short in classes:
        if f"{short.removesuffix('e')}is" in classes:
            continue  # to `thrombolyse` is a verb
        printed = [name for name in _printed(short) if len(name) >= _LEAST and not drugs(name)]
        ends = [
            each for name in printed for each in drug_classes(name) if name.endswith(f" {each}")
        ]
        for member in members_of_classes()[short]:
            single = drugs(member)
            if len(single) == 1 and single[0] != "insulin":
                names[single[0]] |= dict.fromkeys((*printed, *ends))
    return {medicine: tuple(each) for medicine, each in names.items()}


def _printed(short: str) -> list[str]:
    """Return a class by the names that the table of short forms has, capitals first, long first."""
    rows = [row for row in ward_words() if row.kind == "class"]
    words = {row.words for row in rows if row.short.casefold() == short}
    short_forms = [row.short for row in rows if row.words in words and not row.beside] or [short]
    every = dict.fromkeys([*map(_inhibitor, short_forms), *short_forms, *sorted(words)])
    return sorted(every, key=lambda name: (not name[:2].isupper(), -len(name)))


def _inhibitor(name: str) -> str:
    """Return `SGLT2 inhibitor` for `SGLT2i`."""
    return re.sub(r"(?<=[A-Z0-9])i\Z", " inhibitor", name)


class _Spelled(dict[str, tuple[str, ...]]):
    """Look a class up with or without hyphens."""

    def __missing__(self, name: str) -> tuple[str, ...]:
        return self.get(name.replace("-", " "), ())
