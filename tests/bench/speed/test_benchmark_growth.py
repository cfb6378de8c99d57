"""Search measured in databases of synthetic passages: filled once, searched, dropped."""

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
from django.db import connection, transaction
from psycopg import sql
from pytest_django import DjangoDbBlocker, Settings

from bench.speed import databases, filling, graphs, growth
from bench.speed.filling import fill, made_of
from bench.speed.graphs import measure_graph
from bench.speed.made import Made
from bench.speed.samples import Sample
from corpus.encoders.registry import active_encoders, get_embedder
from corpus.indexing import search_vectors
from corpus.models import Chunk, Document
from medrag_site.database.roles import OWNER
from retrieval.types import Ranked, Ranking
from tests.corpora import publish
from tests.databases import ensure_template, superuser

CHUNKS = 130 + os.getpid() % 50  # parallel runs need databases of their own
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
        make_with_tables(socket_dir)
        try:
            with databases.in_use(NAME):
                yield fill(made, CHUNKS, lambda line: None)
        finally:
            databases.drop(socket_dir, NAME)


def make_with_tables(socket_dir: str) -> None:
    """Copy a template in place of `make_again`, whose migration takes many seconds."""
    databases.drop(socket_dir, NAME)
    names = [sql.Identifier(name) for name in (NAME, ensure_template(socket_dir), OWNER)]
    with superuser(socket_dir) as c:
        c.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(*names))


def test_what_is_filled_in_is_what_ingestion_writes(filled: dict[str, float], made: Made) -> None:
    assert Chunk.objects.count() == CHUNKS
    assert Document.objects.count() == -(-CHUNKS // 20)
    chunk = Chunk.objects.get(key__endswith="_p1_c7", document__title="Made guideline 1")
    (block,) = made.blocks(CHUNKS)
    assert chunk.text == block.texts[27]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT embedding::real[] FROM {active_encoders()[0].table} WHERE chunk_id = %s",
            [chunk.pk],
        )
        assert np.float16(cursor.fetchone()[0]).tobytes() == np.float16(block.vectors[27]).tobytes()


def test_search_vectors_and_lengths_are_those_of_passages_that_were_published(
    filled: dict[str, float],
) -> None:
    marked = Chunk.objects.extra(where=["search_vector::text LIKE '%%~75''%%'"])
    chunk = marked.order_by("pk")[0]
    with transaction.atomic():
        published = publish(f"# Published\n{chunk.text}").chunks.get()
        assert published.search_vector != chunk.search_vector  # because of the title
        published.text, published.context = chunk.text, ""  # as synthetic passages have no context
        published.search_vector = None
        published.save()
        search_vectors.write([published])
        published.refresh_from_db()
        transaction.set_rollback(True)
    assert published.search_vector == chunk.search_vector
    assert published.length == chunk.length


@pytest.mark.django_db
def test_a_kept_database_is_stale_where_the_index_would_be_another(
    made: Made, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    found = made_of(made)
    assert found == json.loads(json.dumps(found)) == made_of(made)
    encoders = tmp_path / "encoders.toml"
    encoders.write_text('[minilm]\nmodel = "bundled"\nstorage = "vector"\nm = 24\n')
    settings.ENCODERS = str(encoders)
    assert made_of(made) | {"vectors": found["vectors"]} == found != made_of(made)
    monkeypatch.setattr(filling, "SEARCH_TEXT_REVISION", found["search_text"] + 1)
    assert made_of(made)["search_text"] != found["search_text"]


def test_it_is_searched_as_any_other(filled: dict[str, float]) -> None:
    steps = growth.latencies(["gentamicin levels", "stop warfarin", "antibiotics in sepsis"])
    assert {"lexical", "embedding", growth.WHOLE} <= set(steps)
    for took in steps.values():
        assert 0 <= took.p50_ms <= took.p95_ms
    recall, overlap = growth.against_exact(["gentamicin levels", "stop warfarin"])
    assert recall == overlap == 1.0  # so few passages are compared exactly
    assert growth.database_bytes() > 0
    recall, _ = growth.in_a_share(["gentamicin levels"], filling.SHARES[10])
    assert recall == 1.0


def test_a_graph_is_measured_by_its_list_and_dropped(
    django_db_setup: None,
    made: Made,
    django_db_blocker: DjangoDbBlocker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(databases, "make_again", lambda at, name: make_with_tables(at))
    monkeypatch.setattr(graphs, "name_of", lambda vectors: NAME)
    with django_db_blocker.unblock():
        lines = list(measure_graph(made, 600, ["gentamicin", "fever"], (1, 400), print))
        assert NAME not in databases.all_names(databases.start())
    assert lines[0].startswith("600 vectors, 1 graphs of ")
    few, many = (float(line.split("recall@10 ")[1].split(",")[0]) for line in lines[1:])
    assert few <= many == 1.0


@pytest.mark.slow
def test_the_command_fills_once_measures_and_drops(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "texts" / f"{number}.txt").write_text(" ".join(text))
    (tmp_path / "questions.txt").write_text("gentamicin levels\nstop warfarin\n")
    size = CHUNKS + 100
    options = {
        "chunks": (size,),
        "text": tmp_path / "texts",
        "questions": tmp_path / "questions.txt",
        "clients": (),
        "seconds": 0.5,
    }
    measured = {"clients": (1,), "plot": tmp_path / "out.png"}
    with django_db_blocker.unblock():
        try:
            said, told = [StringIO(), StringIO()], StringIO()
            call_command("bench", stdout=told, stderr=said[0], **options | measured)
            call_command("bench", stdout=StringIO(), stderr=said[1], **options)
            assert "filling" in said[0].getvalue()
            assert "filling" not in said[1].getvalue()
            assert databases.name_of(size) in databases.all_names(databases.start())
        finally:
            databases.drop(databases.start(), databases.name_of(size))
    assert f"{size} passages, built in " in told.getvalue()
    assert "  1 at once: " in told.getvalue()
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_no_other_database_is_dropped_or_used() -> None:
    with pytest.raises(CommandError, match="no database of the benchmarks"):
        databases.drop("/nowhere", "medrag")
    with pytest.raises(CommandError, match="no database of the benchmarks"), databases.in_use("x"):
        raise AssertionError("not reached")
    with pytest.raises(CommandError, match="--text"):
        call_command("bench", chunks=(10,))


def ranking(*scores: float) -> Ranking:
    entries = [Ranked(chunk_id=n, key=str(n), rank=n, score=s) for n, s in enumerate(scores, 1)]
    return Ranking("x", tuple(entries))


def test_overlap_counts_what_is_as_good_as_the_tenth() -> None:
    exact = ranking(*np.linspace(1.0, 0.1, 10))
    assert growth.overlap_of(exact, exact) == 1.0
    worse = ranking(*[*np.linspace(1.0, 0.2, 9), 0.05])
    assert growth.overlap_of(worse, exact) == pytest.approx(0.9)
    assert growth.overlap_of(ranking(), exact) == 0.0
    few = replace(exact, entries=exact.entries[:4])
    assert growth.overlap_of(ranking(1.0, 0.9, 0.8, 0.7), few) == 1.0
