"""Test how numbers and times are written as Excel shows them, and dates in ISO 8601."""

import datetime

import pytest

from corpus.parsing.office.number_formats import shown_date, shown_number


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.05, "0%", "5%"),
        (0.0525, "0.0%", "5.3%"),
        (0.5, "0.00", "0.50"),
        (0.125, "0.00", "0.13"),  # half away from zero, as Excel does
        (2.5, "0", "3"),
        (1234567, "#,##0", "1,234,567"),
        (0.1 + 0.2, "General", "0.3"),
        (5, "General", "5"),
        (5, '0" mg"', "5 mg"),
        (5, '0.0\\ "mg/kg"', "5.0 mg/kg"),
        (0.25, "0.###", "0.25"),
        (-5, "0.0", "-5.0"),
        (-5, "0.0;(0.0)", "(5.0)"),
        (0, '0;-0;"none"', "none"),
        (12.5, "[$£-809]#,##0.00", "£12.50"),
        (3, "000", "003"),
        (5, "[Red]0.0", "5.0"),
        (1500000, "0.0E+00", None),
        (0.5, "# ?/?", None),
        (12000, "0,", None),
        (5, "[>=10]0;0.00", None),
    ],
)
def test_numbers(value: float, form: str, shown: str | None) -> None:
    assert shown_number(value, form) == shown


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (datetime.datetime(2024, 3, 9), "dd/mm/yyyy", "2024-03-09"),
        (datetime.datetime(2024, 3, 9), "d mmm yy", "2024-03-09"),
        (datetime.datetime(2024, 3, 9, 14, 5), "d mmmm yyyy h:mm AM/PM", "2024-03-09 2:05 PM"),
        (datetime.datetime(2024, 3, 9, 14, 5), "mm-dd-yy", "2024-03-09"),
        (datetime.datetime(2024, 3, 9), "dddd, d. mmmm yyyy;@", "Saturday, 2024-03-09"),
        (datetime.datetime(2024, 3, 9), "mmm-yy", "2024-03"),
        (datetime.datetime(2024, 3, 9), "mmmm", "March"),
        (datetime.datetime(2024, 3, 9), "d-mmm", "2024-03-09"),
        (datetime.time(8, 30), "hh:mm", "08:30"),
        (datetime.time(8, 30, 7), "mm:ss", "30:07"),
        (datetime.date(2024, 3, 9), '"from "d/m/yyyy', "from 2024-03-09"),
    ],
)
def test_dates(value: datetime.date | datetime.time, form: str, shown: str) -> None:
    assert shown_date(value, form) == shown
