"""Store answers for the audit's tests, and break the log as the owner of its tables can."""

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.utils import timezone

from chat.audit import log as audit
from chat.models import Channel, Citation, Claim, Turn, TurnStatus
from corpus.models import Collection, Document


def record_events(count: int, *, actor: User | None = None) -> None:
    for number in range(count):
        with transaction.atomic():
            audit.record("test", actor=actor, subject=f"thing:{number}", payload={"n": number})


def store_turn(user: User | None = None, **changes: Any) -> Turn:
    """Store a turn with two claims of one citation each, and record it as the service does."""
    with transaction.atomic():
        turn = Turn.objects.create(**(_turn_values(user) | changes))
        for index in (1, 2):
            claim = Claim.objects.create(turn=turn, index=index, text=f"Give {index} mg µ≥½ 💊.")
            Citation.objects.create(claim=claim, **_citation_values(index))
        audit.record_turn(turn)
    return turn


def _turn_values(user: User | None) -> dict[str, Any]:
    return {
        "user": user,
        "channel": Channel.API,
        "question": "How much?",
        "status": TurnStatus.ANSWERED,
        "confidence": 0.1 + 0.2,
        "fingerprint": "f" * 64,
        "trace": {"big": 1e22, "small": -0.0, "b": [1, {"a": None}], "a": 0.1},
        "created_at": datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.UTC),
        "duration_ms": 12,
    }


def _citation_values(index: int) -> dict[str, Any]:
    collection, _ = Collection.objects.get_or_create(slug="a", defaults={"name": "A"})
    document, _ = Document.objects.get_or_create(
        sha256="d" * 64,
        defaults={
            "collection": collection,
            "title": "Guide",
            "filename": "guide.pdf",
            "size_bytes": 1,
            "published_at": timezone.now(),
        },
    )
    return {
        "index": index, "document": document, "chunk_key": f"{document.sha256}_p1_c{index}",
        "sha256": document.sha256, "title": document.title, "page": 3, "section": "Dosing › Adults",
        "start": 0, "end": 4, "quote": "Give",
    }  # fmt: skip


def as_owner(name: str, *statements: str, role: str = "postgres") -> None:
    """Run statements with the log's triggers disabled, as an intruder would."""
    host = connections["default"].settings_dict["HOST"]
    with psycopg.connect(host=host, user=role, dbname=name) as connection:
        for table in ("chat_auditevent", "chat_audithead"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement in statements:
            connection.execute(statement)
        for table in ("chat_auditevent", "chat_audithead"):
            connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


@contextmanager
def tampered(statement: str) -> Iterator[None]:
    """Run a statement on the log, triggers disabled, for the block; read by the alias `owner`."""
    with transaction.atomic(using="owner"):
        with connections["owner"].cursor() as cursor:
            for table in ("chat_auditevent", "chat_audithead"):
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(statement)
        yield
        transaction.set_rollback(True, using="owner")


def rewrite_from(seq: int) -> str:
    """Return SQL that changes row `seq` and recomputes all hashes from there on."""
    return f"""
    DO $$
    DECLARE
        event record;
        prev bytea;
    BEGIN
        UPDATE chat_auditevent SET actor = 'user:1:nobody' WHERE seq = {seq};
        SELECT prev_hash INTO prev FROM chat_auditevent WHERE seq = {seq};
        FOR event IN SELECT * FROM chat_auditevent WHERE seq >= {seq} ORDER BY seq LOOP
            UPDATE chat_auditevent SET prev_hash = prev, hash = audit_hash(
                event.seq, prev, event.at, event.actor, event.action, event.subject, event.payload)
                WHERE seq = event.seq RETURNING hash INTO prev;
        END LOOP;
        UPDATE chat_audithead SET hash = prev;
    END $$
    """


def independent_verify(lines: Iterable[str]) -> tuple[int, str]:
    """Verify an export without the project's code; return its rows and last hash.

    Written from the description of the format alone. Raises `ValueError` at the first break.
    """

    def field(value: bytes) -> bytes:
        return len(value).to_bytes(4, "big") + value

    expected = 0
    last = hashlib.sha256(b"medrag-audit-genesis\x01").hexdigest()
    for line in lines:
        row = json.loads(line)
        expected += 1
        if row["seq"] != expected:
            raise ValueError(f"row {expected} is missing")
        if row["prev_hash"] != last:
            raise ValueError(f"row {expected} is not linked")
        message = b"medrag-audit-row\x01"
        message += field(row["seq"].to_bytes(8, "big"))
        message += field(bytes.fromhex(row["prev_hash"]))
        for name in ("at", "actor", "action", "subject", "payload"):
            message += field(row[name].encode("utf-8"))
        last = hashlib.sha256(message).hexdigest()
        if row["hash"] != last:
            raise ValueError(f"row {expected} was changed")
    return expected, last
