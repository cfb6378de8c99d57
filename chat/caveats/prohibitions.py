"""Find what the passages forbid for the patient of a question: it comes before any dose."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from chat.caveats.tables import unit_of
from chat.checks.agreement import headings_of, is_about_medicine
from chat.evidence.quotable import quotable_units
from chat.models import ClaimKind
from chat.types import DraftClaim, Unit
from core.language.en.medicines.names import drug_classes, drugs
from core.language.en.negation import affirmed
from core.language.en.questions.asked import asked_medicines
from core.language.en.short_forms.medicines import members_named, with_medicines_spelled_out
from core.language.en.statements.cells import cells
from core.language.en.statements.limits import forbids_start, is_limiting_heading
from core.language.en.statements.prohibitions import (
    Described,
    forbids_for,
    is_in_band,
    is_passed,
    measured_in,
    row_forbids,
)
from core.language.en.statements.topics import topic_words
from core.language.en.statements.wording import gives_dose, share_a_name
from core.language.gloss import question_in_english
from retrieval.analysis import by_every_name
from retrieval.types import Hit

MAX_SHOWN = 2


def prohibitions(
    question: str, plain: str, hits: Sequence[Hit], *, is_refused: bool = False
) -> tuple[DraftClaim, ...]:
    """Return statements that forbid what is asked for its patient, best passage first.

    They are about a medicine of the question, or stand in a document that names it and name none,
    or, where no medicine is asked about, are on its topic. For a refusal: also rows on a medicine
    that forbid it in one of their cells (`Avoid: from 36 weeks`), and what forbids it in a
    condition that is named, though it isn't asked whether it may be. `plain` is the question in
    plain words. Runs the queries of `quotable_units`; none for a question that describes no
    patient.
    """
    in_english = question_in_english(f"{question}; {plain}" if plain else question)
    patient = replace(_described(in_english), by_condition=is_refused)
    medicines = _asked(in_english)
    if not hits or not (medicines or patient.words):
        return ()
    naming = {hit.document_id for hit in hits if is_named_in(medicines, hit)}
    found = [
        unit
        for unit in quotable_units(hits, question)
        if (not unit.is_row or (is_refused and names_one(medicines, unit.in_english.text)))
        and _is_about(unit.in_english, medicines, naming, patient)
        and _forbids(unit.in_english, medicines, patient)
    ]
    return tuple(DraftClaim(unit.text, unit.quotes) for unit in found[:MAX_SHOWN])


def forbidding(question: str, plain: str, claims: Sequence[DraftClaim]) -> tuple[DraftClaim, ...]:
    """Return those of the claims, quoted beside an answer, that forbid it for the patient."""
    in_english = question_in_english(f"{question}; {plain}" if plain else question)
    patient, medicines = _described(in_english), _asked(in_english)
    return tuple(claim for claim in claims if _forbids(unit_of(claim), medicines, patient))


def doses_despite(
    question: str, plain: str, claims: Sequence[DraftClaim], known: Collection[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """Return the places of claims that forbid it for the patient, and of doses that say nothing.

    Nothing without both. The places that are `known` say themselves whom they are not for.
    """
    in_english = question_in_english(f"{question}; {plain}" if plain else question)
    patient, medicines = _described(in_english), _asked(in_english)
    units = {place: unit_of(claim) for place, claim in enumerate(claims) if place not in known}
    naming = {u.hit.document_id for u in units.values() if is_named_in(medicines, u.hit)}
    forbid = [
        place
        for place, unit in units.items()
        if _is_about(unit, medicines, naming, patient) and _forbids(unit, medicines, patient)
    ]
    doses = [
        place
        for place, unit in units.items()
        if place not in forbid
        and claims[place].kind in (ClaimKind.ANSWER, ClaimKind.ROW)
        and gives_dose(unit.text)
    ]
    return (forbid, doses) if forbid and doses else ((), ())


def only_passed(question: str, claims: Sequence[DraftClaim]) -> bool:
    """Tell whether all answers only forbid, and not for the patient: none says that it may be.

    A row with a dose in another cell says more than that.
    """
    patient = Described.of(question_in_english(question))
    answers = [each.in_english.text for each in claims if each.kind is ClaimKind.ANSWER]
    return bool(answers) and all(
        is_passed(patient, text)
        and not any(gives_dose(part) and not forbids_start(part) for part in text.split("; "))
        for text in answers
    )


def bands(question: str, hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
    """Return rows on an asked medicine with a cell for the patient's kidney, age or weight.

    Runs the queries of `quotable_units`.
    """
    in_english = question_in_english(question)
    patient, medicines = Described.of(in_english), asked_medicines(by_every_name(in_english))
    found = [
        unit
        for unit in quotable_units(hits, question)
        if unit.is_row
        and names_one(medicines, unit.in_english.quotes[0].text)
        and any(
            is_in_band(patient, label)
            for label in (cell.partition(":")[0] for cell in unit.in_english.text.split("; "))
        )
    ]
    return tuple(
        DraftClaim(unit.text, unit.quotes, caption=unit.caption) for unit in found[:MAX_SHOWN]
    )


def rows_of_values(
    question: str, plain: str, hits: Sequence[Hit], claims: Sequence[DraftClaim]
) -> tuple[DraftClaim, ...]:
    """Return rows on an asked medicine for a measured value that none of the claims speaks of.

    A dose by kidney function says nothing to `platelets 18`, where the table by platelets says that
    it is not given. Runs the queries of `quotable_units`.
    """
    in_english = question_in_english(f"{question}; {plain}" if plain else question)
    patient, medicines = Described.of(in_english), _asked(in_english)
    if not (medicines and patient.values):
        return ()
    spoken_of = frozenset().union(*(topic_words(claim.in_english.text) for claim in claims))
    found = [
        unit
        for unit in quotable_units(hits, question)
        if unit.is_row
        and _is_row_on(medicines, unit.in_english)
        and measured_in(patient, unit.in_english.text.partition("; ")[0]) - spoken_of
    ]
    return tuple(
        DraftClaim(unit.text, unit.quotes, caption=unit.caption, holds_asked_number=True)
        for unit in found[:MAX_SHOWN]
    )


def _is_row_on(medicines: frozenset[str], unit: Unit) -> bool:
    """Tell whether a row names one of the medicines or, if it names none, what is above it does."""
    own = _names_medicine(unit.text)
    above = (unit.caption, *unit.hit.section_path)
    return any(names_one(medicines, text) for text in ((unit.text,) if own else above))


def _forbids(unit: Unit, medicines: frozenset[str], patient: Described) -> bool:
    headings = (*(quote.text for quote in unit.quotes[1:]), *unit.hit.section_path[-1:])
    headed = not unit.is_row and any(map(is_limiting_heading, headings))
    about = " ".join(headings_of(unit.hit))
    of_all = [unit.hit.title] if headed else []  # whose contraindications they are
    by_name = names_one(medicines, unit.text) or (
        not _names_medicine(unit.text)
        and any(names_one(medicines, above) for above in [*unit.hit.section_path, *of_all])
    )
    parts = cells(unit.text) if unit.is_row else [unit.text]
    if unit.is_row and by_name and row_forbids(patient, parts):
        return True
    return any(
        forbids_for(patient, part, headed=headed, about=about, by_name=by_name) for part in parts
    )


def _is_about(unit: Unit, medicines: frozenset[str], naming: set[int], patient: Described) -> bool:
    if not medicines:
        return not patient.words.isdisjoint(topic_words(" ".join(headings_of(unit.hit))))
    if names_one(medicines, unit.text):
        return True
    is_on_others = drug_classes(unit.text) or members_named(unit.text)
    is_here = unit.hit.document_id in naming and not is_on_others
    return is_here and is_about_medicine(medicines, unit)


def _described(question: str) -> Described:
    """Return whom a question describes, with the clinical words for its conditions."""
    patient = Described.of(question)
    in_words = Described.of(by_every_name(affirmed(question)))
    return replace(patient, conditions=patient.conditions | in_words.conditions)


def _names_medicine(text: str) -> bool:
    return bool(any(drugs(text)) or drug_classes(text) or members_named(text))


def _asked(question: str) -> frozenset[str]:
    """Return the medicines asked about, or the members of a class that is (`thrombolyse`)."""
    return asked_medicines(by_every_name(question)) or members_named(question)


def is_named_in(medicines: frozenset[str], hit: Hit) -> bool:
    """Tell whether a passage or its title names one of the medicines, or its class."""
    hit = hit.in_english
    return names_one(medicines, f"{hit.title} {hit.section} {hit.text}")


def names_one(medicines: frozenset[str], text: str) -> bool:
    """Tell whether a text names one of the medicines, its kind or its class."""
    named = frozenset(drugs(with_medicines_spelled_out(text)))
    return share_a_name(medicines, named) or not medicines.isdisjoint(members_named(text))
