"""Produce the wordings of a question that are searched: by rules and by a language model.

The first is the question itself. Each further one adds a ranking to the fusion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.language.en.questions.narrative import focus
from retrieval.config import RetrievalConfig
from retrieval.lexicon.classes import in_class_words
from retrieval.lexicon.terms import in_clinical_words
from retrieval.rewriting.generated import Reworded, generated
from retrieval.types import Analysis, Variant


def variants_of(analysis: Analysis, config: RetrievalConfig) -> Reworded:
    """Return the question and its other wordings, each once, in order, with notes.

    A model that fails or is late contributes no wordings: never raises. Rules run no query; a model
    one, three where it had to be asked. Call it outside a transaction.
    """
    reworded = generated(analysis.text, config)
    question = Variant("question", analysis.text)
    made = [question, *by_rules(analysis, config), *reworded.variants]
    return replace(reworded, variants=_distinct(made))


def by_rules(analysis: Analysis, config: RetrievalConfig) -> list[Variant]:
    """Return wordings made by rules: an exception's opposite, a story's question, a class's words.

    The words of a lay form already join the lexical search, so that wording is for encoders only.
    """
    if not config.rules:
        return []
    positive = asked_positively(analysis.text, is_exception=analysis.asks_for_exception)
    lay = analysis.expansions if config.expand else ()
    wordings = [
        Variant("rule:negation", positive),
        Variant("rule:focus", focus(analysis.text)),
        Variant("rule:class", in_class_words(analysis.plain or analysis.text)),
        Variant("rule:clinical", in_clinical_words(analysis.text, lay), lexical=False),
    ]
    return [variant for variant in wordings if variant.text not in ("", analysis.text)]


def _distinct(made: Sequence[Variant]) -> tuple[Variant, ...]:
    """Keep the first of wordings that differ only in case and white space."""
    kept: dict[str, Variant] = {}
    for variant in made:
        kept.setdefault(" ".join(variant.text.casefold().split()), variant)
    return tuple(kept.values())


MAX_CHARS = 2000  # of a question that rules reword; a longer one is no examiner's

_NOT = r"(?:\s+not|n?['’]t|not)"
_SUBJECT = r"(?P<subject>[^?.:;!]{3,160}?)"
_END = r"\s*[?.:;!]*\s*\Z"
_WHAT = (
    r"(?P<what>(?:common |important |typical |recogni[sz]ed |known )?(?:causes?|features?|signs?"
    r"|symptoms?|risk factors?|complications?|indications?|contra-?indications?|side effects?"
    r"|treatments?|components?|criteri(?:on|a)))"
)

# The frame of a question, and what a guideline says instead. The first that fits counts.
_FRAMES = (
    (
        rf"\b(?:least|not|un)[ -]?likely to (?:cause|lead to|result in|trigger)\s+{_SUBJECT}{_END}",
        "causes of {subject}",
    ),
    (
        r"\b(?:least|not|un)[ -]?likely (?:to be )?(?:seen|found|present|associated)\s+"
        rf"(?:in|with)\s+{_SUBJECT}{_END}",
        "features of {subject}",
    ),
    (
        rf"\b(?:does|do|would|will){_NOT} (?:cause|lead to|result in)\s+{_SUBJECT}{_END}",
        "causes of {subject}",
    ),
    (
        r"\b(?:all|each|any|every)\b[^?.:;!]{0,60}?\b(?:are|is|may be|can be)\s+(?:an?\s+|the\s+)?"
        r"(?P<what>[\w -]{3,60}?)\s+(?P<link>of|for|to|in|with)\s+(?P<subject>[^?.:;!,]{3,160}?),?"
        rf"\s+except\b.{{0,80}}{_END}",
        "{what} {link} {subject}",
    ),
    (
        rf"\b(?:is|are)(?:{_NOT}|\s+never|\s+least)\s+(?:an?\s+|the\s+)?{_WHAT}\s+"
        rf"(?P<link>of|for|to|in)\s+{_SUBJECT}{_END}",
        "{what} {link} {subject}",
    ),
    (
        rf"\b(?:which|what)\b[^?.:;!]{{0,60}}\b(?:should|must|can|may){_NOT} be "
        rf"(?:used|given|prescribed|taken)\s+(?:in|for|with|during|by|to)\s+{_SUBJECT}{_END}",
        "contraindicated in {subject}, avoid in {subject}",
    ),
    (
        r"\b(?:which|what)\b[^?.:;!]{0,60}\b(?:should|must|to|is|are)(?: \w+)?(?: be)? "
        rf"avoid(?:ed)?\s+(?:in|for|with|during|by)\s+{_SUBJECT}{_END}",
        "contraindicated in {subject}, avoid in {subject}",
    ),
    (
        rf"\b(?:when|in whom) (?:should|must|can|may)(?:{_NOT})?\s+(?P<subject>[\w -]{{3,80}}?)\s+"
        rf"(?:not |never )?be (?:avoided|withheld|given|used|taken|started)\b.{{0,40}}{_END}",
        "contraindications to {subject}",
    ),
    (
        rf"\bwhen is (?P<subject>[\w -]{{3,80}}?)\s+(?:contra-?indicated|not (?:given|used|safe))\b"
        rf".{{0,40}}{_END}",
        "contraindications to {subject}",
    ),
    (
        r"\bwhen (?:(?:should|do) (?:i|we|you) )?not (?:to )?(?:give|use|start|prescribe)\s+"
        rf"{_SUBJECT}{_END}",
        "contraindications to {subject}",
    ),
    (
        rf"\bwho (?:should|must|can|may)(?:{_NOT}| never) (?:take|have|use|get|receive)\s+"
        rf"{_SUBJECT}{_END}",
        "contraindications to {subject}",
    ),
)
_COMPILED = tuple((re.compile(frame, re.IGNORECASE), wording) for frame, wording in _FRAMES)
_DENIES = re.compile(
    r"\b(?:not|never|avoid\w*|withheld|contra-?indicated|except|least|unlikely|\w+n['’]t|cannot)\b",
    re.IGNORECASE,
)
# What is left of an exception where no frame fits: the same without what denies it.
_MARKS = re.compile(
    r"\b(?:which|what) (?:one )?of (?:the following|these)\b(?: (?:is|are|does|do|would)\b)?"
    r"|\ball of the following(?: are)?\b|\b(?:is|are) (?:not|false|untrue|incorrect)\b"
    r"|\b(?:(?:is|are) )?least likely(?: to(?: be)?)?\b|\bexcept\b"
    r"|\b(?:not|least|false|incorrect)\b",
    re.IGNORECASE,
)


def asked_positively(question: str, *, is_exception: bool) -> str:
    """Return the opposite of a question about an exception, as a guideline words it; else empty."""
    text = " ".join(question[:MAX_CHARS].split())
    if not _DENIES.search(text) and not is_exception:
        return ""
    # An examiner tells a case and asks at its end.
    last = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)[-1]
    for frame, wording in _COMPILED:
        if (match := frame.search(last)) and _DENIES.search(match.group()):
            return wording.format(**match.groupdict())
    if not is_exception:
        return ""  # what is denied is a part of the question: a patient who does not respond
    plain = " ".join(_MARKS.sub(" ", last).strip(" ?.:;,").split())
    return plain if 3 <= len(plain) < len(last) and " " in plain else ""
