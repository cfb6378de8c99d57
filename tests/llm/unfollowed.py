"""An address that nobody may ever go to."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Trap:
    listener: socket.socket

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    @property
    def was_touched(self) -> bool:
        """Whether anybody connected, if only to look."""
        return bool(select.select([self.listener], [], [], 0)[0])


@contextmanager
def trap() -> Iterator[Trap]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Trap(listener)
