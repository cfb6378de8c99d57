"""Find what a conversation said of its patient that the question being answered leaves out. Pure.

A question that stands by itself is read by itself, though its patient may still be the one who was
pregnant or allergic three questions ago.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.language.en.patients.allergies import allergies
from core.language.en.patients.people import AGE_GROUPS, group_words, people_of
from core.language.gloss import question_in_english


def forgotten(question: str, before: Sequence[str]) -> tuple[str, ...]:
    """Return the groups and allergies that earlier questions name and this one doesn't, in words.

    Adults are nobody special. An age is left out where the question has one of its own.
    """
    earlier = [fact for text in before for fact in _facts(text)]
    current = set(_facts(question))
    has_age = bool(people_of(question_in_english(question)).age_groups)
    ages = set(group_words(AGE_GROUPS))
    kept = (fact for fact in earlier if fact not in current and not (has_age and fact in ages))
    return tuple(dict.fromkeys(kept))


def _facts(text: str) -> Iterator[str]:
    text = question_in_english(text)
    people = people_of(text)
    yield from group_words(group for group in people.groups if group in people.special)
    yield from (f"allergy to {name}" for name in allergies(text))
