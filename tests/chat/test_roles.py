"""Test what PostgreSQL itself refuses to the application's and the auditor's roles."""

import io
from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from pytest_django import DjangoDbBlocker

from chat.audit.protection import missing_protections
from chat.audit.verify import verify_chain
from chat.models import AuditEvent
from tests.chat.audit.audit_tools import record_events, store_turn
from tests.databases import fresh_database

CHAIN = ("chat_auditevent", "chat_audithead")
ANSWERS = ("chat_turn", "chat_claim", "chat_citation")
READABLE = (
    *CHAIN,
    *ANSWERS,
    "chat_conversation",
    "chat_feedback",
    "corpus_collection",
    "corpus_document",
    "corpus_page",
    "corpus_chunk",
)


def connect(name: str, role: str) -> psycopg.Connection:
    host = connections["default"].settings_dict["HOST"]
    return psycopg.connect(host=host, user=role, dbname=name, autocommit=True)


@pytest.fixture(scope="module")
def database(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    """Make one database with an answer and two events, for tests that change nothing."""
    with django_db_blocker.unblock(), fresh_database(socket_dir) as name:
        store_turn()
        record_events(2)
        yield name


@pytest.fixture
def application(database: str) -> Iterator[psycopg.Connection]:
    with connect(database, "medrag_app") as connection:
        yield connection


@pytest.fixture
def owner(database: str) -> Iterator[psycopg.Connection]:
    with connect(database, "medrag_owner") as connection:
        yield connection


@pytest.fixture
def auditor(database: str) -> Iterator[psycopg.Connection]:
    with connect(database, "medrag_auditor") as connection:
        yield connection


FORBIDDEN = [
    *(
        statement.format(table=table)
        for table in (*CHAIN, *ANSWERS)
        for statement in (
            "DELETE FROM {table}",
            "TRUNCATE {table} CASCADE",
            "DROP TABLE {table} CASCADE",
            "ALTER TABLE {table} DISABLE TRIGGER ALL",
            "ALTER TABLE {table} DISABLE TRIGGER USER",
            "ALTER TABLE {table} OWNER TO medrag_app",
            "CREATE TRIGGER mine BEFORE INSERT ON {table} EXECUTE FUNCTION audit_refuse()",
            "CREATE RULE mine AS ON INSERT TO {table} DO INSTEAD NOTHING",
            "CREATE TABLE mine (LIKE {table})",
        )
    ),
    "UPDATE chat_auditevent SET actor = ''",
    "UPDATE chat_audithead SET seq = 0",
    "UPDATE chat_audithead SET seq = seq + 1",
    "UPDATE chat_turn SET question = ''",
    "UPDATE chat_claim SET text = ''",
    "UPDATE chat_citation SET quote = ''",
    "INSERT INTO chat_auditevent SELECT seq + 1, at, actor, action, subject, payload, hash, "
    "sha256(hash) FROM chat_auditevent",
    "INSERT INTO chat_auditevent SELECT * FROM chat_auditevent ON CONFLICT (seq) "
    "DO UPDATE SET actor = ''",
    "INSERT INTO chat_audithead (id, seq, hash) VALUES (2, 0, '')",
    "MERGE INTO chat_auditevent a USING chat_audithead h ON a.seq = h.seq WHEN MATCHED THEN DELETE",
    "SELECT * FROM chat_audithead FOR UPDATE",
    "COPY chat_auditevent FROM PROGRAM 'true'",
    "COPY chat_auditevent FROM STDIN",
    "SET session_replication_role = replica",
    "SET ROLE medrag_owner",
    "SET SESSION AUTHORIZATION medrag_owner",
    "ALTER ROLE medrag_app SUPERUSER",
    "GRANT medrag_owner TO medrag_app",
    "DROP FUNCTION audit_append(text, text, text, text)",
    "ALTER FUNCTION audit_append(text, text, text, text) RESET search_path",
    "ALTER FUNCTION audit_append(text, text, text, text) SECURITY INVOKER",
    "CREATE OR REPLACE FUNCTION audit_hash(bigint, bytea, timestamptz, text, text, text, text) "
    "RETURNS bytea LANGUAGE sql AS $$ SELECT ''::bytea $$",
    "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$",
    "CREATE SCHEMA mine",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_application_is_refused(application: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as refusal:
        application.execute(statement)
    assert "append-only" not in str(refusal.value)  # refused by the privilege, before the trigger
    assert verify_chain().rows == 3
    assert verify_chain().ok


def test_the_application_cannot_give_itself_rights(application: psycopg.Connection) -> None:
    application.execute("GRANT ALL ON chat_auditevent TO medrag_app")  # only warns, grants nothing
    for privilege in ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER"):
        row = application.execute(
            "SELECT has_table_privilege('chat_auditevent', %s)", [privilege]
        ).fetchone()
        assert row == (False,)


def test_a_temporary_table_does_not_stand_in_for_the_chain(own_database: str) -> None:
    record_events(1)
    with connect(own_database, "medrag_app") as connection:
        for table in CHAIN:
            connection.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM public.{table}")
        connection.execute("SET search_path = pg_temp, public")
        connection.execute("SELECT audit_append('a', 'b', 'c', '{}')")
    assert AuditEvent.objects.count() == 2
    assert verify_chain().ok


def test_null_is_refused_and_not_silently_dropped(application: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.NotNullViolation):
        application.execute("SELECT audit_append('a', 'b', 'c', NULL)")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chat_auditevent SET actor = ''", "DELETE FROM chat_auditevent",
        "TRUNCATE chat_auditevent", "UPDATE chat_audithead SET seq = 0",
        "UPDATE chat_audithead SET hash = ''", "DELETE FROM chat_audithead",
        "TRUNCATE chat_audithead",
    ],
)  # fmt: skip
def test_the_owner_is_kept_from_slips(owner: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        owner.execute(statement)
    assert verify_chain().rows == 3


@pytest.mark.parametrize("table", READABLE)
def test_the_auditor_reads(auditor: psycopg.Connection, table: str) -> None:
    auditor.execute(f"SELECT * FROM {table}")


def test_the_auditor_reads_names_and_no_passwords(auditor: psycopg.Connection) -> None:
    auditor.execute("SELECT id, username FROM auth_user")
    for column in ("password", "email", "*"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            auditor.execute(f"SELECT {column} FROM auth_user")


@pytest.mark.parametrize(
    "statement",
    [
        *(f"DELETE FROM {table}" for table in READABLE),
        *(f"INSERT INTO {table} SELECT * FROM {table}" for table in READABLE),
        "SELECT audit_append('a', 'b', 'c', '{}')",
        "UPDATE chat_audithead SET seq = 0",
        "SELECT * FROM django_session",
        "SELECT * FROM knox_authtoken",
    ],
)
def test_the_auditor_writes_nothing(auditor: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        auditor.execute(statement)


def test_nobody_else_may_append(own_database: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT array_agg(grantee::regrole::text ORDER BY grantee::regrole::text) "
            "FROM pg_proc, aclexplode(proacl) acl(grantor, grantee, privilege, grantable) "
            "WHERE proname = 'audit_append'"
        )
        assert cursor.fetchone()[0] == ["medrag_app", "medrag_owner"]


def test_the_migration_goes_back_and_forth(own_database: str) -> None:
    quiet = {"database": "owner", "verbosity": 0, "stdout": io.StringIO()}
    record_events(1)
    call_command("migrate", "chat", "0001", **quiet)
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_proc WHERE proname LIKE 'audit\\_%'")
        assert cursor.fetchone()[0] == 0
    call_command("migrate", "chat", **quiet)
    record_events(1)
    report = verify_chain()
    assert (report.ok, report.rows) == (True, 2)
    assert settings.DATABASES["default"]["USER"] == "medrag_app"


def test_doctor_sees_every_protection(own_database: str) -> None:
    assert missing_protections() == ()
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE chat_auditevent DISABLE TRIGGER audit_event_truncate")
        cursor.execute("GRANT UPDATE ON chat_claim TO medrag_app")
    assert missing_protections() == (
        "The application may change rows of chat_claim.",
        "The trigger audit_event_truncate is off.",
    )
    assert len(missing_protections("owner")) == 6  # the application runs as the owner
