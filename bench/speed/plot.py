"""Plot how search changes as its corpus grows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.speed.growth import WHOLE, Grown

WIDTH_IN, HEIGHT_IN, DPI = 9.0, 3.6, 150
_STEPS = (WHOLE, "lexical", "dense", "embedding")


def write_plot(found: Sequence[Grown], path: Path) -> None:
    """Plot milliseconds of each step (p95; of the whole also p50) and questions/s, by passages."""
    import matplotlib  # late: it takes a second, and only this command draws

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes = [one.chunks for one in found]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(WIDTH_IN, HEIGHT_IN))
    for step in _STEPS:
        left.plot(sizes, [_p95_ms(one, step) for one in found], marker="o", label=f"{step} p95")
    left.plot(
        sizes, [one.steps[WHOLE].p50_ms for one in found], "k:", marker=".", label="whole p50"
    )
    left.set(xscale="log", xlabel="passages", ylabel="milliseconds", ylim=(0, None))
    left.legend(fontsize="small", frameon=False)
    for place, load in enumerate(found[0].load):
        rates = [one.load[place].per_second for one in found]
        right.plot(sizes, rates, marker="o", label=f"{load.clients} at once")
    right.set(xscale="log", xlabel="passages", ylabel="questions a second", ylim=(0, None))
    right.legend(fontsize="small", frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    pyplot.close(figure)


def _p95_ms(one: Grown, step: str) -> float:
    """Return the sum over all lists of a kind: there may be several dense ones."""
    return sum(latency.p95_ms for name, latency in one.steps.items() if name.split(":")[0] == step)
