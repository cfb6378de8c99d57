"""Find statements that say of themselves that they are not for the patient of a question. Pure.

A row on amoxicillin whose last cell is `Avoid: penicillin allergy` answers nobody who is allergic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chat.reader.asked import asked_medicines
from chat.types import DraftClaim
from core.text.drugs import drugs
from core.text.populations import people_of
from core.text.sentences import sentence_spans

# Not `stop`, which is for those who take it.
_EXCLUDES = re.compile(
    r"\b(?:avoid\w*|contra-?indicat\w*|unsuitable|(?:do )?not (?:be )?(?:suitable|used?|given?|for"
    r"|if|in|recommended|offer(?:ed)?|prescribed?))\b",
    re.IGNORECASE,
)
_CELL = re.compile(r";\s+")  # between the cells of a row, as it is shown


def barred(question: str, claims: Sequence[DraftClaim]) -> Mapping[int, str]:
    """Return, by a claim's place, its words that forbid it for the patient of the question.

    They name a medicine that the patient is allergic to or takes and the rest of the statement
    doesn't, or a state such as pregnancy. A statement that is a prohibition as a whole answers, and
    is none of these; nor is an order to stop what the patient takes.
    """
    own = frozenset(drugs(question)) - asked_medicines(question)
    states = frozenset(people_of(question).states)
    if not own and not states:
        return {}
    found = {}
    for place, claim in enumerate(claims):
        for words, rest in _parts(claim.text):
            if not rest or not _EXCLUDES.search(words):
                continue
            of_medicine = own & frozenset(drugs(words)) - frozenset(drugs(rest))
            of_state = states & frozenset(people_of(words).states) - frozenset(
                people_of(rest).states
            )
            if of_medicine or of_state:
                found[place] = words
                break
    return found


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence, or each cell of a row, with the rest of the text."""
    for start, end in sentence_spans(text):
        at = start
        for cell in _CELL.split(text[start:end]):
            at = text.index(cell, at)
            yield cell.strip(), f"{text[:at]} {text[at + len(cell) :]}".strip()
