"""Connect a process to another database on the same server for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections


@contextmanager
def connected_to(name: str) -> Iterator[None]:
    """Point every alias at the database `name`, and back afterwards.

    Closes the connections of the calling thread before and after, so none may be in a transaction.
    Other threads keep their connections.
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
