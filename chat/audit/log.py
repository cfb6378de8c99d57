"""The log's only writer: an event of the chain, beside what it records.

Every event is a row of a chain (`chat.audit.chain` has the formula). The database function
`audit_append` locks the chain's head until the caller's transaction ends, so `record` stands last
in it, and never before a call to a model or to the network. `chat.audit.verify` is its only judge.
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
    """The log can't be written as asked; what it was to record must not happen either."""


def record(
    action: str,
    *,
    actor: Actor,
    subject: str,
    payload: Mapping[str, Any],
    using: str = DEFAULT_DB_ALIAS,
) -> int:
    """Append an event and return its `seq`. One query.

    Must be called inside `transaction.atomic`, last, together with what it records: both stay or
    both go. `actor` None is the system itself. `subject` names a thing as `kind:id`. The payload
    becomes canonical JSON; it never holds the text of a question or of a document, since what is
    in the chain can't be taken out again. Raises `AuditError` outside a transaction, `ValueError`
    or `TypeError` for a payload that JSON can't express.
    """
    connection = connections[using]
    if not connection.in_atomic_block:
        raise AuditError("An audit event belongs into the transaction of what it records.")
    fields = (actor_name(actor), storable(action), storable(subject), canonical_json(payload))
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_append(%s, %s, %s, %s)", fields)
        return int(cursor.fetchone()[0])


def reason_details(reason: str) -> dict[str, Any]:
    """Return what the log keeps of words that somebody gave as a reason: their length and a keyed
    hash.

    The reason stands in the row that it explains, may be of a clinical kind, and the chain keeps
    what it gets for ever.
    """
    keyed = salted_hmac("chat.audit.reason", reason, algorithm="sha256").hexdigest()
    return {"reason_chars": len(reason), "reason_hmac": keyed}


def actor_name(actor: Actor) -> str:
    """Return `user:7:alice`: the id that stays, and the name that it had at the time."""
    if actor is None:
        return "system"
    if actor.pk is None:
        return "anonymous"
    return storable(f"user:{actor.pk}:{actor.get_username()}")


def record_turn(turn: Turn) -> int:
    """Append the event of a turn whose claims and citations are all stored. Four queries.

    The digest is taken from what the database gives back, not from what was sent. `notes` says what
    did not go as configured: a reranker that fell back, a model that came too late.
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
    """Append the event of a turn that lost its text. Read it anew first, from `using`.

    From now on the turn has to have this digest; that of its own event stays in the chain.
    """
    payload = {"digest": turn_digest(turn), "digest_version": DIGEST_VERSION}
    return record(REMOVAL, actor=None, subject=f"turn:{turn.pk}", payload=payload, using=using)
