"""Start the embedded PostgreSQL on first use, and stop it when its last user ends.

Every process that uses the database calls `ensure_started` once, and from then on holds a shared
lock on a file. A process that can lock that file exclusively when it ends is the last, and stops
the server. The kernel releases the locks of a killed process, so none is left behind. The worker
also calls `Watch`, which restarts a server that died.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

import psycopg

from medrag_site.database import postmaster
from medrag_site.database import roles as databases
from medrag_site.database.postmaster import DatabaseStartError
from medrag_site.database.provisioning import provision

MAX_SOCKET_PATH = 107  # bytes that the kernel takes for the name of a Unix socket
IN_USE = ".in_use.lock"
ANSWER_S = 60.0  # for a recovering server, which goes on by itself
RETRY_S = 4.0  # between two starts of a server that keeps ending

logger = logging.getLogger(__name__)


class StartIsHeld(DatabaseStartError):
    """Another process is starting or stopping the server."""


def folder_of(data_dir: Path) -> Path:
    """Return the folder of the server's files and its socket."""
    return data_dir.resolve() / "postgres"


def ensure_started(data_dir: Path, *, database: str = "") -> str:
    """Start the server in `data_dir/postgres` unless it runs, and return its socket's folder.

    Creates missing roles, and the database (by default the site's) with its extension. Raises
    DatabaseStartError.
    """
    pgdata = folder_of(data_dir)
    # The socket lies in that folder, and the length of its path is limited.
    over = len(os.fsencode(pgdata / ".s.PGSQL.5432")) - MAX_SOCKET_PATH
    if over > 0:
        raise DatabaseStartError(
            f"The path of {pgdata} is too long for the embedded PostgreSQL, by {over} characters. "
            "Set MEDRAG_DATA_DIR to a folder with a shorter path."
        )
    postmaster.refuse_foreign_folder(pgdata)
    with _start_lock(data_dir, wait_s=ANSWER_S):
        if postmaster.living(pgdata) is None:
            postmaster.start(pgdata)
        _hold(data_dir.resolve())
        _wait_until_it_answers(pgdata)
        provision(str(pgdata), database or databases.NAME)
    return str(pgdata)


class Watch:
    """Restarts the server of `data_dir` after it died. To be called every second or two."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir, self._pgdata = data_dir, folder_of(data_dir)
        self._not_before = 0.0
        self._said = ""

    def __call__(self) -> None:
        """Restart the server if it is dead, within 5 s; after a failure try again every `RETRY_S`.

        Each cause of failure is logged once.
        """
        if time.monotonic() < self._not_before or postmaster.living(self._pgdata):
            return
        try:
            with _start_lock(self._data_dir, wait_s=0.0):
                if postmaster.living(self._pgdata) is None:
                    self._not_before = time.monotonic() + RETRY_S
                    postmaster.start(self._pgdata)
                    self._said = ""
                    logger.error("the embedded database had ended by itself; it was started again")
        except StartIsHeld:
            return
        except (DatabaseStartError, OSError) as error:
            cause = re.sub(r"\d+", "", str(error))  # the free space in it changes all the time
            if cause != self._said:
                logger.error("%s It is tried again every %.0f s.", error, RETRY_S)
            self._said = cause


def _wait_until_it_answers(pgdata: Path) -> None:
    """Raise DatabaseStartError if the server is silent for a minute, or another one answers."""
    deadline = time.monotonic() + ANSWER_S
    while True:
        try:
            with postmaster.superuser(str(pgdata)) as connection:
                row = connection.execute("SHOW data_directory").fetchone()
            break
        except psycopg.OperationalError:
            is_over = time.monotonic() > deadline
            if is_over or postmaster.is_paused(pgdata) or postmaster.living(pgdata) is None:
                raise DatabaseStartError(postmaster.silence(pgdata)) from None
        time.sleep(0.1)
    if row is None or Path(row[0]) != pgdata:
        raise DatabaseStartError(
            f"Another server answers on the socket in {pgdata}. Stop that one, then try again."
        )


@cache
def _hold(data_dir: Path) -> None:
    """Take a shared lock that this process keeps until it ends, however it ends."""
    handle = open(data_dir / IN_USE, "w")  # noqa: SIM115 it stays open on purpose
    fcntl.flock(handle, fcntl.LOCK_SH)
    atexit.register(_let_go, data_dir, handle, os.getpid())


def _let_go(data_dir: Path, handle: IO[str], holder_pid: int) -> None:
    """Stop the server if no other process uses it.

    A forked process does nothing: it shares its parent's lock, and does not outlive its parent.
    """
    if os.getpid() != holder_pid:
        return
    with suppress(StartIsHeld, FileNotFoundError), _start_lock(data_dir, wait_s=ANSWER_S):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        postmaster.stop(folder_of(data_dir))
        fcntl.flock(handle, fcntl.LOCK_UN)  # a fork that lives on would keep it


@contextmanager
def _start_lock(data_dir: Path, *, wait_s: float) -> Iterator[None]:
    """Hold the lock on starting. Raises StartIsHeld if another process holds it beyond `wait_s`."""
    deadline = time.monotonic() + wait_s
    with open(data_dir / ".start.lock", "w") as handle:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StartIsHeld(
                        f"Another process starts or ends the database in {data_dir}. Try again in "
                        "a minute; nothing was changed."
                    ) from None
            time.sleep(0.05)
        yield
