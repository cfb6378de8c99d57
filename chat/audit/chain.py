"""The chain's formula: canonical JSON and the hash of a row. Pure; no Django.

A row's hash is SHA-256 over a domain separator with its version byte, then each field in the order
of `ChainRow` as its length in bytes (4, big-endian) and its bytes: `seq` as 8 bytes big-endian,
`prev_hash` as it is, text as UTF-8. The database function `audit_hash` has the same formula.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

VERSION = b"\x01"
DOMAIN = b"medrag-audit-row" + VERSION
GENESIS = hashlib.sha256(b"medrag-audit-genesis" + VERSION).digest()

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class ChainRow(NamedTuple):
    """A stored row. `at` is its time in UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""

    seq: int
    prev_hash: bytes
    at: str
    actor: str
    action: str
    subject: str
    payload: str


def row_hash(row: ChainRow) -> bytes:
    """Return the 32 bytes that the row's `hash` must hold. `seq` must fit in 64 bits."""
    text = (field.encode() for field in row[2:])
    digest = hashlib.sha256(DOMAIN)
    for field in (row.seq.to_bytes(8, "big", signed=True), row.prev_hash, *text):
        digest.update(len(field).to_bytes(4, "big") + field)
    return digest.digest()


def storable(text: str) -> str:
    """Replace what PostgreSQL can't store, NUL and lone surrogates, by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def canonical_json(payload: Mapping[str, Any]) -> str:
    """Return one line of JSON: keys sorted, no blanks, Unicode unescaped.

    Raises `ValueError` for NaN and infinities and `TypeError` for values that JSON can't express.
    """
    return json.dumps(
        _clean(payload),
        allow_nan=False,
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    )


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {_key(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"A key of an audit payload must be text, not {type(key).__name__}.")
    return storable(key)
