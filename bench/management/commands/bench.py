"""Time search, answers, ingestion, growth or the page, or measure how well PDFs are read."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from getpass import getpass
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from bench.reading.measure import measure_reading
from bench.reading.truth import TRUTH
from bench.reading.types import TruthError
from bench.speed import databases, growth
from bench.speed.graphs import measure_graph
from bench.speed.made import Made
from bench.speed.page import Site, measure_page
from bench.speed.plot import write_plot
from bench.speed.samples import read_questions, read_sample
from bench.speed.throughput import described, measure_ingestion, throughput
from chat.reader.choose import read
from corpus.encoders.query_cache import forget_queries
from corpus.encoders.registry import get_embedder
from corpus.management.arguments import refuse_unwritable
from corpus.models import IndexStatistics
from retrieval.pipeline import retrieve
from retrieval.types import Query

ASKED = 300  # questions at most
ROUNDS = 3
SAMPLED = 6000  # passages that are embedded; all others are made from them


class Command(BaseCommand):
    help = (
        "Time search and answers over a list of questions (p50 and p95 of each step), "
        "ingestion, growth or the page, or measure how well PDFs are read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        default = settings.BASE_DIR / "tests" / "golden" / "development.json"
        parser.add_argument(
            "--questions",
            type=Path,
            default=default,
            help="questions: JSON, one per line, or a file, folder or tar of MedQuAD's or "
            "LiveQA's XML",
        )
        parser.add_argument(
            "--ingest",
            type=Path,
            metavar="PATH",
            help="time the ingestion of a file, folder or tar into a database of its own, "
            "which is dropped afterwards",
        )
        parser.add_argument(
            "--timings", action="store_true", help="internal: --ingest runs it there"
        )
        parser.add_argument(
            "--page", metavar="URL", help="ask on the page of a running site, as --user"
        )
        parser.add_argument(
            "--user",
            default="clinician",
            help="with --page: account to sign in with; its password is asked for",
        )
        self._add_reading(parser)
        self._add_growth(parser)

    def _add_reading(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reading",
            type=Path,
            metavar="PATH",
            help="read a PDF or those of a folder, and compare with what people transcribed",
        )
        parser.add_argument(
            "--truth",
            type=Path,
            default=TRUTH,
            metavar="FILE",
            help="with --reading: the transcribed pages, by default the repository's",
        )

    def _add_growth(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--chunks",
            type=sizes,
            metavar="N,N",
            help="time search in databases of this many made passages; the databases are kept "
            "for the next run",
        )
        parser.add_argument(
            "--vectors",
            type=at_least_one,
            metavar="N",
            help="build the index of this many made vectors without passages, and measure recall "
            "and time by --candidates",
        )
        parser.add_argument(
            "--candidates",
            type=sizes,
            default=(100, 150, 300, 600, 1000),
            metavar="N,N",
            help="with --vectors: lengths of the list of candidates of each graph",
        )
        parser.add_argument(
            "--text",
            type=Path,
            metavar="PATH",
            help="with --chunks and --vectors: folder or tar of txt, md or xml files that the "
            "passages are made from",
        )
        parser.add_argument("--asked", type=at_least_one, default=ASKED, help="most questions")
        parser.add_argument(
            "--clients", type=sizes, default=(1, 4, 16), metavar="N,N", help="simultaneous clients"
        )
        parser.add_argument(
            "--seconds",
            type=float,
            default=10.0,
            help="with --chunks and --page: seconds for each of --clients",
        )
        parser.add_argument(
            "--plot", type=Path, metavar="FILE", help="with --chunks: also write a plot (PNG)"
        )
        parser.add_argument(
            "--drop", action="store_true", help="only drop the databases of --chunks"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["drop"]:
            lines = self._drop()
        elif options["chunks"] or options["vectors"]:
            lines = self._growth(options)
        elif options["page"]:
            lines = self._page(options)
        elif options["reading"]:
            lines = measure_reading(options["reading"], options["truth"])
        elif options["ingest"]:
            lines = measure_ingestion(options["ingest"])
        elif options["timings"]:
            lines = described(throughput())
        else:
            lines = self._questions(options["questions"])
        try:
            for line in lines:
                self.stdout.write(line)
        except TruthError as error:
            raise CommandError(str(error)) from error

    def _page(self, options: dict[str, Any]) -> Iterator[str]:
        questions = read_questions(options["questions"], size=options["asked"])
        site = Site(options["page"].rstrip("/"), options["user"], getpass())
        clients, seconds = options["clients"], options["seconds"]
        return measure_page(site, questions, clients=clients, seconds=seconds)

    def _drop(self) -> Iterator[str]:
        socket_dir = databases.start()
        for name in databases.all_names(socket_dir):
            databases.drop(socket_dir, name)
            yield f"dropped {name}"

    def _growth(self, options: dict[str, Any]) -> Iterator[str]:
        if not options["text"]:
            raise CommandError("This needs --text with the files to make the passages from.")
        refuse_unwritable(options["plot"])
        databases.start()
        questions = read_questions(options["questions"], size=options["asked"])
        sample = read_sample(
            options["text"],
            get_embedder(),
            size=SAMPLED,
            kept_in=settings.DATA_DIR / "bench",
        )
        if options["vectors"]:
            yield from measure_graph(
                *(Made(sample), options["vectors"], questions),
                *(options["candidates"], self.stderr.write),
            )
            return
        plan = growth.Plan(
            questions=questions,
            clients=options["clients"],
            load_s=options["seconds"],
        )
        made, found = Made(sample), []
        for chunks in options["chunks"]:
            found.append(growth.measure_growth(made, chunks, plan, self.stderr.write))
            yield from growth.described(found[-1])
        if options["plot"]:
            write_plot(found, options["plot"])

    def _questions(self, questions: Path) -> Iterator[str]:
        texts = read_questions(questions, size=ASKED)
        statistics = IndexStatistics.objects.get()
        if not statistics.chunks:
            raise CommandError("Nothing is indexed yet. Run make run or manage.py ingest first.")
        retrieve(Query(texts[0], on=timezone.localdate()))  # loads the encoder
        steps = timings(texts * ROUNDS)
        yield f"{statistics.chunks} passages, {database_size()}, {len(texts)} questions"
        for step, values in steps.items():
            p50, p95 = np.percentile(values, [50, 95])
            yield f"{step:<10} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms"
        yield growth.described_exactness(*growth.against_exact(texts), len(texts))


def sizes(text: str) -> tuple[int, ...]:
    """Parse whole numbers above 0, such as `10000,100000`, in the order given."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = (0,)
    if min(found) < 1:
        raise ArgumentTypeError(f"{text!r} must be whole numbers, such as 10000,100000")
    return found


def at_least_one(text: str) -> int:
    """Parse a single whole number above 0."""
    found = sizes(text)
    if len(found) > 1:
        raise ArgumentTypeError(f"{text!r} must be one whole number")
    return found[0]


def timings(questions: Sequence[str]) -> dict[str, list[float]]:
    """Return milliseconds of each step, one value a question; each question is embedded anew."""
    steps: dict[str, list[float]] = {}
    for text in questions:
        query = Query(text, on=timezone.localdate())
        forget_queries()  # it was asked in the round before
        evidence, search_ms = timed(partial(retrieve, query))
        _, answer_ms = timed(partial(read, text, evidence.hits))
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
