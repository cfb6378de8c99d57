"""Join a question on what comes after, `if that fails`, `relapse?`, with what was treated. Pure.

Such a question names no topic of its own: what was treated was said before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.en.threads.mentions import Slot, mentions
from core.language.en.threads.topics import content_words, topics_of
from core.language.en.threads.types import Asked
from core.language.en.threads.words import (
    ASKED_FIRST,
    ASKS,
    ATTRIBUTES,
    FUNCTION,
    OPEN_ENDED,
    OPENER,
    ORDERS,
)
from core.language.words import sentences, words

_FAILS = re.compile(
    r"\b(?:fail(?:s|ed|ing)?|treatment failure|ineffective"
    r"|(?:(?:do(?:es)?|did|has|have|is|are|was)(?: not|n['’]t)|not) (?:been )?(?:work(?:s|ed|ing)?"
    r"|help(?:s|ed|ing)?|respond(?:s|ed|ing)?|improv(?:e|es|ed|ing)|tolerated?|effective"
    r"|(?:get(?:ting)? )?better|settl(?:e|es|ed|ing)|enough)"
    r"|no (?:response|improvement|effect|better)|stop(?:s|ped)? working"
    r"|(?:can(?:not|['’]t| not)|unable to|could(?: not|n['’]t)) (?:tolerate|swallow|take))\b",
    re.IGNORECASE,
)
_RECURS = re.compile(
    r"\b(?:relaps(?:e[sd]?|ing)|recur(?:s|red|ring|rences?|rent)?|re-?infect(?:ion|ed)"
    r"|(?:second|third|2nd|3rd|another|further|new|repeat(?:ed)?|next)"
    r" (?:episode|attack|bout|flare|infection|occurrence)"
    r"|(?:com(?:es?|ing)|came) back(?: again)?)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:an? |the )?(?:first|initial|1st|new) (?:episode|attack|bout|flare|presentation)"
    r"(?: of)? ?",
    re.IGNORECASE,
)
_FIRST_LINE = re.compile(
    r"\b(?:the )?(?:first|1st)[ -](?:line|choice)"
    r"(?:(?P<alone>)(?= (?:for|of|in)\b)| (?=\w))",
    re.IGNORECASE,
)
# `- what then?`, `what do we do next?`
_WHAT_THEN = re.compile(
    r"[\s,;:–-]*\b(?:so |and )?(?:(?:then )?what|how)(?: (?:then|next|now|to|do|does|should|can"
    r"|i|we|you|treat|give|it|manage|is))*\W*\Z|[\s,;:–-]+\bthen\W*\Z",
    re.IGNORECASE,
)
_MAX_WORDS = 16


def in_course(question: str, before: Sequence[Asked]) -> str:
    """Return what a question on failure or relapse asks, with what was treated; else empty.

    What was treated is told by the last turn that is no such question. A relapse is no first
    episode, and what fails was the first line. What names a condition of its own, or another
    medicine than that turn does, stands by itself.
    """
    start = next((turn for turn in reversed(before) if not _is_course(turn.question)), None)
    if start is None or not _is_course(question):
        return ""
    base = start.standalone or start.question
    conditions, own = topics_of(question, (Slot.CONDITION,)), topics_of(question, (Slot.DRUG,))
    drugs = topics_of(base, (Slot.DRUG,))
    if not conditions <= topics_of(base, (Slot.CONDITION,)) or (drugs and not own <= drugs):
        return ""
    if _RECURS.search(question):
        base = _FIRST.sub("", base)
    if _FAILS.search(question):
        base = _FIRST_LINE.sub(lambda m: "" if m["alone"] is None else "treatment", base)
    topic = ASKED_FIRST.sub("", base).strip(" ?.")
    if not content_words(topic):
        return ""
    said = _WHAT_THEN.sub("", OPENER.sub("", question).strip(" ?.!,"))
    has_subject = _FAILS.search(said) and not re.match(r"if\b|no\b|not\b|when\b", said, re.I)
    return f"{topic[:1].upper()}{topic[1:]}, {'if ' if has_subject else ''}{said}?"


def _is_course(question: str) -> bool:
    """Tell whether a question is on failure or relapse, and names nothing but medicines else."""
    if len(sentences(question)) != 1 or len(words(question)) > _MAX_WORDS:
        return False
    if not (_FAILS.search(question) or _RECURS.search(question)):
        return False
    rest = _RECURS.sub(" ", _FAILS.sub(" ", OPENER.sub("", question)))
    for mention in reversed(mentions(rest)):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    left = {word.lower() for word in words(rest)}
    return left <= FUNCTION | ATTRIBUTES | ASKS | OPEN_ENDED | ORDERS | _IT


_IT = frozenset("it its this that they them he she pt no so still within infection".split())
