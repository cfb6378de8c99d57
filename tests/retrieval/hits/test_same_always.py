"""The same question finds the same passages in the same order, whatever happened to the database.

Through the whole search: in other processes, after VACUUM and REINDEX, with documents indexed again
or in another order. And a hostile question of any length costs no more than a short one.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import date

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from corpus.models import Chunk, Document, Lifecycle
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from retrieval.config import RetrievalConfig
from retrieval.hits.payload import hits_payload
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests.corpora import primary, publish
from tests.corpus.documents import guideline, ingest
from tests.databases import fresh_database
from tests.processes import ROOT
from tests.retrieval.lexical.huge import HUGE

ON = date(2026, 5, 1)
QUESTIONS = (
    "How much gentamicin once daily?",
    "gentamicin level after the second dose",
    "Which of these is NOT true of warfarin and the INR?",
    "creatinine has risen",
)
# A passage shared by all documents: its copies are ordered by key alone.
SHARED = "Measure the level of gentamicin before the second dose. Stop when the creatinine rises."
SWITCHES = (
    RetrievalConfig(k=10),
    RetrievalConfig(fusion="rrf", collapse_twins=False),
    RetrievalConfig(fusion="sum", dense=False, collapse_twins=False),
    RetrievalConfig(fusion="sum", dense=False, collapse_twins=False, df_budget=1, rescored=50),
)


def library(order: Iterable[int] = range(12)) -> None:
    for n in order:
        publish(
            f"# Guideline {n}\n## Dose\nGive gentamicin {n % 3 + 3} mg/kg once daily.\n"
            f"## Level\n{SHARED}\n## Warfarin\nThe INR on warfarin is looked at on day {n}."
        )


def found() -> list[list[tuple[str, float]]]:
    """Return keys and scores for every question by every configuration."""
    return [
        [(hit.key, hit.score) for hit in retrieve(Query(text, on=ON), config).hits]
        for config in SWITCHES
        for text in QUESTIONS
    ]


def as_owner(*statements: str) -> None:
    """Execute statements outside a transaction, as maintenance does."""
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def test_in_every_process(own_database: str) -> None:
    library()
    question = QUESTIONS[1]
    here = hits_payload(retrieve(Query(question, on=ON), RetrievalConfig(k=10)).hits)
    assert len(here) == 10
    seed = "4711" if os.environ.get("PYTHONHASHSEED") != "4711" else "0"  # not this process's own
    done = subprocess.run(
        [sys.executable, "manage.py", "search", question, "--json"],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert [each.pop("stopped") for each in told] == [None] * 10
    assert told == here


def test_after_vacuum_and_reindex(own_database: str) -> None:
    library()
    before = found()
    assert all(before)
    vectors = primary().table
    as_owner("VACUUM (ANALYZE)", "VACUUM (FULL) corpus_chunk", f"VACUUM (FULL) {vectors}")
    assert found() == before
    as_owner("REINDEX TABLE corpus_chunk", f"REINDEX TABLE {vectors}")
    assert found() == before
    with connection.cursor() as cursor:  # another plan
        cursor.execute("SET enable_bitmapscan = off")
    assert found() == before
    connections.close_all()


def test_where_rows_were_written_anew(own_database: str) -> None:
    """Updated rows move within the table; a search without a final tie-break would follow them."""
    library()
    before = found()
    for pk in Chunk.objects.order_by("-key").values_list("pk", flat=True)[::2]:
        Chunk.objects.filter(pk=pk).update(tokens=1)
    assert found() == before


def test_in_whatever_order_documents_came(own_database: str) -> None:
    library()
    before = found()
    Document.objects.all().delete()
    library(reversed(range(12)))
    assert found() == before


@pytest.mark.django_db
def test_after_a_document_was_indexed_anew() -> None:
    documents = [
        ingest(guideline(f"# Gentamicin {n}", sections=4), title=f"Gentamicin {n}")
        for n in range(3)
    ]
    for document in documents:
        document_index(document.pk)
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    before, ids = found(), set(Chunk.objects.values_list("pk", flat=True))
    assert any(before)
    for document in Document.objects.order_by("-pk"):
        document_reindex(document, by=None)
        document_index(document.pk)
    assert found() == before
    assert not ids & set(Chunk.objects.values_list("pk", flat=True))


HOSTILE = (
    *("one word", "different words", "one word without an end", "quotes", "operators", "questions"),
    *("combining marks", "exceptions", "letters and points", "abbreviations"),
    *("lone surrogates", "NUL in words"),
)


@pytest.fixture(scope="module")
def small_library(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Fill a database that the last tests of this file only read."""
    with django_db_blocker.unblock(), fresh_database(socket_dir):
        library(range(4))
        yield


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hundred_thousand_characters_cost_what_a_question_does(
    small_library: None, kind: str
) -> None:
    """Limits the number and size of queries, since times depend on the machine."""
    text = HUGE[kind]
    with CaptureQueriesContext(connection) as statements:
        evidence = retrieve(Query(text, on=ON))
    assert len(statements) <= 15 * len(evidence.trace.variants)
    assert len(evidence.trace.variants) <= 3
    assert max(len(one["sql"]) for one in statements) < 60_000
    assert len(evidence.hits) <= RetrievalConfig().k
    assert evidence.trace.query == text
    assert retrieve(Query(text, on=ON)).hits == evidence.hits
