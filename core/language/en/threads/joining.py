"""Join a follow-up with the question before it, by the facts that each names. Pure.

A question that only changes a fact takes that fact's place in the question before. One that asks
something is asked about what the thread is about. What it contradicts is left out of the thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from core.language.en.clinical_terms import routes
from core.language.en.threads.leaning import core_of, leaning, names_more, points_back, pronoun_of
from core.language.en.threads.mentions import (
    POPULATION_SLOTS,
    Mention,
    Slot,
    allergy_of,
    mentions,
    unplaced_populations,
)
from core.language.en.threads.types import Asked, Standalone
from core.language.en.threads.words import (
    AMOUNT,
    AMOUNTS,
    ASKED_FIRST,
    ASKS,
    ATTRIBUTE_FIRST,
    ATTRIBUTES,
    COMPOSED,
    DIGITS,
    DOSING,
    EXPLETIVE,
    FUNCTION,
    GENERIC,
    OF_CONDITION,
    OF_DRUG,
    OF_PEOPLE,
    OPENER,
    ORDERS,
    PRONOUN,
    STATE_OF_LIFE,
    VERBS,
    WHOLE,
    YES_OR_NO,
)
from core.language.words import sentences, words

_REMARK = re.compile(r"\s*[?.]\s+(?=[^\s?.]+(?: [^\s?.]+){0,4}\W*\Z)")
_DOSE = re.compile(
    r"\b(?:(?:max(?:imum)?|min(?:imum)?|single|total|usual|loading|starting)\s+)*"
    r"(?:doses?|dosage|dosing)\b(?: of| for)?",
    re.IGNORECASE,
)
_AGE_UNITS = frozenset({"year", "years", "month", "months", "week", "weeks", "day", "days"})
_AGE = re.compile(r"\d+(?:\s*(?:years?|months?|weeks?|days?))?", re.IGNORECASE)
_FRAME = re.compile(
    r"\A(?:(?:for|in|with|on|at|a|an|the|if)\s+)*|\s+(?:instead|then|though|too)\W*\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?P<name>[a-z]{3,})\s*\d+", re.IGNORECASE)
_SHARE = re.compile(r"\d+(?:\.\d+)?\s*%")
_TWO_WORDS = re.compile(r"[a-z]+ (?P<head>[a-z]{4,})", re.IGNORECASE)
_LOOSE = re.compile(r"\s+([,?.])")
_ASKING = ATTRIBUTES | FUNCTION | ASKS | VERBS
_ALLERGY = re.compile(
    r"\b(?:allerg(?:ic|y)|intoleran(?:t|ce)|anaphyla\w+) (?:to|with) [a-z-]+"
    r"|\b[a-z-]+ (?:allergy|allergic|intolerance|anaphylaxis)\b(?! in\b)",
    re.IGNORECASE,
)
_UNKNOWN = r"(?:\bnot (?:yet )?known|n['’]t (?:yet )?known|\bunknown|\bpending)"
_DENYING = frozenset({"no", "not", "without"})
_POINTING = re.compile(
    r"\b(?:(?:after|before|than|like|with|without|for) (?:that|this|it|these|those)|afterwards"
    r"|beforehand|then|instead)\b",
    re.IGNORECASE,
)
_GIVEN_IT = re.compile(
    r"\b(?:give|gives|given|giving|use|using|take|taking|have|having|start|restart|stop|continue|hold"
    r"|repeat|prescribe|infuse|inject|keep|need|on) (it|this|that|them)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"(?:.*,\s*)?(?:(?:so|and|but|what|when|how much) )*(?:can|could|should|may|do|shall) "
    r"(?:i|we|she|he|they)\b",
    re.IGNORECASE,
)
_FRAGMENT = 4  # words, at most, of what takes the place of something of the base
_SAYS_OF_WHAT = frozenset("kg year years months weeks".split())  # a weight, an age, a pregnancy
NOTHING_BEFORE = "The question seems to lean on one before it, and there is none."
UNRESOLVED = "What the question leaves out could not be told from the one before it."


def by_rules(question: str, before: Sequence[Asked]) -> Standalone:
    """Join a question that leaves something out with the turns `before`, oldest first.

    Unchanged if it stands by itself, if there is no turn before, or if it is ambiguous. One that
    stands by itself and names no topic but the thread's has its reading in the thread, too.
    """
    joined = _REMARK.sub(", ", question)
    core = core_of(joined)
    kind = leaning(joined, core)
    if not before and (kind == "order" or (kind == "state" and _asks_by_value(core))):
        return Standalone(question)
    base = _denied_now(core, _topic_turn(before))
    if not kind and before and words(core) and not (mentions(core) or _content(core)):
        kind = "attribute"  # `what do I monitor?`: of nothing
    if not kind and not (before and points_back(joined, core)):
        return _by_itself(question, core, base)
    if not before:
        return Standalone(question, is_follow_up=True, notes=(NOTHING_BEFORE,))
    text = None
    if before[-1].was_answered or not core.lower().startswith("why"):
        opened = OPENER.match(joined) is not None
        text = _exchanged(core, base) if opened or kind == "otherwise" else None
        text = text or _resolved(kind, core, base) or _composed(kind, core, base)
    if text is None:
        with_topic = _with_topic(core, before)
        return Standalone(question, is_follow_up=True, notes=(UNRESOLVED,), before=with_topic)
    elsewhere = {Slot.LIFE, Slot.DRUG, Slot.CONDITION} & {change.slot for change in mentions(core)}
    within = "" if elsewhere else text  # what is for others may stand in another guideline
    return Standalone(
        text, is_follow_up=True, by="rules", in_thread=within, is_within=not elsewhere
    )


def _by_itself(question: str, core: str, base: str) -> Standalone:
    """Return a question that stands by itself, and its reading in the thread, if it has one.

    `How often do I recheck K+?` may ask about the potassium of the thread. A question that names
    another medicine may be about the thread's patient; `core` names nobody then.
    """
    if not words(core) or not _content(base) - _content(core):
        return Standalone(question)  # nothing before, or it is asked again
    own, theirs = (_topics(text) for text in (core, base))
    conditions = _topics(core, (Slot.CONDITION,))
    said = {word.lower() for word in words(core)}
    asks_to_give = bool(_topics(core, (Slot.DRUG,)) or said & ORDERS)
    is_within = conditions <= theirs
    facts = ", ".join(_patient(core, base, with_results=is_within))
    named = _with_medicine(question, base)
    text = f"{named.rstrip(' ?.')}, {facts}?" if facts else named
    if not is_within:
        return Standalone(question, in_thread=text if facts and asks_to_give else "")
    if own <= theirs and _points(question) and named == question:
        text = _composed("", core, base) or text
    return Standalone(question, in_thread=text, is_within=True, is_about=_is_about(core, base))


def _with_medicine(question: str, base: str) -> str:
    """Return the question with the thread's only medicine in the place of `it`, else unchanged.

    `INR is 2, can I still give it?` has to be compared with what forbids that medicine.
    """
    drugs = [mention for mention in mentions(base) if mention.slot is Slot.DRUG]
    found = list(_GIVEN_IT.finditer(question))
    if len({drug.name for drug in drugs}) != 1 or len(found) != 1:
        return question
    return question[: found[0].start(1)] + drugs[0].text + question[found[0].end(1) :]


def _is_about(core: str, base: str) -> bool:
    """Tell whether a question may be meant about the thread, and not be answered from elsewhere.

    It names something of the thread, or hardly anything, or asks what to do now: `can I give it`.
    """
    own = _content(core)
    return bool(own & _content(base)) or len(own) <= 1 or _NOW.match(core) is not None


def _points(question: str) -> bool:
    """Tell whether a whole question is of few words, asks nothing, or points to one before it."""
    said = words(question)
    asks = question.rstrip().endswith("?") or any(word.lower() in ASKS for word in said)
    return len(said) < _FRAGMENT or not asks or _POINTING.search(question) is not None


def _patient(core: str, base: str, *, with_results: bool) -> Iterator[str]:
    """Yield what a base says of its patient, and with `with_results` all that was measured.

    Nothing if the question says who its patient is.
    """
    own, named = mentions(core), mentions(base)
    lives = [mention for mention in named if mention.slot is Slot.LIFE]
    if any(m.slot is Slot.LIFE or _is_of_body(m) for m in own) or len(lives) > 1:
        return
    for mention in named:
        is_result = with_results and mention.slot is Slot.MEASURE
        is_of_patient = mention.slot in POPULATION_SLOTS or _is_of_kidney(mention)
        if is_of_patient or is_result or _is_of_body(mention):
            if not any(_contradicts(new, mention) or new.slot is mention.slot for new in own):
                yield mention.text
        elif mention.slot is Slot.DRUG and (allergy := allergy_of(base, mention)):
            yield allergy


def _topic_turn(before: Sequence[Asked]) -> str:
    """Return the last question that names a medicine or condition, else the last; may be empty."""
    texts = [turn.standalone or turn.question for turn in before]
    return next((text for text in reversed(texts) if _has_topic(text)), texts[-1] if texts else "")


def _content(text: str) -> set[str]:
    """Return the words of a question that say what it is about, without those for a patient."""
    for life in reversed([m for m in mentions(text) if m.slot is Slot.LIFE]):
        text = f"{text[: life.start]} {text[life.end :]}"
    return {word.lower() for word in words(text)} - _ASKING - GENERIC


def _topics(text: str, slots: Sequence[Slot] = (Slot.DRUG, Slot.CONDITION)) -> set[str]:
    """Return what a text names of these kinds; what its patient is allergic to is no topic."""
    text = _ALLERGY.sub(" ", text)
    return {mention.name for mention in mentions(text) if mention.slot in slots}


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
    """Tell whether a text names a medicine, a condition or what was measured: `potassium 2.8`."""
    return any(
        mention.slot in (Slot.DRUG, Slot.CONDITION)
        or (mention.slot is Slot.MEASURE and not (_is_of_body(mention) or _is_of_kidney(mention)))
        for mention in mentions(text)
    )


def _resolved(kind: str, core: str, base: str) -> str | None:
    """Return the base with what the follow-up changes or asks; None if that can't be told."""
    base = base.strip()
    named = mentions(base)
    if not named or not _is_whole(base) or unplaced_populations(base, named):
        return None
    if kind == "otherwise":
        return _otherwise(core, base, named)
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
    if kind in ("slot", "attribute"):
        changed = _with_slots(base, changes)
        return changed if changed is None or kind == "slot" else _about(core, changed)
    return None


def _otherwise(core: str, base: str, named: Sequence[Mention]) -> str | None:
    """Return what a question for something else asks: `oral instead`, or not the same medicine."""
    drugs = [mention for mention in named if mention.slot is Slot.DRUG]
    if routes(core) or len(drugs) != 1:
        return None
    (drug,) = drugs
    rest = [mention for mention in named if mention is not drug]
    about = _phrases(mention for mention in rest if mention.slot is not Slot.NUMBER)
    return f"What can I give instead of {drug.text}{about}?"


def _composed(kind: str, core: str, base: str) -> str | None:
    """Return the follow-up with what the thread is about behind it; None if it can't be told.

    What it contradicts is left out: another patient's age and weight, another value of a measure.
    """
    changes = mentions(core)
    if kind == "otherwise" and not routes(core):
        return None
    if _is_bare_value(core, changes) or (kind == "pronoun" and _is_two(base)):
        return None
    if sum(map(_has_topic, sentences(base))) > 1:
        return None  # two questions: about which?
    kept = _without(base, changes)
    topic = kept and _topic(kept, whole=core.lower().startswith("why"))
    if not topic:
        return None
    is_measured = AMOUNT.search(core) is not None
    if is_measured and not any(m.slot is Slot.DRUG for m in mentions(f"{core}: {topic}")):
        return None  # a volume of what? another medicine's would be found
    return f"{core[:1].upper()}{core[1:]}: {topic}?"


def _exchanged(core: str, base: str) -> str | None:
    """Return the base with a part of it exchanged for the follow-up; None if nothing matches.

    `And a knee replacement?` stands for `hip replacement`, `and day 3?` for `day 1`, `10% instead?`
    for `20%`. `And steroids?` asks of the patient's condition, not of the medicine before.
    """
    new = _FRAME.sub("", core).strip()
    said = words(new)
    asks = {word.lower() for word in said} & ATTRIBUTES and not _NUMBERED.fullmatch(new)
    if not said or len(said) > _FRAGMENT or asks:
        return None
    for pattern, there in _places(new):
        found = list(pattern.finditer(base))
        if len(found) == 1 and found[0].group().lower() != there.lower():
            return base[: found[0].start()] + there + base[found[0].end() :]
    named = mentions(base)
    drugs = [mention for mention in named if mention.slot is Slot.DRUG]
    is_other = not mentions(new) and len(said) == 1 and any(m.slot is Slot.CONDITION for m in named)
    if not (is_other and len(drugs) == 1):
        return None
    (drug,) = drugs
    return base[: drug.start] + new + base[drug.end :]


def _places(new: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield what a fragment can take the place of, and what then stands there."""
    if number := _NUMBERED.fullmatch(new):
        yield re.compile(rf"\b{re.escape(number['name'])}\s*\d+\b", re.IGNORECASE), new
    elif share := _SHARE.fullmatch(new):
        yield re.compile(r"(?<![\d.])\d+(?:\.\d+)?\s*%"), share.group()
    elif pair := _TWO_WORDS.fullmatch(new):
        yield re.compile(rf"\b[a-z]+ {re.escape(pair['head'])}\b", re.IGNORECASE), new


def _is_bare_value(core: str, changes: Sequence[Mention]) -> bool:
    """Tell whether a text gives a number and does not say what it is of: `what if it is 25`."""
    is_number = bool(changes) and all(
        change.slot is Slot.NUMBER and change.name not in _SAYS_OF_WHAT for change in changes
    )
    return is_number and not names_more(PRONOUN.sub(" ", core))


def _is_two(base: str) -> bool:
    """Tell whether a base names two medicines, of which a pronoun could mean either."""
    return len({mention.name for mention in mentions(base) if mention.slot is Slot.DRUG}) > 1


def _without(base: str, changes: Sequence[Mention]) -> str | None:
    """Return the base without what the changes contradict; None if two patients are in it."""
    named = mentions(base)
    gone = [old for old in named if any(_contradicts(new, old) for new in changes)]
    if len([old for old in gone if old.slot in POPULATION_SLOTS]) > 1:
        return None
    for old in reversed(gone):
        base = f"{base[: old.phrase_start].rstrip(' ,')} {base[old.end :].lstrip()}"
    return _LOOSE.sub(r"\1", " ".join(base.split())).strip(" ,")


def _denied_now(core: str, base: str) -> str:
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
    return any(
        prefix + word in other
        for prefix in ("un", "non")
        for one, other in ((set(own), said), (said, set(own)))
        for word in one
        if len(word) > 3
    )


def _contradicts(new: Mention, old: Mention) -> bool:
    """Tell whether one patient can't have both: another age, weight, or value of a measure."""
    if new.slot in POPULATION_SLOTS and new.slot is not Slot.STATE:
        is_other = new.slot is old.slot and new.name != old.name
        return is_other or (new.slot is Slot.LIFE and (old.slot is Slot.LIFE or _is_of_body(old)))
    if _is_of_kidney(new):
        return _is_of_kidney(old)
    if _is_of_body(new) and _is_of_body(old):
        return _is_weight(new) is _is_weight(old)
    return new.slot is Slot.MEASURE and new.slot is old.slot and new.name == old.name


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


def _is_of_body(mention: Mention) -> bool:
    if mention.slot is Slot.MEASURE:
        return mention.name in {"weight", "age", "bmi"}
    return mention.slot is Slot.NUMBER and mention.name in {"kg", "year", "years", "months"}


def _is_weight(mention: Mention) -> bool:
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
    """Ask the follow-up about the base's topic: `How often: cefalexin for a child?`

    What is no dose is not asked for a weight: `Contraindications: alteplase?`
    """
    topic = _topic(base, whole=core.lower().startswith("why"))
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


def _topic(base: str, *, whole: bool) -> str | None:
    """Return what a question is about, without its question words unless `whole`.

    All that it names is kept. None if it names nothing.
    """
    topic = base.rstrip(" ?.")
    if not _content(topic):
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


def _phrases(named: Iterable[Mention]) -> str:
    return "".join(f" {mention.lead or 'in '}{mention.text}" for mention in named)


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
        if mention.slot is Slot.CONDITION and mention.slot not in own and not mention.lead:
            text = f"{text} in {mention.text}"
        if mention.slot is Slot.DRUG or mention.slot in own or not mention.lead:
            continue
        if mention.slot is Slot.NUMBER or (own_population and mention.slot is Slot.LIFE):
            continue
        text = f"{text} {mention.phrase}"
    return text
