# ruff: noqa: E501  # a case is read best on one line
"""How long: what is the same duration, and what is another, an age or an interval."""

from __future__ import annotations

import pytest

from chat.verification.guards.durations import NAME, check
from chat.verification.types import Cited, Label

FAITHFUL = [
    ("Give it for 7 days.", "Give it for one week."),
    ("Give it for 7 days.", "Give a 7-day course."),
    ("Give it for 7 days.", "Give a seven-day course of it."),
    ("Give it for 7 days.", "Treat for a week."),
    ("Give a 14-day course.", "Treat for two weeks."),
    ("Give it for 2 weeks.", "Give it for a fortnight."),
    ("Give it for 48 hours.", "Give it for 2 days."),
    ("Give it for 24 hours.", "Continue it for one day."),
    ("Infuse over 60 minutes.", "Infuse over 1 hour."),
    ("Infuse over 30 minutes.", "Infuse over half an hour."),
    ("Infuse over 30 minutes.", "Give a 30-minute infusion."),
    ("Infuse over 90 minutes.", "Infuse over 1.5 hours."),
    ("Infuse over 90 minutes.", "Infuse over one and a half hours."),
    ("Infuse over 5 to 10 minutes.", "Infuse over 5-10 min."),
    ("Treat for 12 months.", "Treat for one year."),
    ("Treat for 6 months.", "Treat for half a year."),
    ("Treat for 5 to 7 days.", "Treat for 5–7 days."),
    ("Treat for 5 to 7 days.", "Treat for between 5 and 7 days."),
    ("Treat for 5 or 7 days.", "Treat for 7 days."),
    ("Treat for at least 5 days.", "Treat for a minimum of 5 days."),
    ("Treat for at least 5 days.", "Treat for 5 days or more."),
    ("Treat for at least 5 days.", "Treat for 5 days or longer."),
    ("Treat for up to 5 days.", "Treat for at most 5 days."),
    ("Do not treat for more than 5 days.", "Treat for no longer than 5 days."),
    ("Do not continue it for longer than 5 days.", "The maximum duration is 5 days."),
    ("The longest course is 3 days.", "Give it for no more than 3 days."),
    ("A seizure that lasts longer than 5 minutes", "A seizure lasting more than 5 minutes"),
    ("A seizure that lasts longer than 5 minutes", "A seizure lasting > 5 min"),
    ("Cystitis | Nitrofurantoin 100 mg | 3 days", "Give nitrofurantoin for 3 days."),
    ("Duration (days) | Dose\n7 | 5 mg", "Give 5 mg for 7 days."),
    ("Give it for 7 days, then stop.", "Stop after 7 days."),
    ("Complete 10 days in total.", "Treat for a total of 10 days."),
    ("Persisting for three nights or 72 hours", "Persisting for 3 days"),
    ("Give it for 7 days.", "Give it."),
]
ALTERED = [
    ("Give it for 7 days.", "Give it for 5 days."),
    ("Give it for 7 days.", "Give it for 7 weeks."),
    ("Give it for 7 days.", "Give it for 7 hours."),
    ("Give it for 7 days.", "Give it for 70 days."),
    ("Give it for 7 days.", "Give it for two weeks."),
    ("Give it for 7 days.", "Give a 10-day course."),
    ("Give a 5-day course.", "Give a 7-day course."),
    ("Give it for 7 days.", "Give it for at least 7 days."),
    ("Give it for at least 7 days.", "Give it for 7 days."),
    ("Give it for at least 7 days.", "Give it for up to 7 days."),
    ("Give it for up to 7 days.", "Give it for 7 days."),
    ("Give it for 5 to 7 days.", "Give it for 5 days."),
    ("Give it for 5 to 7 days.", "Give it for 7 days."),
    ("Give it for 5 to 7 days.", "Give it for 5 to 10 days."),
    ("Do not give it for more than 5 days.", "Give it for more than 5 days."),
    ("Do not give it for more than 5 days.", "Give it for 5 days."),
    ("Infants aged 7 days are given it.", "Give it for 7 days."),
    ("Give it to infants aged 7 days for 3 days.", "Give it to infants for 7 days."),
    ("Give it to children over 6 months.", "Give it for 6 months."),
    ("A 7-day-old baby is given it.", "Give it for 7 days."),
    ("Give it every 7 days.", "Give it for 7 days."),
    ("Give it every 8 hours.", "Give it for 8 hours."),
    ("Give it within 7 days of surgery.", "Give it for 7 days."),
    ("Send a culture 7 days after treatment.", "Treat for 7 days."),
    ("Infuse over 60 minutes.", "Infuse over 6 minutes."),
    ("Infuse over 30 minutes.", "Infuse over 30 hours."),
    ("Infuse over 30 minutes.", "Infuse over 3 minutes."),
    ("Treat for 3 months.", "Treat for 12 weeks."),
    ("Treat for 1 month.", "Treat for 30 days."),
    ("A seizure lasting longer than 5 minutes", "A seizure lasting 5 minutes"),
    ("A seizure lasting more than 5 minutes", "A seizure lasting less than 5 minutes"),
    ("Give 7 mg.", "Give it for 7 days."),
    ("Give it.", "Give it for 7 days."),
    ("Treat for 2 weeks.", "Treat for a week."),
]


@pytest.mark.parametrize(("quote", "claim"), FAITHFUL)
def test_the_same_duration_passes(quote: str, claim: str) -> None:
    assert check(claim, Cited((quote,))) is None


@pytest.mark.parametrize(("quote", "claim"), ALTERED)
def test_another_duration_is_found(quote: str, claim: str) -> None:
    found = check(claim, Cited((quote,)))
    assert found is not None
    assert found.guard == NAME


@pytest.mark.parametrize("text", [text for pair in (*FAITHFUL, *ALTERED) for text in pair])
def test_each_passes_by_itself(text: str) -> None:
    assert check(text, Cited((text,))) is None


@pytest.mark.parametrize(
    ("quote", "claim", "label", "detail"),
    [
        ("For 7 days.", "For 5 days.", Label.CONTRADICTED, "duration not in the quote"),
        ("Give it.", "For 5 days.", Label.NOT_FOUND, "duration not in the quote"),
        ("For up to 5 days.", "For 5 days.", Label.CONTRADICTED, "bound differs from the quote"),
        ("Aged 5 days.", "For 5 days.", Label.CONTRADICTED, "age or moment, no duration, in the quote"),
    ],
)  # fmt: skip
def test_says_what_is_wrong(quote: str, claim: str, label: Label, detail: str) -> None:
    found = check(claim, Cited((quote,)))
    assert found is not None
    assert (found.label, found.detail) == (label, detail)
