"""Read the whole state of a database, so that two databases can be compared."""

from django.db import connections
from psycopg import sql

OWNER = "owner"
# By name, since OIDs differ between two databases.
_CATALOG = {
    "rights on tables": "SELECT relname, relkind::text, relowner::regrole::text, relacl::text "
    "FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')",
    "rights on columns": "SELECT attrelid::regclass::text, attname, attacl::text FROM pg_attribute "
    "WHERE attacl IS NOT NULL AND attrelid IN "
    "(SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)",
    "rights by default": "SELECT defaclrole::regrole::text, defaclobjtype::text, defaclacl::text "
    "FROM pg_default_acl",
    "triggers": "SELECT tgrelid::regclass::text, tgname, tgenabled::text, pg_get_triggerdef(oid) "
    "FROM pg_trigger WHERE NOT tgisinternal",
    "functions": "SELECT p.oid::regprocedure::text, proowner::regrole::text, proacl::text, "
    "pg_get_functiondef(p.oid) FROM pg_proc p WHERE pronamespace = 'public'::regnamespace "
    "AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')",
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, convalidated::text, "
    "pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
    "sequences": "SELECT sequencename, last_value::text FROM pg_sequences "
    "WHERE schemaname = 'public'",
}

State = dict[str, list[tuple[object, ...]]]


def catalog_state() -> State:
    """Return tables with their rights, triggers, functions, indexes, constraints, sequences."""
    found: State = {}
    with connections[OWNER].cursor() as cursor:
        for name, query in _CATALOG.items():
            cursor.execute(query)
            # The order of rights in an array has no meaning.
            found[name] = sorted(map(_ordered, cursor.fetchall()), key=str)
    return found


def rows_state() -> State:
    """Return every row of every table as text."""
    found: State = {}
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        for (name,) in cursor.fetchall():
            query = sql.SQL("SELECT t::text FROM {} t ORDER BY 1").format(sql.Identifier(name))
            cursor.execute(query)
            found[name] = cursor.fetchall()
    return found


def _ordered(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(map(_in_order, row))


def _in_order(value: object) -> object:
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return ",".join(sorted(value[1:-1].split(",")))
    return value
