"""Whom an answer is for, what it assumes, and whether that is whom the question is about.

The nearest word counts: what a statement says of its people, else the headings above it, else the
document's population and title. No query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chat.caveats.statements import PROPHYLAXIS, qualifiers_of
from chat.models import ClaimKind
from chat.types import DraftClaim
from core.text.drugs import drugs
from core.text.populations import (
    People,
    aged,
    apart,
    first_named,
    group_words,
    people_of,
    said,
    without,
)
from retrieval.types import Hit

_EVERYBODY = frozenset(("all", "any", "everybody", "all ages"))
_PER_KG = re.compile(r"\w/kg\b|\bper (?:kg|kilogram)\b", re.IGNORECASE)
_EGFR = re.compile(r"\be?GFR\b", re.IGNORECASE)
_NOT_STATED = "not stated by the source"
_MAX_RANGES = 1  # several in one quote are the columns of a table, and none of them is assumed


@dataclass(frozen=True)
class Applicability:
    """A line for every answer, and a sentence where it is for other people than was asked, or for
    some alone of whom the question says nothing.
    """

    line: str = ""
    mismatch: str = ""
    claims: tuple[int, ...] = ()  # 1-based, that the mismatch is about
    unasked: str = ""
    only_for: tuple[int, ...] = ()  # 1-based, that `unasked` is about


def applicability(question: str, claims: Sequence[DraftClaim]) -> Applicability:
    """Whom the answers among the claims are for, by their numbers among all.

    Empty for no claims; a mismatch only where nobody can be both.

    A question that names nobody has no mismatch, nor has a source that names nobody.
    """
    numbered = enumerate(claims, start=1)
    answers = {number: claim for number, claim in numbered if claim.kind is ClaimKind.ANSWER}
    if not answers:
        return Applicability()
    asked = people_of(question)
    about = [claim_people(claim) for claim in answers.values()]
    pairs = [_apart(asked, claim) if claim in answers.values() else None for claim in claims]
    wrong = tuple(index for index, pair in enumerate(pairs, start=1) if pair)
    unasked = _unasked(question, asked, answers)
    only_for = tuple(sorted({number for at in unasked.values() for number in at}))
    line = _line(asked, answers, about)
    return Applicability(line, _mismatch(pairs), wrong, _only(unasked), only_for)


def claim_people(claim: DraftClaim) -> People:
    """Whom a claim is about, by its text and quotes, then its headings, then its document."""
    said_text = " ; ".join([claim.text, *(quote.text for quote in claim.quotes)])
    headed = (people for hit in _hits(claim) for people in _headed(hit))
    return first_named([people_of(said_text), *headed])


def _apart(asked: People, claim: DraftClaim) -> tuple[str, str] | None:
    """Who was asked about and whom a claim is about, by any of its passages, if nobody is both."""
    for hit in _hits(claim):
        if pair := apart(asked, _by(hit, claim)):
            return pair
    return apart(asked, claim_people(claim))


def _by(hit: Hit, claim: DraftClaim) -> People:
    """Whom a claim is about by one of its passages."""
    own = (quote.text for quote in claim.quotes if quote.hit.key == hit.key)
    return first_named([people_of(" ; ".join([claim.text, *own])), *_headed(hit)])


def _hits(claim: DraftClaim) -> list[Hit]:
    """Each passage that a claim cites once, in order."""
    return list({quote.hit.key: quote.hit for quote in claim.quotes}.values())


def hit_people(hit: Hit) -> People:
    """Whom a passage is about by its headings, then its document."""
    return first_named(_headed(hit))


def _headed(hit: Hit) -> tuple[People, People]:
    headings = " ; ".join(part for part in hit.section_path if part != hit.title)
    # `Delirium in older people` says more than the `adult` that staff filed it under.
    document = first_named([people_of(hit.title), people_of(hit.population)])
    return people_of(headings), document


def _line(asked: People, claims: Mapping[int, DraftClaim], about: Sequence[People]) -> str:
    """`claims` are the answers by their number among all that is shown."""
    named = {number: _who(claim) for number, claim in claims.items()}
    parts = [f"Applies to: {_each(named)}."]
    assumed = {number: _assumed(claim) for number, claim in claims.items()}
    if any(assumed.values()):
        parts.append(f"Assumes: {_each(assumed)}.")
    stated = {state for people in about for state in (*people.states, *people.denied)}
    stated |= {"renal impairment"} if any(people.kidney for people in about) else set()
    if missing := [state for state in asked.states if state not in stated]:
        parts.append(f"Not stated by the sources: {', '.join(group_words(missing))}.")
    return " ".join(parts)


def _unasked(
    question: str, asked: People, claims: Mapping[int, DraftClaim]
) -> Mapping[str, list[int]]:
    """What statements are for alone and the question does not name, with their numbers.

    Prevention, of those on a medicine: the dose that treats is another one. A state, where other
    statements are for none: a question that names a state or a kidney function tells them apart.
    """
    found: dict[str, list[int]] = {}
    for number, claim in claims.items():
        hit = claim.quotes[0].hit
        headed = qualifiers_of(" ; ".join([hit.title, *hit.section_path]))
        if drugs(claim.text) and PROPHYLAXIS in headed - qualifiers_of(question):
            found.setdefault("prevention", []).append(number)
        if not asked.states and not asked.kidney:
            for state in group_words(hit_people(hit).states):
                found.setdefault(state, []).append(number)
    return {who: at for who, at in found.items() if who == "prevention" or len(at) < len(claims)}


def _only(unasked: Mapping[str, Sequence[int]]) -> str:
    return " ".join(
        f"Only for {who}, not named in the question: {_statements(at)}."
        for who, at in unasked.items()
    )


def _who(claim: DraftClaim) -> str:
    """The ages of a statement, and the states that its headings or its document are about.

    A state that only the statement names is a condition in it: it stands there to be read.
    """
    parts = dict.fromkeys(_who_by(hit, _by(hit, claim)) for hit in _hits(claim))
    return " and ".join(parts)


def _who_by(hit: Hit, about: People) -> str:
    headed = hit_people(hit)
    ages = about.age_groups or headed.age_groups
    words = [", ".join(group_words(ages))] if ages else []
    if len(about.ages) == 1:
        words = [f"{words[0] if words else 'people'} aged {aged(about.ages[0])}"]
    words += group_words(headed.states)
    words += [without(group) for group in headed.denied]
    if words:
        return ", ".join(words)
    population = hit.population.strip()
    return "people of all ages" if population.lower() in _EVERYBODY else population or _NOT_STATED


def _assumed(claim: DraftClaim) -> str:
    """Kidney function, weight: what the quotes bound their statement by."""
    text = claim.text + " ; " + claim.quotes[0].text
    people = people_of(claim.text)
    parts = []
    kidney = tuple(dict.fromkeys(people.kidney))
    if 0 < len(kidney) <= _MAX_RANGES:
        name = "eGFR" if _EGFR.search(text) else "creatinine clearance"
        parts.append(f"{name} {said(kidney[0], 'mL/min')}")
    weights = tuple(dict.fromkeys(people.weights))
    if 0 < len(weights) <= _MAX_RANGES:
        parts.append(f"weight {said(weights[0], 'kg')}")
    elif _PER_KG.search(text):
        parts.append("a known body weight")
    return ", ".join(parts)


def _each(words: Mapping[int, str]) -> str:
    """One phrase for all, or each with the numbers of its statements."""
    by_phrase: dict[str, list[int]] = {}
    for number, phrase in words.items():
        if phrase:
            by_phrase.setdefault(phrase, []).append(number)
    if len(by_phrase) == 1 and len(next(iter(by_phrase.values()))) == len(words):
        return next(iter(by_phrase))
    return "; ".join(f"{phrase} ({_statements(at)})" for phrase, at in by_phrase.items())


def _mismatch(pairs: Iterable[tuple[str, str] | None]) -> str:
    by_pair: dict[tuple[str, str], list[int]] = {}
    for index, pair in enumerate(pairs, start=1):
        if pair:
            by_pair.setdefault(pair, []).append(index)
    return " ".join(
        f"The question is about {ours}; {_statements(at)} {_be(at)} about {theirs}."
        for (ours, theirs), at in by_pair.items()
    )


def _statements(at: Sequence[int]) -> str:
    if len(at) == 1:
        return f"statement {at[0]}"
    return f"statements {', '.join(map(str, at[:-1]))} and {at[-1]}"


def _be(at: Sequence[int]) -> str:
    return "is" if len(at) == 1 else "are"
