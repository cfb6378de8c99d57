# ruff: noqa: E501  # a case is read best on one line
"""How often: what is the same frequency, and what is another."""

from __future__ import annotations

import pytest

from chat.verification.guards.frequencies import NAME, check
from chat.verification.types import Cited, Label

# Each line: ways to say one frequency.
SAME = [
    ("twice daily", "two times a day", "2 times per day", "12-hourly", "12 hourly", "every 12 hours",
     "BD", "b.d.", "BID", "b.i.d.", "q12h", "twice a day", "every twelve hours", "2x daily", "/12 h"),
    ("once daily", "daily", "every day", "each day", "once a day", "every 24 hours", "OD", "o.d.",
     "24-hourly", "per day", "once every day", "one time daily", "q24h", "once every 24 hours"),
    ("three times daily", "three times a day", "TDS", "t.d.s.", "TID", "8-hourly", "every 8 hours",
     "3 times daily", "q8h", "thrice daily", "every eight hours", "q 8 h"),
    ("four times daily", "QDS", "q.d.s.", "QID", "6-hourly", "every 6 hours", "four times a day"),
    ("weekly", "once a week", "every week", "once weekly", "every 7 days", "each week", "per week"),
    ("fortnightly", "every 2 weeks", "every fortnight", "every two weeks", "every 14 days", "2-weekly"),
    ("monthly", "every month", "once a month", "once monthly", "each month"),
    ("every year", "yearly", "annually", "once a year", "every 12 months", "each year"),
    ("on alternate days", "every other day", "every 2 days", "every 48 hours", "every second day"),
    ("twice a week", "twice weekly", "two times a week", "2 times per week", "two times each week"),
    ("every 6 to 8 hours", "every 6-8 hours", "6- to 8-hourly", "three to four times daily", "q6-8h"),
    ("up to four times daily", "at most four times a day", "a maximum of 4 times daily",
     "no more than four times daily", "up to QDS", "up to 6-hourly", "not more than 4 times a day"),
    ("every hour", "hourly", "1-hourly", "once an hour", "every 60 minutes", "every 1 hour"),
    ("at night", "nightly", "nocte", "every night", "at bedtime"),
    ("in the morning", "every morning", "mane", "each morning"),
    ("PRN", "as needed", "when required", "as required", "p.r.n.", "if needed", "when needed"),
    ("every 30 minutes", "half-hourly", "every half hour", "twice an hour"),
    ("every 6 months", "six-monthly", "6-monthly", "twice a year", "every six months"),
]  # fmt: skip
FAITHFUL = [(line[0], other) for line in SAME for other in line[1:]]

# Quote, then a claim with another frequency.
ALTERED = [
    ("Give 5 mg once daily.", "Give 5 mg twice daily."),
    ("Give 5 mg twice daily.", "Give 5 mg three times daily."),
    ("Give 5 mg twice daily.", "Give 5 mg once daily."),
    ("Give 5 mg every 8 hours.", "Give 5 mg every 6 hours."),
    ("Give 5 mg every 8 hours.", "Give 5 mg 8 times daily."),
    ("Give 5 mg every 8 hours.", "Give 5 mg BD."),
    ("Give 5 mg 8-hourly.", "Give 5 mg QDS."),
    ("Give 5 mg daily.", "Give 5 mg weekly."),
    ("Give 5 mg weekly.", "Give 5 mg daily."),
    ("Give 5 mg once a week.", "Give 5 mg once a day."),
    ("Give 5 mg on alternate days.", "Give 5 mg every day."),
    ("Give 5 mg every 48 hours.", "Give 5 mg every 24 hours."),
    ("Give 5 mg every 4 weeks.", "Give 5 mg monthly."),
    ("Give 5 mg monthly.", "Give 5 mg weekly."),
    ("Give 5 mg every 6 to 8 hours.", "Give 5 mg every 6 hours."),
    ("Give 5 mg every 4 to 6 hours.", "Give 5 mg every 4 hours."),
    ("Give 5 mg up to four times daily.", "Give 5 mg four times daily."),
    ("Give 5 mg four times daily.", "Give 5 mg up to four times daily."),
    ("Give 5 mg at night.", "Give 5 mg in the morning."),
    ("Give 5 mg in the morning.", "Give 5 mg at night."),
    ("Give 5 mg three times daily.", "Give 5 mg PRN."),
    ("Give 5 mg.", "Give 5 mg as needed."),
    ("Give 5 mg.", "Give 5 mg twice daily."),
    ("Give 5 mg.", "Give 5 mg stat."),
    ("Give 5 mg for 7 days.", "Give 5 mg every 7 days."),
    ("Give 5 mg at 8 hours.", "Give 5 mg every 8 hours."),
    ("Review within 24 hours.", "Review every 12 hours."),
    ("Measure it every hour.", "Measure it every day."),
    ("Measure it every 15 minutes.", "Measure it every 15 hours."),
    ("Measure it every 2 hours.", "Measure it twice an hour."),
    ("Review every 3 months.", "Review every 3 weeks."),
    ("Review every 6 months.", "Review every year."),
    ("Review annually.", "Review monthly."),
    ("Give it twice a week.", "Give it twice a day."),
    ("Give it q8h.", "Give it q6h."),
    ("Give 5 mg OD.", "Give 5 mg BD."),
    ("Give 5 mg t.d.s.", "Give 5 mg b.d."),
    ("Give at least every 3 months.", "Give at most every 3 months."),
    ("Give 15 units a day.", "Give 15 units an hour."),
    ("Give 500 mg/day.", "Give 500 mg every 12 hours."),
    ("Give 500 mg/8 h.", "Give 500 mg/12 h."),
    ("Amoxicillin 500 mg three times daily or doxycycline 100 mg once daily",
     "Doxycycline 100 mg three times daily"),
    ("Trimethoprim 200 mg twice daily, then 100 mg once daily", "Trimethoprim 200 mg once daily"),
    ("500 mg three times daily | 250 mg twice daily", "250 mg three times daily"),
]  # fmt: skip
# What has no frequency, or one that is not told as such.
PLAIN = [
    ("Give 5 mg at night, once daily.", "Give 5 mg once daily."),
    ("Give 5 mg at night.", "Give 5 mg once daily."),
    ("Give 4 g in 24 hours at most.", "Give at most 4 g a day."),
    ("Give 5 mg immediately.", "Give 5 mg stat."),
    ("Give 5 mg as a single dose.", "Give 5 mg stat."),
    ("Give 5 mg twice daily for 7 days.", "Give 5 mg."),
    ("Give it within a day of admission.", "Give it within a day."),
    ("Take it an hour before meals.", "Take it 1 hour before meals."),
    ("Amoxicillin 500 mg by mouth three times daily", "Give amoxicillin 500 mg orally TDS."),
    ("The total daily dose is 4 g.", "The dose per day is 4 g."),
    ("500 mg three times daily. Give 500 mg at once.", "Give 500 mg three times daily."),
]


@pytest.mark.parametrize(("one", "other"), FAITHFUL)
def test_the_same_frequency_passes(one: str, other: str) -> None:
    written, said = f"Give 5 mg {one}.", f"Give 5 mg {other}."
    assert check(said, Cited((written,))) is None
    assert check(written, Cited((said,))) is None


@pytest.mark.parametrize(("quote", "claim"), PLAIN)
def test_what_is_no_other_frequency_passes(quote: str, claim: str) -> None:
    assert check(claim, Cited((quote,))) is None


@pytest.mark.parametrize(("quote", "claim"), ALTERED)
def test_another_frequency_is_found(quote: str, claim: str) -> None:
    found = check(claim, Cited((quote,)))
    assert found is not None
    assert found.guard == NAME


@pytest.mark.parametrize("line", SAME, ids=lambda line: line[0])
def test_no_line_is_another(line: tuple[str, ...]) -> None:
    """Whatever way it is worded, it is none of the other lines'."""
    for other in SAME:
        if other is not line and (line[0], other[0]) not in CLOSE:
            found = check(f"Give 5 mg {line[-1]}.", Cited((f"Give 5 mg {other[-1]}.",)))
            assert found is not None, (line[-1], other[-1])


# Once a day, where the quote says at which time of it.
CLOSE = {("once daily", "at night"), ("once daily", "in the morning")}


def test_labels() -> None:
    otherwise = check("Give it twice daily.", Cited(("Give it once daily.",)))
    nowhere = check("Give it twice daily.", Cited(("Give it.",)))
    assert otherwise is not None
    assert nowhere is not None
    assert (otherwise.label, nowhere.label) == (Label.CONTRADICTED, Label.NOT_FOUND)
