"""Put a fact of a follow-up in the place of one of its kind in the question before. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.en.threads.leaning import pronoun_of
from core.language.en.threads.mentions import POPULATION_SLOTS, Mention, Slot, mentions
from core.language.en.threads.words import (
    DIGITS,
    EXPLETIVE,
    GENERIC,
    OF_CONDITION,
    OF_DRUG,
    OF_PEOPLE,
    PRONOUN,
    STATE_OF_LIFE,
)

_AGE_UNITS = frozenset({"year", "years", "month", "months", "week", "weeks", "day", "days"})
_AGE = re.compile(r"\d+(?:\s*(?:years?|months?|weeks?|days?))?", re.IGNORECASE)


def with_slots(base: str, changes: Sequence[Mention]) -> str | None:
    """Return the base with each change in place of a mention of the same slot, or at its end.

    None if a change could replace more than one mention.
    """
    text: str | None = base
    for change in changes:
        if text is not None:
            text = _with_slot(text, change)
    return text


def _with_slot(base: str, change: Mention) -> str | None:
    named = mentions(base)
    same = [mention for mention in named if mention.slot is change.slot]
    if change.slot is Slot.NUMBER:
        return _with_number(base, change, named)
    if change.slot is Slot.DRUG and change.lead.strip().lower() in {"with", "on"}:
        same = [mention for mention in same if mention.lead.strip().lower() == "with"]
    if change.slot is Slot.MEASURE:
        return _with_measure(base, change, named)
    if len(same) > 1:
        return None
    if change.slot is Slot.LIFE and any(is_of_body(mention) for mention in named):
        return _with_person(base, change, named, same)
    if same:
        return _replaced(base, same[0], change)
    if change.slot in POPULATION_SLOTS:
        return _appended(base, f"{change.lead or 'in '}{change.text}")
    return _appended(base, change.phrase) if change.lead else None


def _with_person(
    base: str, change: Mention, named: Sequence[Mention], same: Sequence[Mention]
) -> str | None:
    """Return the base with another person in place of `an adult of 70 kg`, as a whole.

    None where the weight or age stands elsewhere: it would be somebody else's.
    """
    of_body = [mention for mention in named if is_of_body(mention)]
    if len(same) != 1 or len(of_body) != 1:
        return None
    is_one = base[same[0].end : of_body[0].start].strip() == "of"
    return base[: same[0].start] + change.text + base[of_body[0].end :] if is_one else None


def _with_measure(base: str, change: Mention, named: Sequence[Mention]) -> str | None:
    """Return the base with the value of a measure replaced, or added if it has no such measure.

    None for a second measure of the kidney, since clearance and estimated rate differ.
    """
    same = [m for m in named if m.slot is Slot.MEASURE and m.name == change.name]
    kidney = [m for m in named if is_of_kidney(m)]
    if len(same) > 1 or (not same and kidney and is_of_kidney(change)):
        return None
    if same:
        text = change.text if same[0].lead else change.phrase
        return base[: same[0].start] + text + base[same[0].end :]
    return _appended(base, change.phrase if change.lead else f"if {change.text}")


def is_of_kidney(mention: Mention) -> bool:
    names = {"egfr", "gfr", "crcl", "creatinine clearance", "creatinine"}
    return mention.slot is Slot.RENAL or (mention.slot is Slot.MEASURE and mention.name in names)


def _with_number(base: str, change: Mention, named: Sequence[Mention]) -> str | None:
    """Return the base with the only number of the same unit replaced, or its only number.

    None if several numbers could be meant.
    """
    digits = DIGITS.search(change.text)
    if change.name in _AGE_UNITS and (age := _aged(base, named)):
        return base[: age[0]] + change.text + base[age[1] :]
    numbers = [m for m in named if m.slot in (Slot.NUMBER, Slot.MEASURE)]
    if change.name:
        numbers = [m for m in numbers if m.text.lower().endswith(change.name)]
        if not numbers and change.lead:
            return _appended(base, change.phrase)
    if digits is None or len(numbers) != 1 or len(DIGITS.findall(numbers[0].text)) != 1:
        return None
    (old,) = numbers
    return base[: old.start] + DIGITS.sub(digits.group(), old.text) + base[old.end :]


def _aged(base: str, named: Sequence[Mention]) -> tuple[int, int] | None:
    """Return where the only person of a base has an age, as a number and its unit: `2 months`."""
    lives = [mention for mention in named if mention.slot is Slot.LIFE]
    ages = [_AGE.search(base, life.start, life.end) for life in lives]
    return ages[0].span() if len(ages) == 1 and ages[0] else None


def is_of_body(mention: Mention) -> bool:
    if mention.slot is Slot.MEASURE:
        return mention.name in {"weight", "age", "bmi"}
    return mention.slot is Slot.NUMBER and mention.name in {"kg", "year", "years", "months"}


def is_weight(mention: Mention) -> bool:
    return mention.name in {"kg", "weight", "bmi"}


def _replaced(base: str, old: Mention, new: Mention) -> str | None:
    """Replace one mention by another; a state such as pregnancy comes with its own preposition."""
    if not _is_state(new) and not _is_state(old):
        return base[: old.start] + new.text + base[old.end :]
    if not old.lead:
        return None
    lead = (new.lead or "in ") if _is_state(new) else old.lead
    return base[: old.phrase_start] + lead + new.text + base[old.end :]


def _is_state(mention: Mention) -> bool:
    """Tell whether a mention is a state such as `pregnancy`, rather than a person."""
    if mention.slot not in POPULATION_SLOTS:
        return False
    return mention.slot is not Slot.LIFE or STATE_OF_LIFE.search(mention.text) is not None


def _appended(base: str, phrase: str) -> str:
    end = "?" if base.endswith("?") else ""
    return f"{base.rstrip(' ?.')} {phrase}{end}"


def with_state(core: str, base: str, named: Sequence[Mention]) -> str | None:
    """Add what the follow-up says about the patient to the base: `..., she is on warfarin?`

    None if the base says something different of the same: two weights are two patients.
    """
    changes = mentions(core)
    if len(changes) == 1 and changes[0].slot in (Slot.MEASURE, Slot.NUMBER):
        return _with_value(core, base, changes[0], named)
    slots = {mention.slot for mention in named} & {
        mention.slot for mention in changes if not STATE_OF_LIFE.search(mention.text)
    }
    if slots & {*POPULATION_SLOTS, Slot.NUMBER, Slot.MEASURE}:
        return with_slots(base, changes) if len(changes) == 1 else None
    return _appended(base, f", {core}").replace(" ,", ",", 1)


def _with_value(core: str, base: str, value: Mention, named: Sequence[Mention]) -> str | None:
    if is_of_body(value) and any(is_of_body(mention) for mention in named):
        return _with_number(base, value, named) if value.slot is Slot.NUMBER else None
    if value.slot is Slot.NUMBER and core == value.text and not value.name:
        return None  # a bare number without a unit: unclear of what
    if value.slot is Slot.MEASURE:
        return _with_measure(base, value, named)
    return _appended(base, f", {core}").replace(" ,", ",", 1)


def with_antecedent(core: str, base: str, named: Sequence[Mention]) -> str | None:
    pronoun = pronoun_of(core, mentions(core))
    if pronoun is None:
        return None
    if any(mention.name == "dialysis" and not mention.lead for mention in named):
        return None  # `does he need dialysis`: the medicine, or that?
    antecedent = _antecedent(core, pronoun.group().lower(), named)
    if antecedent is None or len(PRONOUN.findall(EXPLETIVE.sub(" ", core))) > 1:
        return None
    end = pronoun.end()
    if generic := re.match(rf"\s+(?:{'|'.join(sorted(GENERIC))})\b", core[end:]):
        end += generic.end()
    owned = "'s" if pronoun.group().lower() in {"its", "their"} else ""
    text = f"{core[: pronoun.start()]}{antecedent.text}{owned}{core[end:]}"
    own = {mention.slot for mention in mentions(core)}
    text = _carried(text, [m for m in named if m is not antecedent], own)
    return f"{text[:1].upper()}{text[1:]}?"


def _antecedent(core: str, pronoun: str, named: Sequence[Mention]) -> Mention | None:
    """Return the only mention that the pronoun can refer to; None if there are none or several.

    A medicine if the question says how medicines are used, a condition if it asks about treatment.
    """
    drugs, conditions, lives = (
        [m for m in named if m.slot is slot] for slot in (Slot.DRUG, Slot.CONDITION, Slot.LIFE)
    )
    if pronoun in {"they", "them", "their", "these", "those"}:
        is_people = OF_PEOPLE.search(core) and len(lives) == 1 and not _is_state(lives[0])
        return lives[0] if is_people else None
    of_drug, of_condition = bool(OF_DRUG.search(core)), bool(OF_CONDITION.search(core))
    if len(drugs) == 1 and of_drug and not of_condition:
        return drugs[0]
    if len(conditions) == 1 and of_condition and not (of_drug or drugs):
        return conditions[0]
    return None


def _carried(text: str, context: Sequence[Mention], own: set[Slot]) -> str:
    """Add the base's mentions with a preposition, except those that the follow-up replaces."""
    own_population = own & set(POPULATION_SLOTS)
    for mention in context:
        if mention.slot is Slot.CONDITION and mention.slot not in own and not mention.lead:
            text = f"{text} in {mention.text}"
        if mention.slot is Slot.DRUG or mention.slot in own or not mention.lead:
            continue
        if mention.slot is Slot.NUMBER or (own_population and mention.slot is Slot.LIFE):
            continue
        text = f"{text} {mention.phrase}"
    return text
