"""Tell whether a limit binds the patient of a question. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from chat.types import DraftClaim
from core.language.en.medicines.names import drugs
from core.language.en.patients.people import AGE_GROUPS, People, people_of
from core.language.en.statements.topics import topic_words
from core.language.gloss import question_in_english

_MEASURED = topic_words("eGFR CrCl creatinine clearance kidney renal function aged weight body")
_EVERYBODY = frozenset(AGE_GROUPS)


def binds(limit: DraftClaim, question: str, answers: str) -> bool:
    """Tell whether the question names something that the limit is about and the answer is not.

    Such as a medicine that the patient takes, a state such as pregnancy, a kidney function or an
    age within the limit's bounds, or any other topic word. `answers` comes from `said_under`.
    """
    text, question = limit.in_english.text, question_in_english(question)
    if (set(drugs(question)) & set(drugs(text))) - set(drugs(answers)):
        return True
    if _same_patient(people_of(question), people_of(text)):
        return True
    return bool(topic_words(question) & topic_words(text) - topic_words(answers) - _MEASURED)


def said_under(claims: Sequence[DraftClaim]) -> str:
    """Return the texts of the claims with the titles of their documents."""
    return " ".join(
        f"{claim.text} {claim.quotes[0].hit.title}" for claim in (c.in_english for c in claims)
    )


def _same_patient(patient: People, limited: People) -> bool:
    states = frozenset(patient.groups) & frozenset(limited.groups) - _EVERYBODY
    bounds = ((patient.kidney, limited.kidney), (patient.ages, limited.ages))
    return bool(states) or any(
        interval.meets(other) for ours, theirs in bounds for interval in ours for other in theirs
    )
