"""Which address a request comes from, as far as wrong passwords and tokens are counted by it."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

IPV6_NETWORK_BITS = 64  # what one customer or one device has to itself (RFC 6177)


def client_address(request: HttpRequest) -> str | None:
    """Return the address; of IPv6 its network of 64 bits, through which one machine can roam.

    `X-Forwarded-For` counts from its right end, as many hops as MEDRAG_PROXIES trusts: whatever
    stands further left was written by whoever asked. None where there is no address, as on a Unix
    socket: all of these are one.
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
