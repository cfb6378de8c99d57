"""Hide the words of a document from everybody who doesn't hold it. Pure.

What a page says is written down word by word to judge a reader, and the text belongs to whoever
published it. So each word is kept as the first 32 bits of its HMAC-SHA256, whose key is made of the
document's own bytes and the number of the page: whoever holds the file can compare, and nobody else
can try words, however likely they are. Within a page, equal words have equal hashes; over pages and
documents they have not. Two different words of a page of 1,000 have the same hash once in 8,600
pages.

The key is an HMAC over the bytes and not their SHA-256, by which the document is named.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from bench.reading.words import Words

_PURPOSE = "reading truth, page {}"
_BYTES = 4


def digest_of(content: bytes) -> str:
    """Return the name of a document: the SHA-256 of its bytes, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def page_key(content: bytes, page: int) -> bytes:
    """Return the key for the words of a page, which is counted from 1."""
    return hmac.digest(_PURPOSE.format(page).encode(), content, "sha256")


def hashed(words: Iterable[str], key: bytes) -> Words:
    """Return each word's hash as 8 hexadecimal digits, in order."""
    return tuple(hmac.digest(key, word.encode(), "sha256")[:_BYTES].hex() for word in words)
