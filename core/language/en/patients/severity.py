"""Find the severity that a text gives to the condition of a question. Pure.

`Severe` of something else doesn't count: `in severe penicillin allergy`, under mild pneumonia.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from core.language.en.medicines.names import drugs

LEVELS = ("mild", "moderate", "severe", "life-threatening")  # in this order
_JOINT = r"\s*(?:,|/|-|–|and/or|or|and|to)\s*"
# `Low` is a severity in `low or moderate severity` only.
_SEVERITY = rf"(?=(?:{_JOINT}(?:low|moderate|medium|intermediate|high))*[\s-]+severity\b)"
_NAMED = re.compile(
    rf"\b(?P<denied>(?:non|not|less)[\s-]+)?(?:(?P<mild>milder|mild(?:ly)?|low{_SEVERITY})"
    rf"|(?P<moderate>moderate(?:ly)?|(?:medium|intermediate){_SEVERITY})"
    rf"|(?P<severe>severe(?:ly)?|high{_SEVERITY})|(?P<life>life[\s-]?threatening))\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|-|–)\s*", re.IGNORECASE)
_BETWEEN = re.compile(rf"(?:{_JOINT})+", re.IGNORECASE)
_BREAK = re.compile(r"[.;:,|()\[\]•\n?!]")
_WORD = re.compile(r"[a-z][a-z-]*[a-z]", re.IGNORECASE)
_MAX_OBJECT = 4  # words behind it that may be what is severe
# The condition itself, by whatever name it was called before.
_GENERIC = frozenset(
    """
    severity disease illness infection condition case attack episode exacerbation presentation
    symptom feature form group
    """.split()
)
_OTHER = re.compile(
    r"^(?:allerg|hypersensitiv|reaction|intoleran|anaphyla|adverse|side$)", re.IGNORECASE
)
_ENDS = frozenset(
    """
    the an this in with to of for from on at who whom that which when if where while and or but is
    are was be has have may should must can by as than without despite after before during until
    """.split()
)
_NO_CONDITION = frozenset(
    """
    the an what how who which treatment treat treated treating therapy management manage managed
    dose doses dosing dosage adult adults child children infant infants patient patients people
    person woman women man men risk first second line choice drug drugs medicine antibiotic
    antibiotics long often much start stop give given use used acute chronic recommended oral
    community hospital acquired option options mild moderate severe life-threatening life
    threatening low medium intermediate high non non-severe
    """.split()
)


class _LevelGroup(NamedTuple):
    """Levels named together, with the words before and after them."""

    levels: frozenset[str]
    before: tuple[str, ...]
    behind: tuple[str, ...]


def severities(text: str, about: str) -> frozenset[str]:
    """Return the levels that a text gives to what `about` (a question) names; empty for none.

    A range includes the levels between: `mild to severe` is moderate too.
    """
    words = _condition_words(about)
    return frozenset(
        level for group in _said(text) if _is_of(words, group) for level in group.levels
    )


@lru_cache(maxsize=256)
def _condition_words(about: str) -> frozenset[str]:
    named = {word for drug in drugs(about) for word in drug.split()}
    words = {_plain(word) for word in _WORD.findall(about)}
    return frozenset(words - named - _NO_CONDITION - _ENDS)


def _is_of(words: frozenset[str], group: _LevelGroup) -> bool:
    """Tell whether the words after the level, else those before it, name the condition."""
    behind = group.behind
    if behind[:1] == ("severity",):  # `low severity CAP, penicillin allergic` is of the first
        allergic = (n for n, word in enumerate(behind) if _OTHER.match(word))
        behind = behind[: max(1, next(allergic, len(behind) + 1) - 1)]
    if any(_OTHER.match(word) for word in behind):
        return False
    if behind:
        return behind[0] in _GENERIC or not words.isdisjoint(behind)
    return all(word in words or word in _GENERIC or word in _ENDS for word in group.before)


@lru_cache(maxsize=8192)
def _said(text: str) -> tuple[_LevelGroup, ...]:
    return tuple(_groups(text))


def _groups(text: str) -> Iterator[_LevelGroup]:
    matches = list(_NAMED.finditer(text))
    levels: frozenset[str] = frozenset()
    begin, end = 0, 0
    for at, match in enumerate(matches):
        begin = begin if levels else match.start()
        levels = _joined(levels, _levels(match), text[end : match.start()])
        end = match.end()
        following = text[end : matches[at + 1].start()] if at + 1 < len(matches) else ""
        if not _BETWEEN.fullmatch(following):
            yield _LevelGroup(levels, _before(text[:begin]), _behind(text[end:]))
            levels = frozenset()


def _levels(match: re.Match[str]) -> frozenset[str]:
    own = "life-threatening" if match["life"] else (match.lastgroup or "")
    below = LEVELS[: LEVELS.index(own)]
    return frozenset((below or LEVELS[1:]) if match["denied"] else (own,))


def _joined(levels: frozenset[str], more: frozenset[str], gap: str) -> frozenset[str]:
    both = levels | more
    if not levels or not _RANGE.fullmatch(gap):
        return both
    places = sorted(map(LEVELS.index, both))
    return frozenset(LEVELS[places[0] : places[-1] + 1])


def _before(text: str) -> tuple[str, ...]:
    segment = _BREAK.split(text)[-1]
    return tuple(_plain(word) for word in _WORD.findall(segment))


def _behind(text: str) -> tuple[str, ...]:
    """Return the words up to the one that begins another part of the sentence."""
    words: list[str] = []
    for word in map(_plain, _WORD.findall(_BREAK.split(text, maxsplit=1)[0])[:_MAX_OBJECT]):
        if word in _ENDS:
            break
        words.append(word)
    return tuple(words)


def _plain(word: str) -> str:
    word = word.casefold()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
