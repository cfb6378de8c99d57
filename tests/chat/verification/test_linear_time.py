"""Test that reading a text of a model or a page takes time in proportion to its length.

A pattern that tries every way to split a text blocks the whole process, deadlines included.
"""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

import pytest

from chat.checks.claims import STOPPED
from chat.evidence.judgements import Evidence
from chat.generation.foreign_markup import foreign
from chat.generation.placing import located
from chat.verification.verbatim import is_verbatim
from core.language.en.identifiers.find import identifiers_in
from core.language.en.patients.people import people_of
from core.language.en.quantities.reading import read
from core.language.en.statements.comparable import read_statement
from core.language.en.statements.limits import limit_of
from core.language.en.statements.topics import topic_words

PLAIN = (
    "Give gentamicin 5 mg/kg once daily every 8 hours to adults; do not give amoxicillin with "
    "warfarin unless eGFR is above 30."
)
PIECES = (
    "Medicine: Gentamicin; ", "x: y; ", "x | ", "a, ", "and ", "not ", "1-", "5 mg/", "5 mg and ",
    "(", "[", "\n", "a\n", " ", "a.", "if a, ", "give x and ", "per kg of ", "only if ",
    "symptoms include ",
)  # fmt: skip
GROWN = 4  # how many times longer the second text is
MOST_GROWTH = 40.0  # cubic time grows by 64, backtracking by far more
NOISE_S = 0.01  # faster readings are not compared
CPU_S = 20.0  # hundreds of times what a reader takes

CLAIM_READERS: dict[str, Callable[[str], object]] = {
    "verbatim": lambda text: is_verbatim(text, [PLAIN, text[:200]]),
    "located": lambda text: located(text[:300], text),
    "amounts": read,
    "markup": lambda text: foreign(text, [text]),
    "identifiers": identifiers_in,
    "people": people_of,
    "limits": limit_of,
    "statements": partial(read_statement, drug_before=""),
    "topics": topic_words,
}


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Limit the process's CPU time, so that a busy machine makes no difference."""

    def end(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it would not end")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def took_s(reader: Callable[[str], object], text: str) -> float:
    """Return the CPU time in seconds, without garbage collection, which other tests prolong."""
    gc.disable()
    try:
        started = time.process_time()
        reader(text)
        return time.process_time() - started
    finally:
        gc.enable()


def grows_fairly(reader: Callable[[str], object], length: int) -> None:
    reader(PLAIN)  # loads what the reader caches
    for piece in PIECES:
        long = f"Give {piece * length}"[: length - 1] + "!"
        with cpu_limit(CPU_S):
            short_s = took_s(reader, long[: length // GROWN - 1] + "!")
            assert took_s(reader, long) <= MOST_GROWTH * max(short_s, NOISE_S), piece


@pytest.mark.parametrize("name", CLAIM_READERS)
def test_readers_of_claims(name: str) -> None:
    grows_fairly(CLAIM_READERS[name], 600)


@pytest.mark.parametrize("check", STOPPED, ids=lambda check: check.name)
def test_checks_of_claims(check: Callable[[str, Evidence], object]) -> None:
    grows_fairly(lambda text: check(text, Evidence((PLAIN,))), 600)


@pytest.mark.parametrize("check", STOPPED, ids=lambda check: check.name)
def test_checks_of_evidence(check: Callable[[str, Evidence], object]) -> None:
    grows_fairly(lambda text: check(PLAIN, Evidence((text,))), 2000)
