"""The audit log: `record` is its only writer, `verify_chain` its only judge.

Every event is a row of a chain (`chat.audit_chain` has the formula). The database function
`audit_append` locks the chain's head until the caller's transaction ends, so `record` stands last
in it, and never before a call to a model or to the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import connection

from chat.audit_answers import DIGEST_VERSION, stored_turns, turn_digest
from chat.audit_chain import canonical_json, storable
from chat.audit_heads import sign_head, sign_head_if_due
from chat.audit_protection import missing_protections
from chat.audit_verify import Break, Kind, VerifyReport, verify_chain
from chat.models import Turn
from corpus.errors import MedragError

__all__ = [
    "Actor",
    "AuditError",
    "Break",
    "Kind",
    "VerifyReport",
    "missing_protections",
    "record",
    "record_turn",
    "sign_head",
    "sign_head_if_due",
    "turn_digest",
    "verify_chain",
]

Actor = AbstractBaseUser | AnonymousUser | None


class AuditError(MedragError):
    """The log can't be written as asked; what it was to record must not happen either."""


def record(action: str, *, actor: Actor, subject: str, payload: Mapping[str, Any]) -> int:
    """Append an event and return its `seq`. One query.

    Must be called inside `transaction.atomic`, last, together with what it records: both stay or
    both go. `actor` None is the system itself. `subject` names a thing as `kind:id`. The payload
    becomes canonical JSON; it never holds the text of a question or of a document, since what is
    in the chain can't be taken out again. Raises `AuditError` outside a transaction, `ValueError`
    or `TypeError` for a payload that JSON can't express.
    """
    if not connection.in_atomic_block:
        raise AuditError("An audit event belongs into the transaction of what it records.")
    fields = (actor_name(actor), storable(action), storable(subject), canonical_json(payload))
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_append(%s, %s, %s, %s)", fields)
        return int(cursor.fetchone()[0])


def record_turn(turn: Turn) -> int:
    """Append the event of a turn whose claims and citations are all stored. Four queries.

    The digest is taken from what the database gives back, not from what was sent. `notes` says what
    did not go as configured: a reranker that fell back, a second search that failed.
    """
    stored = stored_turns(connection.alias).get(pk=turn.pk)
    payload = {
        "channel": stored.channel,
        "confidence": stored.confidence,
        "digest": turn_digest(stored),
        "digest_version": DIGEST_VERSION,
        "fingerprint": stored.fingerprint,
        "reason": stored.reason,
        "status": stored.status,
    }
    if notes := _notes(stored.trace):
        payload["notes"] = notes
    return record(
        f"turn.{stored.status}", actor=turn.user, subject=f"turn:{stored.pk}", payload=payload
    )


def _notes(trace: Mapping[str, Any]) -> list[str]:
    """Of the turn, then of each of its searches; each once."""
    searches = [note for search in trace.get("searches", ()) for note in search.get("notes", ())]
    return list(dict.fromkeys([*trace.get("notes", ()), *searches]))


def actor_name(actor: Actor) -> str:
    """`user:7:alice`: the id that stays, and the name that it had at the time."""
    if actor is None:
        return "system"
    if actor.pk is None:
        return "anonymous"
    return storable(f"user:{actor.pk}:{actor.get_username()}")
