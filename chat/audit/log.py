"""The audit log: `record` is its only writer, `verify_chain` its only judge.

Every event is a row of a chain (`chat.audit.chain` has the formula). The database function
`audit_append` locks the chain's head until the caller's transaction ends, so `record` stands last
in it, and never before a call to a model or to the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from chat.audit.answers import DIGEST_VERSION, stored_turns, turn_digest
from chat.audit.heads import HeadsGone, nobody_signing, sign_head, sign_head_if_due
from chat.audit.heads_copy import AGAIN, send_heads
from chat.audit.protection import missing_protections
from chat.audit.record import Actor, AuditError, actor_name, reason_details, record
from chat.audit.verify import (
    REMOVAL,
    Break,
    Kind,
    KnownHeads,
    VerifyReport,
    known_heads,
    verify_chain,
)
from chat.models import Turn

__all__ = [
    "AGAIN",
    "Actor",
    "AuditError",
    "Break",
    "HeadsGone",
    "Kind",
    "KnownHeads",
    "VerifyReport",
    "actor_name",
    "known_heads",
    "missing_protections",
    "nobody_signing",
    "reason_details",
    "record",
    "record_removal",
    "record_turn",
    "send_heads",
    "sign_head",
    "sign_head_if_due",
    "turn_digest",
    "verify_chain",
]


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
    if notes := _notes(stored.trace):
        payload["notes"] = notes
    return record(
        f"turn.{stored.status}", actor=turn.user, subject=f"turn:{stored.pk}", payload=payload
    )


def record_removal(turn: Turn, *, using: str) -> int:
    """Append the event of a turn that lost its text. Read it anew first, from `using`.

    From now on the turn has to have this digest; that of its own event stays in the chain.
    """
    payload = {"digest": turn_digest(turn), "digest_version": DIGEST_VERSION}
    return record(REMOVAL, actor=None, subject=f"turn:{turn.pk}", payload=payload, using=using)


def _notes(trace: Mapping[str, Any]) -> list[str]:
    """Of the turn, then of each of its searches; each once."""
    searches = [note for search in trace.get("searches", ()) for note in search.get("notes", ())]
    return list(dict.fromkeys([*trace.get("notes", ()), *searches]))
