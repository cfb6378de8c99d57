"""Fetch what stands at a watched address."""

from __future__ import annotations

from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from django.conf import settings

from core.llm.transport import BoundedTransport, CallFailed, fetched
from corpus.parsing.sniff import MEDIA_TYPES, media_type_of
from corpus.parsing.types import ParseError
from corpus.sources.folder import SourceFault

FETCH_S = 120.0  # of one address, all attempts
_GONE = (404, 410)


def content_at(address: str) -> bytes | None:
    """Return the bytes at an address; None if the server says that nothing is there.

    Raises SourceFault for every other failure, a redirect among them: it may lead anywhere.
    """
    transport = BoundedTransport(most_bytes=settings.UPLOAD_MAX_BYTES, retries=1)
    try:
        return fetched(address, timeout_s=FETCH_S, transport=transport)
    except TimeoutError:
        what, hint = f"gave no answer within {FETCH_S:.0f} s", ""
    except CallFailed as failed:
        if failed.status in _GONE:
            return None
        what, hint = failed.what, ""
        if failed.status is not None and 300 <= failed.status < 400:
            hint = "It leads elsewhere: write the new address into MEDRAG_SOURCES."
    most = (
        f"Nothing was changed, and it is tried again. {settings.UPLOAD_MAX_BYTES:,} bytes at most."
    )
    raise SourceFault(f"The server {what}.", hint=hint or most)


def filename_of(address: str, content: bytes) -> str:
    """Return the name in an address, with the extension of its content if it has none."""
    parts = urlsplit(address)
    name = unquote(parts.path).rstrip("/").rpartition("/")[2] or str(parts.hostname)
    if PurePath(name).suffix.lstrip(".").lower() in MEDIA_TYPES:
        return name
    for extension in ("pdf", "html"):
        try:
            media_type_of(content, f"{name}.{extension}")
        except ParseError:
            continue
        return f"{name}.{extension}"
    return name
