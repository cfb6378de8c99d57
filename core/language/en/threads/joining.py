"""Join a follow-up with the question before it, by the facts that each names. Pure.

A question that only changes a fact takes that fact's place in the question before. One that asks
something is asked about what the thread is about. What it contradicts is left out of the thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.language.en.clinical_terms import routes
from core.language.en.threads.courses import in_course
from core.language.en.threads.leaning import core_of, leaning, names_more, points_back
from core.language.en.threads.mentions import (
    POPULATION_SLOTS,
    Mention,
    Slot,
    allergy_of,
    mentions,
    unplaced_populations,
)
from core.language.en.threads.replaced import corrected, revalued, without_replaced
from core.language.en.threads.slots import (
    is_of_body,
    is_of_kidney,
    with_antecedent,
    with_slots,
    with_state,
)
from core.language.en.threads.topics import (
    asked_about,
    content_words,
    contradicts,
    has_topic,
    names_two,
    phrases,
    topic_of,
    topic_turn,
    topics_of,
    without_contradicted,
    without_denied,
)
from core.language.en.threads.types import Asked, Standalone
from core.language.en.threads.words import AMOUNT, ASKS, ATTRIBUTES, OPENER, ORDERS, PRONOUN, WHOLE
from core.language.words import sentences, words

# `allergic to penicillin? rash only`: a second sentence of a few words belongs to the first.
_REMARK = re.compile(r"\s*[?.]\s+(?=[^\s?.]+(?: [^\s?.]+){0,4}\W*\Z)")
# What stands around a part that takes the place of another: `in a knee replacement`, `10% instead`.
_FRAME = re.compile(
    r"\A(?:(?:for|in|with|on|at|a|an|the|if)\s+)*|\s+(?:instead|then|though|too)\W*\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?P<name>[a-z]{3,})\s*\d+", re.IGNORECASE)
_SHARE = re.compile(r"\d+(?:\.\d+)?\s*%")
_TWO_WORDS = re.compile(r"[a-z]+ (?P<head>[a-z]{4,})", re.IGNORECASE)
# Points to the question before: `when do I check it after that?`
_POINTING = re.compile(
    r"\b(?:(?:after|before|than|like|with|without|for) (?:that|this|it|these|those)|afterwards"
    r"|beforehand|then|instead)\b",
    re.IGNORECASE,
)
# `can I still give it`: a medicine was named before.
_GIVEN_IT = re.compile(
    r"\b(?:give|gives|given|giving|use|using|take|taking|have|having|start|restart|stop|continue|hold"
    r"|repeat|prescribe|infuse|inject|keep|need|on) (it|this|that|them)\b",
    re.IGNORECASE,
)
# Asks what to do now, and not what a guideline says in general.
_NOW = re.compile(
    r"(?:.*,\s*)?(?:(?:so|and|but|what|when|how much) )*(?:can|could|should|may|do|shall) "
    r"(?:i|we|she|he|they)\b",
    re.IGNORECASE,
)
# `Different pt - kid under ketamine`: what was said is not of that one.
_OTHER_PATIENT = re.compile(
    r"\b(?:diff(?:erent)?|new|another|next|separate|other)"
    r" (?:pt|patient|case|child|lady|man|woman|one)\b",
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
    if later := in_course(question, before):
        return Standalone(later, is_follow_up=True, by="rules", in_thread=later, is_within=True)
    earlier = [turn.standalone or turn.question for turn in before]
    if right := corrected(question, topic_turn(before)) or revalued(question, earlier):
        return Standalone(right, is_follow_up=True, by="rules")
    joined = _REMARK.sub(", ", question)
    core = core_of(joined)
    kind = leaning(joined, core)
    if not before and (kind == "order" or (kind == "state" and _asks_by_value(core))):
        return Standalone(question)
    base = without_replaced(joined, without_denied(core, topic_turn(before)))
    if not kind and before and words(core) and not (mentions(core) or content_words(core)):
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
    if not words(core) or not content_words(base) - content_words(core):
        return Standalone(question)  # nothing before, or it is asked again
    own, theirs = (topics_of(text) for text in (core, base))
    conditions = topics_of(core, (Slot.CONDITION,))
    said = {word.lower() for word in words(core)}
    asks_to_give = bool(topics_of(core, (Slot.DRUG,)) or said & ORDERS)
    is_within = conditions <= theirs
    facts = ", ".join(_patient(core, base, with_results=is_within))
    named = _with_medicine(question, base)
    text = f"{named.rstrip(' ?.')}, {facts}?" if facts else named
    if not is_within:
        return Standalone(question, in_thread=text if facts and asks_to_give else "")
    says_little = not own and len(content_words(core)) <= 1  # `how often do I check bloods`
    if own <= theirs and (_points(question) or says_little) and named == question:
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
    own = content_words(core)
    return bool(own & content_words(base)) or len(own) <= 1 or _NOW.match(core) is not None


def _points(question: str) -> bool:
    """Tell whether a whole question is of few words, asks nothing, or points to one before it."""
    said = words(question)
    asks = question.rstrip().endswith("?") or any(word.lower() in ASKS for word in said)
    return len(said) < _FRAGMENT or not asks or _POINTING.search(question) is not None


def _patient(core: str, base: str, *, with_results: bool) -> Iterator[str]:
    """Yield what a base says of its patient, and with `with_results` all that was measured.

    Nothing if the question says who its patient is.
    """
    if _OTHER_PATIENT.search(core):
        return
    own, named = mentions(core), mentions(base)
    lives = [mention for mention in named if mention.slot is Slot.LIFE]
    if any(m.slot is Slot.LIFE or is_of_body(m) for m in own) or len(lives) > 1:
        return
    for mention in named:
        is_result = with_results and mention.slot is Slot.MEASURE
        is_of_patient = mention.slot in POPULATION_SLOTS or is_of_kidney(mention)
        if is_of_patient or is_result or is_of_body(mention):
            if not any(contradicts(new, mention) or new.slot is mention.slot for new in own):
                yield mention.text
        elif mention.slot is Slot.DRUG and (allergy := allergy_of(base, mention)):
            yield allergy


def _asks_by_value(core: str) -> bool:
    """Tell whether words on a patient ask what to do: `LMWH 70kg`, `INR 9 on warfarin`."""
    slots = {mention.slot for mention in mentions(core)}
    return names_more(core) or (Slot.MEASURE in slots and has_topic(core))


def _is_whole(base: str) -> bool:
    """Tell whether a question to build on leaves nothing out itself.

    Words on a patient may be a whole question, if they have a topic: `8 month old, lower UTI`.
    """
    kind = leaning(base, core_of(base))
    return len(sentences(base)) == 1 and (not kind or (kind == "state" and has_topic(base)))


def _with_topic(core: str, before: Sequence[Asked]) -> str:
    """Join the follow-up to the questions since a medicine or condition was last named.

    This text finds passages for a question whose meaning can't be resolved.
    """
    texts = [(turn.standalone or turn.question).strip(" ?.") for turn in before]
    named = [place for place, text in enumerate(texts) if has_topic(text)]
    return "; ".join([*texts[named[-1] if named else -1 :], core])


def _resolved(kind: str, core: str, base: str) -> str | None:
    """Return the base with what the follow-up changes or asks; None if that can't be told."""
    base = base.strip()
    named = mentions(base)
    if not named or not _is_whole(base) or unplaced_populations(base, named):
        return None
    if kind == "otherwise":
        return _otherwise(core, base, named)
    if kind == "state":
        return with_state(core, base, named)
    if kind == "order":
        return f"{core[:1].upper()}{core[1:]}: {base.rstrip(' ?.')}?"
    if kind == "pronoun":
        return with_antecedent(core, base, named)
    changes = mentions(core)
    if kind == "attribute":  # `max in 24h` changes no number of the base
        changes = tuple(change for change in changes if change.slot is not Slot.NUMBER)
    if WHOLE.match(core):
        changes = tuple(replace(change, lead="") for change in changes)
    if kind in ("slot", "attribute"):
        changed = with_slots(base, changes)
        return changed if changed is None or kind == "slot" else asked_about(core, changed)
    return None


def _otherwise(core: str, base: str, named: Sequence[Mention]) -> str | None:
    """Return what a question for something else asks: `oral instead`, or not the same medicine."""
    drugs = [mention for mention in named if mention.slot is Slot.DRUG]
    if routes(core) or len(drugs) != 1:
        return None
    (drug,) = drugs
    rest = [mention for mention in named if mention is not drug]
    about = phrases(mention for mention in rest if mention.slot is not Slot.NUMBER)
    return f"What can I give instead of {drug.text}{about}?"


def _composed(kind: str, core: str, base: str) -> str | None:
    """Return the follow-up with what the thread is about behind it; None if it can't be told.

    What it contradicts is left out: another patient's age and weight, another value of a measure.
    """
    changes = mentions(core)
    if kind == "otherwise" and not routes(core):
        return None
    if _is_bare_value(core, changes) or (kind == "pronoun" and names_two(base)):
        return None
    if sum(map(has_topic, sentences(base))) > 1:
        return None  # two questions: about which?
    kept = without_contradicted(base, changes)
    topic = kept and topic_of(kept, whole=core.lower().startswith("why"))
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
