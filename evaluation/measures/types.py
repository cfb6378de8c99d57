"""What is measured, and what a measure says. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True)
class AnswerClaim:
    """One statement of an answer, as it was shown."""

    text: str = field(repr=False)
    quotes: tuple[str, ...] = field(default=(), repr=False)
    kind: str = ""  # `dose`, `contraindication`, `triage` or another word; empty: nobody said
    label: str = ""  # what the site's verifier said; empty where it said nothing


@dataclass(frozen=True)
class AnsweredItem:
    """A question of a set, what is known of its answer, and what the system made of it.

    What it says of a patient or a disease is in no `repr`, so that no log line holds it.
    """

    question: str = field(repr=False)
    gold_answer: str = field(default="", repr=False)
    gold_claims: tuple[str, ...] = field(default=(), repr=False)
    answer_claims: tuple[AnswerClaim, ...] = field(default=(), repr=False)
    contexts: tuple[str, ...] = field(default=(), repr=False)  # what was retrieved, best first
    confidence: float | None = None  # [0, 1]; of a refused question too, where one was computed
    is_refused: bool = False
    is_answerable: bool | None = None  # None: the set does not say
    authority: tuple[float, ...] = ()  # [0, 1], of each document that the answer cites

    @property
    def claims(self) -> tuple[AnswerClaim, ...]:
        """What was answered: nothing where it was refused."""
        return () if self.is_refused else self.answer_claims

    @property
    def answer(self) -> str:
        return " ".join(claim.text for claim in self.claims)

    @property
    def reference(self) -> str:
        """The gold answer, or what is known of it."""
        return self.gold_answer or " ".join(self.gold_claims)


class Outcome(StrEnum):
    """What came of a measure for one item."""

    SCORED = "scored"
    UNDEFINED = "undefined"  # the formula has no value for such an item
    NOT_RUN = "not run"  # what it needs is not there: a judge, a package
    FAILED = "failed"  # its judge did not do its part


@dataclass(frozen=True)
class JudgedBy:
    """Who judged, and by which weights, prompt and settings."""

    name: str
    fingerprint: str


NOT_RUN, FAILED = "not run: ", "failed: "  # how such a reason begins


@dataclass(frozen=True)
class Scored:
    """A value, or the reason why there is none: never NaN, and no text of a question or answer."""

    value: float | None
    reason: str = ""
    outcome: Outcome = Outcome.SCORED
    judged_by: JudgedBy | None = None


def undefined(reason: str, by: JudgedBy | None = None) -> Scored:
    return Scored(None, reason, Outcome.UNDEFINED, by)


def not_run(why: str) -> Scored:
    return Scored(None, f"{NOT_RUN}{why}", Outcome.NOT_RUN)


def failed(why: str, by: JudgedBy | None = None) -> Scored:
    return Scored(None, f"{FAILED}{why}", Outcome.FAILED, by)
