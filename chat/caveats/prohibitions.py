"""Find what the passages forbid for the patient of a question: it comes before any dose."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from chat.caveats.tables import unit_of
from chat.checks.agreement import (
    OF_PATIENT,
    Asked,
    headings_of,
    in_agreement,
    is_about_medicine,
    tells_when_not,
)
from chat.evidence.quotable import quotable_units
from chat.models import ClaimKind
from chat.types import DraftClaim, Unit
from core.language.en.medicines.names import drug_classes, drugs
from core.language.en.negation import affirmed
from core.language.en.questions.asked import asked_medicines, asks_when_not
from core.language.en.short_forms.medicines import members_named, with_medicines_spelled_out
from core.language.en.statements.bans import forbidding_sentences, given_instead
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
_NEAR = 20  # passages from one that names the medicine: in a long book what is further is not on it

_Naming = frozenset[tuple[int, int]]


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
    naming = _naming(medicines, hits)
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


def asked_bans(question: str, barred: Sequence[DraftClaim]) -> Sequence[DraftClaim]:
    """Return those of the barred claims that are on what is asked whether it may be given."""
    in_english = question_in_english(question)
    medicines = _asked(in_english)
    if not medicines or not _described(in_english).may_it:
        return ()
    return [claim for claim in barred if names_one(medicines, claim.in_english.text)]


def limit_on(question: str, hits: Sequence[Hit]) -> DraftClaim | None:
    """Return the first limit on a medicine of which it is asked whether it may be given.

    It may hold for the patient or not: who reads on should not begin with a dose. Runs the queries
    of `quotable_units`.
    """
    in_english = question_in_english(question)
    medicines = _asked(in_english)
    if not medicines or not (_described(in_english).may_it or asks_when_not(in_english)):
        return None
    named = [hit for hit in hits if is_named_in(medicines, hit)]
    for unit in quotable_units(named, question):
        read = unit.in_english
        if not unit.is_row and tells_when_not(read) and is_about_medicine(medicines, read):
            return DraftClaim(unit.text, unit.quotes)
    return None


def doses_despite(
    question: str, plain: str, claims: Sequence[DraftClaim], known: Collection[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """Return the places of claims that forbid it for the patient, and of doses that say nothing.

    Nothing without both. The places that are `known` say themselves whom they are not for.
    """
    in_english = question_in_english(f"{question}; {plain}" if plain else question)
    patient, medicines = _described(in_english), _asked(in_english)
    units = {place: unit_of(claim) for place, claim in enumerate(claims) if place not in known}
    naming = _naming(medicines, [unit.hit for unit in units.values()])
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
    kept = in_agreement(Asked.of(in_english, by_every_name(in_english)), found, OF_PATIENT)
    return tuple(
        DraftClaim(unit.text, unit.quotes, caption=unit.caption) for unit in kept[:MAX_SHOWN]
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
    kept = in_agreement(Asked.of(in_english, by_every_name(in_english)), found, OF_PATIENT)
    return tuple(
        DraftClaim(unit.text, unit.quotes, caption=unit.caption, holds_asked_number=True)
        for unit in kept[:MAX_SHOWN]
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
    other = given_instead(unit.text)
    if other and names_one(medicines, other):
        return False
    by_name = (
        bool(other)
        or names_one(medicines, unit.text)
        or (
            not _names_medicine(unit.text)
            and any(names_one(medicines, above) for above in [*unit.hit.section_path, *of_all])
        )
    )
    parts = cells(unit.text) if unit.is_row else [unit.text]
    if unit.is_row and by_name and row_forbids(patient, parts):
        return True
    return any(
        forbids_for(patient, part, headed=headed, about=about, by_name=by_name) for part in parts
    )


def _naming(medicines: frozenset[str], hits: Sequence[Hit]) -> _Naming:
    """Return where passages name one of the medicines: document, and place in it."""
    return frozenset((hit.document_id, hit.index) for hit in hits if is_named_in(medicines, hit))


def _is_about(unit: Unit, medicines: frozenset[str], naming: _Naming, patient: Described) -> bool:
    if not medicines:
        of_topic = not patient.words.isdisjoint(topic_words(" ".join(headings_of(unit.hit))))
        return of_topic and not _is_on_others(unit, patient.named)
    if names_one(medicines, unit.text):
        label = unit.text.partition("; ")[0] if unit.is_row else ""
        return not _names_medicine(label) or names_one(medicines, label)
    ban = forbidding_sentences(unit.text)
    if (other := given_instead(ban)) and not names_one(medicines, other):
        return is_named_in(medicines, unit.hit)  # `use dalteparin instead when`: of what is above
    own = with_medicines_spelled_out(ban, unit.context)
    is_on_others = drug_classes(ban) or members_named(ban) or any(drugs(own))
    is_near = any(
        document == unit.hit.document_id and abs(index - unit.hit.index) <= _NEAR
        for document, index in naming
    )
    return is_near and not is_on_others and is_about_medicine(medicines, replace(unit, text=ban))


def _is_on_others(unit: Unit, named: frozenset[str]) -> bool:
    """Tell whether a statement names medicines, and none of those that a question names."""
    own = frozenset(drugs(with_medicines_spelled_out(unit.text, unit.context)))
    return bool(named and own) and not share_a_name(named, own)


def _described(question: str) -> Described:
    """Return whom a question describes, with the clinical words for its conditions."""
    patient = Described.of(question)
    in_words = Described.of(by_every_name(affirmed(question)))
    return replace(patient, conditions=patient.conditions | in_words.conditions)


def _names_medicine(text: str) -> bool:
    """Tell whether a text names a medicine or a class, in short forms too: `TDF 300 mg`."""
    named = any(drugs(with_medicines_spelled_out(text)))
    return bool(named or drug_classes(text) or members_named(text))


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
