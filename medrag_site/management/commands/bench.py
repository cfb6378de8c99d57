"""Time search and answers on what is indexed, or ingestion; nothing is stored."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from chat.generation import ExtractiveGenerator
from corpus.models import IndexStatistics
from medrag_site.benchmarks.encoders import measure_encoders
from medrag_site.throughput import described, measure_ingestion, throughput
from retrieval.pipeline import retrieve
from retrieval.types import Query


class Command(BaseCommand):
    help = "Print p50 and p95 of each step over a list of questions, or how ingestion fared."

    def add_arguments(self, parser: CommandParser) -> None:
        default = settings.BASE_DIR / "tests" / "golden" / "development.json"
        parser.add_argument("--questions", type=Path, default=default)
        parser.add_argument("--rounds", type=int, default=3)
        parser.add_argument(
            "--ingest",
            type=Path,
            metavar="PATH",
            help="ingest a file, a folder or a tar into a database of its own, and drop that",
        )
        parser.add_argument(
            "--timings", action="store_true", help="of the documents that are here: time by step"
        )
        parser.add_argument(
            "--one-run", action="store_true", help="they were ingested at once by one worker"
        )

        parser.add_argument(
            "--encoder", action="store_true", help="time the encoder by each backend, in turns"
        )
        parser.add_argument(
            "--rankings",
            type=Path,
            metavar="FOLDER",
            help="with --encoder: compare the backends' rankings of SciFact, whose files it holds",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["encoder"]:
            lines = measure_encoders(options["rankings"])
        elif options["ingest"]:
            lines = measure_ingestion(options["ingest"])
        elif options["timings"]:
            lines = described(throughput(), one_run=options["one_run"])
        else:
            lines = self._questions(options["questions"], options["rounds"])
        for line in lines:
            self.stdout.write(line)

    def _questions(self, questions: Path, rounds: int) -> Iterator[str]:
        texts = [question["question"] for question in json.loads(questions.read_text())]
        statistics = IndexStatistics.objects.get()
        if not statistics.chunks:
            raise CommandError("Nothing is indexed yet. Run make run, or manage.py ingest.")
        retrieve(Query(texts[0], on=timezone.localdate()))  # loads the encoder
        steps = timings(texts * rounds)
        yield f"{statistics.chunks} passages, {database_size()}, {len(texts)} questions"
        for step, values in steps.items():
            p50, p95 = np.percentile(values, [50, 95])
            yield f"{step:<10} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms"


def timings(questions: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds of each step, one value per question."""
    generator = ExtractiveGenerator()
    steps: dict[str, list[float]] = {}
    for text in questions:
        query = Query(text, on=timezone.localdate())
        evidence, search_ms = timed(partial(retrieve, query))
        _, answer_ms = timed(partial(generator.generate, text, evidence.hits))
        found = {**evidence.trace.durations_ms, "search": search_ms, "answer": answer_ms}
        for step, value in found.items():
            steps.setdefault(step, []).append(value)
    return steps


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000


def database_size() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
        return str(cursor.fetchone()[0])
