"""The tests' settings, with an object that says so when a worker of gunicorn frees it."""

import os

from tests.settings import *  # noqa: F403


class ToldFreeing:
    """Made in the master, which reads the settings before it forks."""

    def __init__(self) -> None:
        self._master, self._pid, self._write = os.getpid(), os.getpid, os.write

    def __del__(self) -> None:
        if self._pid() != self._master:
            self._write(2, b"a worker frees its objects\n")


told_freeing = ToldFreeing()
