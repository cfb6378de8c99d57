"""Find statements that say of themselves that they are not for the patient of a question. Pure.

A row on amoxicillin whose last cell is `Avoid: penicillin allergy` answers nobody who is allergic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chat.caveats.limits import Limit, is_same_patient, limit_of
from chat.types import DraftClaim
from core.text.drugs import drugs
from core.text.populations import people_of
from core.text.sentences import sentence_spans

_CELL = re.compile(r";\s+")  # between the cells of a row, as it is shown


def barred(question: str, claims: Sequence[DraftClaim]) -> Mapping[int, str]:
    """Return, by a claim's place, its words that forbid it for the patient of the question.

    They name a medicine of the question that the rest of the statement doesn't, such as one that
    the patient is allergic to or takes; or a state or a bound that the patient is in. A statement
    that is a prohibition as a whole answers, and is none of these.
    """
    asked, people = frozenset(drugs(question)), people_of(question)
    found = {}
    for place, claim in enumerate(claims):
        for words, rest in _parts(claim.text):
            if not rest or limit_of(words) is not Limit.CONTRAINDICATION:
                continue
            of_medicine = asked & frozenset(drugs(words)) - frozenset(drugs(rest))
            if of_medicine or is_same_patient(people, people_of(words)):
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
