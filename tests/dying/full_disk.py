"""Behave as a full disk does, without filling one."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_file_longer_than(size_bytes: int) -> Iterator[None]:
    """Let the kernel refuse to make a file longer than this, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
