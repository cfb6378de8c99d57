"""Say in the language of the page whom a statement is for, and which statements are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext, ngettext

from core.language.en.patients.people import GROUP_WORDS, KIDNEY, WEIGHT, group_words

# All that `core.language.en.patients.people` writes of patients, and what is said around it here.
PHRASES = (
    *GROUP_WORDS,
    *("people", "people other than", "someone", "a man", "prevention", "allergy to"),
    *(KIDNEY, WEIGHT, "creatinine clearance", "an eGFR", "a creatinine clearance", "a weight"),
    *("aged", "of", "to", "above", "below", "or more", "or less", "years", "months", "days"),
)
_PHRASE = re.compile(rf"\b(?:{'|'.join(sorted(PHRASES, key=len, reverse=True))})\b")


def words_for_people(words: str) -> str:
    """Translate English words on patients, phrase by phrase: `adults aged 18 years or more`."""
    return _PHRASE.sub(lambda phrase: gettext(phrase[0]), words)


def groups_in_words(groups: Iterable[str]) -> list[str]:
    """Return the groups as nouns for people."""
    return [words_for_people(words) for words in group_words(groups)]


def statements_numbered(at: Sequence[int]) -> str:
    """Return `statement 2`, or `statements 1, 2 and 4`."""
    numbers = gettext(" and ").join(filter(None, (", ".join(map(str, at[:-1])), str(at[-1]))))
    sentence = ngettext("statement %(numbers)s", "statements %(numbers)s", len(at))
    return sentence % {"numbers": numbers}
