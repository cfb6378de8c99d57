"""Make databases for tests: one migrated template, copied in a fraction of a second per use.

The tests run as the application's role. That role may not truncate, so a test that needs committed
rows gets a database of its own instead of one that is flushed.
"""

import fcntl
import hashlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from bench.connections import connected_to
from medrag_site.database.embedded import ensure_started
from medrag_site.database.provisioning import provision

ROOT = Path(__file__).resolve().parent.parent


def start_server() -> str:
    socket_dir = ensure_started(settings.DATA_DIR)
    for alias in settings.DATABASES.values():
        alias["HOST"] = socket_dir
    for name in connections.settings:
        connections.settings[name]["HOST"] = socket_dir
    _wait_for_no_disk(socket_dir)
    return socket_dir


def _wait_for_no_disk(socket_dir: str) -> None:
    """Switch off fsync, since no test cuts the server's power."""
    with superuser(socket_dir) as c:
        if c.execute("SHOW fsync").fetchone() != ("off",):
            c.execute("ALTER SYSTEM SET fsync = off")
            c.execute("SELECT pg_reload_conf()")


def superuser(socket_dir: str, database: str = "postgres") -> psycopg.Connection:
    return psycopg.connect(host=socket_dir, user="postgres", dbname=database, autocommit=True)


def ensure_template(socket_dir: str) -> str:
    """Return the name of a database migrated with the migrations on disk; make it if missing."""
    name = "template_" + _migrations_digest()
    with open(settings.DATA_DIR / ".template.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with superuser(socket_dir) as c:
            query = "SELECT 1 FROM pg_database WHERE datname = %s"
            if not c.execute(query, [name]).fetchone():
                building = f"building_{uuid.uuid4().hex[:8]}"
                provision(socket_dir, building)
                with connected_to(building):
                    call_command("migrate", database="owner", verbosity=0)
                    connections.close_all()
                rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
                c.execute(rename.format(sql.Identifier(building), sql.Identifier(name)))
    return name


@contextmanager
def fresh_database(socket_dir: str) -> Iterator[str]:
    """Use a copy of the template for all connections and child processes within the block."""
    template = ensure_template(socket_dir)
    name = f"test_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    with superuser(socket_dir) as c:
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        c.execute(copy.format(sql.Identifier(name), sql.Identifier(template)))
    before = os.environ.get("MEDRAG_TEST_DATABASE")
    os.environ["MEDRAG_TEST_DATABASE"] = name
    try:
        with connected_to(name):
            yield name
    finally:
        os.environ.pop("MEDRAG_TEST_DATABASE")
        if before:
            os.environ["MEDRAG_TEST_DATABASE"] = before
        with superuser(socket_dir) as c:
            c.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _migrations_digest() -> str:
    digest = hashlib.sha256((ROOT / "medrag_site" / "database" / "provisioning.py").read_bytes())
    tables = ROOT / "corpus" / "services" / "encoders.py"  # `migrate` makes tables by it, too
    digest.update((ROOT / "medrag_site" / "groups.py").read_bytes())
    digest.update(repr(settings.INSTALLED_APPS).encode())
    for path in [
        tables,
        ROOT / "constraints.txt",
        ROOT / "core/language/en/short_forms/ward_words.tsv",  # seeds a lexicon
        *sorted(ROOT.glob("*/migrations/*.*")),
    ]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
