"""Verify the chain and report its first break."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from chat.audit.answers import REMOVAL, is_bare, is_textless, stored_turns, turn_digest
from chat.audit.chain import GENESIS, ChainRow, row_hash
from chat.audit.heads import (
    SIGNING,
    HeadsMissing,
    SignedHead,
    key_path,
    read_heads,
    read_key,
    read_last_head,
)
from chat.models import Turn

BATCH_ROWS = 2000
BATCH_ANSWERS = 200

# `at` as text: the bytes that were hashed, and no date that the driver can't parse. A year before
# Christ would be written like one after, so it is marked: such a row never has the right hash.
SELECT_ROWS = """
SELECT seq, prev_hash,
       to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
           || CASE WHEN at < '0001-01-01 00:00Z' THEN ' BC' ELSE '' END,
       actor, action, subject, payload, hash
FROM chat_auditevent
WHERE seq BETWEEN %s AND %s
ORDER BY seq
"""
LAST_SEQ = 2**63 - 1

# The last event with a turn's digest: that of its answer, or of the removal of its text.
SELECT_ANSWERS = f"""
SELECT seq, action, subject, payload FROM chat_auditevent said
WHERE action IN ('turn.answered', 'turn.abstained', '{REMOVAL}') AND NOT EXISTS (
    SELECT FROM chat_auditevent later
    WHERE later.subject = said.subject AND later.action = '{REMOVAL}' AND later.seq > said.seq
) ORDER BY seq
"""  # noqa: S608 - a constant of ours
SELECT_UNRECORDED = """
SELECT turn.id FROM chat_turn turn WHERE NOT EXISTS (
    SELECT FROM chat_auditevent event
    WHERE event.subject = 'turn:' || turn.id
      AND event.action IN ('turn.answered', 'turn.abstained')
) LIMIT 1
"""


class BreakKind(StrEnum):
    """Kinds of breaks; the value is the sentence for people."""

    MISSING = "a row is missing"
    DISORDERED = "the numbers are out of order"
    UNLINKED = "the row does not follow from the row before it"
    CHANGED = "the row is not what was written"
    HEAD = "the chain's head is not its last row"
    SIGNATURE = "a signed head has no valid signature"
    HEADS_GONE = "heads of the chain were signed and their file does not have them"
    CUT = "rows that a signed head vouches for are gone"
    REWRITTEN = "the chain was written anew after it was signed"
    ANSWER_CHANGED = "a stored answer is not what was recorded"
    ANSWER_GONE = "a recorded answer is gone"
    ANSWER_UNRECORDED = "an answer stands without a record"


@dataclass(frozen=True)
class Break:
    """The first fault of the chain. `seq` is the row's number, 0 if no row can be named."""

    seq: int
    kind: BreakKind
    detail: str = ""

    def __str__(self) -> str:
        return self.brief + (f" ({self.detail})" if self.detail else "")

    @property
    def brief(self) -> str:
        """The break without details that may differ between machines, such as a path."""
        return f"at row {self.seq}: {self.kind}" if self.seq else str(self.kind)


@dataclass(frozen=True)
class VerifyReport:
    """What was verified, up to the first break."""

    rows: int
    head_hash: str  # hex
    answers: int  # stored answers compared with their digests
    signed_heads: int
    signed_seq: int  # the last row that a signed head covers
    first_break: Break | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.first_break is None

    @property
    def brief(self) -> str:
        """The break, for a comparison with that of a copy; empty for none."""
        return self.first_break.brief if self.first_break else ""

    def __str__(self) -> str:
        if self.first_break:
            return f"BROKEN {self.first_break}. The first {self.rows} rows were found sound."
        signed = f", the last at row {self.signed_seq}" if self.signed_heads else ""
        return (
            f"OK {self.rows} rows, head seq {self.rows}, hash {self.head_hash}; "
            f"{self.answers} answers unchanged; {self.signed_heads} signed heads{signed}."
        )


class StoredRow(NamedTuple):
    chain: ChainRow
    hash: bytes


@dataclass
class _Walk:
    """Progress of the verification: the last good row, and the answers compared so far."""

    seq: int = 0
    hash: bytes = GENESIS
    answers: int = 0
    signing_seq: int = 0  # row of the last event for a first head
    heads: Mapping[int, list[SignedHead]] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownHeads:
    """The heads that the chain is compared with. `last` is the copy next to the key."""

    of_file: Sequence[SignedHead]
    last: SignedHead | None = None
    elsewhere: Sequence[SignedHead] = ()
    unreadable: int = 0  # lines
    damage: str = ""  # why the last signed head is unknown

    def __iter__(self) -> Iterator[SignedHead]:
        yield from self.of_file
        yield from self.elsewhere
        if self.last:
            yield self.last


def verify_chain(
    using: str = "auditor",
    *,
    answers: bool = True,
    heads: KnownHeads | None = None,
    elsewhere: Sequence[SignedHead] = (),
) -> VerifyReport:
    """Recompute the whole chain from the stored columns, in one snapshot and constant memory.

    Checks that row numbers have no gaps, links, hashes, the head row, the signed heads (by default
    the site's) and those kept `elsewhere`. With `answers` also that each stored answer still has
    the digest that its event recorded. Inside a transaction it uses the transaction's snapshot.
    """
    known = heads or known_heads(elsewhere)
    by_seq = defaultdict(list)
    for head in known:
        by_seq[head.seq].append(head)
    walk = _Walk(heads=by_seq)
    with _snapshot(using) as connection:
        first_break = (
            _signature_break(list(known))
            or _chain_break(connection, walk)
            or _gone_break(known, walk)
        )
        if answers and first_break is None:
            first_break = _answers_break(connection, walk)
    return VerifyReport(
        rows=walk.seq,
        head_hash=walk.hash.hex(),
        answers=walk.answers,
        signed_heads=len(known.of_file),
        signed_seq=max(by_seq, default=0),
        first_break=first_break,
        warnings=_warnings(walk, known),
    )


def known_heads(elsewhere: Sequence[SignedHead] = ()) -> KnownHeads:
    """Return the heads of this site.

    Read them before a snapshot begins, so that the snapshot has every row that they sign.
    """
    last, damage = None, ""
    try:
        last = read_last_head()  # first: the file then has it already
    except HeadsMissing as error:
        damage = str(error)
    of_file, unreadable = read_heads()
    return KnownHeads(of_file, last, elsewhere, unreadable, damage)


def stored_rows(
    connection: BaseDatabaseWrapper, first: int = 0, last: int = LAST_SEQ
) -> Iterator[StoredRow]:
    """Yield rows `first` to `last` in order; call it inside a transaction."""
    for rows in _batches(connection, SELECT_ROWS, BATCH_ROWS, (first, last)):
        for seq, prev_hash, *text, own_hash in rows:
            yield StoredRow(ChainRow(seq, _bytes(prev_hash), *text), _bytes(own_hash))


@contextmanager
def _snapshot(using: str) -> Iterator[BaseDatabaseWrapper]:
    connection = connections[using]
    is_outermost = not connection.in_atomic_block
    with transaction.atomic(using=using):
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield connection


def _signature_break(heads: Sequence[SignedHead]) -> Break | None:
    if not heads:
        return None
    key = read_key()
    if key is None:
        return Break(0, BreakKind.SIGNATURE, f"the key {key_path()} is missing")
    for head in heads:
        if not head.is_signed_by(key):
            return Break(head.seq, BreakKind.SIGNATURE)
    return None


def _chain_break(connection: BaseDatabaseWrapper, walk: _Walk) -> Break | None:
    for row in stored_rows(connection):
        if broken := _row_break(row, walk):
            return broken
        walk.seq, walk.hash = row.chain.seq, row.hash
        if row.chain.action == SIGNING:
            walk.signing_seq = walk.seq
    if broken := _head_break(connection, walk):
        return broken
    last_signed = max(walk.heads, default=0)
    if last_signed > walk.seq:
        return Break(walk.seq + 1, BreakKind.CUT, f"a head was signed at row {last_signed}")
    return None


def _gone_break(known: KnownHeads, walk: _Walk) -> Break | None:
    """Report missing heads of an intact chain, which would show a cut tail or a rewrite."""
    last = known.last
    if known.damage:
        return Break(0, BreakKind.HEADS_GONE, known.damage)
    if last and last not in known.of_file:
        return Break(last.seq, BreakKind.HEADS_GONE, f"row {last.seq} was signed at {last.at}")
    if known.of_file:
        return None
    if walk.signing_seq:
        return Break(walk.signing_seq, BreakKind.HEADS_GONE, "the log tells of the first")
    if read_key():
        return Break(0, BreakKind.HEADS_GONE, f"they were signed with the key {key_path()}")
    return None


def _row_break(row: StoredRow, walk: _Walk) -> Break | None:
    chain = row.chain
    if chain.seq > walk.seq + 1:
        return Break(walk.seq + 1, BreakKind.MISSING, f"the next one is row {chain.seq}")
    if chain.seq <= walk.seq:
        return Break(chain.seq, BreakKind.DISORDERED)
    if chain.prev_hash != walk.hash:
        return Break(chain.seq, BreakKind.UNLINKED)
    if None in chain or row_hash(chain) != row.hash:
        return Break(chain.seq, BreakKind.CHANGED)
    for head in walk.heads.get(chain.seq, ()):
        if head.hash != row.hash.hex() or head.count != chain.seq:
            return Break(chain.seq, BreakKind.REWRITTEN, f"the head of {head.at} differs")
    return None


def _head_break(connection: BaseDatabaseWrapper, walk: _Walk) -> Break | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq, hash FROM chat_audithead WHERE id = 1")
        row = cursor.fetchone()
    if row is None:
        return Break(walk.seq, BreakKind.HEAD, "it is gone")
    seq, head_hash = row
    if seq > walk.seq:
        return Break(walk.seq + 1, BreakKind.MISSING, f"the head is at row {seq}")
    if seq != walk.seq or _bytes(head_hash) != walk.hash:
        return Break(walk.seq, BreakKind.HEAD)
    return None


def _answers_break(connection: BaseDatabaseWrapper, walk: _Walk) -> Break | None:
    for events in _batches(connection, SELECT_ANSWERS, BATCH_ANSWERS):
        if broken := _batch_break(connection.alias, events, walk):
            return broken
    with connection.cursor() as cursor:
        cursor.execute(SELECT_UNRECORDED)
        row = cursor.fetchone()
    return Break(0, BreakKind.ANSWER_UNRECORDED, f"turn {row[0]}") if row else None


def _batch_break(
    using: str, batch: Sequence[tuple[int, str, str, str]], walk: _Walk
) -> Break | None:
    ids = [_turn_id(subject) for _, _, subject, _ in batch]
    turns = stored_turns(using).in_bulk([turn_id for turn_id in ids if turn_id])
    for (seq, action, subject, payload), turn_id in zip(batch, ids, strict=True):
        turn = turns.get(turn_id)
        if turn is None:
            return Break(seq, BreakKind.ANSWER_GONE, subject)
        is_told = action != REMOVAL or is_textless(turn)
        if not (is_told and _has_digest(turn, payload)):
            return Break(seq, BreakKind.ANSWER_CHANGED, subject)
        walk.answers += 1
    return None


def _turn_id(subject: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(subject.removeprefix("turn:"))
    except ValueError:
        return None


def _has_digest(turn: Turn, payload: str) -> bool:
    try:
        recorded = json.loads(payload)
        version = recorded["digest_version"]
        return bool(recorded["digest"] == turn_digest(turn, version) and is_bare(turn, version))
    except (ValueError, TypeError, KeyError):  # not our payload, or a number such as NaN
        return False


def _warnings(walk: _Walk, known: KnownHeads) -> tuple[str, ...]:
    warnings = []
    if walk.seq and not walk.heads:
        warnings.append("No head is signed yet: a cut tail or a whole rewrite would not show.")
    if known.unreadable:
        warnings.append(f"{known.unreadable} lines of the signed heads are not readable.")
    return tuple(warnings)


def _batches(
    connection: BaseDatabaseWrapper, sql: str, size: int, params: tuple[int, ...] | None = None
) -> Iterator[Sequence[Any]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, params)
        while rows := cursor.fetchmany(size):
            yield rows


def _bytes(value: bytes | memoryview | None) -> bytes:
    return bytes(value or b"")
