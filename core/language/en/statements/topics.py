"""Reduce a statement to rough stems of the words that say its topic. Pure."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]{3,}")
_SAYS_NOTHING = frozenset(
    "the and for with from that this these those than then are was were has have had not but "
    "who whom whose which when where while what how why will can may must should would could "
    "been being its his her their they them there here into onto over under above below per "
    "each every any all both either neither other another same such more most less least very "
    "only also too out off after before during until within without about between through "
    "because however unless except give given giving use used using take taken start started "
    "begin treat treated treatment prescribe prescribed offer administer administered apply "
    "dose doses dosing daily day days week weeks month months year years hour hours hourly "
    "minute minutes time times once twice three four five six seven eight nine ten one two "
    "first second third patient patients people person adult adults child children medicine "
    "medicines drug drugs guideline guidance hospital recommended need needs needed make made "
    "mouth oral orally intravenous intravenously intramuscular intramuscularly subcutaneous "
    "subcutaneously route infusion injection tablet tablets capsule maximum minimum total mcg "
    "micrograms microgram milligrams grams gram units unit mmol litre avoid never stop "
    "contraindicated choice alternative section table version threshold duration interval "
    "hospitals community inpatients mmhg tds max target component situation".split()
)
_ENDINGS = re.compile(r"(?:ations?|ings?|ied|ies|edly|ed|es|s|ly|al|ous)$")


def topic_words(text: str) -> frozenset[str]:
    """Return the stems of the topic words of a text, without numbers, units and routes."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _SAYS_NOTHING)
    return frozenset(_stem(word) for word in words) - {""}


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    stem = stem if len(stem) >= 4 else word
    return stem.rstrip("e")
