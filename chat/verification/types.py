"""What verification looks at, and what it says. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Label(StrEnum):
    """What a text says of a statement."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


@dataclass(frozen=True)
class Evidence:
    """What a claim may rest on: what it cites, what that stands under, and the question."""

    quotes: tuple[str, ...]  # what is cited, the nearest first
    context: str = ""  # title, section, lead-in, caption, column heads, footnotes, population
    question: str = ""  # its patient's particulars may be repeated

    @property
    def text(self) -> str:
        """The quotes, a line break between them."""
        return "\n".join(self.quotes)

    @property
    def around(self) -> str:
        """What a reader is told above the quotes."""
        return "\n".join(filter(None, (self.question, self.context)))

    @property
    def parts(self) -> tuple[str, ...]:
        """All of it."""
        return tuple(filter(None, (*self.quotes, self.context, self.question)))


@dataclass(frozen=True)
class Finding:
    """What a check has against a claim."""

    check: str  # its name, such as `numbers`
    label: Label  # CONTRADICTED where the evidence says otherwise, else NOT_FOUND
    detail: str  # what, for the trace and the page: never for a log


@dataclass(frozen=True)
class Pair:
    """A statement and what may bear it out."""

    claim: str
    evidence: Evidence


@dataclass(frozen=True)
class Judgement:
    """A verifier's word on one pair."""

    label: Label
    score: float  # that the evidence supports the claim, [0, 1], higher is better
    contradiction: float = 0.0  # that it says the opposite, [0, 1]
    detail: str = ""  # why not, where the verifier can say
