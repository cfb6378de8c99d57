"""Define what verification reads and what it returns. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Label(StrEnum):
    """Whether a text supports a statement."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


@dataclass(frozen=True)
class Evidence:
    """What a claim may rest on: the cited text, its context and the question."""

    quotes: tuple[str, ...]  # the cited text, in the order of the citations
    context: str = ""  # title, section, lead-in, caption, column heads, footnotes, population
    question: str = ""  # a claim may repeat its details of the patient

    @property
    def text(self) -> str:
        """The quotes, joined by line breaks."""
        return "\n".join(self.quotes)

    @property
    def around(self) -> str:
        """Question and context, which a verifier reads above the quotes."""
        return "\n".join(filter(None, (self.question, self.context)))

    @property
    def parts(self) -> tuple[str, ...]:
        """Quotes, context and question, without empty ones."""
        return tuple(filter(None, (*self.quotes, self.context, self.question)))


@dataclass(frozen=True)
class Finding:
    """A check's objection to a claim."""

    check: str  # its name, such as `numbers`
    label: Label  # CONTRADICTED where the evidence says otherwise, else NOT_FOUND
    detail: str  # the fault, for the trace and the page: never for a log


@dataclass(frozen=True)
class Pair:
    """A statement and the evidence to judge it by."""

    claim: str
    evidence: Evidence


@dataclass(frozen=True)
class Judgement:
    """A verifier's verdict on one pair."""

    label: Label
    score: float  # probability of support, [0, 1], higher is better
    contradiction: float = 0.0  # probability of contradiction, [0, 1]
    detail: str = ""  # why not, where the verifier can say
