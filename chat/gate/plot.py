"""Draw a calibration: reliability, and risk against coverage."""

from __future__ import annotations

import io
from typing import Any

from chat.gate.calibration import Fitted
from chat.gate.risk import reliability, risk_coverage


def plot_png(fitted: Fitted, *, title: str) -> bytes:
    """Return a PNG of 1200 by 500 pixels, of the questions that the gate was calibrated on.

    On the left the reliability diagram (Guo et al., ICML 2017), each point with its number of
    questions; on the right the share of unanswerable questions among those let through against the
    share let through (El-Yaniv and Wiener, 2010).
    """
    # Late: it takes half a second, and only a new calibration needs it. Needs no display.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5), dpi=100, layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_reliability(left, fitted)
    curve = risk_coverage(fitted.probabilities, fitted.labels)
    opened = float((fitted.probabilities >= fitted.scale.threshold).mean())
    right.step([x for x, _ in curve], [y for _, y in curve], where="post", color="#005ea5")
    right.axvline(opened, color="#b10e1e", linestyle="--", linewidth=1)
    right.set(xlim=(0, 1), ylim=(-0.02, 1.02), title="Risk and coverage (dashed: at the threshold)")
    right.set(xlabel="share let through", ylabel="of these, share that no guideline answers")
    figure.suptitle(title)
    stream = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def _draw_reliability(axes: Any, fitted: Fitted) -> None:
    bins = reliability(fitted.probabilities, fitted.labels)
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axes.plot([b.mean for b in bins], [b.share for b in bins], "o-", color="#005ea5")
    for b in bins:
        axes.annotate(str(b.count), (b.mean, b.share), (6, -12), textcoords="offset points")
    axes.axvline(fitted.scale.threshold, color="#b10e1e", linestyle="--", linewidth=1)
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), title="Said and true (dashed: the threshold)")
    axes.set(xlabel="probability that it is answered", ylabel="share that is answerable")
