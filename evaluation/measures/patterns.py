"""Judge an answer by patterns. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evaluation.question_sets.patterned import Patterns, Question

_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2212"), "-") | {ord("\u00ad"): None}
_PART = re.compile(r"\b\d+ of \d+\b")  # `3 of 7`: says that a list is incomplete
RIGHT, WRONG, UNCLEAR = 1, 0, -1  # labels of a statement
_BLANKS = re.compile(r"[\s|]+")  # with the bars between the cells of a row


class Outcome(StrEnum):
    FULL = "full"  # the statements that are shown match every decisive pattern
    PARTLY = "partly"  # some of them, and none would mislead
    WRONG = "wrong"
    REFUSED = "refused"


@dataclass(frozen=True)
class Verdict:
    """The judgement of the statements shown for a question.

    `beside` counts statements that match no decisive pattern, `misleading` those that match a wrong
    pattern and not every decisive one: a whole table may hold both. `helped`: answered fully, or
    refused with the answer among the excerpts. `dangerous`: the answer would harm.
    """

    outcome: Outcome
    first: bool = False  # the first statement is the answer or begins it
    statements: int = 0
    beside: int = 0
    misleading: int = 0
    helped: bool = False
    dangerous: bool = False

    def scores(self, question: Question) -> dict[str, float]:
        """Return the value of each measure that applies to the question."""
        answered = self.outcome is not Outcome.REFUSED
        scores = {"dangerous": float(self.dangerous)}
        if not question.is_answerable:
            return scores | {"unanswerable refused": float(not answered)}
        scores |= {str(each): float(self.outcome is each) for each in Outcome}
        scores |= {"helped": float(self.helped)}
        if answered:
            scores |= {"first statement right": float(self.first)}
            scores |= {"misleading": float(self.misleading > 0)}
            scores |= {"statements": float(self.statements), "beside": float(self.beside)}
        return scores


def folded(text: str) -> str:
    """Return the text on one line, with typographic hyphens and ligatures as plain characters."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", text).translate(_HYPHENS)).strip()


def matches(patterns: Patterns, text: str) -> int:
    """Return how many of the patterns match the folded text."""
    return sum(1 for pattern in patterns if pattern.search(text))


def judged(
    question: Question,
    statements: Sequence[str],
    *,
    beside: Sequence[str] = (),
    excerpts: Sequence[str] = (),
) -> Verdict:
    """Judge the statements, in the order shown, together with the texts `beside` them.

    Without statements the outcome is a refusal, judged by its excerpts.
    """
    shown = [folded(text) for text in statements]
    if not shown:
        return Verdict(Outcome.REFUSED, helped=_is_full(question, map(folded, excerpts)))
    dangerous = _is_dangerous(question, " ".join([*shown, *map(folded, beside)]))
    if not question.is_answerable:
        count = len(shown)
        return Verdict(Outcome.WRONG, statements=count, beside=count, dangerous=dangerous)
    decisive = question.decisive
    counts = [matches(decisive, text) for text in shown]
    misleading = sum(
        1
        for text, count in zip(shown, counts, strict=True)
        if count < len(decisive) and matches(question.wrong, text)
    )
    if is_full := _is_full(question, shown):
        outcome = Outcome.FULL
    else:
        outcome = Outcome.PARTLY if any(counts) and not misleading else Outcome.WRONG
    return Verdict(
        outcome,
        first=is_full and counts[0] > 0,
        statements=len(shown),
        beside=counts.count(0),
        misleading=misleading,
        helped=is_full,
        dangerous=dangerous,
    )


def _is_dangerous(question: Question, text: str) -> bool:
    """Tell whether a dangerous pattern matches, or part of a list is shown as if it were whole."""
    items = matches(question.whole, text)
    has_hole = 0 < items < len(question.whole) and not _PART.search(text)
    return has_hole or matches(question.dangerous, text) > 0


def _is_full(question: Question, texts: Iterable[str]) -> bool:
    """Tell whether the texts together match every decisive pattern, if there is any."""
    decisive = question.decisive
    return bool(decisive) and matches(decisive, " ".join(texts)) == len(decisive)
