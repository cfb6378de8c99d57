"""Format differences between two runs as a Markdown table, readable in a terminal too. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evaluation.metrics.statistics import Difference


def comparison_rows(
    differences: Mapping[str, Difference],
) -> Iterator[tuple[str, str, str, str, Difference]]:
    """Yield each measure's name, difference, interval and p as text, and the `Difference`."""
    for name, d in differences.items():
        yield name, f"{d.mean:+.4f}", f"{d.low:+.4f} to {d.high:+.4f}", p_text(d.p), d


def comparison_table(differences: Mapping[str, Difference]) -> Iterator[str]:
    yield "| measure | difference | 95 % interval | p | higher | lower | n |"
    yield "|---|---|---|---|---|---|---|"
    for *cells, d in comparison_rows(differences):
        yield f"| {' | '.join(map(str, cells))} | {d.better} | {d.worse} | {d.n} |"


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
