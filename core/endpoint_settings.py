"""Validate addresses and secrets of endpoints in settings. Errors say what is expected."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

EXAMPLE_ADDRESS = "https://models.example.org/v1"


def address_of(raw: str) -> str:
    """Return the address if a client can call it. Raises ValueError without a message."""
    import httpx  # late: it takes a while, and only sites with an endpoint need it

    parts = urlsplit(raw)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError
    if not raw.isprintable() or " " in raw or parts.port == 0:  # above 65535 it raises
        raise ValueError
    parts.hostname.encode("idna")  # as it is looked up: a label has 1 to 63 characters
    try:
        httpx.Request("POST", raw).url.host  # noqa: B018  read for what it raises
    except httpx.InvalidURL as error:
        raise ValueError from error
    return raw


def is_guarded(address: str) -> bool:
    """Tell whether a connection can't be intercepted: https, or http to this machine."""
    parts = urlsplit(address)
    loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
    return parts.scheme == "https" or (parts.scheme == "http" and loopback)


def secret_of(raw: str) -> str:
    """Return the secret, or the content of the file whose absolute path is given.

    Raises ValueError, which says what is expected and never quotes the secret.
    """
    secret = _read(raw) if raw.startswith("/") else raw
    if not (secret.isascii() and secret.isprintable()):  # no header of HTTP takes it
        raise ValueError(
            "must be printable ASCII characters on one line. The value is not shown here."
        )
    return secret


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:  # of a path with a zero byte, of bytes that are no text
        wanted = (
            "a secret, or the absolute path of a file that holds it and that this user may read"
        )
        raise ValueError(f"must be {wanted}.") from error
