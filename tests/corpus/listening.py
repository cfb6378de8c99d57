"""Receivers of signals for the time of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.dispatch import Signal


@contextmanager
def heard(signal: Signal, name: str) -> Iterator[list[Any]]:
    """What the signal says by that name, as it comes."""
    said_of: list[Any] = []

    def listen(**said: Any) -> None:
        said_of.append(said[name])

    with _connected(signal, listen):
        yield said_of


@contextmanager
def refused(signal: Signal, is_done: Callable[[], bool]) -> Iterator[None]:
    """Whoever listens raises, after a look whether it `is_done`, and so must what is tried."""

    def refuse(**said: Any) -> None:
        assert is_done()
        raise RuntimeError("no audit row")

    with _connected(signal, refuse), pytest.raises(RuntimeError, match="no audit row"):
        yield


@contextmanager
def _connected(signal: Signal, receiver: Callable[..., None]) -> Iterator[None]:
    signal.connect(receiver, dispatch_uid="test")
    try:
        yield
    finally:
        signal.disconnect(dispatch_uid="test")
