"""Compute what the trained readers make of a window once a process, and keep it for other tests.

A window's scores depend on its text alone, as `tests/chat/reader/test_reading.py` and
`tests/chat/verification/test_bundled_checker.py` hold. Many tests ask the same of the same text,
and reading is most of an answer's time. A test of that property takes the fixture `computed_anew`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

import numpy as np

from corpus.encoders.pair_model import PairModel
from corpus.encoders.pairs import Scores, Window

MOST = 20_000  # windows of a model, of about 4 kB each
_Kept = dict[tuple[bytes, int], Scores]
_kept: WeakKeyDictionary[PairModel, _Kept] = WeakKeyDictionary()
_compute = PairModel.scores


def _scores(model: PairModel, window: Window) -> Scores:
    """Return what this very model made of the window's tokens before, or compute it."""
    kept = _kept.setdefault(model, {})
    key = np.array(window.tokens, dtype=np.int32).tobytes(), window.second_at
    if (scores := kept.get(key)) is None:
        scores = _compute(model, window)
        scores.flags.writeable = False
        if len(kept) >= MOST:
            kept.clear()
        kept[key] = scores
    return scores


def keep_readings() -> None:
    """Keep from now on what the models compute."""
    PairModel.scores = _scores  # type: ignore[method-assign, assignment]


@contextmanager
def computed_anew() -> Iterator[None]:
    """Compute each window within the block, also those that are known."""
    PairModel.scores = _compute  # type: ignore[method-assign]
    try:
        yield
    finally:
        keep_readings()
