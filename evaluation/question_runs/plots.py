"""Draw a run: how well it refuses, how true its confidence is, and how long it takes."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.measures.ragas_judge import RAGAS_STANDARD
from evaluation.metrics.statistics import Interval
from evaluation.question_runs.card_words import in_words
from evaluation.question_runs.result_card import FAITHFULNESS, Card, Row

BINS = 10
BLUE, GREY = "#005ea5", "0.7"
_NOT_KNOWN = "not known without\npatterns, labels or a judge"
_HOLLOW = {"fmt": "o", "color": GREY, "markerfacecolor": "white"}


@dataclass(frozen=True)
class TrendPoint:
    """One run of a trend, by its number."""

    run: int
    measures: Mapping[str, Interval]
    is_comparable: bool  # judged by the judges of the run that the trend is shown for


def plots_svg(card: Card, rows: Sequence[Row]) -> bytes:
    """Return the diagrams of a run as one SVG, with the same bytes for the same run.

    Risk against coverage; confidence against the share that is right (Guo et al., ICML 2017), each
    point with its number of answers; the distributions of latency, claim-faithfulness and each of
    RAGAS's four standard measures that has a value.
    """
    spreads = [
        (name, [row.scores[name] for row in rows if name in row.scores])
        for name in (FAITHFULNESS, *RAGAS_STANDARD)
    ]
    spreads = [spread for spread in spreads if spread[1] or spread[0] == FAITHFULNESS]
    height = 2 + len(spreads) // 2  # three other diagrams, two a row

    def draw(figure: Any) -> None:
        risk, calibration, latency, *others = figure.subplots(height, 2).flat
        _draw_risk(risk, card)
        _draw_calibration(calibration, rows)
        seconds = [row.duration_ms / 1000 for row in rows]
        _draw_spread(latency, seconds, title="Latency", label="seconds of an answer")
        for axes, (name, values) in zip(others, spreads, strict=False):
            title = in_words(name)
            _draw_spread(
                axes, values, title=title[:1].upper() + title[1:], label="of an item", top=1.0
            )
        for axes in others[len(spreads) :]:
            axes.set_axis_off()

    return _svg(draw, (10, 3.5 * height))


def trend_svg(points: Sequence[TrendPoint]) -> bytes:
    """Return the means of RAGAS's four standard measures over runs as one SVG, with intervals.

    Values by other judges are hollow and not joined.
    """

    def draw(figure: Any) -> None:
        for axes, name in zip(figure.subplots(2, 2).flat, RAGAS_STANDARD, strict=True):
            for is_comparable in (True, False):
                some = [
                    (place, point.measures[name])
                    for place, point in enumerate(points)
                    if point.is_comparable is is_comparable and name in point.measures
                ]
                means = np.array([interval.mean for _, interval in some])
                spread = [
                    means - [interval.low for _, interval in some],
                    [interval.high for _, interval in some] - means,
                ]
                style = {"fmt": "o-", "color": BLUE} if is_comparable else _HOLLOW
                axes.errorbar([place for place, _ in some], means, yerr=spread, capsize=3, **style)
            axes.set_xticks(range(len(points)), [str(point.run) for point in points])
            axes.set(ylim=(-0.02, 1.02), title=in_words(name), xlabel="run")

    return _svg(draw, (10, 7))


def _svg(draw: Callable[[Any], None], size: tuple[float, float]) -> bytes:
    # Late: importing takes half a second, and only this picture needs it. Without a window system.
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "medrag", "svg.fonttype": "none"}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def _draw_risk(axes: Any, card: Card) -> None:
    curve = card.selective.get("curve", ())
    if not curve:
        axes.text(0.5, 0.1, _NOT_KNOWN, ha="center")
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
    else:
        axes.text(0.5, 0.1, _NOT_KNOWN, ha="center")
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), title="Confidence said and true")
    axes.set(xlabel="confidence of an answer", ylabel="share that is right")


def _draw_spread(
    axes: Any, values: Sequence[float], *, title: str, label: str, top: float | None = None
) -> None:
    axes.set(title=title, xlabel=label, ylabel="items")
    if values:
        axes.hist(values, bins=20, range=(0, top or max(*values, 0.1)), color=BLUE)
