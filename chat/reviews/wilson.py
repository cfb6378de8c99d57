"""How sure a share is that was counted in few cases. Pure."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054  # two-sided 95 % of the standard normal distribution


def wilson_interval(hits: int, n: int, *, z: float = Z_95) -> tuple[float, float]:
    """Return the bounds of a share of `hits` in `n`, within [0, 1]; all of it where `n` is 0.

    E. B. Wilson, Journal of the American Statistical Association 22, 1927. It keeps its level in
    small samples and at shares of 0 and 1, where the interval of the textbook has no width.
    """
    if n == 0:
        return 0.0, 1.0
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = 0.0 if hits == 0 else centre - half
    high = 1.0 if hits == n else centre + half
    return low, high
