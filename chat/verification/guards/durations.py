"""How long something is done stands in the quotes, and is not somebody's age or an interval."""

from __future__ import annotations

from chat.verification.quantities.matching import stands_in, why_not
from chat.verification.quantities.reading import read
from chat.verification.quantities.rows import read_rows
from chat.verification.quantities.types import Role
from chat.verification.types import Cited, Finding, Label

NAME = "durations"
_WORDING = {
    "number not in the quote": "duration not in the quote",
    "number of something else in the quote": "age or moment, no duration, in the quote",
}


def check(claim: str, cited: Cited) -> Finding | None:
    quoted = read_rows(cited.quotes).quantities
    for one in read(claim).quantities:
        if one.role is Role.DURATION and not stands_in(one, quoted):
            label, detail = why_not(one, quoted)
            return Finding(NAME, Label(label), _WORDING.get(detail, detail))
    return None
