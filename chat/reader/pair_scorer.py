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

from chat.reader.long_statements import MAX_STATEMENT_CHARS
from core.rounding import LOGIT_DIGITS
from corpus.encoders.pair_model import MODEL, WEIGHTS, PairModel, files_digest
from corpus.encoders.pairs import MARKS, TOKENIZER, Scores, Window, statement_odds, windows_of

FOLDER = Path(__file__).with_name("model")
LARGE = Path(__file__).with_name("large")
FILES = (MODEL, WEIGHTS, TOKENIZER, MARKS)
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


def site_reader(folder: Path | None = None) -> StatementReader:
    """Return a reader, loaded once a process, also where several threads ask for it.

    By default the small one: that of [reader] of MEDRAG_MODELS, else the bundled one.
    """
    with _loading:
        return _loaded(folder or Path(settings.MODELS.reader.model or FOLDER))


def reader_fault() -> str:
    """Return what the site's own reader lacks, in a sentence; empty for none. Loads nothing."""
    named = settings.MODELS.reader
    for name in FILES if named.model else ():
        if not (Path(named.model) / name).is_file():
            where = f"{named.place('model')}: {named.model}"
            return f"{where} lacks {name}. Name what train reader wrote."
    return ""


def reader_fingerprint() -> str:
    """Identify the files of the site's own reader; empty for the bundled one, which is released."""
    return _digest(settings.MODELS.reader.model)


@lru_cache(maxsize=2)
def _digest(folder: str) -> str:
    return files_digest(Path(folder), FILES) if folder else ""


@lru_cache(maxsize=2)
def _loaded(folder: Path) -> StatementReader:
    return StatementReader(folder, threads=settings.ENCODER_THREADS)


def warm_up() -> None:
    """Load both readers, which the first question would wait for."""
    for folder in (None, LARGE):
        site_reader(folder)


def _odds_of(windows: Sequence[Window], scored: Sequence[Scores], statements: int) -> list[float]:
    """Return the log-odds of the statements against the heading, which is at index 0."""
    odds: dict[int, float] = {}
    for window, scores in zip(windows, scored, strict=True):
        odds |= statement_odds(window, scores)
    return [round(odds.get(place, UNREAD), LOGIT_DIGITS) for place in range(1, statements + 1)]
