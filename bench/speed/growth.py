"""Measure search as a corpus grows: recall against exact search, time, memory and size."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db import connection
from django.utils import timezone

from bench.speed import databases
from bench.speed.client import ask
from bench.speed.filling import SHARES, fill, made_of
from bench.speed.load import Load, measure_load
from bench.speed.made import Made
from corpus.encoders.registry import active_encoders
from retrieval.configured import site_config
from retrieval.dense.search import search_dense
from retrieval.lexical.search import asked_lexemes, search_lexical
from retrieval.types import Query, Ranking

COMPARED = 10  # ranks that recall and overlap consider
ALL = 10**9  # larger than any list
WHOLE = "whole"
WARMED = 3_000  # searches: enough to load the graph of a million vectors


@dataclass(frozen=True)
class Latency:
    """Percentiles of one step's duration over all questions."""

    p50_ms: float
    p95_ms: float


@dataclass(frozen=True)
class Grown:
    """The measurements at one size."""

    chunks: int
    build_s: dict[str, float]
    steps: dict[str, Latency]
    dense_recall: float  # @10, of the index against exact search
    lexical_overlap: float  # @10, with BM25 of every chunk that holds a lexeme
    compared_questions: int
    shares: dict[int, tuple[float, Latency]]  # recall and time of vectors, by a collection's %
    load: tuple[Load, ...]
    database_bytes: int


@dataclass(frozen=True)
class Plan:
    """The questions and settings of a measurement."""

    questions: Sequence[str]
    clients: Sequence[int] = (1, 4, 16)
    load_s: float = 10.0
    compared: int = 30  # questions that are also searched without limits


def measure_growth(made: Made, chunks: int, plan: Plan, say: Callable[[str], None]) -> Grown:
    """Fill the database of this size unless that is done, and measure search on it.

    A database that was just started or filled reads from disk, so it is searched for a while first,
    as one in use has been.
    """
    socket_dir = databases.start()
    name = databases.name_of(chunks)
    build_s = _filled(socket_dir, name, made, chunks, say)
    with databases.in_use(name):
        say(f"{chunks} passages: warming up")
        warm_up()
        say(f"asking {len(plan.questions)} questions")
        steps = latencies(plan.questions)  # before the clients ask them too
    load = []
    for clients in plan.clients:
        say(f"{chunks} passages: {clients} clients for {plan.load_s:.0f} s")
        load.append(measure_load(name, plan.questions, clients=clients, seconds=plan.load_s))
    with databases.in_use(name):
        say(f"comparing {plan.compared} with search without limits")
        asked = plan.questions[: plan.compared]
        recall, overlap = against_exact(asked)
        shares = {percent: in_a_share(asked, slug) for percent, slug in SHARES.items()}
        size_bytes = database_bytes()
    return Grown(
        chunks=chunks,
        build_s=build_s,
        steps=steps,
        dense_recall=recall,
        lexical_overlap=overlap,
        compared_questions=min(plan.compared, len(plan.questions)),
        shares=shares,
        load=tuple(load),
        database_bytes=size_bytes,
    )


def warm_up() -> None:
    """Read the passages, and search from about WARMED vectors spread all over the index."""
    encoder, config = active_encoders()[0], site_config()
    query = Query("", on=timezone.localdate())
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), sum(length) FROM corpus_chunk")
        step = -(-cursor.fetchone()[0] // WARMED)
        table = encoder.table
        cursor.execute(f"SELECT embedding FROM {table} WHERE chunk_id %% %s = 0", [step])  # noqa: S608
        stored = [json.loads(vector) for (vector,) in cursor.fetchall()]
    for vector in stored:
        search_dense(query, vector, config, encoder)


def latencies(questions: Sequence[str]) -> dict[str, Latency]:
    """Time each step of a search, and the whole, over every other question, asked once.

    The other half of the questions are asked before, so that the database is as warm as one in use.
    """
    for text in questions[1::2] or questions:
        ask(text)
    found: dict[str, list[float]] = {}
    for text in questions[::2]:
        started = time.perf_counter()
        evidence = ask(text)
        whole = {WHOLE: 1000 * (time.perf_counter() - started)}
        for step, took_ms in (evidence.trace.durations_ms | whole).items():
            found.setdefault(step, []).append(took_ms)
    return {
        step: Latency(*map(float, np.percentile(values, [50, 95])))
        for step, values in found.items()
    }


def against_exact(questions: Sequence[str]) -> tuple[float, float]:
    """Return recall@10 of the vector index and overlap@10 of lexical search.

    Both compare with search without limits and are means over the questions; one without lexical
    results does not count for the overlap.
    """
    config = site_config()
    encoder = active_encoders()[0]
    unlimited = replace(config, exact_below=ALL, df_budget=ALL, rescored=ALL)
    recalls, overlaps = [], []
    for text in questions:
        query = Query(text, on=timezone.localdate())
        vector = encoder.embedder.encode_queries([text])[0].tolist()
        dense = [search_dense(query, vector, c, encoder) for c in (config, unlimited)]
        recalls.append(overlap_of(*dense))
        lexical = [search_lexical(query, asked_lexemes(text), c) for c in (config, unlimited)]
        if lexical[1].entries:
            overlaps.append(overlap_of(*lexical))
    return float(np.mean(recalls)), float(np.mean(overlaps))


def in_a_share(questions: Sequence[str], collection: str) -> tuple[float, Latency]:
    """Return recall@10 of the vectors' search within one collection, and how long it takes."""
    config, encoder = site_config(), active_encoders()[0]
    unlimited = replace(config, exact_below=ALL)
    recalls, took_ms = [], []
    for text in questions:
        query = Query(text, on=timezone.localdate(), collections=(collection,))
        vector = encoder.embedder.encode_queries([text])[0].tolist()
        exact = search_dense(query, vector, unlimited, encoder)
        started = time.perf_counter()
        found = search_dense(query, vector, config, encoder)
        took_ms.append(1000 * (time.perf_counter() - started))
        recalls.append(overlap_of(found, exact))
    return float(np.mean(recalls)), Latency(*map(float, np.percentile(took_ms, [50, 95])))


def overlap_of(found: Ranking, exact: Ranking) -> float:
    """Return the share of the first ten of `exact` that are among the first ten of `found`.

    A passage that scores as high as the tenth counts as found, since the order of equals is
    arbitrary.
    """
    wanted = exact.entries[:COMPARED]
    least = wanted[-1].score - 1e-6
    good = sum(entry.score >= least for entry in found.entries[:COMPARED])
    return good / len(wanted)


def database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def _filled(
    socket_dir: str, name: str, made: Made, chunks: int, say: Callable[[str], None]
) -> dict[str, float]:
    wanted = made_of(made)
    facts = databases.facts_of(socket_dir, name)
    if facts.get("made_of") == wanted:
        return dict(facts["build_s"])
    say(f"filling {name}")
    databases.make_again(socket_dir, name)
    with databases.in_use(name):
        seconds = fill(made, chunks, say)
    databases.note(socket_dir, name, {"made_of": wanted, "build_s": seconds})
    return seconds


def described(found: Grown) -> Iterator[str]:
    """Yield a report in lines."""
    built = ", ".join(f"{step} {seconds:.0f}" for step, seconds in found.build_s.items())
    yield f"{found.chunks} passages, built in {sum(found.build_s.values()):.0f} s ({built})"
    for step, took in found.steps.items():
        yield f"  {step:<14} p50 {took.p50_ms:7.1f} ms   p95 {took.p95_ms:7.1f} ms"
    yield "  " + described_exactness(
        found.dense_recall, found.lexical_overlap, found.compared_questions
    )
    for percent, (recall, took) in found.shares.items():
        yield (
            f"  vectors in a collection of {percent} %: recall@{COMPARED} {recall:.4f}, "
            f"p50 {took.p50_ms:.1f} p95 {took.p95_ms:.1f} ms"
        )
    for load in found.load:
        yield (
            f"  {load.clients:>3} at once: {load.per_second:7.1f} questions/s, p50 "
            f"{load.p50_ms:.1f} p95 {load.p95_ms:.1f} ms"
        )
    yield f"  database {found.database_bytes / 1e6:.0f} MB"


def described_exactness(recall: float, overlap: float, questions: int) -> str:
    """Describe how far the limits of dense and lexical search reduce their results."""
    return (
        f"recall@{COMPARED} of the vectors' index {recall:.4f}, overlap@{COMPARED} "
        f"with BM25 of all that match {overlap:.4f}, {questions} questions"
    )
