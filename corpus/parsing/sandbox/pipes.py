"""Follow a child's two pipes without ever blocking on them or keeping more than a little."""

from __future__ import annotations

import os
import re
import selectors
from collections.abc import Callable

from corpus.parsing.sandbox.running import Running

MAX_KEPT_BYTES = 64 * 1024
_CHUNK_BYTES = 64 * 1024
_PROGRESS = re.compile(rb"^page (\d{1,7})/(\d{1,7})$")


class PipeReader:
    """Reads `page 3/10` lines from stdout into `progress`, and the end of stderr into `errors`.

    The first line, whatever it says, is the child's word that it has started.
    """

    def __init__(self, child: Running, on_start: Callable[[], None] = lambda: None) -> None:
        self.progress = (0, 0)
        self._on_start: Callable[[], None] | None = on_start
        self.errors = b""
        self._pending = b""
        self._pipes = (child.stdout, child.stderr)
        self._selector = selectors.DefaultSelector()
        for pipe, name in zip(self._pipes, ("out", "err"), strict=True):
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, name)

    def read(self, *, timeout_s: float) -> bool:
        """Wait for output at most so long; return whether the progress changed."""
        before = self.progress
        if not self._selector.get_map():  # both ends closed: the child is about to end
            return False
        for key, _ in self._selector.select(timeout_s):
            chunk = os.read(key.fd, _CHUNK_BYTES)
            if not chunk:
                self._selector.unregister(key.fileobj)
            elif key.data == "out":
                self._take(chunk)
            else:
                self.errors = (self.errors + chunk)[-MAX_KEPT_BYTES:]
        return self.progress != before

    def close(self) -> None:
        self._selector.close()
        for pipe in self._pipes:
            pipe.close()

    def _take(self, chunk: bytes) -> None:
        *lines, rest = (self._pending + chunk).split(b"\n")
        self._pending = rest[-MAX_KEPT_BYTES:]
        if lines and self._on_start:
            self._on_start()
            self._on_start = None
        for line in lines:
            match = _PROGRESS.match(line.strip())
            if match:
                self.progress = (int(match.group(1)), int(match.group(2)))
