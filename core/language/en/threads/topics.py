"""Find what a question is about, and leave out of it what a follow-up contradicts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise

from core.language.en.threads.mentions import POPULATION_SLOTS, Mention, Slot, mentions
from core.language.en.threads.slots import is_of_body, is_of_kidney, is_weight
from core.language.en.threads.types import Asked
from core.language.en.threads.words import (
    AMOUNTS,
    ASKED_FIRST,
    ASKS,
    ATTRIBUTE_FIRST,
    ATTRIBUTES,
    COMPOSED,
    DOSING,
    FUNCTION,
    GENERIC,
    VERBS,
    YES_OR_NO,
)
from core.language.words import words

_DOSE = re.compile(
    r"\b(?:(?:max(?:imum)?|min(?:imum)?|single|total|usual|loading|starting)\s+)*"
    r"(?:doses?|dosage|dosing)\b(?: of| for)?",
    re.IGNORECASE,
)
_LOOSE = re.compile(r"\s+([,?.])")
_ASKING = ATTRIBUTES | FUNCTION | ASKS | VERBS
# What a patient is allergic to, which is no topic.
_ALLERGY = re.compile(
    r"\b(?:allerg(?:ic|y)|intoleran(?:t|ce)|anaphyla\w+) (?:to|with) [a-z-]+"
    r"|\b[a-z-]+ (?:allergy|allergic|intolerance|anaphylaxis)\b(?! in\b)",
    re.IGNORECASE,
)
_UNKNOWN = r"(?:\bnot (?:yet )?known|n['’]t (?:yet )?known|\bunknown|\bpending)"
_DENYING = frozenset({"no", "not", "without"})
_AWAKE, _NOT_AWAKE = {"awake", "alert"}, {"unconscious", "unresponsive", "comatose", "drowsy"}


def topic_turn(before: Sequence[Asked]) -> str:
    """Return the last question that names a medicine or condition, else the last; may be empty."""
    texts = [turn.standalone or turn.question for turn in before]
    return next((text for text in reversed(texts) if has_topic(text)), texts[-1] if texts else "")


def content_words(text: str) -> set[str]:
    """Return the words of a question that say what it is about, without those for a patient."""
    for life in reversed([m for m in mentions(text) if m.slot is Slot.LIFE]):
        text = f"{text[: life.start]} {text[life.end :]}"
    return {word.lower() for word in words(text)} - _ASKING - GENERIC


def topics_of(text: str, slots: Sequence[Slot] = (Slot.DRUG, Slot.CONDITION)) -> set[str]:
    """Return what a text names of these kinds; what its patient is allergic to is no topic."""
    text = _ALLERGY.sub(" ", text)
    return {mention.name for mention in mentions(text) if mention.slot in slots}


def has_topic(text: str) -> bool:
    """Tell whether a text names a medicine, a condition or what was measured: `potassium 2.8`."""
    return any(
        mention.slot in (Slot.DRUG, Slot.CONDITION)
        or (mention.slot is Slot.MEASURE and not (is_of_body(mention) or is_of_kidney(mention)))
        for mention in mentions(text)
    )


def names_two(base: str) -> bool:
    """Tell whether a base names two medicines, of which a pronoun could mean either."""
    return len({mention.name for mention in mentions(base) if mention.slot is Slot.DRUG}) > 1


def without_contradicted(base: str, changes: Sequence[Mention]) -> str | None:
    """Return the base without what the changes contradict; None if two patients are in it."""
    named = mentions(base)
    gone = [old for old in named if any(contradicts(new, old) for new in changes)]
    if len([old for old in gone if old.slot in POPULATION_SLOTS]) > 1:
        return None
    for old in reversed(gone):
        base = f"{base[: old.phrase_start].rstrip(' ,')} {base[old.end :].lstrip()}"
    return _LOOSE.sub(r"\1", " ".join(base.split())).strip(" ,")


def without_denied(core: str, base: str) -> str:
    """Return the base without the parts whose opposite the follow-up says.

    `Unconscious` is the opposite of `conscious patient, can swallow`, `bleeding` of `no bleeding`.
    """
    said = {word.lower() for word in words(core)}
    adds_condition = any(mention.slot is Slot.CONDITION for mention in mentions(core))
    for measure in [m for m in reversed(mentions(base)) if m.slot is Slot.MEASURE]:
        if re.search(rf"\b{re.escape(measure.name)}\b.*{_UNKNOWN}", core, re.IGNORECASE):
            base = f"{base[: measure.phrase_start]}{base[measure.end :]}"
    parts = re.split(r"(\s*[,;:]\s*)", base)
    kept: list[str] = []
    for mark, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        lacks = adds_condition and part.lower().startswith(("no ", "not ", "without "))
        if not (lacks or _is_opposite(said, part)):
            kept += [mark, part] if kept else [part]
    return "".join(kept) if kept else base


def _is_opposite(said: Set[str], part: str) -> bool:
    own = [word.lower() for word in words(part)]
    denied = {word for before, word in pairwise(own) if before in _DENYING}
    if denied & said and not said & _DENYING:
        return True
    for here, there in ((_AWAKE, _NOT_AWAKE), (_NOT_AWAKE, _AWAKE)):
        if here & said and there & set(own) and not _DENYING & (said | set(own)):
            return True
    return any(
        prefix + word in other
        for prefix in ("un", "non")
        for one, other in ((set(own), said), (said, set(own)))
        for word in one
        if len(word) > 3
    )


def contradicts(new: Mention, old: Mention) -> bool:
    """Tell whether one patient can't have both: another age, weight, or value of a measure."""
    if new.slot in POPULATION_SLOTS and new.slot is not Slot.STATE:
        is_other = new.slot is old.slot and new.name != old.name
        return is_other or (new.slot is Slot.LIFE and (old.slot is Slot.LIFE or is_of_body(old)))
    if is_of_kidney(new):
        return is_of_kidney(old)
    if is_of_body(new) and is_of_body(old):
        return is_weight(new) is is_weight(old)
    return new.slot is Slot.MEASURE and new.slot is old.slot and new.name == old.name


def asked_about(core: str, base: str) -> str | None:
    """Ask the follow-up about the base's topic: `How often: cefalexin for a child?`

    What is no dose is not asked for a weight: `Contraindications: alteplase?`
    """
    topic = topic_of(base, whole=core.lower().startswith("why"))
    if topic is None:
        return None
    if not {word.lower() for word in words(core)} & (DOSING | AMOUNTS):
        topic = _plain(topic, [m for m in mentions(topic) if m.slot is Slot.NUMBER])
    rest = core
    for mention in reversed([m for m in mentions(core) if m.slot is not Slot.NUMBER]):
        rest = rest[: mention.phrase_start] + rest[mention.end :]
    rest = " ".join(rest.split()).strip(" ,?")
    return f"{rest[:1].upper()}{rest[1:]}: {topic}?" if rest else None


def _plain(base: str, gone: Sequence[Mention]) -> str:
    """Return the base without these mentions and without a word for a dose."""
    for old in reversed(gone):
        base = f"{base[: old.phrase_start]} {base[old.end :]}"
    return " ".join(_DOSE.sub(" ", base).split()).strip(" :,")


def topic_of(base: str, *, whole: bool) -> str | None:
    """Return what a question is about, without its question words unless `whole`.

    All that it names is kept. None if it names nothing.
    """
    topic = base.rstrip(" ?.")
    if not content_words(topic):
        return None
    if whole or YES_OR_NO.match(topic):
        return topic if topic[:2].isupper() else topic[:1].lower() + topic[1:]
    composed = COMPOSED.match(topic)
    if composed and {word.lower() for word in words(composed["asked"])} <= _ASKING:
        topic = composed["topic"]  # what was asked before gives way; what was said is kept
    for pattern in (ASKED_FIRST, ATTRIBUTE_FIRST):
        shorter = pattern.sub("", topic)
        if [m.name for m in mentions(shorter)] == [m.name for m in mentions(topic)]:
            topic = shorter
    return topic


def phrases(named: Iterable[Mention]) -> str:
    return "".join(f" {mention.lead or 'in '}{mention.text}" for mention in named)
