"""Two people change what is said of a document at the same moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from django.db import connection, transaction

from corpus.models import Document
from corpus.services.metadata import document_edit
from tests.corpora import publish, shelf
from tests.processes import wait_until


def test_who_edits_while_another_moves_it_waits_and_then_writes(own_database: str) -> None:
    document, other = publish("# Anaemia\nGive 1 tablet of iron daily."), shelf("blood")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Document.objects.filter(pk=document.pk).update(collection=other)
            editing = pool.submit(_edited, document.pk)
            wait_until(_does_anybody_wait, "the edit waits for the row")
        assert editing.result(timeout=20) == ("issuer",)
    document.refresh_from_db()
    assert (document.issuer, document.collection) == ("The society", other)


def _edited(pk: int) -> tuple[str, ...]:
    try:
        document = Document.objects.get(pk=pk)
        return document_edit(document, by=None, changes={"issuer": "The society"})
    finally:
        connection.close()


def _does_anybody_wait() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
        return cursor.fetchone() is not None
