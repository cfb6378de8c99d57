"""Which addresses may be told of what happens here."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import MedragError


class BadAddress(MedragError):
    """Nothing is sent to such an address."""


def refuse_bad_address(url: str) -> None:
    """Raise BadAddress unless it is https, or http to this machine where the site allows that."""
    hint = "Nothing is sent there. Give an address such as https://records.example.org/medrag."
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise BadAddress("This is no address.", hint=hint) from None
    if not host or not url.isascii() or not url.isprintable() or " " in url:
        raise BadAddress("This is no address.", hint=hint)
    if parts.username is not None or parts.fragment:
        raise BadAddress("An address has no name, password or #fragment here.", hint=hint)
    if parts.scheme == "https":
        return
    if parts.scheme != "http" or not (settings.WEBHOOKS_LOOPBACK and _is_loopback(host)):
        raise BadAddress("Only https addresses are told.", hint=hint)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name may lead anywhere
