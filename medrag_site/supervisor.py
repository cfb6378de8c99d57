"""Keep processes running, and leave none behind.

A service that dies is started again, with a growing pause while it keeps dying. A signal stops
everything: politely, after a grace period by force. Descendants that lost their parent come to us
(see `tether`) and are killed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Protocol

import psutil

from medrag_site import tether

logger = logging.getLogger(__name__)

LOOP_S = 0.2
HEALTHY_AFTER_S = 30.0
LONGEST_PAUSE_S = 30.0


def _no_tick() -> None:
    """Do nothing between two looks at the services."""


def _no_farewell(*, wanted: bool) -> None:
    """Do nothing when a service has ended."""


def _never() -> bool:
    """Say that there is nothing to do."""
    return False


class Farewell(Protocol):
    """Called when a service has ended; `wanted` tells an orderly stop from a death."""

    def __call__(self, *, wanted: bool) -> None: ...


@dataclass
class Service:
    """One process in a session of its own, so that a Ctrl-C reaches it through us only."""

    name: str
    command: Sequence[str]
    cwd: Path
    environment: Callable[[], Mapping[str, str]] = dict
    grace_s: float = 10.0
    on_end: Farewell = _no_farewell
    restarts: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _started: float = 0.0
    _next_start: float = 0.0
    _short_lives: int = 0

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def age_s(self) -> float:
        return time.monotonic() - self._started

    def start(self) -> None:
        environment = {**os.environ, **self.environment(), tether.PARENT_VARIABLE: str(os.getpid())}
        self._process = subprocess.Popen(
            self.command,
            cwd=self.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._started = time.monotonic()

    def keep_running(self) -> None:
        """Start it if it is due; clear up after it if it has died."""
        if self._process is None:
            if time.monotonic() >= self._next_start:
                self.start()
            return
        status = self._process.poll()
        if status is not None:
            logger.error("%s ended by itself with status %s; starting it again", self.name, status)
            self._ended()

    def restart(self, why: str) -> None:
        """Kill it with all its processes; `keep_running` starts it again."""
        logger.error("%s is killed and started again: %s", self.name, why)
        self._ended()

    def ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def has_stopped(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def kill(self, *, wanted: bool) -> None:
        """End it and what it started, now."""
        if self._process is None:
            return
        _kill_tree(self._process.pid)
        self._process.wait()
        self._process = None
        self.on_end(wanted=wanted)

    def _ended(self) -> None:
        self._short_lives = 0 if self.age_s > HEALTHY_AFTER_S else self._short_lives + 1
        pause_s = min(2.0 ** (self._short_lives - 1), LONGEST_PAUSE_S) if self._short_lives else 0.0
        self._next_start = time.monotonic() + pause_s
        self.restarts += 1
        self.kill(wanted=False)


@dataclass
class Errand(Service):
    """A process that ends when its work is done, and is started while there is some."""

    is_due: Callable[[], bool] = _never
    pause_s: float = 60.0  # after it ended well, though there may be more to do

    def keep_running(self) -> None:
        if self._process is None and not self.is_due():
            return
        if self._process is not None and self._process.poll() == 0:
            self.kill(wanted=True)
            self._next_start = time.monotonic() + self.pause_s
            return
        super().keep_running()


@dataclass
class Supervisor:
    """Runs services until SIGTERM or SIGINT; `tick` is called every `tick_s` seconds."""

    services: Sequence[Service]
    tick: Callable[[], None] = _no_tick
    tick_s: float = 2.0
    _signals: list[int] = field(default_factory=list)

    def run(self) -> None:
        """Return when everything has stopped. A second signal cuts the grace period short."""
        tether.adopt_orphans()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._on_signal)
        next_tick = 0.0
        try:
            while not self._signals:
                for service in self.services:
                    service.keep_running()
                if time.monotonic() >= next_tick:
                    kill_orphans({service.pid for service in self.services})
                    self.tick()
                    next_tick = time.monotonic() + self.tick_s
                time.sleep(LOOP_S)
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop the services, later ones first to be killed when their grace is over."""
        for service in self.services:
            service.ask_to_stop()
        begun, asked = time.monotonic(), len(self._signals)
        for service in self.services:
            while not service.has_stopped() and time.monotonic() - begun < service.grace_s:
                if len(self._signals) > max(asked, 1):
                    break
                time.sleep(0.05)
            service.kill(wanted=True)
        _kill_tree(os.getpid(), itself=False)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals.append(number)


def kill_orphans(known: set[int | None]) -> None:
    """Kill children that are none of ours: their parent died and left them to us."""
    for child in psutil.Process().children():
        if child.pid not in known and not _is_database(child):
            _kill_tree(child.pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child.pid, os.WNOHANG)  # else at the next look


def _kill_tree(pid: int, *, itself: bool = True) -> None:
    """Kill a process and its descendants until none is left; the database server is spared."""
    for _ in range(50):
        try:
            root = psutil.Process(pid)
            found = [*([root] if itself else []), *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        living = [p for p in found if _is_living(p) and not _is_database(p)]
        if not living:
            return
        for process in living:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs([p for p in living if p.pid != pid], timeout=0.2)


def _is_living(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _is_database(process: psutil.Process) -> bool:
    try:
        return process.name() in ("postgres", "pg_ctl")
    except psutil.NoSuchProcess:
        return False
