"""Hide the words of a document from everybody who doesn't have the file. Pure.

The truth for judging a reader holds every word of a page, and the text belongs to its publisher. So
each word is kept as the first 32 bits of its HMAC-SHA256, with a key derived from the document's
bytes and the page number: whoever has the file can compare, and nobody else can test guessed words,
however likely they are. Equal words have equal hashes within a page, but not across pages and
documents. Two different words of a page of 1,000 share a hash on one page in 8,600.

The key is an HMAC over the bytes and not their SHA-256, which is the document's public name.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from bench.reading.words import Words

_PURPOSE = "reading truth, page {}"
_BYTES = 4


def digest_of(content: bytes) -> str:
    """Return a document's name: the SHA-256 of its bytes, in hex digits."""
    return hashlib.sha256(content).hexdigest()


def page_key(content: bytes, page: int) -> bytes:
    """Return the key for the words of a page; pages are numbered from 1."""
    return hmac.digest(_PURPOSE.format(page).encode(), content, "sha256")


def hashed(words: Iterable[str], key: bytes) -> Words:
    """Return each word's hash as 8 hex digits, in order."""
    return tuple(hmac.digest(key, word.encode(), "sha256")[:_BYTES].hex() for word in words)
