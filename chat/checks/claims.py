"""Check numbers, routes, groups, qualifiers and order of a claim against its evidence. Pure.

Numbers may be in any spelling: `BD` and `twice daily`, `one week` and `7 days`, `0.5 g` and `500
mg`, `above 13` and `> 13`. A number of the evidence that the claim leaves out is no fault here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from chat.checks import medicines, polarity
from chat.checks.types import Acts, Check
from chat.evidence.judgements import Evidence, Finding, Label
from chat.evidence.texts import tokens
from core.language.en.clinical_terms import conditions, routes
from core.language.en.patients.people import apart, first_named, people_of
from core.language.en.quantities.matching import held, not_held
from core.language.en.quantities.reading import read
from core.language.en.sentences import line_sentence_spans

NUMBERS = "numbers"
_Finds = Check[[str, Evidence], Finding | None]
_AGE = re.compile(r"\b(\d{1,3})\s?(?:[MFmf]|yo|y/o)\b")  # `78M`, as clinicians type an age
_EXCHANGED = 4  # words in all that stand elsewhere
_JOINING = frozenset(("and", "or"))
_ASKING = frozenset(("how", "what", "when", "where", "which", "who", "why"))
_CHOOSING = frozenset(("or", "versus", "vs"))
_LINKING = frozenset(("a", "an", "the", "is", "are", "be", "it"))
MAX_NUMBERS = 100  # of a claim: each is compared with each number of the evidence


def check_numbers(claim: str, evidence: Evidence) -> Finding | None:
    reading = read(claim)
    if len(reading.quantities) + len(reading.frequencies) > MAX_NUMBERS:
        return Finding(NUMBERS, Label.NOT_FOUND, "too many numbers for one claim")
    question = _AGE.sub(r"\1 years", evidence.question)
    why = not_held(claim, held((*evidence.quotes, evidence.context)), held((question,)))
    return Finding(NUMBERS, Label.CONTRADICTED, why) if why else None


def check_routes(claim: str, evidence: Evidence) -> Finding | None:
    allowed = frozenset[str]().union(*map(routes, (*evidence.quotes, evidence.context)))
    allowed = allowed or routes(evidence.question)  # where the evidence leaves it open
    if added := routes(claim) - allowed:
        label = Label.CONTRADICTED if allowed else Label.NOT_FOUND
        return Finding("routes", label, f"route not in the evidence: {min(added)}")
    return None


def check_groups(claim: str, evidence: Evidence) -> Finding | None:
    """Report a claim about people who can't be the people of the evidence.

    Of the evidence, the first text that names people counts: the quotes, else the context.
    """
    people = people_of(claim)
    about = first_named([people_of(evidence.text), people_of(evidence.context)])
    if difference := apart(people, about):
        of = f"{difference.of} " if difference.of else ""
        detail = f"about {of}{difference.ours}; the evidence: {of}{difference.theirs}"
        return Finding("groups", Label.CONTRADICTED, detail)
    return None


def check_exchanged(claim: str, evidence: Evidence) -> Finding | None:
    """Report a claim that is a sentence of the quotes with two of its words or phrases exchanged.

    `X in Y` and `Y in X` are nearly the same to a model. The two sides of an `and` may change.
    """
    words = tokens(claim)
    for quote in evidence.quotes:
        for start, end in line_sentence_spans(quote):
            quoted = tokens(quote[start:end])
            places = [n for n, (a, b) in enumerate(zip(words, quoted, strict=False)) if a != b]
            if len(words) != len(quoted) or not 2 <= len(places) <= _EXCHANGED:
                continue
            moved, stood = ([text[n] for n in places] for text in (words, quoted))
            between = set(quoted[places[0] : places[-1] + 1]) - set(stood)
            if sorted(moved) == sorted(stood) and not between <= _JOINING:
                return Finding("exchanged", Label.CONTRADICTED, "two things of it are exchanged")
    return None


def check_qualifiers(claim: str, evidence: Evidence) -> Finding | None:
    """Report a condition of the claim whose qualifier in the quotes differs, such as `severe`.

    `Give X to adults with pneumonia` differs by one word from `Give X to adults with severe
    pneumonia`, and a model takes either for supported by the other. A qualifier counts as known if
    its words are anywhere in the claim, the evidence or the question.
    """
    question = set(tokens(evidence.question))
    claimed = _conditions([claim])
    quoted = _conditions(evidence.quotes)
    for name in sorted(claimed.keys() & quoted.keys()):
        for limits, others, known in (
            (quoted[name], "the evidence says it", question.union(tokens(claim))),
            (claimed[name], "it says it", question.union(*map(tokens, evidence.parts))),
        ):
            if not any(known.issuperset(tokens(" ".join(limit))) for limit in limits):
                named = " or ".join(sorted({" ".join(sorted(limit)) for limit in limits}))
                detail = f"{others} of {name} that is {named}"
                return Finding("qualifiers", Label.NOT_FOUND, detail)
    return None


def check_restated(claim: str, evidence: Evidence) -> Finding | None:
    """Report a claim that only says what the question says, as small models write.

    Of questions that ask for more than yes or no, and offer no choice. A number is never only
    restated: it may be the dose that was asked about.
    """
    question, words = tokens(evidence.question), tokens(claim)
    if not question or question[0] not in _ASKING or _CHOOSING & set(question):
        return None
    if any(token[0].isdigit() for token in words) or set(words) - set(question) - _LINKING:
        return None
    return Finding("restated", Label.NOT_FOUND, "it says no more than the question")


def _conditions(texts: Iterable[str]) -> dict[str, list[frozenset[str]]]:
    """Return the qualifiers of each mention of each condition."""
    qualifiers: dict[str, list[frozenset[str]]] = {}
    for text in texts:
        for name, limit in conditions(text):
            qualifiers.setdefault(name, []).append(limit)
    return qualifiers


def _stopped(name: str, says: str, finds: Callable[[str, Evidence], Finding | None]) -> _Finds:
    return Check(name, Acts.CLAIM, says, finds, nothing=None)


# A claim in free wording is stopped by the first that objects.
STOPPED: tuple[_Finds, ...] = (
    _stopped(NUMBERS, "A number, unit or interval is not in its evidence.", check_numbers),
    _stopped(medicines.NAME, "Its evidence names other medicines.", medicines.check),
    _stopped("exchanged", "Two things of its evidence have changed places.", check_exchanged),
    _stopped("routes", "Its evidence gives another route.", check_routes),
    _stopped("groups", "Its evidence is for people who can't be these.", check_groups),
    _stopped(polarity.NAME, "A negation of its evidence is dropped or added.", polarity.check),
    _stopped("qualifiers", "Its evidence speaks of another degree.", check_qualifiers),
    _stopped("restated", "It says no more than the question.", check_restated),
)
