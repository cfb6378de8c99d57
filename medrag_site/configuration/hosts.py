"""Hosts of the site as Django wants them. Pure."""

from __future__ import annotations

import re


def without_ports(hosts: list[str]) -> list[str]:
    """Return them as Django compares them with a request's host, in which no port counts."""
    return [re.sub(r":[0-9]+$", "", host) for host in hosts]


def secure_origins(hosts: list[str]) -> list[str]:
    """Return the origins of these hosts by https, as Django takes them; none of `*`, which names
    none.
    """
    return [f"https://{'*' * host.startswith('.')}{host}" for host in hosts if host != "*"]
