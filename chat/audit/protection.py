"""Check whether the database itself still protects the chain, for `doctor`."""

from __future__ import annotations

from django.db import connections

_FORBIDDEN = {
    **dict.fromkeys(("chat_auditevent", "chat_audithead"), ("INSERT", "UPDATE", "DELETE")),
    **dict.fromkeys(("chat_turn", "chat_claim", "chat_citation"), ("UPDATE", "DELETE")),
}
_TRIGGERS = (
    "audit_event_rows",
    "audit_event_truncate",
    "audit_head_moves",
    "audit_head_rows",
    "audit_head_truncate",
)
_SELECT_HELD = """
SELECT t, p FROM unnest(%s::text[], %s::text[]) AS asked(t, p)
WHERE has_table_privilege(t, p) OR has_table_privilege(t, 'TRUNCATE')
"""
_SELECT_TRIGGERS = (
    "SELECT tgname FROM pg_trigger WHERE tgname = ANY(%s) AND tgenabled IN ('O', 'A')"
)


def missing_protections(using: str = "default") -> tuple[str, ...]:
    """Return a sentence per missing protection; empty if all are in place. Two queries."""
    pairs = [(table, right) for table, rights in _FORBIDDEN.items() for right in rights]
    tables, rights = zip(*pairs, strict=True)
    with connections[using].cursor() as cursor:
        cursor.execute(_SELECT_HELD, [list(tables), list(rights)])
        held = sorted({table for table, _ in cursor.fetchall()})
        cursor.execute(_SELECT_TRIGGERS, [list(_TRIGGERS)])
        enabled = {name for (name,) in cursor.fetchall()}
    return (
        *(f"The application may change rows of {table}." for table in held),
        *(f"The trigger {name} is off." for name in _TRIGGERS if name not in enabled),
    )
