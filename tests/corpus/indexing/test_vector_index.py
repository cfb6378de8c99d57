"""Test that a vector index can be built while passages change, and after a build was killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import psycopg
import pytest
from django.db import connection, connections
from pytest_django import Settings

from corpus.encoders import vectors
from corpus.indexing import vector_index
from corpus.indexing.vector_index import (
    AlreadyRunning,
    IndexUnusable,
    alone,
    index_build,
    is_indexed,
)
from corpus.models import Chunk, Document, Encoder, EncoderState
from corpus.services.encoders import encoder_reembed, encoders_sync
from corpus.services.indexing import document_index
from retrieval.pipeline import retrieve
from tests.corpus.documents import guideline, ingest
from tests.corpus.encoders.encoder_sites import ASKED, Site, building, everything, indexed, states
from tests.processes import ROOT


@pytest.fixture
def filled(site: Site) -> Encoder:
    """Return an encoder with a vector of every passage, and no index yet."""
    indexed()
    site.configure(minilm="one")
    encoders_sync()
    encoder = building()
    keys = list(Chunk.objects.order_by("pk").values_list("pk", flat=True))
    made = np.random.default_rng(1).normal(size=(len(keys), 32)).astype(np.float32)
    vectors.write(encoder, keys, made)
    return encoder


@contextmanager
def an_old_transaction(name: str) -> Iterator[None]:
    """Hold a transaction with an old snapshot, for whose end a build waits."""
    options = connections["default"].settings_dict
    with (
        psycopg.connect(host=options["HOST"], user=options["USER"], dbname=name) as other,
        other.cursor() as cursor,
    ):
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT count(*) FROM corpus_chunk")
        yield


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = 60) -> None:
    ends = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < ends, f"waited in vain until {what}"
        time.sleep(0.05)


def validity(encoder: Encoder) -> bool | None:
    return vector_index._is_valid(encoder.table, "default")


def in_a_thread(encoder: Encoder) -> threading.Thread:
    def build() -> None:
        try:
            index_build(encoder)
        finally:
            connections.close_all()

    thread = threading.Thread(target=build, daemon=True)
    thread.start()
    return thread


def test_passages_are_written_and_deleted_and_searched_while_it_is_built(
    filled: Encoder, own_database: str
) -> None:
    late = ingest(guideline("# Tobramycin"))
    with an_old_transaction(own_database):
        thread = in_a_thread(filled)
        wait_until(lambda: validity(filled) is False, "it is being built")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '3s'")  # a wait for a lock fails
        document_index(late.pk)
        keys = list(late.chunks.order_by("pk").values_list("pk", flat=True))
        vectors.write(filled, keys, np.eye(len(keys), 32, dtype=np.float32))
        gone = Chunk.objects.exclude(document=late).order_by("pk")[0]
        gone.delete()  # deletes its vectors in every table
        assert retrieve(ASKED).hits
        assert thread.is_alive()
        assert validity(filled) is False
    thread.join(60)
    assert is_indexed(filled)
    assert nearest(filled, keys[0]) == keys[0]
    assert gone.pk not in vectors.read(filled, [gone.pk])


def nearest(encoder: Encoder, key: int) -> int:
    """Return the nearest neighbour by the index; fails where the plan doesn't use it."""
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute("SET enable_sort = off")
        query = (
            f"SELECT chunk_id FROM {encoder.table} ORDER BY embedding <=> "
            f"(SELECT embedding FROM {encoder.table} WHERE chunk_id = %s) LIMIT 1"
        )
        cursor.execute(f"EXPLAIN {query}", [key])
        assert f"{encoder.table}_hnsw" in str(cursor.fetchall())
        cursor.execute(query, [key])
        return int(cursor.fetchone()[0])


def test_an_ordinary_build_keeps_them_waiting(filled: Encoder) -> None:
    """Shows that the test above can fail: an ordinary build holds its lock to the end."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT corpus_vectors_index(%s)", [filled.pk])
        with connection.cursor() as mine:
            mine.execute("SET lock_timeout = '300ms'")
        with pytest.raises(Exception, match="lock timeout"):
            Chunk.objects.order_by("pk")[0].delete()
        cursor.execute("ROLLBACK")


REEMBEDS = """
import django
django.setup()
from corpus.models import Encoder
from corpus.services.encoders import encoder_reembed
encoder_reembed(Encoder.objects.get(state="BUILDING"))
"""


def test_a_build_that_was_killed_is_done_anew(
    filled: Encoder, own_database: str, settings: Settings
) -> None:
    named = {"DJANGO_SETTINGS_MODULE": "tests.settings", "MEDRAG_ENCODERS": str(settings.ENCODERS)}
    with an_old_transaction(own_database):
        child = subprocess.Popen(
            [sys.executable, "-c", REEMBEDS], cwd=ROOT, env={**os.environ, **named}
        )
        wait_until(lambda: validity(filled) is False, "the child builds", 180)
        os.kill(child.pid, signal.SIGKILL)
        child.wait(30)
        wait_until(lambda: not being_built(filled), "the database notices")
    assert validity(filled) is False  # the killed build's index
    assert states() == {"minilm:384": "ACTIVE", "minilm:32": "BUILDING"}
    encoder_reembed(filled)
    assert is_indexed(filled)
    assert states() == {"minilm:384": "RETIRED", "minilm:32": "ACTIVE"}


def being_built(encoder: Encoder) -> bool:
    """Tell whether any session holds the lock of a build."""
    try:
        with alone(encoder, vector_index._INDEXING):
            return False
    except AlreadyRunning:
        return True


def test_one_that_the_database_still_builds_is_not_built_beside_it(filled: Encoder) -> None:
    with alone(filled, vector_index._INDEXING), pytest.raises(AlreadyRunning):
        index_build(filled)
    assert validity(filled) is None
    index_build(filled)
    assert is_indexed(filled)
    index_build(filled)  # nothing to do


@pytest.fixture
def without_the_owner(site: Site) -> Iterator[None]:
    """Connect as a worker does whose DATABASE_OWNER_URL isn't set."""
    owner = connections["owner"]
    owner.close()
    kept = owner.settings_dict["USER"]
    owner.settings_dict["USER"] = connections["default"].settings_dict["USER"]
    yield
    owner.close()
    owner.settings_dict["USER"] = kept


def test_without_the_owner_the_function_of_the_database_builds_it(
    filled: Encoder, without_the_owner: None
) -> None:
    encoder_reembed(filled)
    assert is_indexed(filled)
    assert Encoder.objects.get(pk=filled.pk).state == EncoderState.ACTIVE


def test_one_that_only_the_owner_can_mend_is_said(
    filled: Encoder, own_database: str, without_the_owner: None
) -> None:
    options = connections["default"].settings_dict
    where = {"host": options["HOST"], "dbname": own_database, "autocommit": True}
    with psycopg.connect(user="postgres", **where) as superuser:
        index_of(superuser, filled)
    with pytest.raises(IndexUnusable, match=r"Nothing was lost"):
        encoder_reembed(filled)
    assert states()["minilm:32"] == "BUILDING"


def index_of(superuser: psycopg.Connection, encoder: Encoder) -> None:
    """Create an index, and mark it invalid as a killed build leaves it."""
    superuser.execute("SELECT corpus_vectors_index(%s)", [encoder.pk])
    superuser.execute(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
        [f"{encoder.table}_hnsw"],
    )


@pytest.fixture
def partitioned(site: Site) -> Encoder:
    """Return an encoder whose table has three partitions, with no vector yet."""
    indexed()
    site.configure(minilm="one partitions = 3")
    encoders_sync()
    return building()


@pytest.mark.parametrize(("servers", "given"), [("64MB", "512MB"), ("4GB", "2GB")])
def test_builds_share_the_memory_that_the_server_gives(
    filled: Encoder, servers: str, given: str
) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"SET maintenance_work_mem = '{servers}'")
        vector_index._give_room(cursor, "SET", 2)
        cursor.execute("SHOW maintenance_work_mem")
        assert cursor.fetchone() == (given,)
    connections["owner"].close()


def test_a_graph_that_outgrows_its_memory_is_logged(
    filled: Encoder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = Chunk.objects.order_by("pk")[0]
    keys = [
        Chunk.objects.create(
            document=first.document, index=n, page=1, key=f"k{n}", spans=[], tokens=1, length=1
        ).pk
        for n in range(1000, 1300)
    ]
    made = np.random.default_rng(1).normal(size=(len(keys), 32)).astype(np.float32)
    vectors.write(filled, keys, made)
    index_build(filled)
    assert "outgrow" not in caplog.text
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"DROP INDEX {filled.table}_hnsw")
    monkeypatch.setattr(
        vector_index, "_give_room", lambda c, *_: c.execute("SET maintenance_work_mem = '64kB'")
    )
    index_build(filled)
    assert "maintenance_work_mem" in caplog.text
    assert is_indexed(filled)


def test_partitions_are_indexed_and_searched_in_one_statement(partitioned: Encoder) -> None:
    encoder_reembed(partitioned)
    assert is_indexed(partitioned)
    first = Document.objects.order_by("pk")[0].chunks.order_by("pk")[0]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute("SET enable_sort = off")
        query = f"SELECT * FROM {partitioned.table} ORDER BY embedding <=> %s LIMIT 5"
        cursor.execute(f"EXPLAIN {query}", [str([1.0] * 32)])
        plan = str(cursor.fetchall())
    assert all(f"{part}_hnsw" in plan for part in partitioned.partitions)
    assert retrieve(ASKED).hits
    key = first.pk
    first.delete()
    assert key not in vectors.read(partitioned, [key])


def test_partitions_that_a_killed_build_left_are_built_and_joined(
    partitioned: Encoder, own_database: str
) -> None:
    broken, whole, _ = partitioned.partitions
    options = connections["default"].settings_dict
    where = {"host": options["HOST"], "dbname": own_database, "autocommit": True}
    with psycopg.connect(user="postgres", **where) as superuser:
        for part in (broken, whole):
            superuser.execute(vector_index._build(partitioned, part).encode())
        superuser.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
            [f"{broken}_hnsw"],
        )
    assert not is_indexed(partitioned)
    encoder_reembed(partitioned)
    assert is_indexed(partitioned)
    assert states() == {"minilm:384": "RETIRED", "minilm:32": "ACTIVE"}


def test_a_site_moves_to_partitions_with_the_vectors_that_it_has(
    filled: Encoder, site: Site
) -> None:
    encoder_reembed(filled)
    before = everything(filled)
    site.configure(minilm="one partitions = 2")
    encoders_sync()
    moved = building()
    encoder_reembed(moved)
    assert everything(moved) == before
    assert len(moved.partitions) == 2


def test_what_was_made_is_searched_by_the_index(filled: Encoder) -> None:
    encoder_reembed(filled)
    assert retrieve(ASKED).hits
    first = Document.objects.order_by("pk")[0].chunks.order_by("pk")[0]
    assert nearest(filled, first.pk) == first.pk
