"""Count the stopped claims of each kind, and print them as a table. Pure but for its types."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.verification.verify import Verdict
from tests.chat.verification.mutations.types import Item

Outcome = tuple[Item, Verdict]


@dataclass(frozen=True)
class Rate:
    """How many of `total` claims were stopped."""

    stopped: int
    total: int

    @property
    def share(self) -> float:
        return self.stopped / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.stopped} of {self.total} ({self.share:.1%})"


def rate(outcomes: Iterable[Outcome]) -> Rate:
    stopped = [not verdict.supported for _, verdict in outcomes]
    return Rate(sum(stopped), len(stopped))


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a Markdown table of rates: a row for each kind, altered ones first, and two totals."""
    lines = [
        "| claims | stopped | development | held out | by which check |",
        "|---|---|---|---|---|",
    ]
    for altered, name in ((True, "altered"), (False, "faithful")):
        of_it = [outcome for outcome in outcomes if outcome[0].altered is altered]
        for kind in dict.fromkeys(item.kind for item, _ in of_it):
            of_kind = [outcome for outcome in of_it if outcome[0].kind == kind]
            lines.append(_row(f"{name}: {kind}", of_kind))
        lines.append(_row(f"**all {name}**", of_it))
    return "\n".join(lines)


def wrong(outcomes: Iterable[Outcome], *, limit: int = 30) -> str:
    """List the first wrongly judged claims, without those held out."""
    found = [
        f"{item.kind} | {item.source.document}\n  said:   {item.claim.text}\n"
        f"  source: {item.source.text}\n  {verdict.failed or 'stands'} {verdict.detail}".rstrip()
        for item, verdict in outcomes
        if verdict.supported is item.altered and not item.source.held_out
    ]
    return "\n".join([f"{len(found)} of the development claims; the first:", *found[:limit]])


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    seen = [outcome for outcome in outcomes if not outcome[0].source.held_out]
    unseen = [outcome for outcome in outcomes if outcome[0].source.held_out]
    checks = [verdict.failed for _, verdict in outcomes if verdict.failed]
    named = sorted(set(checks), key=lambda check: (-checks.count(check), check))
    by = ", ".join(f"{check} {checks.count(check)}" for check in named)
    return f"| {name} | {rate(outcomes)} | {rate(seen)} | {rate(unseen)} | {by} |"
