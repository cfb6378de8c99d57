"""Whether a piece of a sentence says something by itself: by closed lists of words. Pure."""

from __future__ import annotations

import re

# Verbs that ask for something, where a clause begins with them.
IMPERATIVES = frozenset(
    "administer add adjust admit advise apply arrange ask assess avoid begin change check consider "
    "continue correct deliver discontinue discuss encourage ensure exclude give halve hold "
    "increase infuse inject insert keep maintain measure monitor obtain offer omit perform "
    "prescribe provide record reduce refer remove repeat replace request restart review rinse "
    "screen seek send start stop switch take test titrate treat use wait wash withdraw "
    "withhold".split()
)
_BEFORE_IMPERATIVE = frozenset("do not never don't always please".split())
_MODAL = frozenset("can could may might must shall should will would".split())
# Verbs that are no nouns: what stands before one of them, in a clause, is its subject.
_AUXILIARY = _MODAL | frozenset("is are was were has have had does do did cannot".split())
_VERBS = frozenset(
    "needs requires causes reduces increases lowers raises prevents improves worsens includes "
    "contains inhibits interacts affects receives applies".split()
)
_PLURAL_VERBS = frozenset(
    "need require cause reduce increase lower raise prevent improve worsen include contain inhibit "
    "interact affect receive apply show mean shows means be".split()
)
_FINITE = _AUXILIARY | _VERBS | _PLURAL_VERBS
_AMOUNT = re.compile(
    r"(?:up to |about |a |an |the )?\d[\d.,]*(?:\s*(?:to|-|–)\s*\d[\d.,]*)?\s*"
    r"(?:mg|g|kg|mcg|micrograms?|µg|ng|mL|ml|L|l|units?|IU|mmol|tablets?|puffs?|drops?|%)(?:/\S+)*"
    r"\s+(?:of\s+)?"
)
# What follows a verb that has no object of its own: it speaks of the object before it.
_ELLIPTIC = re.compile(
    r"(?:(?:it|its|them|this|these|that|those|both|each|one|again|further|if|unless|until|when|while"
    r"|after|before|to|by|for|in|on|at|with|within|from|over|every|daily|once|twice|weekly|as"
    r"|slowly|gradually|immediately|and|or|only|up|down|off|\d\S*)\b"
    r"|(?:the|this|that|same)\s+(?:same\s+)?(?:dose|drug|medicine|medication|treatment|therapy"
    r"|infusion|rate|course|interval|device|catheter|line|cannula|injection|tablets?|amount)\b)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_WORD = re.compile(r"[\w'’\-/]+")
OPENING_CHARS = 80  # in which a clause's first verb is looked for where it asks for something


def is_imperative(clause: str) -> bool:
    """Begins with a verb that asks for something and has its own object."""
    words = _WORD.findall(clause.lower()[:OPENING_CHARS])
    while words and words[0] in _BEFORE_IMPERATIVE:
        words.pop(0)
    if not words or words[0] not in IMPERATIVES:
        return False
    behind = re.split(rf"\b{re.escape(words[0])}\b", clause, maxsplit=1, flags=re.IGNORECASE)[1]
    named = _AMOUNT.sub("", behind.lstrip(), count=1)
    return bool(named.strip(" .")) and not _ELLIPTIC.match(named)


def has_verb(clause: str) -> bool:
    return _verb(bracketless(clause), _FINITE) is not None


def bracketless(text: str) -> str:
    """Return the same length, with everything in brackets made unreadable."""
    while (changed := _BRACKETS.sub(lambda m: "¤" * len(m.group()), text)) != text:
        text = changed
    return text


def _verb(masked: str, among: frozenset[str]) -> re.Match[str] | None:
    """Return the first of these verbs that is no infinitive and has something behind it."""
    for word in _WORD.finditer(masked):
        is_infinitive = masked[: word.start()].lower().endswith("to ")
        if word.group().lower() in among and not is_infinitive and masked[word.end() :].strip(" ."):
            return word
    return None
