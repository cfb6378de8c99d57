"""Check that the evidence names each medicine and each class of medicines in a claim. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from chat.evidence.judgements import Evidence, Finding, Label
from core.language.en.medicines.names import drug_classes, drugs
from core.language.en.medicines.varieties import differs
from core.language.en.short_forms.table import ward_words
from retrieval.lexicon.spellings import other_spellings

NAME = "medicines"
_LONG = 8  # characters, including the spaces on either side
_WORD = re.compile(r"[a-z0-9]+")


def check(claim: str, evidence: Evidence) -> Finding | None:
    named = [*drugs(claim), *drug_classes(claim)]
    if not named:
        return None
    text = " ".join((*evidence.quotes, evidence.context))
    # Of a text that names another medicine, nothing is said of the one that was asked about.
    known = text if drugs(text) else f"{text} {evidence.question}"
    for name in named:
        if not is_named(name, known):
            label = Label.CONTRADICTED if drugs(evidence.text) else Label.NOT_FOUND
            return Finding(NAME, label, f"medicine not in the evidence: {name}")
    texts = (known, *filter(drugs, (evidence.question,)))
    if differs(claim, texts, set(drugs(claim)) & set(drugs(known))):
        return Finding(NAME, Label.CONTRADICTED, "the evidence is on another form of the medicine")
    return None


def is_named(name: str, text: str) -> bool:
    """Tell whether a text has a medicine or a class by any of its names."""
    if name in drugs(text):
        return True
    held = _with_other_names(_words(text))
    # A long name may begin a word, as `albumin` does `albuminuria`; a short one may not.
    forms = _forms(_words(name))
    return any((form.rstrip() if len(form) > _LONG else form) in held for form in forms)


def _words(text: str) -> str:
    """Return the singular words of a text in one spelling, with a space on either side of each."""
    return f" {' '.join(map(_spelled, _WORD.findall(text.casefold())))} "


@lru_cache(maxsize=1024)
def _forms(name: str) -> frozenset[str]:
    """Return a name and its variants with parts replaced by their other names.

    Replaced twice: `ACEI` is `angiotensin converting enzyme inhibitor`, which is `ACE inhibitor`.
    """
    forms = {name}
    for _ in range(2):
        forms |= {
            f" {' '.join((head + other + tail).split())} "
            for form in forms
            for head, own, tail in _parts(form)
            for other in _other_names().get(own, ())
        }
    return frozenset(forms)


@lru_cache(maxsize=1024)
def _with_other_names(text: str) -> str:
    """Return the text, followed by the other names of everything it names."""
    names = {other for _, own, _ in _parts(text) for other in _other_names().get(own, ())}
    return text + "; ".join(sorted(names))


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each run of words that may be a name, between the words before and after it."""
    words = text.split()
    for length in range(1, _longest_name() + 1):
        for start in range(len(words) - length + 1):
            before, own, after = words[:start], words[start : start + length], words[start + length :]  # noqa: E501  # fmt: skip
            yield " ".join(before), f" {' '.join(own)} ", " ".join(after)


@lru_cache(maxsize=1)
def _longest_name() -> int:
    """Return the length of the longest name, in words."""
    return max(len(name.split()) for name in _other_names())


@lru_cache(maxsize=1)
def _other_names() -> dict[str, tuple[str, ...]]:
    """Return the other names of each name in this release's lexicon that has one meaning."""
    others_of: dict[str, list[str]] = defaultdict(list)
    for row in ward_words():
        if row.beside:
            continue
        name, other = _words(row.short), _words(row.words)
        others_of[name].append(other)
        others_of[other].append(name)
    return {name: tuple(others) for name, others in others_of.items()}


@lru_cache(maxsize=4096)
def _spelled(word: str) -> str:
    """Return the singular of a word in one of its spellings, always the same one."""
    plain = word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
    return min((plain, *other_spellings(plain)))
