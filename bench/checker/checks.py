"""Count which claims only the exact checks stop, of those that a verifier passes."""

from __future__ import annotations

from bench.checker.measure import Checked
from chat.checks.claims import STOPPED
from chat.evidence.judgements import Evidence, Label


def claim_lines(checked: Checked) -> list[str]:
    """Return a table in Markdown of what the checks of claims stop that the verifier passes.

    `alone`: no other check stops it.
    """
    passed = [(pair, j) for pair, j in checked.judged if j.label is Label.SUPPORTED]
    stopped = {
        pair.id: [
            check.name
            for check in STOPPED
            if check(pair.claim, Evidence((pair.evidence,), pair.context))
        ]
        for pair, _ in passed
    }
    true = {pair.id: pair.label is Label.SUPPORTED for pair, _ in passed}
    lines = [
        f"Of {len(checked.pairs)} pairs the verifier passes {sum(true.values())} true claims and "
        f"{len(true) - sum(true.values())} others; the checks stop:",
        "",
        "| check | not supported | alone | supported | alone |",
        "|---|---|---|---|---|",
    ]
    for check in STOPPED:
        cells = [check.name]
        for wanted in (False, True):
            by = [names for key, names in stopped.items() if true[key] is wanted]
            cells.append(str(sum(check.name in names for names in by)))
            cells.append(str(sum(names == [check.name] for names in by)))
        lines.append(f"| {' | '.join(cells)} |")
    return lines
