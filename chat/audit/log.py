"""Append events to the log, as its only writer, in the transaction of what they record.

Every event is a row of a chain (`chat.audit.chain` has the formula). The database function
`audit_append` locks the chain's head until the caller's transaction ends, so `record` must be
called last in the transaction, and never before a call to a model or to the network. The chain is
verified by `chat.audit.verify` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.crypto import salted_hmac

from chat.audit.answers import DIGEST_VERSION, REMOVAL, stored_turns, turn_digest
from chat.audit.chain import canonical_json, storable
from chat.models import Turn
from core.errors import MedragError

Actor = AbstractBaseUser | AnonymousUser | None


class AuditError(MedragError):
    """The log can't be written, so the action to be recorded must not happen either."""


def record(
    action: str,
    *,
    actor: Actor,
    subject: str,
    payload: Mapping[str, Any],
    using: str = DEFAULT_DB_ALIAS,
) -> int:
    """Append an event and return its `seq`. One query.

    Call it last inside the `transaction.atomic` of the change that it records, so that both are
    committed or neither. `actor` None is the system itself. `subject` names a thing as `kind:id`.
    The payload becomes canonical JSON; it never holds the text of a question or of a document,
    since nothing can be removed from the chain. Raises `AuditError` outside a transaction,
    `ValueError` or `TypeError` for a payload that JSON can't express.
    """
    connection = connections[using]
    if not connection.in_atomic_block:
        raise AuditError("An audit event belongs into the transaction of what it records.")
    fields = (actor_name(actor), storable(action), storable(subject), canonical_json(payload))
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_append(%s, %s, %s, %s)", fields)
        return int(cursor.fetchone()[0])


def reason_details(reason: str) -> dict[str, Any]:
    """Return what the log keeps of a reason that somebody typed: length and a keyed hash.

    The reason itself is stored in the row that it explains: it may be clinical, and the chain can't
    forget.
    """
    keyed = salted_hmac("chat.audit.reason", reason, algorithm="sha256").hexdigest()
    return {"reason_chars": len(reason), "reason_hmac": keyed}


def actor_name(actor: Actor) -> str:
    """Return `user:7:alice`: the permanent id, and the user name at the time."""
    if actor is None:
        return "system"
    if actor.pk is None:
        return "anonymous"
    return storable(f"user:{actor.pk}:{actor.get_username()}")


def record_turn(turn: Turn) -> int:
    """Append the event of a turn whose claims and citations are all stored. Four queries.

    The digest is computed from the stored rows. `notes` tells what did not go as configured, such
    as a reranker that failed or a model that was too late.
    """
    stored = stored_turns(DEFAULT_DB_ALIAS).get(pk=turn.pk)
    payload = {
        "channel": stored.channel,
        "confidence": stored.confidence,
        "digest": turn_digest(stored),
        "digest_version": DIGEST_VERSION,
        "fingerprint": stored.fingerprint,
        "reason": stored.reason,
        "status": stored.status,
    }
    searches = stored.trace.get("searches", ())
    notes = [*stored.trace.get("notes", ()), *(n for s in searches for n in s.get("notes", ()))]
    if notes:
        payload["notes"] = list(dict.fromkeys(notes))
    return record(
        f"turn.{stored.status}", actor=turn.user, subject=f"turn:{stored.pk}", payload=payload
    )


def record_removal(turn: Turn, *, using: str) -> int:
    """Append the event of a turn whose text was removed. Reload the turn from `using` first.

    The turn must have this digest from then on; its first event stays in the chain.
    """
    payload = {"digest": turn_digest(turn), "digest_version": DIGEST_VERSION}
    return record(REMOVAL, actor=None, subject=f"turn:{turn.pk}", payload=payload, using=using)
