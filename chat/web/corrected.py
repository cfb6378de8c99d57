"""What staff corrected of the words that a citation rests on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.models import Citation
from chat.web.painting import locate
from corpus.boxes import Span
from corpus.models import Page


@dataclass(frozen=True)
class Corrected:
    """Words as staff corrected them, and as they had been read.

    `is_quoted`: the citation has them as corrected; else it is older, and rests on the misread.
    """

    text: str
    read: str
    is_quoted: bool

    @property
    def sentence(self) -> str:
        if self.is_quoted:
            return f"corrected by staff: the page reads “{self.text}”, “{self.read}” had been read"
        return f"misread when this was answered: the page reads “{self.text}”, not “{self.read}”"


@dataclass(frozen=True)
class Standing:
    """Where a citation stands on its page today, and what was corrected there."""

    spans: tuple[Span, ...] = ()
    corrected: tuple[Corrected, ...] = ()


def corrections_of(cited: Citation) -> tuple[Corrected, ...]:
    """Of a citation with `corrected_page`, as `chat.selectors.citations_read` gives it."""
    page: Mapping[str, Any] | None = getattr(cited, "corrected_page", None)
    if page is None:
        return ()
    return _standing(cited, page["text"], page["was"], page["corrected"]).corrected


def standing_of(cited: Citation, page: Page) -> Standing:
    """Find the cited words; those of an older citation where they stood before a correction."""
    return _standing(cited, page.text, (page.as_read or {}).get("text", ""), page.corrected)


def _standing(
    cited: Citation, text: str, was: str, corrected: Sequence[Mapping[str, Any]]
) -> Standing:
    span = cited.start, cited.end
    is_as_read = was[slice(*span)] == cited.quote != text[slice(*span)]
    place = None if is_as_read else locate(text, span, cited.quote)
    is_quoted = place is not None
    place = place or locate(was, span, cited.quote)
    if place is None:
        return Standing()
    touched = [
        one
        for one in corrected
        if any(a < place[1] and place[0] < b for a, b in one["spans" if is_quoted else "was"])
    ]
    found = tuple(Corrected(one["text"], one["read"], is_quoted) for one in touched)
    if is_quoted:
        return Standing((place,), found)
    if not touched:  # it only moved
        place = locate(text, span, cited.quote)
        return Standing((place,) if place else ())
    return Standing(tuple((a, b) for one in touched for a, b in one["spans"]), found)
