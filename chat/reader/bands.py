"""Leave out what is for another value, and rows by a value that are on another medicine. Pure.

`Invasive aspergillosis, CrCl 30` is not answered by the table of flucytosine by clearance, where
what is said under the name of aspergillosis is voriconazole.
"""

from __future__ import annotations

from collections.abc import Sequence

from chat.types import Unit
from core.language.en.medicines.names import drugs_told
from core.language.en.patients.people import people_of
from core.language.en.questions.asked import asked_medicines
from core.language.en.short_forms.medicines import with_medicines_spelled_out
from core.language.en.statements.topics import topic_words
from core.language.en.statements.valued import Valued, holds, values_in
from core.language.en.statements.wording import restricts, share_a_name
from core.language.words import CELLS, words

_BARE = 3  # words of a box that is no more than a range: `TCB < 200 umol/L`
_LONG = 6  # letters of a stem that may be the name of a condition


def without_other_values(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Drop what is on condition of a range that the question's value lies outside of.

    Only where another sentence, or another row's label, is on condition of a range that holds it:
    `if ketones are 1.5 to 2.9` beside `if ketones are below 1.5`, at 0.8. A lone threshold answers
    on either side of it, if it says more than its range. What restricts stays: it is told with its
    bound. `question` is in English.
    """
    kept = list(units)
    for value in values_in(question):
        told = [_holds(value, unit.in_english) for unit in kept]
        kept = [
            unit
            for unit, holding in zip(kept, told, strict=True)
            if holding is not False
            or not (True in told or len(words(unit.text)) <= _BARE)
            or restricts(unit.in_english.text)
        ]
    return kept


def _holds(value: Valued, unit: Unit) -> bool | None:
    label = unit.quotes[0].text.partition(CELLS)[0] if unit.is_row else unit.text
    return holds(value, label, is_label=unit.is_row or len(words(label)) <= _BARE)


def without_bands_of_others(
    question: str, units: Sequence[Unit], found: Sequence[Unit]
) -> list[Unit]:
    """Drop rows that hold the question's value and are on a medicine that its topic doesn't have.

    Only where the question names no medicine, and statements `found` that are labelled with its
    topic, by a row's first cell or their heading, name some. Kept is what stands under the topic.
    `question` is in English.
    """
    if asked_medicines(question) or not any(_is_band(unit) for unit in units):
        return list(units)
    asked = topic_words(question)
    labelled = [unit for unit in (each.in_english for each in found) if _names(_label(unit), asked)]
    known = frozenset(name for unit in labelled for name in _medicines(unit.text, unit))
    topics = {topic_words(_label(unit)) for unit in labelled}
    if not known:
        return list(units)
    return [
        unit
        for unit in units
        if not _is_band(unit)
        or any(topic <= topic_words(text) for text in unit.in_english.above for topic in topics)
        or not (own := _medicines_of_row(unit.in_english))
        or share_a_name(known, own)
    ]


def _is_band(unit: Unit) -> bool:
    return unit.is_row and unit.holds_asked_number


def _label(unit: Unit) -> str:
    """Return what a row is for, by its first cell, or another statement, by its heading."""
    if unit.is_row:
        return unit.text.partition("; ")[0].partition(": ")[2]
    return (unit.hit.section_path or ("",))[-1]


def _names(label: str, asked: frozenset[str]) -> bool:
    """Tell whether a label is a topic of the question, and neither people nor a medicine."""
    stems, people = topic_words(label), people_of(label)
    is_topic = bool(stems) and stems <= asked and any(len(stem) >= _LONG for stem in stems)
    return is_topic and not (people.groups or people.kidney or people.ages or drugs_told(label))


def _medicines_of_row(unit: Unit) -> frozenset[str]:
    """Return the medicines of a row, or if it names none, of the nearest text above it."""
    texts = (unit.text, *unit.above)
    return next((found for text in texts if (found := _medicines(text, unit))), frozenset())


def _medicines(text: str, unit: Unit) -> frozenset[str]:
    return frozenset(drugs_told(with_medicines_spelled_out(text, unit.context)))
