"""Connect receivers to signals within a block."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.dispatch import Signal


@contextmanager
def heard(signal: Signal, name: str) -> Iterator[list[Any]]:
    """Yield the list to which the signal's argument of that name is added."""
    said_of: list[Any] = []

    def listen(**said: Any) -> None:
        said_of.append(said[name])

    with _connected(signal, listen):
        yield said_of


@contextmanager
def refused(signal: Signal, is_done: Callable[[], bool]) -> Iterator[None]:
    """Raise in a receiver, after checking that `is_done`; the block must then raise too."""

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
