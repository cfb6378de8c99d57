"""Types of measured items and their scores. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class AnswerClaim:
    """One statement of an answer, as it was shown."""

    text: str = field(repr=False)
    quotes: tuple[str, ...] = field(default=(), repr=False)
    label: str = ""  # the site's verifier's; empty if it gave none


@dataclass(frozen=True)
class AnsweredItem:
    """A question of a set, its known answer, and the system's answer or refusal.

    Texts are left out of `repr`, so that no log line contains them.
    """

    question: str = field(repr=False)
    gold_answer: str = field(default="", repr=False)
    gold_claims: tuple[str, ...] = field(default=(), repr=False)
    answer_claims: tuple[AnswerClaim, ...] = field(default=(), repr=False)
    contexts: tuple[str, ...] = field(default=(), repr=False)  # retrieved passages, best first
    confidence: float | None = None  # [0, 1]; of a refused question too, if computed
    is_refused: bool = False
    is_answerable: bool | None = None  # None: the set does not say
    authority: tuple[float, ...] = ()  # [0, 1], of each document that the answer cites

    @property
    def claims(self) -> tuple[AnswerClaim, ...]:
        """The answer's claims; none if the question was refused."""
        return () if self.is_refused else self.answer_claims

    @property
    def answer(self) -> str:
        return " ".join(claim.text for claim in self.claims)

    @property
    def reference(self) -> str:
        """The gold answer, else the gold claims as one text."""
        return self.gold_answer or " ".join(self.gold_claims)


@dataclass(frozen=True)
class JudgedBy:
    """The judge, and the fingerprint of its weights, prompt and settings."""

    name: str
    fingerprint: str


@dataclass(frozen=True)
class Part:
    """One statement, passage or question that a judge judged for a measure, and its verdict."""

    text: str = field(repr=False)
    verdict: str
    reason: str = field(default="", repr=False)  # in the judge's words, or the deciding text


# Prefixes of reasons: a judge or package is missing, or the judge failed. Without one of them the
# formula has no value for the item.
NOT_RUN, FAILED = "not run: ", "failed: "


@dataclass(frozen=True)
class Scored:
    """A value, never NaN, or the reason why there is none, without text of a question or answer."""

    value: float | None
    reason: str = ""
    judged_by: JudgedBy | None = None
    parts: tuple[Part, ...] = ()  # what the value is made of, as far as the judge said


def undefined(reason: str, by: JudgedBy | None = None) -> Scored:
    return Scored(None, reason, by)


def not_run(why: str) -> Scored:
    return Scored(None, f"{NOT_RUN}{why}")


def failed(why: str, by: JudgedBy | None = None, parts: tuple[Part, ...] = ()) -> Scored:
    return Scored(None, f"{FAILED}{why}", by, parts)
