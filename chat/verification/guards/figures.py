"""Each number of a claim stands in its quotes: same value, unit and bounds, of the same thing.

Numbers are converted where that is exact. How often and how long are for other guards. Of the
quotes' numbers a claim may leave out any, but not one end of a range, nor the wording of a bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from chat.verification.quantities.matching import (
    is_of_another,
    is_said_too_often,
    stands_in,
    why_not,
)
from chat.verification.quantities.reading import read
from chat.verification.quantities.rows import mixes_rows, read_rows
from chat.verification.quantities.types import Quantity, Reading, Role
from chat.verification.types import Cited, Finding, Label

NAME = "figures"
MAX_NUMBERS = 100  # of a claim: each is compared with each of the quotes


def check(claim: str, cited: Cited) -> Finding | None:
    said, quoted = read(claim), read_rows(cited.quotes)
    if len(said.quantities) + len(said.frequencies) > MAX_NUMBERS:
        return Finding(NAME, Label.NOT_FOUND, "too many numbers for one claim")
    for one in said.quantities:
        if one.role is Role.DURATION or _is_a_day(one, quoted):
            continue
        if not stands_in(one, quoted.quantities):
            return Finding(NAME, *why_not(one, quoted.quantities))
        if is_of_another(one, quoted.quantities):
            return Finding(NAME, Label.CONTRADICTED, "number of something else in the quote")
        if is_said_too_often(one, said.quantities, quoted.quantities):
            return Finding(NAME, Label.CONTRADICTED, "number stands less often in the quote")
        if not one.is_per_day and _leaves_out_per_day(one, said, quoted):
            return Finding(NAME, Label.CONTRADICTED, "unit not in the quote")
    if mixes_rows(said, cited.quotes):
        return Finding(NAME, Label.CONTRADICTED, "numbers of different rows of a table")
    return _codes(said, quoted) or _names(said, quoted)


def figures(text: str) -> frozenset[Hashable]:
    """All that a text counts, in base units: two texts that say the same have the same set."""
    found = read(text)
    return (
        frozenset((one.readings, one.role) for one in found.quantities)
        | frozenset(one.rate for one in found.frequencies)
        | found.occasions
        | frozenset(found.names)
        | found.codes
    )


def _is_a_day(said: Quantity, quoted: Reading) -> bool:
    """`in 24 hours` where the quote says `daily`."""
    within = [one for one in said.readings if one.unit == "s" and one.high == 86400]
    return len(within) > 1 and any(
        one.rate.unit == "/day" and 1 in one.rate.ends for one in quoted.frequencies
    )


def _leaves_out_per_day(said: Quantity, claim: Reading, quoted: Reading) -> bool:
    """Whether all that bears it out is `per day`, of which the claim says nothing."""
    found = [one for one in quoted.quantities if stands_in(said, [one])]
    return not claim.frequencies and all(one.is_per_day for one in found)


def _codes(said: Reading, quoted: Reading) -> Finding | None:
    """Dates, clock times, ordinals, blood pressures.

    `first` is not looked for where the quotes have no other ordinal: it mostly only orders steps.
    """
    missing = said.codes - quoted.codes
    kinds = {code[:1] for code in quoted.codes}
    if "#" not in kinds:
        missing -= {"#1"}
    if not missing:
        return None
    label = Label.CONTRADICTED if kinds & {code[:1] for code in missing} else Label.NOT_FOUND
    return Finding(NAME, label, "number not in the quote")


def _names(said: Reading, quoted: Reading) -> Finding | None:
    """`IL-8` where the quote has `IL-6`, or `BRCA2 and BRCA2` where it has `BRCA1 and BRCA2`.

    A name that it hasn't at all is for other guards.
    """
    ours, theirs = Counter(said.names), Counter(quoted.names)
    lost = {stem for stem, _ in theirs - ours}
    swapped = [name for name in ours - theirs if name[0] in lost]
    if any(name not in theirs or ours[name] > 1 for name in swapped):
        return Finding(NAME, Label.CONTRADICTED, "number of a name not in the quote")
    return None
