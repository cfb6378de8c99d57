"""Run calls that meet in the database at one moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connections

from core.errors import MedragError


def at_once(*calls: Callable[[], object]) -> list[object]:
    """Run the calls concurrently; return the result or the refusal of each, in order.

    Each has a thread and a connection of its own, and begins when all are ready.
    """
    barrier = threading.Barrier(len(calls))

    def begin(call: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return call()
        except MedragError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))
