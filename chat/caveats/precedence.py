"""What speaks for which of two documents: their order, and their names. It decides nothing."""

from __future__ import annotations

from corpus.models import Authority
from retrieval.types import Hit

_WIDTH = {Authority.LOCAL: 0, Authority.TRUST: 1, Authority.NATIONAL: 2}
_WORDS = {
    Authority.LOCAL: "local",
    Authority.TRUST: "trust-wide",
    Authority.NATIONAL: "national",
}


def is_before(one: Hit, other: Hit) -> bool:
    """Tell whether the first has the wider authority; of the same, is in force later, or younger.

    A document of unknown authority is compared by date. Of two that nothing tells apart, the first
    stays first.
    """
    widths = [_WIDTH[Authority(hit.authority)] for hit in (one, other) if hit.authority]
    if len(widths) == 2 and widths[0] != widths[1]:
        return widths[0] > widths[1]
    if one.effective_from and other.effective_from and one.effective_from != other.effective_from:
        return one.effective_from > other.effective_from
    return not (one.year and other.year) or one.year >= other.year


def named(hit: Hit, *, with_title: bool = False) -> str:
    """Return `Northfield (trust-wide, 2025)`; with its title where that tells more."""
    year = hit.effective_from.year if hit.effective_from else hit.year
    width = _WORDS[Authority(hit.authority)] if hit.authority else ""
    facts = ", ".join(part for part in (width, str(year or "")) if part)
    name = hit.issuer or hit.title
    if with_title and hit.issuer:
        name = f"{hit.issuer}, {hit.title}"
    return f"{name} ({facts})" if facts else name
