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
class Cited:
    """What a claim rests on."""

    quotes: tuple[str, ...]  # what is said first, then what that depends on
    context: str = ""  # title, section, population and caption of the passages: never quoted
    citations: tuple[Cited, ...] = ()  # each by itself, where there are several

    @property
    def text(self) -> str:
        """The quotes, a line break between them."""
        return "\n".join(self.quotes)


@dataclass(frozen=True)
class Finding:
    """What a guard has against a claim."""

    guard: str  # its name, such as `figures`
    label: Label  # CONTRADICTED where the span says otherwise, else NOT_FOUND
    detail: str  # what, for the trace and the page: never for a log


@dataclass(frozen=True)
class Pair:
    """A statement and what may bear it out: its quotes, or a passage as the one quote."""

    claim: str
    cited: Cited


@dataclass(frozen=True)
class Judgement:
    """A verifier's word on one pair."""

    label: Label
    score: float  # that the evidence supports the claim, [0, 1], higher is better
    contradiction: float = 0.0  # that it says the opposite, [0, 1]
    detail: str = ""  # why not, where the verifier can say
