"""What speaks for which of two documents, in words. It decides nothing."""

from __future__ import annotations

from django.utils.formats import date_format

from corpus.models import Authority
from retrieval.types import Hit

_WIDTH = {Authority.LOCAL: 0, Authority.TRUST: 1, Authority.NATIONAL: 2}
_WORDS = {
    Authority.LOCAL: "local",
    Authority.TRUST: "trust-wide",
    Authority.NATIONAL: "national",
}


def precedence(one: Hit, other: Hit) -> str:
    """Which has the wider authority; of the same, which came into force later, or is younger.

    A document of unknown authority is compared by date, and one without dates by nothing.
    """
    by_width = [
        _WIDTH.get(Authority(hit.authority), -1) if hit.authority else -1 for hit in (one, other)
    ]
    if -1 not in by_width and by_width[0] != by_width[1]:
        first, second = (one, other) if by_width[0] > by_width[1] else (other, one)
        return f"{_named(first)} has the wider authority; {_named(second)}. {_CHECK}"
    if one.effective_from and other.effective_from and one.effective_from != other.effective_from:
        first, second = (one, other) if one.effective_from > other.effective_from else (other, one)
        return f"{_named(first)} is the later one; {_named(second)}. {_CHECK}"
    if one.year and other.year and one.year != other.year:
        first, second = (one, other) if one.year > other.year else (other, one)
        return f"{_named(first)} is the later one; {_named(second)}. {_CHECK}"
    return f"Nothing recorded speaks for one of them: {_named(one)}; {_named(other)}. {_CHECK}"


_CHECK = "Ask their issuers before acting."


def _named(hit: Hit) -> str:
    parts = [hit.issuer or "issuer not recorded"]
    if hit.authority:
        parts.append(_WORDS[Authority(hit.authority)])
    if hit.effective_from:
        parts.append(f"in force since {date_format(hit.effective_from, 'j F Y')}")
    elif hit.year:
        parts.append(f"of {hit.year}")
    return f"“{hit.title}” ({', '.join(parts)})"
