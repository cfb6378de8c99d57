"""The audit chain in the database: one function that appends, and refusals for all else.

After this the application may read the chain and call `audit_append`, nothing more; and it may
insert and read turns, claims and citations, never change them. The row triggers guard against
slips of the owner, who could switch them off; that is what `audit verify` and signed heads find.
"""

from collections.abc import Sequence

from django.apps.registry import Apps
from django.conf import settings
from django.db import connections, migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# The hash of a row: sha256 over a domain separator with its version byte, then each field as its
# length in bytes (4, big-endian) and its bytes. `chat.audit.chain` computes the same in Python.
FUNCTIONS = """
CREATE FUNCTION audit_field(value bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
    SELECT int4send(octet_length(value)) || value
$$;

CREATE FUNCTION audit_hash(
    seq bigint, prev bytea, at timestamptz, actor text, action text, subject text, payload text
) RETURNS bytea
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, {schema}, pg_temp AS $$
    SELECT sha256(
        convert_to('medrag-audit-row', 'UTF8') || '\\x01'::bytea
        || audit_field(int8send(seq))
        || audit_field(prev)
        || audit_field(convert_to(
            to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'UTF8'))
        || audit_field(convert_to(actor, 'UTF8'))
        || audit_field(convert_to(action, 'UTF8'))
        || audit_field(convert_to(subject, 'UTF8'))
        || audit_field(convert_to(payload, 'UTF8')))
$$;

CREATE FUNCTION audit_append(actor text, action text, subject text, payload text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, {schema}, pg_temp
SET lock_timeout = '10s' AS $$
DECLARE
    head {schema}.chat_audithead%ROWTYPE;
    next_seq bigint;
    next_hash bytea;
    now_at timestamptz;
BEGIN
    SELECT * INTO STRICT head FROM {schema}.chat_audithead WHERE id = 1 FOR UPDATE;
    now_at := clock_timestamp();
    next_seq := head.seq + 1;
    next_hash := {schema}.audit_hash(
        next_seq, head.hash, now_at, actor, action, subject, payload);
    INSERT INTO {schema}.chat_auditevent
        (seq, at, actor, action, subject, payload, prev_hash, hash)
        VALUES (next_seq, now_at, actor, action, subject, payload, head.hash, next_hash);
    UPDATE {schema}.chat_audithead SET seq = next_seq, hash = next_hash WHERE id = 1;
    RETURN next_seq;
END
$$;

CREATE FUNCTION audit_refuse() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'The audit log is append-only: % on % is refused.', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE FUNCTION audit_head_forward() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.id = OLD.id AND NEW.seq = OLD.seq + 1 THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'The head of the audit chain only moves to the next row.'
        USING ERRCODE = 'insufficient_privilege';
END
$$;

REVOKE ALL ON FUNCTION audit_append(text, text, text, text) FROM PUBLIC;

CREATE TRIGGER audit_event_rows BEFORE UPDATE OR DELETE ON chat_auditevent
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_event_truncate BEFORE TRUNCATE ON chat_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_head_moves BEFORE UPDATE ON chat_audithead
    FOR EACH ROW EXECUTE FUNCTION audit_head_forward();
CREATE TRIGGER audit_head_rows BEFORE DELETE ON chat_audithead
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_head_truncate BEFORE TRUNCATE ON chat_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

INSERT INTO chat_audithead (id, seq, hash)
    VALUES (1, 0, sha256(convert_to('medrag-audit-genesis', 'UTF8') || '\\x01'::bytea))
    ON CONFLICT (id) DO NOTHING;
"""

DROP_FUNCTIONS = """
DROP TRIGGER audit_event_rows ON chat_auditevent;
DROP TRIGGER audit_event_truncate ON chat_auditevent;
DROP TRIGGER audit_head_moves ON chat_audithead;
DROP TRIGGER audit_head_rows ON chat_audithead;
DROP TRIGGER audit_head_truncate ON chat_audithead;
DROP FUNCTION audit_append(text, text, text, text);
DROP FUNCTION audit_hash(bigint, bytea, timestamptz, text, text, text, text);
DROP FUNCTION audit_field(bytea);
DROP FUNCTION audit_refuse();
DROP FUNCTION audit_head_forward();
"""

CHAIN = "chat_auditevent, chat_audithead"
ANSWERS = "chat_turn, chat_claim, chat_citation"
WRITES = "INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER"
CHANGES = "UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER"

# The application's; not run where it owns the tables, since the owner needs its rights to append.
LIMIT_APPLICATION = [
    f"REVOKE {WRITES} ON {CHAIN} FROM {{role}}",
    f"GRANT SELECT ON {CHAIN} TO {{role}}",
    "GRANT EXECUTE ON FUNCTION audit_append(text, text, text, text) TO {role}",
    f"REVOKE {CHANGES} ON {ANSWERS} FROM {{role}}",
    f"GRANT SELECT, INSERT ON {ANSWERS} TO {{role}}",
]
FREE_APPLICATION = [
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON {CHAIN}, {ANSWERS} TO {{role}}",
]
READ = (
    f"SELECT ON {CHAIN}, {ANSWERS}, chat_conversation, chat_feedback, corpus_collection, "
    "corpus_document, corpus_page, corpus_chunk"
)
LET_AUDITOR_READ = [f"GRANT {READ} TO {{role}}", "GRANT SELECT (id, username) ON auth_user TO {role}"]
STOP_AUDITOR = [
    f"REVOKE {READ} FROM {{role}}",
    "REVOKE SELECT (id, username) ON auth_user FROM {role}",
]


def role_of(alias: str) -> str:
    """The role behind a database alias: by the settings, else by asking the server."""
    user: str = settings.DATABASES.get(alias, {}).get("USER", "")
    if user:
        return user
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


def apply_to_role(
    editor: BaseDatabaseSchemaEditor, alias: str, statements: Sequence[str], *, not_role: str
) -> None:
    role = role_of(alias)
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        if role in (cursor.fetchone()[0], not_role):
            return
        for statement in statements:
            cursor.execute(statement.format(role=editor.quote_name(role)))


def make_functions(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        schema = editor.quote_name(cursor.fetchone()[0])
        cursor.execute(FUNCTIONS.replace("{schema}", schema))


def drop_functions(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute(DROP_FUNCTIONS)


def limit_roles(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apply_to_role(editor, "default", LIMIT_APPLICATION, not_role="")
    apply_to_role(editor, "auditor", LET_AUDITOR_READ, not_role=role_of("default"))


def free_roles(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apply_to_role(editor, "auditor", STOP_AUDITOR, not_role=role_of("default"))
    apply_to_role(editor, "default", FREE_APPLICATION, not_role="")


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0001_initial"),
        ("corpus", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [
        migrations.RunPython(make_functions, drop_functions),
        migrations.RunPython(limit_roles, free_roles),
    ]
