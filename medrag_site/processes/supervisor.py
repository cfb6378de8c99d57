"""Keep processes running, and leave none behind (Linux).

A service that dies is started again, after pauses that grow while it keeps dying. A signal stops
all services: politely, and after a grace period by force. Orphaned descendants become children of
this process (`parent_death`) and are killed; ended ones are reaped. The database's processes are
spared: others may use the database, and its last user stops it.
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

import psutil

from medrag_site.database import postmaster
from medrag_site.processes import parent_death

logger = logging.getLogger(__name__)

LOOP_S = 0.2
HEALTHY_AFTER_S = 30.0
LONGEST_PAUSE_S = 30.0
KILL_ROUNDS = 50  # more than the depth of any tree of processes

_ours: set[int] = set()  # the services that this process started


@dataclass
class Service:
    """A process in a session of its own, so that only the supervisor passes a Ctrl-C on to it.

    `on_death` is called after it ended by itself or was restarted, and all its processes are gone.
    """

    name: str
    command: Sequence[str]
    cwd: Path
    environment: Callable[[], Mapping[str, str]] = dict
    grace_s: float = 10.0
    on_death: Callable[[], None] = lambda: None
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

    def keep_running(self) -> None:
        """Start the process, after the pause if it died; clean up after it if it has ended."""
        if self._process is None:
            if time.monotonic() >= self._next_start:
                self._start()
        elif (status := self._process.poll()) is not None:
            self.restart(f"it ended by itself with status {status}")

    def restart(self, why: str) -> None:
        """Kill the process and its descendants; `keep_running` starts it again after a pause."""
        logger.error("%s is started again: %s", self.name, why)
        self._short_lives = 0 if self.age_s > HEALTHY_AFTER_S else self._short_lives + 1
        pause_s = min(2.0 ** (self._short_lives - 1), LONGEST_PAUSE_S) if self._short_lives else 0.0
        self._next_start = time.monotonic() + pause_s
        self.restarts += 1
        self.kill()
        self.on_death()

    def ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def has_stopped(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def kill(self) -> None:
        """Kill the process and its descendants at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            _ours.discard(self._process.pid)
            self._process = None
            end_strays()

    def _start(self) -> None:
        parent = {parent_death.PARENT_VARIABLE: str(os.getpid())}
        environment = {**os.environ, **self.environment(), **parent}
        self._process = subprocess.Popen(
            self.command,
            cwd=self.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        _ours.add(self._process.pid)
        self._started = time.monotonic()


@dataclass
class Supervisor:
    """Runs services until SIGTERM or SIGINT, and calls `tick` every `tick_s` seconds."""

    services: Sequence[Service]
    tick: Callable[[], None] = lambda: None
    tick_s: float = 2.0
    _signals: list[int] = field(default_factory=list)

    def run(self) -> None:
        """Run the services, and return when all have stopped.

        A second signal ends the grace period.
        """
        parent_death.adopt_orphans()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._on_signal)
        next_tick = 0.0
        try:
            while not self._signals:
                for service in self.services:
                    service.keep_running()
                if time.monotonic() >= next_tick:
                    end_strays()
                    self.tick()
                    next_tick = time.monotonic() + self.tick_s
                time.sleep(LOOP_S)
        finally:
            self.stop()

    def stop(self) -> None:
        """Ask all services to stop, and kill each, in order, when its grace period is over."""
        for service in self.services:
            service.ask_to_stop()
        begun, signals = time.monotonic(), len(self._signals)
        for service in self.services:
            while not service.has_stopped() and time.monotonic() - begun < service.grace_s:
                if len(self._signals) > max(signals, 1):
                    break
                time.sleep(0.05)
            service.kill()
        end_strays()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals.append(number)


def end_strays() -> None:
    """Kill and reap children that are no services: orphans that this process has adopted.

    Their own children are adopted in turn, so a tree of any depth is ended.
    """
    for _ in range(KILL_ROUNDS):
        children = psutil.Process().children()
        strays = [c for c in children if c.pid not in _ours and not postmaster.is_server(c)]
        if not strays:
            return
        for stray in strays:
            with contextlib.suppress(psutil.NoSuchProcess):
                stray.kill()
        psutil.wait_procs(strays, timeout=0.2)
