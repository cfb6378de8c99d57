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
# Before these a subject may be left out: `X is stopped and should be replaced`.
_PREDICATES = (_AUXILIARY | _VERBS) - {"do"}
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
# A sentence or clause that leans on the one before.
DEPENDENT = re.compile(
    r"(?:it|its|they|their|them|this|these|those|that|he|she|such|otherwise|however|then|thus"
    r"|therefore|so|how|what|whether|why|where|who|which|if not|if so|in this case|in these cases"
    r"|the same|also|both|afterwards|thereafter|instead|except|unless|but|and|or)\b",
    re.IGNORECASE,
)
# A condition or population in front of a clause.
FRAME = re.compile(
    r"(?:if|unless|until|till|when|whenever|once|while|except|provided|where|during|for|in|among"
    r"|with|without|after|before|within|on|at|despite|above|below|over|under)\b",
    re.IGNORECASE,
)
# The same behind a clause; `in` and `for` of people and illnesses alone, not `in 100 mL`.
_TRAILING = re.compile(
    r"\s(?:(?P<adds>if|unless|until|when|whenever|once|except|provided|during)"
    r"|(?P<to>in|for|among|with|to)\s+"
    r"(?:(?:all|any|most|older|younger|frail|adult|elderly|pregnant|renal"
    r"|hepatic|severe|moderate|mild|acute|chronic|breastfeeding)\s+)*(?:adults?|children|infants?"
    r"|neonates?|babies|patients?|people|women|men|adolescents?|pregnancy|breastfeeding|lactation"
    r"|labour|impairment|failure|kidney|liver|disease|trimester))\b",
    re.IGNORECASE,
)
# What no plain subject holds: it is more than one phrase, or its verb is another one.
_NO_SUBJECT = re.compile(
    r"[,;:]|\s[-–]\s|\s{2}|\b(?:that|which|who|whom|whose|how|what|whether|why|where|because|to|they|it)\b"
    r"|\b(?:and|or|but)\s*$",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\w+ly|often|sometimes|always|never|still|now|soon", re.IGNORECASE)
_OR_VERB = re.compile(r"\bor\s+(\w+)", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|never|don't|cannot|no)\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_WORD = re.compile(r"[\w'’\-/]+")
SUBJECT_WORDS = 7  # of a clause's own subject, before its verb
OPENING_CHARS = 80  # in which a clause's first verb is looked for where it asks for something


def stands(clause: str) -> bool:
    """Whether it asks for something with an object, or says something of a subject of its own."""
    return is_imperative(clause) or has_subject(clause)


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


def has_subject(clause: str) -> bool:
    """Begins with a noun phrase of its own, of which an auxiliary verb behind it says something."""
    masked = bracketless(clause)
    verb = _verb(masked, _AUXILIARY)
    if verb is None or DEPENDENT.match(clause) or FRAME.match(clause):
        return False
    subject = masked[: verb.start()]
    words = _WORD.findall(subject)
    if not 0 < len(words) <= SUBJECT_WORDS or words[0].lower() in IMPERATIVES:
        return False
    is_adverb = len(words) == 1 and _ADVERB.fullmatch(words[0]) is not None
    return not (is_adverb or words[0][0].isdigit() or _NO_SUBJECT.search(subject))


def says_something(clause: str) -> bool:
    """As `stands`, of what a clause is cut off: any finite verb will do there."""
    if stands(clause):
        return True
    verb = _verb(bracketless(clause), _VERBS)
    return verb is not None and not _NO_SUBJECT.search(clause[: verb.start()])


def offers_a_choice(clause: str) -> bool:
    """`Do A or do B`: an `and` behind it may belong to B alone."""
    verbs = IMPERATIVES | _AUXILIARY | _PLURAL_VERBS
    return any(word.lower() in verbs for word in _OR_VERB.findall(bracketless(clause)))


def has_verb(clause: str) -> bool:
    return _verb(bracketless(clause), _FINITE) is not None


def with_subject(left: str, right: str) -> str:
    """`X is A` and `should be B` as `X should be B`; empty where `right` begins otherwise.

    `X should do A` and `stop B` as `X should stop B`, but for a `not` that may deny both.
    """
    first, verb = _WORD.match(right.lower()), _verb(bracketless(left), _AUXILIARY | _VERBS)
    if first is None or verb is None:
        return ""
    if first.group() in _PREDICATES:
        return f"{left[: verb.start()]}{right}"
    if is_imperative(right) and verb.group().lower() in _MODAL and not is_negated(left):
        return f"{left[: verb.end()]} {right}"
    return ""


def trailing_condition(clause: str) -> re.Match[str] | None:
    """The condition or population behind the verb of a clause; group `to` has its preposition."""
    masked = bracketless(clause)
    verb = None if is_imperative(clause) else _verb(masked, _AUXILIARY | _VERBS)
    return _TRAILING.search(masked, verb.end() if verb else 0)


def is_negated(clause: str) -> bool:
    return _NEGATED.search(clause) is not None


def bracketless(text: str) -> str:
    """The same length, with everything in brackets made unreadable."""
    while (changed := _BRACKETS.sub(lambda m: "¤" * len(m.group()), text)) != text:
        text = changed
    return text


def _verb(masked: str, among: frozenset[str]) -> re.Match[str] | None:
    """The first of these verbs that is no infinitive and has something behind it."""
    for word in _WORD.finditer(masked):
        is_infinitive = masked[: word.start()].lower().endswith("to ")
        if word.group().lower() in among and not is_infinitive and masked[word.end() :].strip(" ."):
            return word
    return None
