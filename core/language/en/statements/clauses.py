"""Tell whether a piece of a sentence is a complete statement, by closed word lists. Pure."""

from __future__ import annotations

import re

from core.language.en.sentences import sentence_spans
from core.language.en.statements.wording import gives_dose

# Verbs that ask for something, where a clause begins with them.
_IMPERATIVES = frozenset(
    "administer add adjust admit advise apply arrange ask assess avoid begin change check consider "
    "continue correct deliver discontinue discuss encourage ensure exclude give halve hold "
    "increase infuse inject insert keep maintain measure monitor obtain offer omit perform "
    "prescribe provide record reduce refer remove repeat replace request restart review rinse "
    "screen seek send start stop switch take test titrate treat use wait wash withdraw "
    "withhold".split()
)
_BEFORE_IMPERATIVE = frozenset("do not never don't always please".split())
# Finite verbs that are no nouns: what stands before one of them, in a clause, is its subject.
_FINITE = frozenset(
    "can could may might must shall should will would is are was were be has have had does do did "
    "cannot need needs require requires cause causes reduce reduces increase increases lower "
    "lowers raise raises prevent prevents improve improves worsen worsens include includes "
    "contain contains inhibit inhibits interact interacts affect affects receive receives apply "
    "applies show shows mean means".split()
)
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
# Where a line of a cell ended with a dose and the next one begins, without a mark between them:
# `100 mg twice a day for 7 days Nitrofurantoin is not recommended for`.
_NEXT_LINE = re.compile(
    r"\b(?:days?|daily|weeks?|hours|night|morning|doses?|mg|g)\s+(?=[A-Z][a-z])"
)


def is_imperative(clause: str) -> bool:
    """Tell whether a clause begins with an imperative verb that has its own object."""
    words = _WORD.findall(clause.lower()[:80])
    while words and words[0] in _BEFORE_IMPERATIVE:
        words.pop(0)
    if not words or words[0] not in _IMPERATIVES:
        return False
    behind = re.split(rf"\b{re.escape(words[0])}\b", clause, maxsplit=1, flags=re.IGNORECASE)[1]
    named = _AMOUNT.sub("", behind.lstrip(), count=1)
    return bool(named.strip(" .")) and not _ELLIPTIC.match(named)


def has_verb(clause: str) -> bool:
    """Tell whether a clause has a finite verb, outside brackets, with something after it."""
    masked = clause
    while (changed := _BRACKETS.sub(lambda m: "¤" * len(m.group()), masked)) != masked:
        masked = changed
    return any(
        word.group().lower() in _FINITE
        and not masked[: word.start()].lower().endswith("to ")
        and masked[word.end() :].strip(" .")
        for word in _WORD.finditer(masked)
    )


def run_on_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences, cut further where a line with a dose ran into the next one."""
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        at = start
        for match in _NEXT_LINE.finditer(text, start, end):
            if gives_dose(text[at : match.start()]):
                spans.append((at, len(text[: match.end()].rstrip())))
                at = match.end()
        spans.append((at, end))
    return spans
