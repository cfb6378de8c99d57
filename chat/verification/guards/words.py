"""What a claim speaks of stands in its quotes or in what their passages are about."""

from __future__ import annotations

import re

from chat.verification.guards.routes import route_spans
from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.statements import statements
from chat.verification.wording.stems import stem
from chat.verification.wording.terms import Term, borne_out, content_keys
from chat.verification.wording.turns import AT_MOST, CONTINUE, NOT, START, turns
from chat.verification.wording.verbatim import word_for_word
from chat.verification.wording.vocabulary import COUNTED, GIVE, HOW_OFTEN, LABELS, LIGHT, meaning

NAME = "words"
# Marks of HTML, Markdown, templates and addresses: no answer needs them.
_MARKUP = re.compile(
    r"<\s*[/!?]?\s*[a-z][^<>]*>|<\s*(?:script|img|iframe|svg|a|b)\b|&#?\w+;|\w+://|\bwww\.|\]\s*\("
    r"|`|\{\{|\{%|\bjavascript:|\bdata:\w+/|@\w+\.\w",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# These have to match a word of the quote: polarity lets them be added where nothing is opposed.
_OPEN = frozenset({START, CONTINUE})
_GIVING = frozenset(map(meaning, "start add infuse inject apply offer correct".split()))
_DOSE = meaning("dose")
_ORDER = frozenset({meaning("after"), meaning("before")})
_TIMES = frozenset(
    "hour hours hourly day days daily week weeks weekly month months monthly year years yearly "
    "minute minutes times time interval intervals night nightly morning nocte mane od bd tds qds "
    "bid tid qid qd".split()
)


def check(claim: str, cited: Cited) -> Finding | None:
    """A word that nothing quoted bears out, or a claim that says nothing of what is quoted.

    Numbers, units and how often are left to their guards, but for a time that the quote does not
    speak of at all. Title and section may name what a claim is about, and are not enough alone.
    """
    if word_for_word(claim, cited):
        return None
    if _markup(claim) - _markup(cited.text):
        return Finding(NAME, Label.NOT_FOUND, "markup that is not in the quote")
    known = borne_out(cited.text) | borne_out(cited.context)
    if known & _ORDER:
        known |= _ORDER
    known |= {meaning("patient")} | _given(claim, cited)
    if any(not _is_supported(term, known) for term in _open_terms(claim)):
        return Finding(NAME, Label.NOT_FOUND, "word not in the quote")
    is_first = normalised(claim) == normalised(cited.quotes[0]) != ""
    if not is_first and not content_keys(claim) & borne_out(cited.text):
        return Finding(NAME, Label.NOT_FOUND, "nothing of the quote is claimed")
    return None


def _given(claim: str, cited: Cited) -> frozenset[str]:
    """`Is contraindicated` says `must not be used` without saying `use`; `infuse` says `give`.

    So does a row of a table of doses.
    """
    said, quoted = (
        {turn.kind for each in statements(text) for turn in turns(each)}
        for text in (claim, cited.text)
    )
    is_same = bool(said & quoted & {NOT, AT_MOST})
    headers = [quote for quote in cited.quotes[1:] if " | " in quote]
    is_dose = any(_DOSE in content_keys(header) for header in headers)
    gives = is_same or is_dose or content_keys(cited.text) & _GIVING
    return frozenset({GIVE}) if gives else frozenset()


def _open_terms(claim: str) -> list[Term]:
    """The terms of a claim but for those that the guards of polarity and routes compare."""
    found = []
    for statement in statements(claim):
        closed = [(turn.start, turn.end) for turn in turns(statement) if turn.kind not in _OPEN]
        closed += route_spans(statement.text)
        found += [
            term
            for clause in statement.clauses
            for term in clause.terms
            if not any(start <= term.start and term.end <= end for start, end in closed)
            and term.text.lower() != clause.opener
        ]
    return found


def _markup(text: str) -> set[str]:
    return set(_MARKUP.findall(normalised(text)))


def _is_supported(term: Term, known: frozenset[str]) -> bool:
    word = term.text.casefold()
    if word in HOW_OFTEN:
        return any(each in known or f"#{each}" in known for each in _often(word))
    if word in _TIMES:
        return bool(known & _KNOWN_TIMES)
    if not term.is_content or term.key in known or word in LIGHT:
        return True
    if " " in term.key and not term.key.startswith("="):  # hepatitis B, type 2
        return False
    parts = _WORD.findall(term.text)
    # `Second-line` is a name: its number tells it from `first-line`.
    free = frozenset[str]() if term.key.startswith("=") else COUNTED | LABELS
    return all(
        (len(part) > 1 and part.casefold() in free) or stem(part) in known or meaning(part) in known
        for part in parts
    )


def _often(word: str) -> list[str]:
    return [form for listed in HOW_OFTEN[word].split() for form in (listed, meaning(listed))]


_KNOWN_TIMES = frozenset(
    form for time in (*_TIMES, *HOW_OFTEN) for form in (time, stem(time), meaning(time))
)
