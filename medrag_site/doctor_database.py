"""Look at the database for `manage.py doctor`: the server, its standby, roles and tables.

Each look returns whether all is well (None if there is something to do) and what was found.
"""

from __future__ import annotations

import psycopg
from django.conf import settings
from django.db import connection, connections
from django.utils import timezone

from core.replica import OTHER_TABLES, REPLICA, columns_missing, standing_measured
from medrag_site.backups.catalog import server_version
from medrag_site.database.restore_mark import SENTENCE, is_unfinished
from medrag_site.database.tables import missing_migrations
from medrag_site.processes.start import start_database

OLDEST_PGVECTOR = (0, 8, 4)  # 0.8.3 and 0.8.4 fix index corruption
OLDEST_POSTGRES = 15
CLOCK_OFF_S = 30  # as long as a code of an authenticator app is valid


def database() -> tuple[bool | None, str]:
    start_database()
    server = server_version(connection)
    if server.major < OLDEST_POSTGRES:
        return False, f"PostgreSQL {server.name} is too old: 15 or later is needed"
    if fault := _collation_fault():
        return False, fault
    where = "embedded" if settings.DATABASE_IS_EMBEDDED else "from DATABASE_URL"
    found = f"PostgreSQL {server.name}, {where}"
    if not _is_behind_a_pool():
        return True, found
    if settings.PREPARED_STATEMENTS:
        return None, (
            f"{found}, through a pool: set MEDRAG_PREPARED_STATEMENTS=false, unless the pool "
            "keeps a session for a connection"
        )
    return True, f"{found}, through a pool"


def _is_behind_a_pool() -> bool:
    """Tell whether the session that answers is another than the one that greeted."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        answering = cursor.fetchone()[0]
    return bool(connection.connection.info.backend_pid != answering)


def _collation_fault() -> str:
    """Say what to do where the system sorts texts in another way than when indexes were made."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT datname, datcollversion, pg_database_collation_actual_version(oid) "
            "FROM pg_database WHERE datname = current_database() "
            "AND datcollversion <> pg_database_collation_actual_version(oid)"
        )
        row = cursor.fetchone()
    if row is None:
        return ""
    name, made, actual = row
    return (
        f"its texts were sorted by version {made} of the system's rules and are by {actual} now: "
        f"searches and uniqueness may be wrong. As owner, while the site is stopped: REINDEX "
        f'DATABASE "{name}"; ALTER DATABASE "{name}" REFRESH COLLATION VERSION'
    )


def replica() -> tuple[bool | None, str]:
    """Report a standby that can't be used: searches go to the primary, so nothing else shows it."""
    if REPLICA not in connections.settings:
        return True, "none: DATABASE_REPLICA_URL names a standby for searches"
    standing = standing_measured()
    if standing.fault:
        return False, f"not read: {standing.fault}. Searches go to the primary"
    behind = f"{standing.behind_s:.0f} s behind"
    if not standing.is_usable:
        most = settings.REPLICA_MAX_LAG_S
        return None, f"not read: {behind}, more than {most} s. Searches go to the primary"
    if missing := columns_missing():
        return False, (
            f"not read: {OTHER_TABLES} ({', '.join(missing[:3])} missing). Searches go to the "
            "primary. Wait until it has replayed the migrations, else make the standby anew"
        )
    return True, f"read by searches, {behind}"


def role() -> tuple[bool, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, has_schema_privilege('public', 'CREATE') "
            "FROM pg_roles WHERE rolname = current_user"
        )
        role, superuser, creates = cursor.fetchone()
    if superuser or creates:
        return False, f"{role} may do too much: use a role as in docs/running.md"
    for setting, alias in (("DATABASE_AUDITOR_URL", "auditor"), ("DATABASE_OWNER_URL", "owner")):
        if fault := _refusal(alias):
            return False, f"{setting} does not lead to the database: {fault}"
    return True, f"{role}, which reads and writes rows only"


def _refusal(alias: str) -> str:
    """Say why no connection can be made with the role of `alias`; empty if it can."""
    parameters = connections[alias].get_connection_params()
    try:
        psycopg.connect(**parameters).close()
    except psycopg.OperationalError as error:
        return " ".join(str(error).split())
    return ""


def pgvector() -> tuple[bool, str]:
    version = server_version(connection).pgvector
    if not version:
        return False, "not installed: CREATE EXTENSION vector"
    if tuple(int(part) for part in version.split(".")) < OLDEST_PGVECTOR:
        return False, f"{version} is too old: 0.8.4 or later is needed, then REINDEX"
    return True, version


def clock() -> tuple[bool, str]:
    """Compare this machine's clock with the database's: codes and sign-ins go by the former."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        off_s = (timezone.now() - cursor.fetchone()[0]).total_seconds()
    if abs(off_s) <= CLOCK_OFF_S:
        return True, "as the database's"
    side = "ahead of" if off_s > 0 else "behind"
    return False, (
        f"{abs(off_s):.0f} s {side} the database's: have both set by NTP, or codes of "
        "authenticator apps and sign-ins by the hospital are refused"
    )


def migrations() -> tuple[bool, str]:
    if is_unfinished():
        return False, SENTENCE
    if missing := missing_migrations():
        return False, f"{missing} are not applied: run manage.py migrate"
    return True, "all applied"
