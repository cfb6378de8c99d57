"""Run the trained readers: the odds of each statement against no statement answering.

A small one reads all statements of the shortlist, a large one the best few of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from core.rounding import LOGIT_DIGITS
from corpus.encoders.pair_model import PairModel
from corpus.encoders.pairs import Scores, Window, statement_odds, windows_of

FOLDER = Path(__file__).with_name("model")
LARGE = Path(__file__).with_name("large")
MAX_STATEMENT_CHARS = 900  # of a statement that are read; a window holds no more
_loading = threading.Lock()
UNREAD = -15.0  # odds of what holds nothing that can be read


@dataclass(frozen=True)
class Group:
    """The statements of one passage in reading order, with its heading."""

    heading: str  # title and section, read in front of them
    statements: tuple[str, ...]


class StatementReader:
    """Reads one window at a time on one thread, so that odds depend on the text alone."""

    def __init__(self, folder: Path = FOLDER, *, threads: int) -> None:
        """Load the model. Raises EncoderUnusable for a folder without a usable one."""
        self._model = PairModel(folder, threads=threads)
        self._threads = threads

    def odds(self, question: str, groups: Sequence[Group]) -> list[list[float]]:
        """Return the log-odds of each group's statements.

        Rounded to 2 digits, so that floating-point noise never decides between two statements.
        """
        windows = [self._windows(question, group) for group in groups]
        with ThreadPoolExecutor(self._threads) as pool:
            every = [window for of_group in windows for window in of_group]
            scored = iter(list(pool.map(self._model.scores, every)))
        return [
            _odds_of(of_group, [next(scored) for _ in of_group], len(group.statements))
            for of_group, group in zip(windows, groups, strict=True)
        ]

    def _windows(self, question: str, group: Group) -> list[Window]:
        texts = [group.heading, *(text[:MAX_STATEMENT_CHARS] for text in group.statements)]
        return windows_of(self._model.tokenizer, question, texts, max_tokens=self._model.max_tokens)


def site_reader(folder: Path = FOLDER) -> StatementReader:
    """Return a bundled reader, loaded once a process, also where several threads ask for it."""
    with _loading:
        return _loaded(folder)


@lru_cache(maxsize=2)
def _loaded(folder: Path) -> StatementReader:
    return StatementReader(folder, threads=settings.ENCODER_THREADS)


def warm_up() -> None:
    """Load both readers, which the first question would wait for."""
    for folder in (FOLDER, LARGE):
        site_reader(folder)


def _odds_of(windows: Sequence[Window], scored: Sequence[Scores], statements: int) -> list[float]:
    """Return the log-odds of the statements against the heading, which is at index 0."""
    odds: dict[int, float] = {}
    for window, scores in zip(windows, scored, strict=True):
        odds |= statement_odds(window, scores)
    return [round(odds.get(place, UNREAD), LOGIT_DIGITS) for place in range(1, statements + 1)]
