"""How often something is done stands in the quotes, and right behind the same dose."""

from __future__ import annotations

from fractions import Fraction

from chat.verification.quantities.matching import stands_in
from chat.verification.quantities.often import AT_ONCE
from chat.verification.quantities.reading import joined_frequencies, read
from chat.verification.quantities.rows import read_rows
from chat.verification.quantities.types import Frequency, Interval, Reading, Role
from chat.verification.types import Cited, Finding, Label

NAME = "frequencies"
_DAILY = Interval(Fraction(1), Fraction(1), "/day")


def check(claim: str, cited: Cited) -> Finding | None:
    said, quoted = read(claim), read_rows(cited.quotes)
    for one in said.frequencies:
        if not _stands(one, quoted):
            return _finding("frequency not in the quote", quoted)
        if _count(one, said) > max(1, _count(one, quoted)):
            return _finding("frequency stands less often in the quote", quoted)
    for occasion in sorted(said.occasions - quoted.occasions):
        if occasion != "stat" or not AT_ONCE.search(quoted.text):
            return _finding("time of day or condition not in the quote", quoted)
    if _is_of_another_dose(said, quoted):
        return Finding(NAME, Label.CONTRADICTED, "frequency of another dose in the quote")
    return None


def _stands(said: Frequency, quoted: Reading) -> bool:
    if any(one.rate == said.rate for one in quoted.frequencies):
        return True
    if said.rate != _DAILY:
        return False
    # Once a day, where the quote says at which time of it, or `in 24 hours`.
    return bool(quoted.occasions & {"night", "morning"}) or any(
        reading.unit == "s" and reading.low == reading.high == 86400 and one.role is Role.MOMENT
        for one in quoted.quantities
        for reading in one.readings
    )


def _count(one: Frequency, reading: Reading) -> int:
    return sum(other.rate == one.rate for other in reading.frequencies)


def _is_of_another_dose(said: Reading, quoted: Reading) -> bool:
    """Whether a dose of the claim has a frequency that it has nowhere in the quotes.

    A dose that stands somewhere without one is left alone.
    """
    pairs = list(joined_frequencies(quoted))
    for dose, often in joined_frequencies(said):
        alike = {one for one in quoted.quantities if stands_in(dose, [one])}
        joined = [(one, rate.rate) for one, rate in pairs if one in alike]
        is_everywhere = {one for one, _ in joined} == alike
        if joined and is_everywhere and often.rate not in {rate for _, rate in joined}:
            return True
    return False


def _finding(detail: str, quoted: Reading) -> Finding:
    says_otherwise = quoted.frequencies or quoted.occasions
    return Finding(NAME, Label.CONTRADICTED if says_otherwise else Label.NOT_FOUND, detail)
