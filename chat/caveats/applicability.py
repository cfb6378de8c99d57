"""Tell whom an answer is for, what it assumes, and whether that fits the question's patient.

The nearest text that names people counts: the statement itself, else the caption of its table, else
the headings above it, else the document's title and population. No query. Sentences are in the
language of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy, ngettext

from chat.caveats.footnotes import text_without_footnotes, without_footnotes
from chat.caveats.neighbours import hits_of
from chat.caveats.tables import is_row
from chat.caveats.wording import groups_in_words, statements_numbered, words_for_people
from chat.checks.agreement import headings_of
from chat.models import ClaimKind
from chat.types import DraftClaim
from core.language.en.medicines.names import drugs
from core.language.en.patients.allergies import excludes
from core.language.en.patients.columns import column_for, columns_of
from core.language.en.patients.people import (
    KIDNEY,
    Apart,
    People,
    aged,
    apart,
    first_named,
    group_words,
    interval_in_words,
    people_of,
    without,
)
from core.language.en.quantities.measures import Interval
from core.language.en.sentences import sentence_spans
from core.language.en.statements.cells import cells
from core.language.en.statements.comparable import PROPHYLAXIS, qualifiers_of
from core.language.en.statements.wording import is_under_prevention
from core.language.gloss import question_in_english
from retrieval.types import Hit

_EVERYBODY = frozenset(("all", "any", "everybody", "all ages"))
_PER_KG = re.compile(r"\w/kg\b|\bper (?:kg|kilogram)\b", re.IGNORECASE)
_EGFR = re.compile(r"\be?GFR\b", re.IGNORECASE)
_CLEARANCE = re.compile(r"\bCrCl\b|\bcreatinine clearance\b", re.IGNORECASE)
_NOT_STATED = gettext_lazy("not stated by the source")
_OF_ALL_AGES = gettext_lazy("people of all ages")
_RANGES = 1  # several in one quote are columns of a table: none is assumed


@dataclass(frozen=True)
class Applicability:
    """Whom an answer is for, and how that differs from the people of the question."""

    line: str = ""
    mismatch: str = ""
    claims: tuple[int, ...] = ()  # 1-based numbers of the claims with the mismatch
    unasked: str = ""
    only_for: tuple[int, ...] = ()  # 1-based numbers of the claims that `unasked` is about


def applicability(question: str, claims: Sequence[DraftClaim]) -> Applicability:
    """Describe whom the answers among the claims are for. Empty for no answers.

    Claims are numbered from 1 among all claims. There is a mismatch only where nobody can belong to
    both groups of people; a question or a source that names nobody has none.
    """
    question = question_in_english(question)
    claims = [claim.in_english for claim in claims]
    numbered = enumerate(claims, start=1)
    answers = {number: claim for number, claim in numbered if claim.kind is ClaimKind.ANSWER}
    if not answers:
        return Applicability()
    patient = people_of(question)
    about = [claim_people(claim) for claim in answers.values()]
    pairs = [_apart(patient, claim) if claim in answers.values() else None for claim in claims]
    wrong = tuple(index for index, pair in enumerate(pairs, start=1) if pair)
    unasked = _unasked(question, patient, answers)
    only_for = tuple(sorted({number for at in unasked.values() for number in at}))
    line = _line(patient, answers, about)
    mismatch = _mismatch(question, claims, pairs)
    return Applicability(line, mismatch, wrong, _only(unasked), only_for)


def claim_people(claim: DraftClaim) -> People:
    """Return the people of a claim: from text and quotes, else caption, headings or document."""
    said_text = without_footnotes(claim)
    headed = (people for hit in hits_of(claim) for people in _headed(hit))
    return first_named([people_of(said_text), people_of(claim.caption), *headed])


def _apart(patient: People, claim: DraftClaim) -> Apart | None:
    """Return how the people asked about differ from a cited passage's, if nobody can be both."""
    levels = [_by(hit, claim) for hit in hits_of(claim)] or [claim_people(claim)]
    if column := column_for(patient, claim.text) if is_row(claim) else None:
        levels = [_in_column(column, people) for people in levels]
    return next((pair for people in levels if (pair := apart(patient, people))), None)


def _in_column(column: People, row: People) -> People:
    """Return the people of a row's column: of a row for adults and children, those of one head."""
    return replace(row, ages=column.ages, groups=(*column.age_groups, *row.states))


def _by(hit: Hit, claim: DraftClaim) -> People:
    """Return the people that a claim is about, according to one of its passages."""
    own = tuple(quote for quote in claim.quotes if quote.hit.key == hit.key)
    said = _but_excluded(people_of(without_footnotes(replace(claim, quotes=own))), claim.text)
    return first_named([said, people_of(claim.caption), *_headed(hit)])


def _but_excluded(people: People, text: str) -> People:
    """Return people without the states that a text names only to exclude them.

    `Do not give if: pregnancy` is for nobody who is pregnant.
    """
    kept = "; ".join(
        cell
        for start, end in sentence_spans(text)
        for cell in cells(text[start:end])
        if not excludes(cell)
    )
    named = people_of(kept).states
    groups = (group for group in people.groups if group in people.age_groups or group in named)
    return replace(people, groups=tuple(groups))


def _stood_under(claim: DraftClaim, hit: Hit) -> People:
    """Return the people of a claim's caption, else of its headings, else of its document."""
    return first_named([people_of(claim.caption), *_headed(hit)])


def hit_people(hit: Hit) -> People:
    """Return the people of a passage's headings, else of its document."""
    return first_named(_headed(hit.in_english))


def _headed(hit: Hit) -> tuple[People, People]:
    headings = " ; ".join(part for part in hit.section_path if part != hit.title)
    # `Delirium in older people` says more than the `adult` that staff filed it under.
    document = first_named([people_of(hit.title), people_of(hit.population)])
    return people_of(headings), document


def _line(patient: People, claims: Mapping[int, DraftClaim], about: Sequence[People]) -> str:
    """Return the sentences on whom the answers are for; `claims` has the answers by number.

    People are only mentioned where the question does not name them or the answers differ.
    """
    named = {number: _who(claim) for number, claim in claims.items()}
    parts = [_for_whom(patient, named)]
    if not patient.weights and any(map(_is_by_weight, claims.values())):
        parts.append(gettext("You need the weight."))
    parts += _bounded(patient, claims)
    stated = {state for people in about for state in (*people.states, *people.denied)}
    stated |= {"renal impairment"} if any(people.kidney for people in about) else set()
    if missing := [state for state in patient.states if state not in stated]:
        sentence = ngettext(
            "This statement is not about %(who)s.",
            "These statements are not about %(who)s.",
            len(claims),
        )
        parts.append(sentence % {"who": gettext(" or ").join(groups_in_words(missing))})
    return " ".join(part for part in parts if part)


def _for_whom(patient: People, named: Mapping[int, str]) -> str:
    """Return whom the statements apply to; empty if for everybody or the people of the question."""
    if set(named.values()) <= {", ".join(groups_in_words(patient.groups)), str(_OF_ALL_AGES)}:
        return ""
    if set(named.values()) == {str(_NOT_STATED)}:
        return gettext("The source does not say whom this is for.")
    return gettext("Applies to: %(who)s.") % {"who": _each(named)}


def _unasked(
    question: str, patient: People, claims: Mapping[int, DraftClaim]
) -> Mapping[str, list[int]]:
    """Return the groups that statements are limited to but the question does not name, by number.

    `prevention` for a statement on a medicine, since treatment has another dose. A state such as
    pregnancy only where some statements are not limited to it, and where the question names no
    state and no kidney function, which would tell the statements apart.
    """
    numbers: dict[str, list[int]] = {}
    for number, claim in claims.items():
        hit = claim.quotes[0].hit
        is_preventive = is_under_prevention(headings_of(hit))
        if is_preventive and drugs(claim.text) and PROPHYLAXIS not in qualifiers_of(question):
            numbers.setdefault("prevention", []).append(number)
        if not patient.states and not patient.kidney:
            for state in group_words(_stood_under(claim, hit).states):
                numbers.setdefault(state, []).append(number)
    return {who: at for who, at in numbers.items() if who == "prevention" or len(at) < len(claims)}


def _only(unasked: Mapping[str, Sequence[int]]) -> str:
    return " ".join(
        ngettext(
            "%(these)s is only for %(who)s, which the question does not name.",
            "%(these)s are only for %(who)s, which the question does not name.",
            len(at),
        )
        % {"these": capfirst(statements_numbered(at)), "who": words_for_people(who)}
        for who, at in unasked.items()
    )


def _who(claim: DraftClaim) -> str:
    """Return the ages of a statement, and the states that its caption or headings are about.

    A state named only in the statement is a condition of it, which the reader sees in its text.
    """
    parts = dict.fromkeys(_who_by(hit, claim) for hit in hits_of(claim))
    return gettext(" and ").join(parts)


def _who_by(hit: Hit, claim: DraftClaim) -> str:
    about, headed = _by(hit, claim), _stood_under(claim, hit)
    ages = about.age_groups or headed.age_groups
    words = [", ".join(groups_in_words(ages))] if ages else []
    if len(about.ages) == 1 and not (is_row(claim) and len(columns_of(claim.text)) > 1):
        people = words[0] if len(ages) == 1 else gettext("people")  # a title has all of its ages
        words = [f"{people} {words_for_people(f'aged {aged(about.ages[0])}')}"]
    words += groups_in_words(headed.states)
    words += [words_for_people(without(group)) for group in headed.denied]
    if words:
        return ", ".join(words)
    population = hit.population.strip()
    return str(_OF_ALL_AGES if population.lower() in _EVERYBODY else population or _NOT_STATED)


def _bounded(patient: People, claims: Mapping[int, DraftClaim]) -> list[str]:
    """Return a sentence for each bound of the statements, with the question's value within it.

    None for a bound that the question's value is outside of: that is a mismatch.
    """
    bounds: dict[str, list[int]] = {}
    for number, claim in claims.items():
        for bound in _bounds(claim):
            given = bound.asked_of(patient)
            if not given:
                bounds.setdefault(bound.words, []).append(number)
            elif len(given) == 1 and given[0].meets(bound.interval):
                value = words_for_people(_plain(interval_in_words(given[0], bound.unit)))
                words = gettext("%(bound)s; the patient's is %(value)s")
                bounds.setdefault(words % {"bound": bound.words, "value": value}, []).append(number)
    return [
        ngettext("%(these)s is for %(words)s.", "%(these)s are for %(words)s.", len(at))
        % {"these": capfirst(_these(at, tuple(claims.values()))), "words": words}
        for words, at in bounds.items()
    ]


@dataclass(frozen=True)
class _BoundOf:
    """The bound of a statement: `a creatinine clearance of 20 to 39`."""

    words: str
    interval: Interval
    unit: str

    def asked_of(self, people: People) -> Sequence[Interval]:
        """Return the values of what is bounded that the question gives."""
        return people.weights if self.unit else people.kidney


def _bounds(claim: DraftClaim) -> list[_BoundOf]:
    """Return the bounds of kidney function and weight of a row, or of a single sentence.

    A bound in one sentence of several is a condition of that sentence: `Halve this dose below 30.`
    """
    parts: list[_BoundOf] = []
    if not claim.caption and len(sentence_spans(claim.text)) > 1:
        return parts
    people = people_of(text_without_footnotes(claim))
    if len(set(people.kidney)) == _RANGES:
        is_egfr = _EGFR.search(claim.text + " ; " + claim.quotes[0].text)
        name = "an eGFR" if is_egfr else "a creatinine clearance"
        parts.append(_BoundOf(_bound(name, people.kidney[0], ""), people.kidney[0], ""))
    if len(set(people.weights)) == _RANGES:
        words = _bound("a weight", people.weights[0], "kg")
        parts.append(_BoundOf(words, people.weights[0], "kg"))
    return parts


def _bound(name: str, interval: Interval, unit: str) -> str:
    """Return a bound in words: `a creatinine clearance above 60`, `an eGFR of 45 or more`."""
    value = _plain(interval_in_words(interval, unit))
    is_open = value.startswith(("above", "below"))
    return words_for_people(f"{name} {value}" if is_open else f"{name} of {value}")


def _is_by_weight(claim: DraftClaim) -> bool:
    """Tell whether a dose is calculated by weight and the claim has no bound of weight."""
    is_bounded = len(set(people_of(text_without_footnotes(claim)).weights)) == _RANGES
    return not is_bounded and bool(_PER_KG.search(claim.text + " ; " + claim.quotes[0].text))


def _each(words: Mapping[int, str]) -> str:
    """Return one phrase common to all statements, or each phrase with its statements' numbers."""
    by_phrase: dict[str, list[int]] = {}
    for number, phrase in words.items():
        if phrase:
            by_phrase.setdefault(phrase, []).append(number)
    if len(by_phrase) == 1 and len(next(iter(by_phrase.values()))) == len(words):
        return next(iter(by_phrase))
    return "; ".join(f"{phrase} ({statements_numbered(at)})" for phrase, at in by_phrase.items())


def _mismatch(question: str, claims: Sequence[DraftClaim], pairs: Sequence[Apart | None]) -> str:
    by_pair: dict[Apart, list[int]] = {}
    for index, pair in enumerate(pairs, start=1):
        if pair:
            by_pair.setdefault(pair, []).append(index)
    return " ".join(
        _outside(question, claims, pair, at)
        if pair.of
        else ngettext(
            "The question is about %(ours)s; %(these)s is for %(theirs)s.",
            "The question is about %(ours)s; %(these)s are for %(theirs)s.",
            len(at),
        )
        % {
            "ours": words_for_people(pair.ours),
            "these": _these(at, claims),
            "theirs": words_for_people(pair.theirs),
        }
        for pair, at in by_pair.items()
    )


def _outside(question: str, claims: Sequence[DraftClaim], pair: Apart, at: Sequence[int]) -> str:
    """Return a sentence such as `The patient's eGFR (50) is outside this statement (below 30).`"""
    ours, theirs = pair.ours, pair.theirs
    name = pair.of
    if pair.of == KIDNEY:
        name, other = _kidney_name(question), _kidney_name(claims[at[0] - 1].text)
        ours, theirs = (_plain(words.replace("mL/min", "")) for words in (ours, theirs))
        theirs = theirs if other in (name, KIDNEY) else f"{other} {theirs}"
    sentence = gettext("The patient's %(name)s (%(ours)s) is outside %(these)s (%(theirs)s).")
    words = {"name": name, "ours": ours, "theirs": theirs}
    said_of = {key: words_for_people(text) for key, text in words.items()}
    return sentence % {**said_of, "these": _these(at, claims)}


def _kidney_name(text: str) -> str:
    if _EGFR.search(text):
        return "eGFR"
    return "creatinine clearance" if _CLEARANCE.search(text) else KIDNEY


def _these(at: Sequence[int], claims: Sequence[DraftClaim]) -> str:
    """Return `this statement` for a single claim, else the statements' numbers."""
    return gettext("this statement") if len(claims) == 1 else statements_numbered(at)


def _plain(words: str) -> str:
    return " ".join(words.split())
