"""Draw a run: how well it refuses, how true its confidence is, and how long it takes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.question_runs.result_card import FAITHFULNESS, Card, Row

BINS = 10
BLUE, GREY = "#005ea5", "0.7"


def plots_svg(card: Card, rows: Sequence[Row]) -> bytes:
    """Return four diagrams as one SVG, with the same bytes for the same run.

    Risk against coverage; confidence against the share that is right (Guo et al., ICML 2017), each
    point with its number of answers; the distributions of claim-faithfulness and of latency.
    """
    # Late: importing takes half a second, and only this picture needs it. Without a window system.
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "medrag", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 7), layout="constrained")
        FigureCanvasSVG(figure)
        (risk, calibration), (spread, latency) = figure.subplots(2, 2)
        _draw_risk(risk, card)
        _draw_calibration(calibration, rows)
        faithful = [row.scores[FAITHFULNESS] for row in rows if FAITHFULNESS in row.scores]
        _draw_spread(spread, faithful, title="Claim-faithfulness", label="of an answer", top=1.0)
        seconds = [row.duration_ms / 1000 for row in rows]
        _draw_spread(latency, seconds, title="Latency", label="seconds of an answer")
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def _draw_risk(axes: Any, card: Card) -> None:
    curve = card.selective.get("curve", ())
    axes.step(
        [point["coverage"] for point in curve],
        [point["risk"] for point in curve],
        where="post",
        color=BLUE,
    )
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), title="Risk and coverage")
    axes.set(xlabel="share of all items answered", ylabel="mean loss of these")


def _draw_calibration(axes: Any, rows: Sequence[Row]) -> None:
    pairs = [
        (row.confidence, row.right)
        for row in rows
        if row.scores.get("answered") and row.confidence is not None and row.right is not None
    ]
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1)
    if pairs:
        sure, right = np.array(pairs).T
        places = np.minimum((sure * BINS).astype(int), BINS - 1)
        bins = [(sure[places == n], right[places == n]) for n in range(BINS) if (places == n).any()]
        points = [(float(x.mean()), float(y.mean()), len(x)) for x, y in bins]
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], "o-", color=BLUE)
        for x, y, count in points:
            axes.annotate(str(count), (x, y), (6, -12), textcoords="offset points")
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), title="Confidence said and true")
    axes.set(xlabel="confidence of an answer", ylabel="share that is right")


def _draw_spread(
    axes: Any, values: Sequence[float], *, title: str, label: str, top: float | None = None
) -> None:
    axes.set(title=title, xlabel=label, ylabel="items")
    if values:
        axes.hist(values, bins=20, range=(0, top or max(*values, 0.1)), color=BLUE)
