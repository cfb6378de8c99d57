"""Tell whether a question depends on the one before it, and how. Pure.

The two errors are not equally bad. A follow-up that is not recognised is asked as it is, and mostly
refused. A self-contained question that is mixed with another gets the answer to neither. So a
follow-up is only a question that consists of words of closed lists and the change that it makes, or
whose subject is a pronoun without an antecedent in it. Where it is ambiguous, it stays as it was
asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.en.threads.mentions import POPULATION_SLOTS, Mention, Slot, mentions
from core.language.en.threads.words import (
    ALLERGY,
    ASKED_FIRST,
    ASKING,
    ASKS,
    ATTRIBUTES,
    BARE,
    BEGINS_OPEN,
    DESCRIBES,
    DOSING,
    EXPLETIVE,
    FUNCTION,
    GENERIC,
    MAX_NOTE_WORDS,
    MAX_SHORT_FORM,
    NOTED,
    OPEN_ENDED,
    OPENER,
    ORDERS,
    OTHERWISE,
    PRONOUN,
    SOMEBODY,
    SOMEONE,
    STATES,
    SUBJECT,
    VERBS,
    WHOLE,
    WITH_ORDERS,
)
from core.language.words import sentences, words

_IS_AGED = re.compile(
    r"\bs?he(?:['’]?s| is)(?: now| only| actually| really)? (\d{1,2})(?! ?(?:kg|%|/)|[\d.]*\d)\b"
    r"(?: years? old)?(?! (?:weeks|months|days|kg|hours|units|mg)\b)",
    re.IGNORECASE,
)
MAX_WORDS = 16  # of a follow-up
_NOTE_WORDS = 3  # of a note on the patient, at least: `trisomy 13` is a topic
MAX_LOOSE_WORDS = 25  # of a question that a language model may look at


def may_be_follow_up(question: str) -> bool:
    """Tell by a looser rule whether a question may leave something out.

    True also if it begins as an addition (`and ...`) or has a pronoun that may refer to something.
    Only such a question is shown to a language model.
    """
    if len(sentences(question)) != 1 or len(words(question)) > MAX_LOOSE_WORDS:
        return False
    plain = EXPLETIVE.sub(" ", question)
    return bool(
        leaning(question, core_of(question))
        or OPENER.match(question)
        or PRONOUN.search(plain)
        or SOMEBODY.search(plain)
    )


def points_back(question: str, core: str) -> bool:
    """Tell whether a question refers to something or somebody that only an earlier one can name.

    It begins as an addition, and names no medicine or condition itself: `and for late-onset?`. Or
    it has a pronoun for a person whom it does not name.
    """
    if len(sentences(question)) != 1 or len(words(question)) > MAX_WORDS:
        return False
    named = mentions(core)
    if {mention.slot for mention in named} & {Slot.DRUG, Slot.CONDITION}:
        return False
    first = next(iter(words(core)), "").lower()
    if OPENER.match(question) and first not in ASKS:
        return True  # `And how is frostbite treated` is self-contained
    somebody = SOMEBODY.search(core)
    return somebody is not None and not SOMEONE.search(core[: somebody.start()])


def core_of(question: str) -> str:
    """Return the question without its opening word, such as `and`, and outer punctuation.

    `She's 14` is `a 14 year old`.
    """
    aged = _IS_AGED.sub(lambda match: f"a {match[1]} year old", OPENER.sub("", question))
    return aged.strip(" ?.!,\t\n")


def leaning(question: str, core: str) -> str:
    """Return how a question depends on the one before; empty for a self-contained question.

    `slot`: it consists of a change alone. `state`: it describes the patient or gives a value, and
    asks nothing. `order`: it asks about giving one medicine, and says neither to whom nor for what.
    `otherwise`: it asks for something other than what was said. `pronoun`: its subject is a
    pronoun. `attribute`: it asks for a property, and does not say of what.
    """
    if len(sentences(question)) != 1 or len(words(question)) > MAX_WORDS:
        return ""
    named = mentions(core)
    if _changes_only(question, core, named):
        return "slot"
    if _states_only(core, named):
        return "state"
    if _asks_otherwise(core, named):
        return "otherwise"
    if pronoun_of(core, named) is not None:
        return "pronoun"
    if _orders_only(core, named):
        return "order"
    return "attribute" if _asks_of_nothing(question, core, named) else ""


def _changes_only(question: str, core: str, named: Sequence[Mention]) -> bool:
    if not named:
        return False
    unnamed, opened = _left(core, named), OPENER.match(question) is not None
    if WHOLE.match(core):
        rest = WHOLE.sub("", core)
        return _left(rest, mentions(rest)) <= FUNCTION
    if opened and {mention.slot for mention in named} == {Slot.NUMBER}:
        return unnamed <= FUNCTION | {"it", "that"}
    if not unnamed <= FUNCTION or not (opened or BEGINS_OPEN.match(question)):
        return False
    return not _asks_itself(core, named)


def _states_only(core: str, named: Sequence[Mention]) -> bool:
    """Tell whether a text describes the patient and asks nothing: `crcl 20`, `is on warfarin`.

    A medicine or a condition alone is a topic of its own.
    """
    rest = _left(core, named)
    if rest & (ASKS - STATES):
        return False
    if DESCRIBES.match(core) or _is_note(core, named, rest):
        return True
    if not named:
        return False
    slots = {mention.slot for mention in named}
    if slots & {Slot.DRUG, Slot.CONDITION} and not named[0].start and not rest & ALLERGY:
        return False
    is_of_patient = bool(rest & SUBJECT or core.lower().startswith("if "))
    if rest <= STATES and (is_of_patient or slots & {Slot.MEASURE}):
        return True
    if not rest and slots <= {Slot.NUMBER, *POPULATION_SLOTS}:
        return True
    if rest & (ATTRIBUTES | VERBS | ASKS) or len(words(core)) > MAX_NOTE_WORDS:
        return False
    is_named = Slot.MEASURE in slots or all(len(word) <= MAX_SHORT_FORM for word in rest)
    return is_named and slots <= {Slot.MEASURE, Slot.NUMBER}


def _is_note(core: str, named: Sequence[Mention], rest: set[str]) -> bool:
    """Tell whether a text notes findings and asks nothing: `plts today 42, U+Es normal`.

    What begins with a medicine or condition has it as its topic.
    """
    begins = named[0].slot if named and not named[0].start else None
    is_topic = begins in (Slot.DRUG, Slot.CONDITION)
    asks = rest & (ATTRIBUTES | VERBS | ASKS) or core.rstrip().endswith("?")
    is_told = len(words(core)) >= _NOTE_WORDS and bool(NOTED.search(core))
    return is_told and not is_topic and not asks


def names_more(core: str) -> bool:
    """Tell whether a text has words other than values and what they are of, such as `LMWH 70kg`."""
    return bool(_left(core, mentions(core)) - STATES - FUNCTION)


def _orders_only(core: str, named: Sequence[Mention]) -> bool:
    """Tell whether a text asks about giving one medicine, or a dose, and names nothing else."""
    rest = _left(core, named)
    slots = [mention.slot for mention in named]
    is_one = slots == [Slot.DRUG] and not named[0].lead
    if is_one and rest and rest <= {"then", "instead", "ok"}:
        return True  # `cefalexin then?`
    return (is_one or not slots) and bool(rest & ORDERS) and rest <= ORDERS | WITH_ORDERS


def _asks_otherwise(core: str, named: Sequence[Mention]) -> bool:
    """Tell whether a question asks for an alternative without saying to what.

    `What can I give instead` does, `What can I give instead of warfarin` does not.
    """
    rest = _left(core, named)
    if {mention.slot for mention in named} & {Slot.DRUG, Slot.CONDITION}:
        return False
    asks = rest & OTHERWISE or (rest & {"second", "third"} and rest & {"line", "choice"})
    return bool(asks) and rest <= FUNCTION | ATTRIBUTES | VERBS | OTHERWISE | OPEN_ENDED


def _asks_itself(core: str, named: Sequence[Mention]) -> bool:
    """Tell whether a text asks a question of its own.

    `In shock, when do I give hydrocortisone` does, `if the patient is in shock` does not. So does
    `When dialysis in acute kidney injury`: an action, in a condition. And `when not to give
    alteplase`.
    """
    first, *others = [word.lower() for word in words(_blanked(core, named))] or [""]
    if first == "when" and any(mention.lead.strip().lower() == "in" for mention in named[1:]):
        return True
    if first == "when" and others[:2] == ["not", "to"]:
        return True
    if first in {"if", "when", "while"}:
        return bool({"do", "does", "did", "should", "what", "which", "how"} & set(others))
    return bool(({first} | set(others)) & ASKS)


def _asks_of_nothing(question: str, core: str, named: Sequence[Mention]) -> bool:
    """Tell whether a question asks for a dose, route or reason without saying of what."""
    rest, slots = _left(core, named), {mention.slot for mention in named}
    if not named and rest and rest <= ATTRIBUTES - ASKS and len(words(core)) <= MAX_NOTE_WORDS:
        return True
    if slots & {Slot.DRUG, Slot.CONDITION} or not (rest <= FUNCTION | ATTRIBUTES and rest & ASKING):
        return False
    if slots & {Slot.RENAL, Slot.HEPATIC, Slot.STATE} and not rest & DOSING:
        return False
    return bool(OPENER.match(question) or ASKED_FIRST.match(core) or question.rstrip()[-1:] == "?")


def _left(text: str, named: Sequence[Mention]) -> set[str]:
    """Return the words that belong to no mention, in lower case."""
    return {word.lower() for word in words(_blanked(text, named))}


def _blanked(text: str, named: Sequence[Mention]) -> str:
    for mention in named:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def pronoun_of(core: str, named: Sequence[Mention]) -> re.Match[str] | None:
    """Return the pronoun that a question is about; None if a mention before it may be meant."""
    plain = EXPLETIVE.sub(lambda match: " " * len(match.group()), core)
    pronoun = PRONOUN.search(plain)
    if pronoun is None or any(mention.start < pronoun.start() for mention in named):
        return None
    ahead = [word.lower() for word in words(plain[: pronoun.start()])]
    behind = [word.lower() for word in words(plain[pronoun.end() :])]
    known = FUNCTION | ATTRIBUTES | VERBS
    if not ahead or not all(word in known or word.removeprefix("re") in VERBS for word in ahead):
        return None
    is_pointing = pronoun.group().lower() in {"this", "that", "these", "those"}
    if is_pointing and behind and behind[0] not in FUNCTION | GENERIC | BARE:
        return None
    if pronoun.group().lower() in {"its", "their"} and (
        not behind or behind[0] not in ATTRIBUTES | GENERIC
    ):
        return None
    return pronoun
