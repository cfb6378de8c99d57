"""Complete a follow-up from the question before it, or leave it as it was asked. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.language.en.follow_up.dependence import (
    core_of,
    leaning,
    names_more,
    points_back,
    pronoun_of,
)
from core.language.en.follow_up.mentions import (
    POPULATION_SLOTS,
    Mention,
    Slot,
    mentions,
    unplaced_populations,
)
from core.language.en.follow_up.types import Asked, Standalone
from core.language.en.follow_up.vocabulary import (
    ASKED_FIRST,
    ATTRIBUTE_FIRST,
    COMPOSED,
    DIGITS,
    EXPLETIVE,
    GENERIC,
    OF_CONDITION,
    OF_DRUG,
    OF_PEOPLE,
    PRONOUN,
    STATE_OF_LIFE,
    WHOLE,
    YES_OR_NO,
)
from core.language.words import sentences

# `allergic to penicillin? rash only`: a second sentence of a few words belongs to the first.
_REMARK = re.compile(r"\s*[?.]\s+(?=[^\s?.]+(?: [^\s?.]+){0,4}\W*\Z)")
NOTHING_BEFORE = "The question seems to lean on one before it, and there is none."
UNRESOLVED = "What the question leaves out could not be told from the one before it."


def by_rules(question: str, before: Sequence[Asked]) -> Standalone:
    """Complete a question with what it leaves out, from the last turn of `before`, oldest first.

    Unchanged if it is self-contained, if there is no turn before, or if it is ambiguous.
    """
    joined = _REMARK.sub(", ", question)
    core = core_of(joined)
    kind = leaning(joined, core)
    if not before and (kind == "order" or (kind == "state" and _asks_by_value(core))):
        return Standalone(question)
    if not kind and not (before and points_back(joined, core)):
        return Standalone(question)
    if not before:
        return Standalone(question, is_follow_up=True, notes=(NOTHING_BEFORE,))
    base = before[-1].standalone or before[-1].question
    text = None
    if kind and (before[-1].was_answered or not core.lower().startswith("why")):
        text = _resolved(kind, core, base)
    if text is None:
        with_topic = _with_topic(core, before)
        return Standalone(question, is_follow_up=True, notes=(UNRESOLVED,), before=with_topic)
    return Standalone(text, is_follow_up=True, by="rules")


def _asks_by_value(core: str) -> bool:
    """Tell whether words on a patient ask what to do: `LMWH 70kg`, `INR 9 on warfarin`."""
    slots = {mention.slot for mention in mentions(core)}
    return names_more(core) or (Slot.MEASURE in slots and _has_topic(core))


def _is_whole(base: str) -> bool:
    """Tell whether a question to build on leaves nothing out itself.

    Words on a patient may be a whole question, if they have a topic: `8 month old, lower UTI`.
    """
    kind = leaning(base, core_of(base))
    return len(sentences(base)) == 1 and (not kind or (kind == "state" and _has_topic(base)))


def _with_topic(core: str, before: Sequence[Asked]) -> str:
    """Join the follow-up to the questions since a medicine or condition was last named.

    This text finds passages for a question whose meaning can't be resolved.
    """
    texts = [(turn.standalone or turn.question).strip(" ?.") for turn in before]
    named = [place for place, text in enumerate(texts) if _has_topic(text)]
    return "; ".join([*texts[named[-1] if named else -1 :], core])


def _has_topic(text: str) -> bool:
    return any(mention.slot in (Slot.DRUG, Slot.CONDITION) for mention in mentions(text))


def _resolved(kind: str, core: str, base: str) -> str | None:
    if kind == "otherwise":
        return None  # the search would find the earlier answer again
    base = base.strip()
    named = mentions(base)
    if not named or not _is_whole(base):
        return None
    if unplaced_populations(base, named):
        return None
    if kind == "state":
        return _with_state(core, base, named)
    if kind == "order":
        return f"{core[:1].upper()}{core[1:]}: {base.rstrip(' ?.')}?"
    if kind == "pronoun":
        return _with_antecedent(core, base, named)
    changes = mentions(core)
    if kind == "attribute":  # `max in 24h` changes no number of the base
        changes = tuple(change for change in changes if change.slot is not Slot.NUMBER)
    if WHOLE.match(core):
        changes = tuple(replace(change, lead="") for change in changes)
    changed = _with_slots(base, changes)
    if changed is None or kind == "slot":
        return changed
    return _about(core, changed)


# What a follow-up changes


def _with_slots(base: str, changes: Sequence[Mention]) -> str | None:
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
    if change.slot is Slot.LIFE and any(_is_of_body(mention) for mention in named):
        return None  # the base's weight or age would be somebody else's
    if same:
        return _replaced(base, same[0], change)
    if change.slot in POPULATION_SLOTS:
        return _appended(base, f"{change.lead or 'in '}{change.text}")
    return _appended(base, change.phrase) if change.lead else None


def _with_measure(base: str, change: Mention, named: Sequence[Mention]) -> str | None:
    """Return the base with the value of a measure replaced, or added if it has no such measure.

    None for a second measure of the kidney, since clearance and estimated rate differ.
    """
    same = [m for m in named if m.slot is Slot.MEASURE and m.name == change.name]
    kidney = [m for m in named if _is_of_kidney(m)]
    if len(same) > 1 or (not same and kidney and _is_of_kidney(change)):
        return None
    if same:
        text = change.text if same[0].lead else change.phrase
        return base[: same[0].start] + text + base[same[0].end :]
    return _appended(base, change.phrase if change.lead else f"if {change.text}")


def _is_of_kidney(mention: Mention) -> bool:
    names = {"egfr", "gfr", "crcl", "creatinine clearance", "creatinine"}
    return mention.slot is Slot.RENAL or (mention.slot is Slot.MEASURE and mention.name in names)


def _with_number(base: str, change: Mention, named: Sequence[Mention]) -> str | None:
    """Return the base with the only number of the same unit replaced, or its only number.

    None if several numbers could be meant.
    """
    digits = DIGITS.search(change.text)
    numbers = [m for m in named if m.slot in (Slot.NUMBER, Slot.MEASURE)]
    if change.name:
        numbers = [m for m in numbers if m.text.lower().endswith(change.name)]
        if not numbers and change.lead:
            return _appended(base, change.phrase)
    if digits is None or len(numbers) != 1 or len(DIGITS.findall(numbers[0].text)) != 1:
        return None
    (old,) = numbers
    return base[: old.start] + DIGITS.sub(digits.group(), old.text) + base[old.end :]


def _is_of_body(mention: Mention) -> bool:
    if mention.slot is Slot.MEASURE:
        return mention.name in {"weight", "age", "bmi"}
    return mention.slot is Slot.NUMBER and mention.name in {"kg", "year", "years", "months"}


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


def _with_state(core: str, base: str, named: Sequence[Mention]) -> str | None:
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
        return _with_slots(base, changes) if len(changes) == 1 else None
    return _appended(base, f", {core}").replace(" ,", ",", 1)


def _with_value(core: str, base: str, value: Mention, named: Sequence[Mention]) -> str | None:
    if _is_of_body(value) and any(_is_of_body(mention) for mention in named):
        return _with_number(base, value, named) if value.slot is Slot.NUMBER else None
    if value.slot is Slot.NUMBER and core == value.text and not value.name:
        return None  # a bare number without a unit: unclear of what
    if value.slot is Slot.MEASURE:
        return _with_measure(base, value, named)
    return _appended(base, f", {core}").replace(" ,", ",", 1)


# What a follow-up asks about


def _about(core: str, base: str) -> str | None:
    """Ask the follow-up about the base's topic: `How often: cefalexin for a child?`"""
    topic = _topic(base, whole=core.lower().startswith("why"))
    if topic is None:
        return None
    rest = core
    for mention in reversed([m for m in mentions(core) if m.slot is not Slot.NUMBER]):
        rest = rest[: mention.phrase_start] + rest[mention.end :]
    rest = " ".join(rest.split()).strip(" ,?")
    return f"{rest[:1].upper()}{rest[1:]}: {topic}?" if rest else None


def _topic(base: str, *, whole: bool) -> str | None:
    """Return what a question is about, without its question words unless `whole`.

    All that it names is kept. None if it names neither a medicine nor a condition.
    """
    topic = base.rstrip(" ?.")
    if not _has_topic(topic):
        return None
    if whole or YES_OR_NO.match(topic):
        return topic if topic[:2].isupper() else topic[:1].lower() + topic[1:]
    composed = COMPOSED.match(topic)
    topic = composed["topic"] if composed else topic
    for pattern in (ASKED_FIRST, ATTRIBUTE_FIRST):
        shorter = pattern.sub("", topic)
        if [m.name for m in mentions(shorter)] == [m.name for m in mentions(topic)]:
            topic = shorter
    return topic


# What a pronoun stands for


def _with_antecedent(core: str, base: str, named: Sequence[Mention]) -> str | None:
    pronoun = pronoun_of(core, mentions(core))
    if pronoun is None:
        return None
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
        if mention.slot is Slot.DRUG or mention.slot in own or not mention.lead:
            continue
        if mention.slot is Slot.NUMBER or (own_population and mention.slot is Slot.LIFE):
            continue
        text = f"{text} {mention.phrase}"
    return text
