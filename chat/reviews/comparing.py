"""Reviewers against each other, and the checker against them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from chat.models import SupportLabel, Turn
from chat.reviews.agreement import Agreement, agreement
from chat.reviews.labelling import SIDES, labels_by_turn
from chat.reviews.wilson import wilson_interval

UNKNOWN = "unknown"  # the trace is removed, or has no such verdict


@dataclass(frozen=True)
class CheckerRow:
    """Statements of which the checker said `verdict`: what people said, `still_open` undecided."""

    verdict: str
    counts: tuple[int, ...]  # by `SupportLabel`, in its order
    still_open: int

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's at 95 %, of the share that people call supported."""
        return wilson_interval(self.counts[0], self.n)


@dataclass(frozen=True)
class Compared:
    between: Agreement
    checker: tuple[CheckerRow, ...]


def reviewers_compared() -> Compared:
    """Over all that two have labelled. Two queries.

    Only statements that were shown are labelled, so that it says how often the checker passes what
    people would not, and nothing of what it withholds.
    """
    by_turn = labels_by_turn()
    pairs = [
        [(each.by_place[SIDES[0]], each.by_place[SIDES[1]]) for each in labels]
        for labels in by_turn.values()
    ]
    counts: Counter[tuple[str, str]] = Counter()
    turns = Turn.objects.filter(pk__in=by_turn.keys()).order_by()
    for pk, verdicts in turns.values_list("pk", "trace__verdicts"):
        said = {verdict["text"]: verdict["label"] for verdict in verdicts or ()}
        counts.update((said.get(each.claim.text, UNKNOWN), each.final) for each in by_turn[pk])
    rows = tuple(
        CheckerRow(
            verdict,
            tuple(counts[verdict, label] for label in SupportLabel.values),
            counts[verdict, ""],
        )
        for verdict in sorted({verdict for verdict, _ in counts})
    )
    return Compared(agreement(pairs), rows)
