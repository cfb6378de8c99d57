"""Signed heads: what the chain was at a time, kept where the database can't reach.

A chain alone can't show that its tail was cut, or that all of it was written anew. Each line of
`settings.AUDIT_HEADS_FILE` is JSON with `seq`, `hash`, `count`, `at` and `signature`, an
HMAC-SHA256 of the other four by the key in `settings.KEYS_DIR`. Whoever has the database but
not the key can't make one; whoever can delete the file takes the proof away, so ship it to a
second machine.
"""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import hmac
import json
import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.utils import timezone

from chat.audit_chain import canonical_json
from chat.models import AuditHead
from corpus.errors import MedragError

SIGN_EVERY_ROWS = 1000
SIGN_EVERY = datetime.timedelta(minutes=5)
_LAST_BYTES = 4096  # more than any line

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SignedHead:
    """One line of the file. `hash` is in hex, `at` in UTC by ISO 8601."""

    seq: int
    hash: str
    count: int
    at: str
    signature: str

    @property
    def signed_bytes(self) -> bytes:
        return canonical_json(
            {"at": self.at, "count": self.count, "hash": self.hash, "seq": self.seq}
        ).encode()

    @property
    def line(self) -> bytes:
        fields = {"at": self.at, "count": self.count, "hash": self.hash, "seq": self.seq}
        return canonical_json(fields | {"signature": self.signature}).encode() + b"\n"

    def is_signed_by(self, key: bytes) -> bool:
        return hmac.compare_digest(self.signature.encode(), _sign(self.signed_bytes, key).encode())


def sign_head() -> SignedHead | None:
    """Append the chain's head to the file, synced to disk. None if it is there or nothing is."""
    return _append(only_if_due=False)


def sign_head_if_due() -> bool:
    """Sign after 1,000 rows or 5 minutes with something new; True when a line was written."""
    return _append(only_if_due=True) is not None


def read_heads() -> tuple[list[SignedHead], int]:
    """Return the file's heads in its order, and how many lines are not readable (torn writes)."""
    try:
        lines = settings.AUDIT_HEADS_FILE.read_bytes().splitlines()
    except FileNotFoundError:
        return [], 0
    heads = [_parse(line) for line in lines if line.strip()]
    readable = [head for head in heads if head is not None]
    return readable, len(heads) - len(readable)


def key_path() -> Path:
    return Path(settings.KEYS_DIR) / "audit_heads_key"


def read_key() -> bytes | None:
    """The key, or None where no head was ever signed."""
    try:
        return key_path().read_bytes().strip() or None
    except FileNotFoundError:
        return None


def _append(*, only_if_due: bool) -> SignedHead | None:
    """Sign under an exclusive lock on the file, so that two workers don't sign the same head."""
    with _locked_file() as file:
        head = AuditHead.objects.get(pk=1)
        last = _last_head(file)
        if not _is_new(head, last) or (only_if_due and not _is_due(head, last)):
            return None
        signed = _signed(head.seq, bytes(head.hash))
        file.seek(0, os.SEEK_END)
        file.write((b"" if _ends_with_newline(file) else b"\n") + signed.line)
        file.flush()
        os.fsync(file.fileno())
    return signed


def _is_new(head: AuditHead, last: SignedHead | None) -> bool:
    if last is not None and head.seq < last.seq:
        logger.error(
            "The audit chain ends at row %d, before its signed head at row %d: run "
            "`manage.py audit verify`.",
            head.seq,
            last.seq,
        )
    return head.seq > (last.seq if last else 0)


def _is_due(head: AuditHead, last: SignedHead | None) -> bool:
    if last is None or head.seq - last.seq >= SIGN_EVERY_ROWS:
        return True
    return timezone.now() - datetime.datetime.fromisoformat(last.at) >= SIGN_EVERY


def _signed(seq: int, head_hash: bytes) -> SignedHead:
    at = timezone.now().astimezone(datetime.UTC).isoformat(timespec="seconds")
    unsigned = SignedHead(seq=seq, hash=head_hash.hex(), count=seq, at=at, signature="")
    signature = _sign(unsigned.signed_bytes, _ensure_key())
    return SignedHead(seq=seq, hash=head_hash.hex(), count=seq, at=at, signature=signature)


def _sign(content: bytes, key: bytes) -> str:
    return hmac.new(key, b"medrag-audit-head\x01" + content, hashlib.sha256).hexdigest()


def _ensure_key() -> bytes:
    """The key, made on first use with access for this user alone."""
    path = key_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _known_key()
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_hex(32).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return _known_key()


def _known_key() -> bytes:
    key = read_key()
    if key is None:
        raise MedragError(
            f"The key of the signed audit heads, {key_path()}, is empty.",
            hint="Restore it from a backup; heads signed by it can't be checked without it.",
        )
    return key


@contextmanager
def _locked_file() -> Iterator[BinaryIO]:
    path = Path(settings.AUDIT_HEADS_FILE)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _last_head(file: BinaryIO) -> SignedHead | None:
    """The last readable line."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LAST_BYTES))
    for line in reversed(file.read().splitlines()):
        if head := _parse(line):
            return head
    return None


def _ends_with_newline(file: BinaryIO) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _parse(line: bytes) -> SignedHead | None:
    try:
        head = SignedHead(**json.loads(line))
        is_aware = datetime.datetime.fromisoformat(head.at).tzinfo is not None
    except (ValueError, TypeError):
        return None
    is_typed = isinstance(head.seq, int) and isinstance(head.signature, str)
    return head if is_aware and is_typed else None
