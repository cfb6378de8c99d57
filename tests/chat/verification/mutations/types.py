"""What a claim of the suite is made from, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chat.types import DraftClaim, Quote
from tests.chat.verification.mutations.chance import digest

Rule = Callable[[str], Iterable[str]]  # each way to reword a statement, in a fixed order


@dataclass(frozen=True)
class Source:
    """A sentence, list item or table row of a stored document, and the quotes that bear it out."""

    document: str  # file name
    text: str
    quotes: tuple[Quote, ...]
    is_row: bool = False

    @property
    def context(self) -> str:
        """What its passage is about: title, section and population."""
        return self.quotes[0].hit.context

    @property
    def has_more(self) -> bool:
        """Whether anything but the words of `text` limits it: an introduction, a footnote."""
        return len(self.quotes) > 1

    @property
    def held_out(self) -> bool:
        """By its words alone, so that a sentence stays where it is however the suite grows."""
        return digest("held out", self.text)[0] % 2 == 1


@dataclass(frozen=True)
class Item:
    """One claim, and what was done to it."""

    kind: str
    altered: bool
    source: Source
    claim: DraftClaim
