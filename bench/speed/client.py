"""One client of a load test: a process that asks questions for a while and prints durations.

Arguments: the database's name, seconds, a file with a JSON list of questions, the client's number.
Prints `ready` when everything is loaded, waits for a line, and then prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import django

if __name__ == "__main__":
    django.setup()

from django.db import connections
from django.utils import timezone

from bench.speed.databases import in_use
from corpus.encoders.query_cache import forget_queries
from medrag_site.database.embedded import ensure_started
from retrieval.pipeline import retrieve
from retrieval.types import Query

WARM_UP = 5  # questions


def main(name: str, seconds: float, questions: list[str], number: int) -> None:
    from django.conf import settings

    socket_dir = ensure_started(settings.DATA_DIR)
    for alias in connections.settings:
        connections.settings[alias]["HOST"] = socket_dir
    with in_use(name):
        turned = questions[number % len(questions) :] + questions[: number % len(questions)]
        for text in turned[-WARM_UP:]:
            ask(text)
        print("ready", flush=True)
        sys.stdin.readline()
        took_ms = asked_for(seconds, turned)
    print(json.dumps(took_ms), flush=True)


def asked_for(seconds: float, questions: list[str]) -> list[float]:
    """Ask questions for `seconds`, over and over, and return the milliseconds of each."""
    took_ms: list[float] = []
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        started = time.perf_counter()
        ask(questions[len(took_ms) % len(questions)])
        took_ms.append(1000 * (time.perf_counter() - started))
    return took_ms


def ask(text: str) -> Any:
    """Search, with the question embedded again even if it was asked before."""
    forget_queries()
    return retrieve(Query(text, on=timezone.localdate()))


if __name__ == "__main__":
    main(
        sys.argv[1], float(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text()), int(sys.argv[4])
    )
