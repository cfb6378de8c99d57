"""Differences between two runs as a table, in Markdown that reads well in a terminal too. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evaluation.metrics.statistics import Difference


def comparison_table(differences: Mapping[str, Difference]) -> Iterator[str]:
    yield "| measure | difference | 95 % interval | p | higher | lower | n |"
    yield "|---|---|---|---|---|---|---|"
    for name, d in differences.items():
        yield (
            f"| {name} | {d.mean:+.4f} | {d.low:+.4f} to {d.high:+.4f} | {p_text(d.p)} "
            f"| {d.better} | {d.worse} | {d.n} |"
        )


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
