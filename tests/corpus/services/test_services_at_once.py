"""Test two or more people who change a document at the same moment."""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from functools import partial

import pytest
from django.db import connection, transaction

from corpus import signals
from corpus.models import Document, Job, Lifecycle
from corpus.services.documents import DuplicateDocument, NotNow, document_reindex
from corpus.services.lifecycle import document_publish
from corpus.services.metadata import document_edit
from tests.corpora import publish, shelf
from tests.corpus.documents import GUIDELINE, ingest
from tests.corpus.services.test_services_lifecycle import make, withdraw
from tests.corpus.stored import document_path
from tests.processes import wait_until
from tests.together import at_once


def test_eight_uploads_of_the_same_bytes_make_one_row(own_database: str) -> None:
    shelf()
    outcomes = at_once(*[ingest] * 8)
    document = Document.objects.get()
    refused = [each.existing for each in outcomes if isinstance(each, DuplicateDocument)]
    assert refused == [document] * 7
    assert document in outcomes
    assert Job.objects.count() == 1
    assert document_path(document.sha256).read_bytes() == GUIDELINE.encode()


def test_of_two_who_withdraw_one_is_told(own_database: str) -> None:
    pk = make(Lifecycle.PUBLISHED).pk
    outcomes = at_once(*(partial(withdraw, Document.objects.get(pk=pk)) for _ in range(2)))
    assert sorted(isinstance(outcome, NotNow) for outcome in outcomes) == [False, True]


def test_of_two_who_replace_one_version_one_is_told_and_nobody_waits_for_ever(
    own_database: str,
) -> None:
    old = make(Lifecycle.PUBLISHED)
    replace = partial(document_publish, by=None, today=date(2026, 3, 1))
    outcomes = at_once(
        *(
            partial(replace, make(Lifecycle.REVIEW, n), supersedes=Document.objects.get(pk=old.pk))
            for n in (1, 2)
        )
    )
    assert sorted(isinstance(outcome, NotNow) for outcome in outcomes) == [False, True]
    lifecycles = sorted(Document.objects.values_list("lifecycle", flat=True))
    assert lifecycles == [Lifecycle.PUBLISHED, Lifecycle.REVIEW, Lifecycle.SUPERSEDED]


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


def test_who_edits_while_another_has_it_read_again_waits_for_nobody(own_database: str) -> None:
    document = publish("# Anaemia\nGive 1 tablet of iron daily.")
    with ThreadPoolExecutor(1) as pool:
        reading: list[Future[None]] = []

        def meanwhile(**sent: object) -> None:
            reading.append(pool.submit(_read_again, document.pk))
            wait_until(_does_anybody_wait, "reading again waits for the edit")

        signals.document_edited.connect(meanwhile)
        try:
            document_edit(document, by=None, changes={"title": "Iron"})
        finally:
            signals.document_edited.disconnect(meanwhile)
        with pytest.raises(NotNow):  # the edit has queued it
            reading[0].result(timeout=20)


def _read_again(pk: int) -> None:
    try:
        document_reindex(Document.objects.get(pk=pk), by=None)
    finally:
        connection.close()
