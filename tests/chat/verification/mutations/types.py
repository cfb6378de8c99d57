"""The source of a claim of the suite, and the claim with what was done to it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chat.types import DraftClaim, Quote
from tests.chat.verification.mutations.chance import digest

Rule = Callable[[str], Iterable[str]]  # each way to reword a statement, in a fixed order


@dataclass(frozen=True)
class Source:
    """A sentence, list item or table row of a stored document, and the quotes that support it."""

    document: str  # file name
    text: str
    quotes: tuple[Quote, ...]
    is_row: bool = False

    @property
    def context(self) -> str:
        """Title, section and population of the passage."""
        return self.quotes[0].hit.context

    @property
    def has_more(self) -> bool:
        """Whether an introduction or a footnote limits it, besides the words of `text`."""
        return len(self.quotes) > 1

    @property
    def held_out(self) -> bool:
        """Decided by a hash of the text, so that it stays the same when the suite grows."""
        return digest("held out", self.text)[0] % 2 == 1


@dataclass(frozen=True)
class Item:
    """One claim, and what was done to it."""

    kind: str
    altered: bool
    source: Source
    claim: DraftClaim
