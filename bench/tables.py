"""Tables in Markdown for reports and the terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.datasets.types import Dataset
from bench.runs.child_tasks import OPEN, OPEN_AND_FOUND, PASSAGES
from bench.runs.results import Measured
from evaluation.metrics import Scores
from evaluation.metrics.comparing import MAIN, compared_in
from evaluation.metrics.statistics import Difference, holm
from evaluation.tables import p_text

SEMANTICS = (
    "Measures as trec_eval has them: linear gains; a query that is missing from a run scores 0. "
    "Documents of one score are in order of their ids, ascending; trec_eval turns them round, but "
    "run.trec has no equal scores, so that it measures the same. Intervals: 95 %, percentile "
    "bootstrap over queries, 10,000 resamples; p: two-sided paired randomisation test, "
    "10,000 permutations; both seeded."
)


def dataset_lines(dataset: Dataset) -> Iterator[str]:
    judged = sum(map(len, dataset.qrels.values()))
    yield (
        f"{dataset.name}: {len(dataset.documents)} documents, {len(dataset.queries)} queries, "
        f"{judged} judgements, digest {dataset.digest[:16]}"
    )
    yield from dataset.notes


def metrics_table(result: Measured) -> Iterator[str]:
    yield "| measure | mean | 95 % interval | n |"
    yield "|---|---|---|---|"
    for name, found in result.intervals.items():
        yield f"| {name} | {found.mean:.4f} | {found.low:.4f} to {found.high:.4f} | {found.n} |"


def latency_table(result: Measured) -> Iterator[str]:
    yield "| stage, ms | p50 | p95 | p99 |"
    yield "|---|---|---|---|"
    for stage, values in result.brought.latency_ms.items():
        yield f"| {stage} | {values['p50']:.1f} | {values['p95']:.1f} | {values['p99']:.1f} |"


def served_lines(result: Measured) -> Iterator[str]:
    """Yield in how many queries the search as served returns the run's first documents.

    No line for a peer, which is not asked as served.
    """
    brought = result.brought
    if brought.served:
        yield (
            f"As served, the documents are those that the run begins with, in the same order, in "
            f"{brought.served_same} of {brought.served} queries."
        )


def gate_lines(result: Measured) -> Iterator[str]:
    """Yield a line on the gate of a run that was asked as served; none for another run."""
    if result.brought.as_served:
        gate = result.brought.gate
        yield (
            f"Asked as served, through the gate {gate['version']} with the threshold "
            f"{gate['threshold']:g}; its fingerprint is {gate['fingerprint']}."
        )


def note_lines(result: Measured) -> Iterator[str]:
    """Yield a line for each deviation from the configuration, with its number of queries."""
    queries = len(result.brought.run)
    for note, count in result.brought.notes.items():
        yield f"{result.name}, {count} of {queries} queries not as configured: {note}"


def ablation_rows(baseline: Scores, results: Sequence[Measured]) -> list[tuple[Difference, float]]:
    """Return each result's difference from the baseline in MAIN, with its p corrected by Holm."""
    differences = [compared_in(MAIN, baseline, result.scores) for result in results]
    corrected = holm([d.p for d in differences])
    return list(zip(differences, corrected, strict=True))


def ablation_table(baseline: Measured | None, results: Sequence[Measured]) -> Iterator[str]:
    """Yield a table with one row for each configuration.

    `p` is corrected for the number of rows. Without a baseline, because it failed, nothing is
    compared.
    """
    yield (
        f"| configuration | index | {MAIN} | difference | p (Holm) | Recall@20 | Recall@100 | MRR "
        "| p95 ms | MB | not as configured |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for result, spread, p in _compared_rows(baseline, results):
        yield _row(result, spread, p)


def served_table(baseline: Measured | None, results: Sequence[Measured]) -> Iterator[str]:
    """Yield a table of the configurations asked as served; shares are of all queries."""
    yield (
        f"| as served | {MAIN} | difference | p (Holm) | Recall@20 | passages "
        "| open | open and found | p95 ms | not as configured |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for result, spread, p in _compared_rows(baseline, results):
        means = {name: found.mean for name, found in result.intervals.items()}
        yield (
            f"| {result.name} | {means[MAIN]:.4f} | {spread} | {p} | {means['Recall@20']:.4f} "
            f"| {means[PASSAGES]:.1f} | {means[OPEN]:.1%} | {means[OPEN_AND_FOUND]:.1%} "
            f"| {_p95_ms(result):.1f} | {result.brought.otherwise or ''} |"
        )


def _compared_rows(
    baseline: Measured | None, results: Sequence[Measured]
) -> Iterator[tuple[Measured, str, str]]:
    """Yield the baseline, then each result with its difference from the baseline and p, as text."""
    if baseline is None:
        yield from ((result, "", "") for result in results)
        return
    yield baseline, "", ""
    rows = ablation_rows(baseline.scores, results)
    for result, (found, p) in zip(results, rows, strict=True):
        yield result, f"{found.mean:+.4f} ({found.low:+.4f} to {found.high:+.4f})", p_text(p)


def _p95_ms(result: Measured) -> float:
    return result.brought.latency_ms.get("whole", {}).get("p95", 0.0)


def _row(result: Measured, spread: str, p: str) -> str:
    means = {name: f"{found.mean:.4f}" for name, found in result.intervals.items()}
    size_mb = result.brought.index.get("bytes_in_all", 0) / 1e6
    return (
        f"| {result.name} | {result.recipe} | {means[MAIN]} | {spread} | {p} "
        f"| {means['Recall@20']} | {means['Recall@100']} | {means['MRR']} "
        f"| {_p95_ms(result):.1f} | {size_mb:.1f} | {result.brought.otherwise or ''} |"
    )
