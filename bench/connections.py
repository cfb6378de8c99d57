"""Another database on the same server, for the connections that a process has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections


@contextmanager
def connected_to(name: str) -> Iterator[None]:
    """Point every alias at the database `name`, and back afterwards.

    Connections are closed before and after: none must be in a transaction. Of the thread that calls
    it; other threads keep the connections that they have.
    """
    connections.close_all()
    before = {alias: connections[alias].settings_dict["NAME"] for alias in connections}
    try:
        for alias in connections:
            connections[alias].settings_dict["NAME"] = name
        yield
    finally:
        connections.close_all()
        for alias, old in before.items():
            connections[alias].settings_dict["NAME"] = old
