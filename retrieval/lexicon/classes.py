"""Name the classes of the medicines whose limits a question asks for. Pure.

A guideline says `contraindications to thrombolysis`, `NSAIDs are avoided`, and has no word of
alteplase or naproxen. For a dose a medicine's class is of no use: it would find its sisters'.
"""

from __future__ import annotations

from core.language.en.medicines.names import drug_places
from core.language.en.questions.asked import asked_medicines
from core.language.en.questions.limits import asks_limits, verb_of_limits
from core.language.en.short_forms.medicines import classes_of
from core.language.words import MAX_CHARS
from retrieval.types import Expansion

MAX_NAMES = 4  # of one medicine, those of its widest classes
_SPELLED = "AEFHILMNORSX"  # letters whose own names begin with a vowel: `an SSRI`


def in_words_of_limits(question: str) -> tuple[Expansion, ...]:
    """Return what guidelines say for words of a question on limits: classes, `contraindicated`."""
    verb = verb_of_limits(question[:MAX_CHARS])
    return (*class_names(question), *([Expansion(verb, "contraindicated")] if verb else []))


def class_names(question: str) -> tuple[Expansion, ...]:
    """Return each asked medicine as it is typed, with the names of its classes, if any count."""
    question = question[:MAX_CHARS]
    if not asks_limits(question):
        return ()
    asked = asked_medicines(question)
    return tuple(
        Expansion(question[start:end], name)
        for start, end, medicine in drug_places(question)
        if medicine in asked
        for name in classes_of(medicine)[:MAX_NAMES]
    )


def in_class_words(question: str) -> str:
    """Return the question with a class in the place of its only medicine; empty where it has none.

    `Can an ACE inhibitor be restarted?`
    """
    names = class_names(question)
    if len({each.short.casefold() for each in names}) != 1:
        return ""
    typed, name = names[0].short, names[0].words
    return question.replace(typed, f"{_article(name)}{name}")


def _article(name: str) -> str:
    if name.endswith("is"):
        return ""  # `thrombolysis`
    is_spelled = name[:2].isupper() and not name.startswith("ACE")
    return "an " if name[0] in (_SPELLED if is_spelled else "AEIOUaeiou") else "a "
