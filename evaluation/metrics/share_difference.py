"""How sure the difference of two shares is, each counted in few cases. Pure."""

from __future__ import annotations

import math

from chat.reviews.wilson import wilson_interval


def newcombe_interval(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """Return the 95 % bounds of the second share less the first, within [-1, 1].

    Each is (hits, n), of independent cases; all of [-1, 1] where neither has a case. Newcombe's
    hybrid of two Wilson intervals without continuity correction: method 10 of R. G. Newcombe,
    Statistics in Medicine 17, 873-890, 1998.
    """
    (low_1, high_1), (low_2, high_2) = (wilson_interval(*each) for each in (first, second))
    if not (first[1] and second[1]):
        return low_2 - high_1, high_2 - low_1
    share_1, share_2 = (hits / n for hits, n in (first, second))
    difference = share_2 - share_1
    return (
        difference - math.hypot(share_2 - low_2, high_1 - share_1),
        difference + math.hypot(high_2 - share_2, share_1 - low_1),
    )
