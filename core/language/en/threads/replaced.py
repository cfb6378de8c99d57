"""Leave out of an earlier question what a later word on its patient contradicts. Pure.

A man's question that goes on with `she's pregnant` is about a woman from then on, and who is no
longer pregnant is so everywhere. `He's on apixaban, not warfarin` asks the same of apixaban.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.en.threads.mentions import Mention, Slot, mentions
from core.language.en.threads.words import ASKS, FUNCTION, STATES
from core.language.words import words

_SEXES = (
    ("she", "he"), ("her", "him"), ("hers", "his"), ("woman", "man"), ("women", "men"),
    ("girl", "boy"), ("girls", "boys"), ("female", "male"), ("lady", "gentleman"),
    ("mother", "father"), ("mum", "dad"),
)  # fmt: skip
_TO_MALE = dict(_SEXES)
_TO_FEMALE = {male: female for female, male in _SEXES} | {"his": "her"}
_STATE = r"pregnan(?:t|cy)|breast-?feeding|lactating|post-?partum|postnatal"
_FEMALE = re.compile(rf"\b(?:{'|'.join(_TO_MALE)}|{_STATE})\b", re.IGNORECASE)
_MALE = re.compile(rf"\b(?:{'|'.join(_TO_FEMALE)})\b", re.IGNORECASE)
_WEEKS = r"(?:at \d+ weeks(?: of)? |\d+ weeks )?"
_IS = r"(?:[,;]?\s*\b(?:and |if |when )*(?:s?he|(?:the )?(?:patient|pt))(?:['’]?s| is| was)?\s+)"
_NOT_PREGNANT = re.compile(
    r"\b(?:not|isn['’]?t|no longer|never)\s+(?:\w+\s+)?pregnant\b|\bnon-?pregnant\b", re.IGNORECASE
)
_SINCE_BIRTH = re.compile(
    r"\b(?:breast-?feeding|lactating|post-?partum|postnatal)\b", re.IGNORECASE
)
_PREGNANT = re.compile(
    rf"{_IS}{_WEEKS}pregnant\b|\s*\b(?:in|during) (?:the \w+ trimester of )?pregnancy\b"
    rf"|{_WEEKS}\bpregnant\b ?",
    re.IGNORECASE,
)
_OF_A_WOMAN = re.compile(
    rf"{_PREGNANT.pattern}|{_IS}(?:{_STATE})\b|\s*\b(?:in|while|during) (?:{_STATE})\b"
    rf"|\b(?:{_STATE})\b ?",
    re.IGNORECASE,
)
_LOOSE = re.compile(r"\s+([,?.])")
# `apixaban, not warfarin`, `apixaban instead of warfarin`; `not warfarin, it's apixaban`.
_NOT = re.compile(r"\W*\b(?:and |but )?(?:not|instead of|rather than)(?: on)?\s+", re.IGNORECASE)
_BUT = re.compile(
    r"[\s,;:–-]+(?:(?:but|it['’]?s|it is|s?he['’]?s|on|was|meant)\s+)*", re.IGNORECASE
)
_ENDS_IN_NOT = re.compile(r"\bnot(?: on)?\s+\Z", re.IGNORECASE)
_VALUE_NOT = re.compile(
    r"(?<![\d.,])(?P<right>\d+(?:\.\d+)?)(?:\s?[a-z/%]+)?\W*\s(?:and |but )?not\s+"
    r"(?P<wrong>\d+(?:\.\d+)?)(?:\s?[a-z/%]+)?\W*\Z",
    re.IGNORECASE,
)
_CORRECTS = frozenset(
    "ah oh sorry actually hang hold wait oops meant mean i mistake my wrong correction bad rather "
    "should have said typo it's its".split()
)


def corrected(question: str, base: str) -> str:
    """Return the earlier question with a medicine put right: `sorry, apixaban not warfarin`.

    Empty where the text says more than that, or the earlier question names the wrong one nowhere.
    """
    named = [mention for mention in mentions(question) if mention.slot is Slot.DRUG]
    if len(named) != 2:
        return ""
    first, last = named
    between = question[first.end : last.start]
    rest = f"{question[: first.start]} {question[last.end :]}"
    if _NOT.fullmatch(between):
        right, wrong = first, last
    elif _BUT.fullmatch(between) and _ENDS_IN_NOT.search(question[: first.start]):
        right, wrong = last, first
    else:
        return ""
    said = {word.lower() for word in words(rest)}
    old = [m for m in mentions(base) if m.slot is Slot.DRUG and m.name == wrong.name]
    if not old or not said <= _CORRECTS | STATES | (FUNCTION - ASKS) | {"not"}:
        return ""
    return _with_each(base, old, right.text)


def revalued(question: str, before: Sequence[str]) -> str:
    """Return the latest question with a value put right: `sorry, SBP is 104 not 125`.

    Empty where the text says more than that, or no question has the wrong value once.
    """
    found = _VALUE_NOT.search(question)
    if not found:
        return ""
    rest = f"{question[: found.start()]} {question[found.end() :]}"
    if {word.lower() for word in words(rest)} & ASKS - STATES:
        return ""
    wrong = re.compile(rf"(?<![\d.,/]){re.escape(found['wrong'])}(?![\d/]|[.,]\d)")
    base = next((text for text in reversed(before) if len(wrong.findall(text)) == 1), "")
    return wrong.sub(found["right"], base)


def _with_each(base: str, old: list[Mention], text: str) -> str:
    for mention in reversed(old):
        base = base[: mention.start] + text + base[mention.end :]
    return base


def without_replaced(core: str, base: str) -> str:
    """Return an earlier question for the sex and without the pregnancy that a later text denies.

    As it is where it names people of both sexes: a mother and her boy.
    """
    if _NOT_PREGNANT.search(core) or _SINCE_BIRTH.search(core):
        base = _tidy(_PREGNANT.sub("", base))
    said, named = (_sexes(text) for text in (core, base))
    if {*said, *named} != {"female", "male"} or len(said) != 1 or len(named) != 1:
        return base
    if "male" in said:
        return _tidy(_exchanged(_OF_A_WOMAN.sub("", base), _FEMALE, _TO_MALE))
    return _exchanged(base, _MALE, _TO_FEMALE)


def _sexes(text: str) -> set[str]:
    female, male = _FEMALE.search(text), _MALE.search(text)
    return {name for name, found in (("female", female), ("male", male)) if found}


def _exchanged(text: str, pattern: re.Pattern[str], words: dict[str, str]) -> str:
    return pattern.sub(lambda found: words.get(found[0].lower(), found[0]), text)


def _tidy(text: str) -> str:
    return _LOOSE.sub(r"\1", " ".join(text.split())).strip(" ,")
