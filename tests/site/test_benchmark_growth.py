"""Search measured in databases of made passages: filled once, searched as any other, dropped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections
from pytest_django import DjangoDbBlocker

from corpus.encoders.registry import active_encoders, get_embedder
from corpus.models import Chunk, Document, IndexStatistics, Lexeme
from corpus.search_text import normalise
from medrag_site.benchmarks import databases, growth
from medrag_site.benchmarks.filling import Table, fill
from medrag_site.benchmarks.made import Made
from medrag_site.benchmarks.samples import Sample
from retrieval.types import Ranked, Ranking

CHUNKS = 130 + os.getpid() % 50  # runs beside each other have databases of their own
NAME = databases.name_of(CHUNKS)
TEXTS = [
    ("Gentamicin is given once daily.", "Levels are taken before the third dose."),
    ("Warfarin is stopped five days before.", "Bridging is rarely needed.", "Check the INR."),
    ("Fever in a child needs a search for its source.",),
    ("Potassium is replaced by mouth.", "Levels below 2.5 mmol/L need a monitor."),
    ("The car park closes at ten.", "Visitors leave by eight."),
    ("Sepsis: give antibiotics within one hour.", "Take cultures first."),
]


@pytest.fixture(scope="module")
def made() -> Made:
    return Made(Sample(tuple(TEXTS), get_embedder().encode([" ".join(text) for text in TEXTS])))


@pytest.fixture(scope="module")
def filled(
    django_db_setup: None, made: Made, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, float]]:
    with django_db_blocker.unblock():
        socket_dir = databases.start()
        databases.make_anew(socket_dir, NAME)
        try:
            with databases.in_use(NAME):
                yield fill(made, CHUNKS, lambda line: None)
        finally:
            databases.drop(socket_dir, NAME)


def test_what_is_filled_in_is_what_ingestion_writes(filled: dict[str, float], made: Made) -> None:
    assert Chunk.objects.count() == CHUNKS
    assert Document.objects.count() == -(-CHUNKS // 20)
    chunk = Chunk.objects.get(key__endswith="_p1_c7", document__title="Made guideline 1")
    (block,) = made.blocks(CHUNKS)
    assert chunk.text == block.texts[27]
    with connection.cursor() as cursor:
        words = normalise(chunk.text)
        cursor.execute("SELECT to_tsvector('english', %s)::text", [words])
        assert cursor.fetchone()[0] == str(chunk.search_vector)
        cursor.execute(
            f"SELECT embedding::real[] FROM {active_encoders()[0].table} WHERE chunk_id = %s",
            [chunk.pk],
        )
        assert np.float32(cursor.fetchone()[0]).tobytes() == block.vectors[27].tobytes()


def test_statistics_are_those_of_the_passages(filled: dict[str, float]) -> None:
    statistics = IndexStatistics.objects.get()
    assert statistics.chunks == CHUNKS
    assert statistics.total_length == sum(Chunk.objects.values_list("length", flat=True))
    holding = Chunk.objects.filter(text__icontains="gentamicin").count()
    assert Lexeme.objects.get(lexeme="gentamicin").document_frequency == holding > 0


def test_indexes_are_as_migrations_made_them(filled: dict[str, float]) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename LIKE 'corpus\\_%'")
        names = {name for (name,) in cursor.fetchall()}
    assert {"chunk_search", "chunk_twins"} <= names
    assert any(name.endswith("_hnsw") for name in names)
    assert set(filled) > {"copy", "chunk_search", "statistics", "vacuum"}


def test_it_is_searched_as_any_other(filled: dict[str, float]) -> None:
    steps = growth.latencies(["gentamicin levels", "stop warfarin", "antibiotics in sepsis"])
    assert {"lexical", "embedding", growth.WHOLE} <= set(steps)
    for took in steps.values():
        assert 0 <= took.p50_ms <= took.p95_ms <= took.p99_ms
    recall, overlap = growth.against_exact(["gentamicin levels", "stop warfarin"])
    assert recall == overlap == 1.0  # so few are compared exactly
    sizes, whole = growth.sizes_bytes()
    assert {"corpus_chunk", "chunk_search", "corpus_lexeme"} <= set(sizes)
    assert 0 < sum(sizes.values()) < whole


@pytest.mark.slow
def test_clients_ask_at_once(filled: dict[str, float]) -> None:
    from medrag_site.benchmarks.load import measure_load

    found = measure_load(NAME, ["gentamicin levels", "stop warfarin"], clients=2, seconds=1.0)
    assert found.clients == 2
    assert found.per_second > 1
    assert 0 < found.p50_ms <= found.p95_ms <= found.p99_ms
    assert found.client_rss_bytes > 50_000_000
    assert found.server_pss_bytes > 10_000_000


@pytest.mark.parametrize(
    ("storage", "kind", "width"), [("vector", ">f4", 4), ("halfvec", ">f2", 2)]
)
def test_binary_rows_are_as_postgresql_reads_them(storage: str, kind: str, width: int) -> None:
    vectors = np.array([[0.5, -0.25, 1.0], [0.0, 2.0, 3.0]], dtype=np.float32)
    copied = Table("t", storage, 3).copied(41, vectors)
    row = 2 + 4 + 8 + 4 + 4 + 3 * width
    assert len(copied) == 19 + 2 * row + 2
    second = copied[19 + row : 19 + 2 * row]
    assert int.from_bytes(second[6:14], "big") == 42
    assert np.frombuffer(second[22:], dtype=kind).tolist() == [0.0, 2.0, 3.0]


def ranking(*scores: float) -> Ranking:
    entries = [Ranked(chunk_id=n, key=str(n), rank=n, score=s) for n, s in enumerate(scores, 1)]
    return Ranking("x", tuple(entries), 0.0)


def test_overlap_counts_what_is_as_good_as_the_tenth() -> None:
    exact = ranking(*np.linspace(1.0, 0.1, 10))
    assert growth.overlap_of(exact, exact) == 1.0
    worse = ranking(*[*np.linspace(1.0, 0.2, 9), 0.05])
    assert growth.overlap_of(worse, exact) == pytest.approx(0.9)
    assert growth.overlap_of(ranking(), exact) == 0.0
    few = replace(exact, entries=exact.entries[:4])
    assert growth.overlap_of(ranking(1.0, 0.9, 0.8, 0.7), few) == 1.0


@pytest.mark.slow
def test_the_command_fills_once_measures_and_drops(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "texts" / f"{number}.txt").write_text(" ".join(text))
    (tmp_path / "questions.txt").write_text("gentamicin levels\nstop warfarin\n")
    size = CHUNKS + 1000
    options = {
        "chunks": (size,),
        "text": tmp_path / "texts",
        "questions": tmp_path / "questions.txt",
        "clients": (1,),
        "seconds": 0.5,
        "json": tmp_path / "out.json",
        "plot": tmp_path / "out.png",
    }
    with django_db_blocker.unblock():
        try:
            said = [StringIO(), StringIO()]
            for stream in said:
                call_command("bench", stdout=StringIO(), stderr=stream, **options)
            assert "filling" in said[0].getvalue()
            assert "filling" not in said[1].getvalue()
            assert databases.name_of(size) in databases.all_names(databases.start())
        finally:
            databases.drop(databases.start(), databases.name_of(size))
    (found,) = json.loads((tmp_path / "out.json").read_text())["sizes"]
    assert found["chunks"] == size
    assert found["load"][0]["clients"] == 1
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_no_other_database_is_dropped_or_used() -> None:
    with pytest.raises(CommandError, match="no database of the benchmarks"):
        databases.drop("/nowhere", "medrag")
    with pytest.raises(CommandError, match="no database of the benchmarks"), databases.in_use("x"):
        raise AssertionError("not reached")
    with pytest.raises(CommandError, match="--text"):
        call_command("bench", chunks=(10,))


@pytest.mark.parametrize("wrong", ["0", "ten", "10,,20", "-5", ""])
def test_sizes_are_whole_numbers(wrong: str) -> None:
    with pytest.raises(CommandError, match="whole numbers"):
        call_command("bench", f"--chunks={wrong}", "--text=.")
