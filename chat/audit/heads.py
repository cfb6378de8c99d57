"""Sign heads: states of the chain at a time, kept outside the database.

A chain alone can't show that its tail was cut, or that all of it was rewritten. Each line of
`settings.AUDIT_HEADS_FILE` is JSON with `seq`, `hash`, `count`, `at` and `signature`, an
HMAC-SHA256 of the other four by the key in `settings.KEYS_DIR`. Access to the database without the
key is not enough to make one. Whoever can delete the file removes the proof, so copy it to a second
machine (`chat.audit.heads_copy`).

Three things tell that heads were signed at all: the key, a copy of the last head next to the key,
and an event in the chain. If one of them exists and the file does not, signing stops: a new file
would hide what the lost one could show.
"""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import hmac
import json
import logging
import os
import pwd
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chat.audit.chain import canonical_json
from chat.audit.log import record
from chat.models import AuditEvent, AuditHead
from core.errors import MedragError

SIGN_EVERY_ROWS = 1000
SIGN_EVERY = datetime.timedelta(minutes=5)
SIGNING = "audit.signing"  # the event of the first head of a file
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
    def line(self) -> bytes:
        return canonical_json(asdict(self)).encode() + b"\n"

    def signature_by(self, key: bytes) -> str:
        fields = {name: value for name, value in asdict(self).items() if name != "signature"}
        content = b"medrag-audit-head\x01" + canonical_json(fields).encode()
        return hmac.new(key, content, hashlib.sha256).hexdigest()

    def is_signed_by(self, key: bytes) -> bool:
        return hmac.compare_digest(self.signature.encode(), self.signature_by(key).encode())


class HeadsMissing(MedragError):
    """Signed heads are missing from the file, so a cut or rewritten chain could go unnoticed."""

    code = "heads_gone"
    hint = (
        "Restore the file from a backup or a copy. Only if that is impossible and the loss has "
        "been investigated, run manage.py audit sign --anew; the log records it."
    )


class HeadsClosed(MedragError):
    """This user may not use the file of the signed heads, or their key."""

    code = "heads_closed"
    hint = "Nothing was signed."


@contextmanager
def _opening() -> Iterator[None]:
    """Raise HeadsClosed for a file that this user may not use."""
    try:
        yield
    except PermissionError as error:
        try:
            user = pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:  # a container may give its user no name
            user = f"user {os.geteuid()}"
        raise HeadsClosed(
            f"{user} may not use {error.filename}, which signing needs. Give it the owner, group "
            "and mode that docs/scaling.md names for several machines."
        ) from error


def check_access() -> None:
    """Raise HeadsClosed if this user may not sign. Changes nothing."""
    with _opening():
        for path, mode in ((Path(settings.AUDIT_HEADS_FILE), "r+b"), (key_path(), "rb")):
            if path.exists():
                path.open(mode).close()


def sign_head(*, anew: bool = False) -> SignedHead | None:
    """Append the chain's head to the file, synced to disk.

    None if the head is signed already or the chain is empty. If signed heads are missing, raises
    `HeadsMissing`; with `anew`, moves the rest of the file to another name and begins a new one.
    """
    return _append(only_if_due=False, anew=anew)


def sign_head_if_due() -> SignedHead | None:
    """Sign if there are new rows and 1,000 rows or 5 minutes have passed. Raises `HeadsMissing`."""
    return _append(only_if_due=True)


@_opening()
def read_heads(path: Path | None = None) -> tuple[list[SignedHead], int]:
    """Return the heads of a file, by default the site's, in order, and its count of torn lines.

    A missing file has no heads.
    """
    try:
        content = (path or Path(settings.AUDIT_HEADS_FILE)).read_bytes()
    except FileNotFoundError:
        return [], 0
    return parse_heads(content)


def parse_heads(content: bytes) -> tuple[list[SignedHead], int]:
    """Return the heads in the bytes of a file, in order, and the number of unreadable lines."""
    heads = [_parse(line) for line in content.splitlines() if line.strip()]
    readable = [head for head in heads if head is not None]
    return readable, len(heads) - len(readable)


@_opening()
def read_last_head() -> SignedHead | None:
    """Return the copy of the last signed head next to the key; None without one.

    Raises `HeadsMissing` if the copy is damaged.
    """
    try:
        line = last_head_path().read_bytes()
    except FileNotFoundError:
        return None
    if head := _parse(line):
        return head
    raise HeadsMissing(f"The copy of the last signed head, {last_head_path()}, is damaged.")


def last_head_path() -> Path:
    return Path(settings.KEYS_DIR) / "audit_last_head"


def append_heads(file: BinaryIO, heads: Iterable[SignedHead]) -> None:
    """Append lines to a locked file, ending an incomplete last line first, and sync the file."""
    file.seek(0, os.SEEK_END)
    lines = b"".join(head.line for head in heads)
    if file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n":
        lines = b"\n" + lines
    file.write(lines)
    file.flush()
    os.fsync(file.fileno())


def key_path() -> Path:
    return Path(settings.KEYS_DIR) / "audit_heads_key"


@_opening()
def read_key() -> bytes | None:
    """Return the key, or None if no head was ever signed."""
    try:
        return key_path().read_bytes().strip() or None
    except FileNotFoundError:
        return None


@_opening()
def _append(*, only_if_due: bool, anew: bool = False) -> SignedHead | None:
    """Sign under an exclusive lock on the file, so that two workers don't sign the same head."""
    with locked_file(Path(settings.AUDIT_HEADS_FILE)) as file:
        last = last_head(file)
        gone = _why_gone(last)
        if gone and not anew:
            raise HeadsMissing(gone)
        if anew := bool(gone):
            # Keep its content under another name; the lock stays on the file.
            path = Path(settings.AUDIT_HEADS_FILE)
            if file.seek(0, os.SEEK_END):
                file.seek(0)
                aside = path.with_name(f"{path.name}.until-{timezone.now():%Y%m%dT%H%M%S}")
                _write_whole(aside, file.read())
                file.truncate(0)
            last = None
        head = AuditHead.objects.get(pk=1)
        if not _is_new(head, last) or (only_if_due and not _is_due(head, last)):
            return None
        signed = _first(file, head) if last is None else _written(file, head)
        if anew or not last_head_path().exists():
            # Record it in the database too, in a row that can't be removed unnoticed.
            with transaction.atomic():
                payload = {"anew": anew, "seq": signed.seq}
                record(SIGNING, actor=None, subject="audit:heads", payload=payload)
            signed = _written(file, AuditHead.objects.get(pk=1))  # sign that row too
        _write_whole(last_head_path(), signed.line)
    return signed


def _why_gone(last: SignedHead | None) -> str:
    """Return which signed heads or key are missing, if `last` ends the file; empty for none."""
    path = settings.AUDIT_HEADS_FILE
    in_chain = AuditEvent.objects.filter(action=SIGNING)  # evaluated only without a head
    if last is None and (read_key() or last_head_path().exists() or in_chain.exists()):
        return f"The signed heads of the audit log are gone from {path}."
    try:
        kept = read_last_head()
    except HeadsMissing as error:
        return str(error)
    if last and kept and kept.seq > last.seq:
        return f"{path} ends at row {last.seq}; row {kept.seq} was signed."
    if last and not key_path().exists():
        return f"The key of the signed heads of the audit log, {key_path()}, is gone."
    return ""


def _first(file: BinaryIO, head: AuditHead) -> SignedHead:
    """Sign the first head; on failure, such as a full disk, remove the new key.

    A key that signed nothing must not be taken for one that did.
    """
    is_new = not key_path().exists()
    try:
        return _written(file, head)
    except OSError:
        if is_new:
            key_path().unlink(missing_ok=True)
        raise


def _written(file: BinaryIO, head: AuditHead) -> SignedHead:
    at = timezone.now().astimezone(datetime.UTC).isoformat(timespec="seconds")
    unsigned = SignedHead(head.seq, bytes(head.hash).hex(), head.seq, at, "")
    signed = replace(unsigned, signature=unsigned.signature_by(_ensure_key()))
    append_heads(file, [signed])
    return signed


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file for this user alone, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


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


def _ensure_key() -> bytes:
    """Return the key, created on first use with access for this user alone.

    The caller must hold the lock.
    """
    if not key_path().exists():
        _write_whole(key_path(), secrets.token_hex(32).encode() + b"\n")
    if key := read_key():
        return key
    raise MedragError(
        f"The key of the signed audit heads, {key_path()}, is empty.",
        hint="Restore it from a backup; without it, heads that it signed can't be verified.",
    )


@contextmanager
def locked_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file of heads under an exclusive lock, creating it if missing, but not its folder."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


@contextmanager
def nobody_signing() -> Iterator[bytes | None]:
    """Yield the bytes of the site's file of heads and block signing meanwhile; None for no file."""
    path = Path(settings.AUDIT_HEADS_FILE)
    if not path.exists():
        yield None
        return
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield file.read()


def last_head(file: BinaryIO) -> SignedHead | None:
    """Return the last readable head; None for none."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LAST_BYTES))
    for line in reversed(file.read().splitlines()):
        if head := _parse(line):
            return head
    return None


def _parse(line: bytes) -> SignedHead | None:
    try:
        head = SignedHead(**json.loads(line))
        is_aware = datetime.datetime.fromisoformat(head.at).tzinfo is not None
    except (ValueError, TypeError):
        return None
    is_typed = isinstance(head.seq, int) and isinstance(head.signature, str)
    return head if is_aware and is_typed else None
