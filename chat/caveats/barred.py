"""Find statements that are not for the patient of a question, or don't mention an allergy. Pure.

A row on amoxicillin whose last cell is `Avoid: penicillin allergy` answers nobody who is allergic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chat.models import ClaimKind
from chat.types import DraftClaim
from core.language.en.clinical_terms import conditions
from core.language.en.medicines.doses import says_of_dose
from core.language.en.medicines.names import drugs
from core.language.en.negation import affirmed, denied_spans
from core.language.en.patients.allergies import (
    allergies,
    excludes,
    names_anaphylaxis,
    names_severe_reaction,
)
from core.language.en.patients.gestation import gestation_of
from core.language.en.patients.people import people_of
from core.language.en.quantities.measures import Interval
from core.language.en.questions.asked import (
    asked_medicines,
    asked_routes,
    routes_or_swallowed,
)
from core.language.en.statements.cells import cell_spans, excluded_items
from core.language.en.statements.clauses import run_on_spans
from core.language.en.statements.topics import topic_words
from core.language.en.statements.wording import share_a_name
from core.language.gloss import question_in_english

_INSTEAD = re.compile(r"\b(?:instead|alternative(?:ly)?)\b", re.IGNORECASE)
_PREGNANT = "pregnant"
_DIGIT = re.compile(r"\d")
_SAYS_LITTLE = topic_words("disease disorder condition history known")
# Of which everybody has some: what they are of says what is denied.
_OF_ANYTHING = topic_words(
    "symptoms signs history problems disease disorder condition severe acute chronic suspected"
)


def barred(question: str, claims: Sequence[DraftClaim]) -> Mapping[int, str]:
    """Return, by a claim's place, its words that forbid it for the patient of the question.

    They name a medicine that the patient is allergic to or takes, a state such as pregnancy, or a
    range that holds the patient's week of pregnancy, kidney function, age or weight, and the rest
    of the statement doesn't; or a cell that lists who must not have it has a condition of the
    question. What is excluded after anaphylaxis stays, where the question names another reaction or
    none, and what is excluded by another route than the asked one. A statement that is a
    prohibition as a whole answers, and is none of these, also where it says what to give instead;
    nor is an order to stop what the patient takes, or what the question denies.
    """
    question = affirmed(question_in_english(question))
    own = frozenset(drugs(question)) - asked_medicines(question)
    patient = _Patient.of(question, own)
    by = asked_routes(question)
    is_milder = bool(allergies(question)) and not names_severe_reaction(question)
    apart_from_reaction = replace(patient, medicines=frozenset())
    words_of = {}
    for place, claim in enumerate(claims):
        parts = list(_parts(claim.in_english.text))
        shown = [part for part, _ in _parts(claim.text)]
        if claim.kind != ClaimKind.ROW and _says_what_instead([words for words, _ in parts]):
            continue
        for at, (words, rest) in enumerate(parts):
            is_other_reaction = is_milder and names_anaphylaxis(words)
            who = apart_from_reaction if is_other_reaction else patient
            is_so = excludes(words) and (who.is_named(words, rest) or who.is_listed(words, rest))
            if rest and is_so and not _is_by_other_route(by, words):
                words_of[place] = shown[at] if len(shown) == len(parts) else claim.text
                break
    return words_of


def denied(question: str, claims: Sequence[DraftClaim]) -> Mapping[int, str]:
    """Return, by a claim's place, its words that exclude people with something like what is denied.

    `Not for suspected prostate involvement`, of a man without prostate symptoms: that he is none of
    them isn't certain, as it is where the words have all that the question denies.
    """
    in_english = question_in_english(question)
    lacks = [topic_words(in_english[start:end]) for start, end in denied_spans(in_english)]
    known = topic_words(affirmed(in_english))
    words_of = {}
    for place, claim in enumerate(claims):
        for words, _ in _parts(claim.in_english.text):
            named = topic_words(words) - known
            alike = named - _OF_ANYTHING
            if excludes(words) and any(each & alike and not each <= named for each in lacks):
                words_of[place] = words
                break
    return words_of


def only_after_anaphylaxis(
    allergic_to: Sequence[str], question: str, claims: Sequence[DraftClaim]
) -> frozenset[int]:
    """Return the places of statements that anaphylaxis to such a medicine excludes.

    Empty where the question says how severe the reaction was.
    """
    if names_severe_reaction(affirmed(question_in_english(question))) or not allergic_to:
        return frozenset()
    named = frozenset(allergic_to)
    return frozenset(
        place
        for place, claim in enumerate(claims)
        for words, _ in _parts(claim.in_english.text)
        if excludes(words)
        and names_anaphylaxis(words)
        and share_a_name(named, frozenset(drugs(words)))
    )


def unaware(allergic_to: Sequence[str], claims: Sequence[DraftClaim]) -> frozenset[int]:
    """Return the places of answers that give a dose and name none of these medicines."""
    return frozenset(
        place
        for place, claim in enumerate(claims)
        if allergic_to
        and claim.kind in (ClaimKind.ANSWER, ClaimKind.ROW)
        and says_of_dose(claim.in_english.text)
        and not share_a_name(frozenset(allergic_to), frozenset(drugs(claim.in_english.text)))
    )


@dataclass(frozen=True)
class _Patient:
    """What a text says of a patient."""

    medicines: frozenset[str]
    states: frozenset[str]
    values: tuple[tuple[Interval, ...], ...]  # weeks of pregnancy, kidney function, ages, weights
    words: frozenset[str]  # stems, conditions by name too: `asthma` of `asthmatic`

    @classmethod
    def of(cls, text: str, medicines: Iterable[str]) -> _Patient:
        people = people_of(text)
        values = (gestation_of(text), people.kidney, people.ages, people.weights)
        named = " ".join((text, *(condition for condition, _ in conditions(text))))
        return cls(frozenset(medicines), frozenset(people.states), values, topic_words(named))

    def is_named(self, words: str, rest: str) -> bool:
        """Tell whether words hold something of this patient that the rest of a text doesn't."""
        theirs, others = (_Patient.of(text, drugs(text)) for text in (words, rest))
        weeks, *values = (
            _meet(mine, named) and not _meet(mine, other)
            for mine, named, other in zip(self.values, theirs.values, others.values, strict=True)
        )
        states = self.states & theirs.states - others.states
        if self.values[0] and theirs.values[0] and not weeks:
            states -= {_PREGNANT}  # `avoid in the first trimester of pregnancy`, at 30 weeks
        is_with_child = _PREGNANT in self.states
        return bool(
            self.medicines & theirs.medicines - others.medicines
            or states
            or (is_with_child and weeks)
            or any(values)
        )

    def is_listed(self, words: str, rest: str) -> bool:
        """Tell whether a cell lists a condition of this patient among those that it excludes.

        In all of its words: a `severe` one is not any. Medicines, states and bounds are compared
        by `is_named`.
        """
        elsewhere = topic_words(rest)
        return any(
            stems and stems <= self.words and not stems <= elsewhere
            for item in excluded_items(words)
            if not (_DIGIT.search(item) or any(drugs(item)) or people_of(item).groups)
            for stems in (topic_words(item) - _SAYS_LITTLE,)
        )


def _is_by_other_route(asked: frozenset[str], words: str) -> bool:
    """Tell whether words exclude something by other routes than those asked for."""
    return _are_apart(asked, routes_or_swallowed(words))


def _says_what_instead(parts: Sequence[str]) -> bool:
    """Tell whether a text begins with a ban and says next what to give, none of what it bans.

    `Do not give codeine in renal impairment; give paracetamol instead` is for those whom it names.
    """
    banned, *given = parts
    if not given or not excludes(banned) or not _INSTEAD.search(given[0]):
        return False
    if _are_apart(routes_or_swallowed(banned), routes_or_swallowed(given[0])):
        return True  # `no intravenous voriconazole; give it by mouth instead`
    return frozenset(drugs(banned)).isdisjoint(drugs(" ".join(given)))


def _are_apart(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


def _meet(ours: Iterable[Interval], theirs: Sequence[Interval]) -> bool:
    return any(interval.meets(other) for interval in ours for other in theirs)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence, or each cell of a row or line of it, with the rest of the text."""
    for start, end in run_on_spans(text):
        for first, last in cell_spans(text[start:end]):
            at, till = start + first, start + last
            yield text[at:till].strip(), f"{text[:at]} {text[till:]}".strip()
