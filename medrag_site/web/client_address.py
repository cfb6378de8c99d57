"""Find the address that a request's wrong passwords and tokens are counted by."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

IPV6_NETWORK_BITS = 64  # the network of one customer or device (RFC 6177)


def client_address(request: HttpRequest) -> str | None:
    """Return the client's IPv4 address, or its IPv6 network of 64 bits, within which it can roam.

    `X-Forwarded-For` is read from its right end, as many hops as the setting PROXIES says: what is
    further left was written by the client. None if there is no address, as on a Unix socket; all
    such clients count as one.
    """
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    raw = request.META.get("REMOTE_ADDR", "")
    if 0 < settings.PROXIES <= len(hops):
        raw = hops[-settings.PROXIES]
    try:
        address = ipaddress.ip_address(raw.strip())
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), IPV6_NETWORK_BITS), strict=False)[0])
