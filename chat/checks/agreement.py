"""Keep the statements that are about the question's medicine and patient. Pure.

The nearest mention counts: in the statement itself, else in its lead-in and caption, then the
section, then the title. A statement that is dropped can't be the answer, however similar it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.checks.conversions import is_between
from chat.checks.patients import is_for
from chat.checks.types import Acts, Check
from chat.types import Unit
from core.language.en.medicines.names import drug_places, drugs_told
from core.language.en.medicines.varieties import differs, is_of_other_brand
from core.language.en.patients.indications import asked_indications, is_for_another
from core.language.en.patients.kinds import is_of_other_kind
from core.language.en.patients.people import People
from core.language.en.patients.severity import severities
from core.language.en.questions.asked import (
    Denials,
    asked_medicines,
    asked_people,
    asked_routes,
    asks_dose,
    asks_treating_dose,
    asks_when_not,
    brands_in_words,
    denied_routes,
    replaced_medicines,
    routes_or_swallowed,
)
from core.language.en.questions.conversions import Conversion, conversion
from core.language.en.short_forms.medicines import (
    members_named,
    tells_of_class,
    with_medicines_spelled_out,
)
from core.language.en.statements.limits import forbids_start, is_limiting_heading
from core.language.en.statements.wording import (
    doses_are_of,
    gives_dose,
    is_under_prevention,
    share_a_name,
    without_levels,
)
from core.language.words import CELLS, words
from retrieval.asked.unknown import is_said
from retrieval.types import Hit

_BROAD = frozenset(("inhaled",))  # by an inhaler or a nebuliser, whose doses differ
_NOTHING: Mapping[str, str] = {}
_ANY: frozenset[str] = frozenset()  # route


@dataclass(frozen=True)
class Asked:
    """What a question asks for and of whom, in English, read once for all statements."""

    every_name: str  # the question with the other names of its terms
    medicines: frozenset[str]
    typed: tuple[frozenset[str], ...]  # the names of each of them that is typed
    replaced: frozenset[str]  # what is to be given instead of them is asked
    people: People
    denials: Denials
    severities: frozenset[str]
    indications: frozenset[str]
    routes: frozenset[str]
    no_routes: frozenset[str]  # that the patient lacks: `no IV access`
    unknown: Mapping[str, str]  # words in a medicine's place: see `has_each_word`
    when_not: bool
    to_treat: bool
    dose: bool
    conversion: Conversion | None

    @classmethod
    def of(cls, question: str, every_name: str, unknown: Mapping[str, str] = _NOTHING) -> Asked:
        """Read a question; both texts are in English."""
        replaced = replaced_medicines(question)
        medicines = asked_medicines(every_name) - replaced
        return cls(
            every_name=every_name,
            medicines=medicines,
            typed=_typed(question, medicines),
            replaced=replaced,
            people=asked_people(question),
            denials=Denials.of(question),
            severities=severities(question, every_name),
            indications=asked_indications(question) if medicines else frozenset(),
            routes=asked_routes(f"{question}; {brands_in_words(question)}"),
            no_routes=denied_routes(question),
            unknown=unknown,
            when_not=asks_when_not(question),
            to_treat=asks_treating_dose(question),
            dose=asks_dose(question),
            conversion=conversion(every_name),
        )


def _typed(question: str, medicines: frozenset[str]) -> tuple[frozenset[str], ...]:
    at: dict[tuple[int, int], set[str]] = {}
    for start, end, name in drug_places(question):
        at.setdefault((start, end), set()).add(name)
    return tuple({frozenset(names): None for names in at.values() if names & medicines})


_Keeps = Check[["Asked", Unit], bool]


def _left_out(name: str, says: str, keeps: Callable[[Asked, Unit], bool]) -> _Keeps:
    return Check(name, Acts.LEAVE_OUT, says, keeps, nothing=True)


# A statement needs them all, and is left out by the first that doesn't keep it.
LEFT_OUT: tuple[_Keeps, ...] = (
    _left_out(
        "denied",
        "It is a dose or a row for what the question says that the patient hasn't.",
        lambda asked, unit: (
            not _has_doses(unit)
            or not asked.denials.exclude(
                unit.text,
                context=unit.context,
                heading=" ".join(unit.hit.section_path[-1:]),
                caption=unit.caption,
            )
        ),
    ),
    _left_out(
        "medicine",
        "It is about another medicine.",
        lambda asked, unit: is_about_medicine(asked.medicines, unit),
    ),
    _left_out(
        "under another",
        "Its dose stands under the name of another medicine, and lacks one that is asked about.",
        lambda asked, unit: not _has_doses(unit) or not is_under_another(asked.typed, unit),
    ),
    _left_out(
        "conversion",
        "It lacks one of the medicines or routes that a dose is converted between.",
        lambda asked, unit: is_between(asked.conversion, unit, unit.above),
    ),
    _left_out(
        "replaced",
        "It is about nothing but the medicine for which another is sought.",
        lambda asked, unit: not asked.replaced or not _is_on_these_alone(asked.replaced, unit),
    ),
    _left_out(
        "unknown word",
        "It lacks a word that stands in a medicine's place in the question.",
        lambda asked, unit: has_each_word(asked.unknown, unit),
    ),
    _left_out(
        "variety",
        "It is about another salt, form, brand or combination of the medicine.",
        lambda asked, unit: not is_of_other_variety(asked.every_name, asked.medicines, unit),
    ),
    _left_out(
        "people",
        "It is for people to whom the patient can't belong.",
        lambda asked, unit: is_for(asked.people, unit),
    ),
    _left_out(
        "severity",
        "It is for another severity.",
        lambda asked, unit: (
            not asked.severities or is_as_severe(asked.severities, asked.every_name, unit)
        ),
    ),
    _left_out(
        "kind",
        "It is a dose or a row for another kind of the condition.",
        lambda asked, unit: (
            not _has_doses(unit) or not is_of_other_kind(asked.every_name, (unit.text, *unit.above))
        ),
    ),
    _left_out(
        "indication",
        "It is a dose or a row of the medicine for another condition.",
        lambda asked, unit: not _has_doses(unit) or not is_for_other_use(asked.indications, unit),
    ),
    _left_out(
        "route",
        "Its dose is given by another route.",
        lambda asked, unit: is_given_by(
            asked.routes if asked.medicines else _ANY, unit, barred=asked.no_routes
        ),
    ),
    _left_out(
        "when not",
        "It gives a dose and forbids nothing, where it is asked when something is not given.",
        lambda asked, unit: not asked.when_not or tells_when_not(unit) or not gives_dose(unit.text),
    ),
    _left_out(
        "dose of",
        "All of its doses are of other medicines.",
        lambda asked, unit: (
            not (asked.dose or _has_no_heads(unit)) or is_dose_of(asked.medicines, unit)
        ),
    ),
    _left_out(
        "prevention",
        "It is for prevention, where a dose for treatment is asked for.",
        lambda asked, unit: not asked.to_treat or not is_under_prevention(headings_of(unit.hit)),
    ),
)


# Those of `LEFT_OUT` that compare patients and conditions, whatever the medicine is called.
OF_PATIENT = tuple(
    check
    for check in LEFT_OUT
    if check.name in ("denied", "people", "severity", "kind", "indication")
)


def in_agreement(
    asked: Asked, units: Sequence[Unit], checks: Sequence[_Keeps] = LEFT_OUT
) -> list[Unit]:
    """Drop statements that one of the checks doesn't keep."""
    return [
        unit
        for unit in units
        for read in (unit.in_english,)
        if all(check(asked, read) for check in checks)
    ]


def _has_no_heads(unit: Unit) -> bool:
    """Tell whether a row is of a table whose column heads were not found."""
    return unit.is_row and CELLS in unit.text


def _has_doses(unit: Unit) -> bool:
    return unit.is_row or gives_dose(unit.text)


def _is_on_these_alone(medicines: frozenset[str], unit: Unit) -> bool:
    named = _drugs(unit.text, unit)
    return bool(named) and named <= medicines


def tells_when_not(unit: Unit) -> bool:
    """Tell whether a statement forbids something, or stands under a heading that does."""
    headings = (*(quote.text for quote in unit.quotes[1:]), *unit.hit.section_path[-1:])
    return forbids_start(unit.text) or any(map(is_limiting_heading, headings))


def is_about_medicine(medicines: frozenset[str], unit: Unit) -> bool:
    """Tell whether a statement or, if it names none, its context names an asked medicine.

    Or its class, and no sister, where there is no dose.
    """
    if not medicines:
        return True
    own = _drugs(unit.text, unit)
    if share_a_name(medicines, own) or is_on_class_of(medicines, unit):
        return True
    if own:
        # `Avoid with methotrexate`, under trimethoprim; not `methotrexate 10 mg`, not its row.
        return not _has_doses(unit) and _is_under(medicines, unit)
    for text in unit.above:
        if named := _drugs(text, unit):
            return share_a_name(medicines, named) or tells_of_class(medicines, text)
        if is_limiting_heading(text) and (members := members_named(text)):
            return not medicines.isdisjoint(members)  # `Contraindications to thrombolysis`
    if not gives_dose(unit.text):
        return True
    beside = _drugs(unit.hit.text, unit)  # the passage tells of the asked medicine and no other
    return bool(beside) and all(share_a_name(medicines, frozenset((name,))) for name in beside)


def is_under_another(typed: Sequence[frozenset[str]], unit: Unit) -> bool:
    """Tell whether a text above it names other medicines only, and one asked about is nowhere.

    Prothrombin complex for a bleed on apixaban is not told by a guideline on warfarin. `typed` has
    the names of each medicine of the question.
    """
    if len(typed) < 2:
        return False
    texts = (unit.text, *unit.above)
    said = [_drugs(text, unit) for text in texts]
    every = frozenset().union(*said, members_named(" ".join(texts)))
    if all(share_a_name(names, every) for names in typed):
        return False
    asked = frozenset().union(*typed)
    return any(named and not share_a_name(asked, named) for named in said[1:])


def is_on_class_of(medicines: frozenset[str], unit: Unit) -> bool:
    """Tell whether a statement or a text above it names an asked medicine's class, and no sister.

    None of a table, and none with a dose: that may be a sister's.
    """
    if unit.is_row or gives_dose(without_levels(unit.text)):
        return False
    texts = (unit.text,) if _drugs(unit.text, unit) else (unit.text, *unit.above)
    return any(tells_of_class(medicines, text) for text in texts)


def has_each_word(unknown: Mapping[str, str], unit: Unit) -> bool:
    """Tell whether a statement or its context has each word that stands in a medicine's place.

    Of a word that is known to be no medicine, its passage may have it, or what it stands for.
    """
    if not unknown:
        return True
    own = set(words(" ".join((unit.text, *unit.above)).casefold()))
    around = own.union(words(unit.hit.text.casefold())) if any(unknown.values()) else own
    return all(is_said(word, meant, around if meant else own) for word, meant in unknown.items())


def is_of_other_variety(every_name: str, medicines: frozenset[str], unit: Unit) -> bool:
    """Tell whether a statement is on another salt, form or combination of an asked medicine."""
    texts = tuple(
        with_medicines_spelled_out(text, unit.context) for text in (unit.text, *unit.above)
    )
    named = next((own for text in texts if (own := _named(text) & medicines)), frozenset())
    return differs(every_name, texts, named) or (
        gives_dose(unit.text) and is_of_other_brand(every_name, texts, named)
    )


def is_dose_of(medicines: frozenset[str], unit: Unit) -> bool:
    """Tell whether one of a sentence's doses may be of an asked medicine.

    None of a row without column heads that has several: which is whose is not told.
    """
    if _has_no_heads(unit) and medicines:
        doses = [cell for cell in unit.text.split(CELLS) if gives_dose(cell)]
        return len(doses) < 2 or share_a_name(medicines, _drugs(unit.quotes[0].text, unit))
    return unit.is_row or not medicines or doses_are_of(medicines, unit.text)


def is_for_other_use(indications: frozenset[str], unit: Unit) -> bool:
    """Tell whether a dose is for none of the asked conditions, but for another."""
    around = "" if unit.is_row else unit.hit.text  # a table's rows differ in what they are for
    return is_for_another(indications, unit.text, unit.above, around)


def is_given_by(
    wanted: frozenset[str], unit: Unit, *, barred: frozenset[str] = frozenset()
) -> bool:
    """Tell whether a dose may be given by one of the asked routes, and not only by barred ones.

    The nearest text that names a route counts, a row's own cells before its header and footnotes. A
    dose without a route fits any.
    """
    if not (wanted or barred) or not gives_dose(unit.text):
        return True
    texts = (unit.quotes[0].text, unit.text, *unit.above)
    named = next(
        (given for text in texts if (given := routes_or_swallowed(text))), frozenset[str]()
    )
    if not named:
        return True
    if named <= barred:
        return False
    return not wanted or not (wanted - _BROAD or wanted).isdisjoint(named - _BROAD or named)


def is_as_severe(levels: frozenset[str], every_name: str, unit: Unit) -> bool:
    """Tell whether the nearest text that names a severity names an asked one; True if none does."""
    texts = (unit.quotes[0].text, unit.text, *unit.above)
    named = (severities(text, every_name) for text in texts)
    return not levels.isdisjoint(next(filter(None, named), levels))


def headings_of(hit: Hit) -> list[str]:
    """Return the headings above a passage, the nearest first, and its title."""
    return [*reversed(hit.section_path), hit.title]


def _is_under(medicines: frozenset[str], unit: Unit) -> bool:
    return any(share_a_name(medicines, _drugs(text, unit)) for text in unit.above)


def _drugs(text: str, unit: Unit) -> frozenset[str]:
    """Return the medicines of a text that belongs to a statement."""
    return _named(with_medicines_spelled_out(text, unit.context))


@lru_cache(maxsize=8192)
def _named(text: str) -> frozenset[str]:
    return frozenset(drugs_told(text))
