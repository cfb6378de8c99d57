"""The arrows of a document's life, and that there are no others."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.dispatch import Signal
from pytest_django import Settings

from corpus import signals
from corpus.models import Document, Lifecycle
from corpus.services.documents import NotNow
from corpus.services.lifecycle import (
    BadSuccessor,
    ReasonNeeded,
    SecondPersonNeeded,
    document_publish,
    document_submit,
    document_supersede,
    document_withdraw,
)
from tests.corpus.documents import ingest

TODAY = datetime.date(2026, 3, 1)


def make(lifecycle: Lifecycle, number: int = 0) -> Document:
    document = ingest(f"# Guideline {number}\n\nText.\n", f"g{number}.md")
    Document.objects.filter(pk=document.pk).update(lifecycle=lifecycle)
    document.refresh_from_db()
    return document


def publish(document: Document) -> None:
    document_publish(document, by=None, today=TODAY)


def supersede(document: Document) -> None:
    document_supersede(document, by=None, successor=make(Lifecycle.PUBLISHED, 9))


def withdraw(document: Document) -> None:
    document_withdraw(document, by=None, reason="Harm was reported.")


def submit(document: Document) -> None:
    document_submit(document, by=None)


ARROWS: dict[tuple[Lifecycle, Callable[[Document], None]], Lifecycle] = {
    (Lifecycle.DRAFT, submit): Lifecycle.REVIEW,
    (Lifecycle.REVIEW, publish): Lifecycle.PUBLISHED,
    (Lifecycle.PUBLISHED, supersede): Lifecycle.SUPERSEDED,
    (Lifecycle.PUBLISHED, withdraw): Lifecycle.WITHDRAWN,
}


@pytest.mark.django_db
@pytest.mark.parametrize("step", [submit, publish, supersede, withdraw])
@pytest.mark.parametrize("lifecycle", list(Lifecycle))
def test_each_step_starts_from_its_own_state_only(
    lifecycle: Lifecycle, step: Callable[[Document], None]
) -> None:
    document = make(lifecycle)
    goal = ARROWS.get((lifecycle, step))
    if goal is None:
        with pytest.raises(NotNow):
            step(document)
    else:
        step(document)
        assert document.lifecycle == goal
    assert Document.objects.get(pk=document.pk).lifecycle == (goal or lifecycle)


@pytest.mark.django_db
def test_publishing_sets_the_day_it_is_in_force_unless_it_names_one(alice: User) -> None:
    document = make(Lifecycle.REVIEW)
    document_publish(document, by=alice, today=TODAY)
    assert (document.effective_from, document.published_by) == (TODAY, alice)
    assert document.published_at is not None
    later = make(Lifecycle.REVIEW, 2)
    Document.objects.filter(pk=later.pk).update(effective_from=datetime.date(2027, 1, 1))
    document_publish(later, by=alice, today=TODAY)
    assert later.effective_from == datetime.date(2027, 1, 1)


@pytest.mark.django_db
def test_the_uploader_may_not_publish_where_two_are_needed(
    settings: Settings, alice: User, bob: User
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    document = make(Lifecycle.REVIEW)
    Document.objects.filter(pk=document.pk).update(uploaded_by=alice)
    document.refresh_from_db()
    for person in (alice, None):
        with pytest.raises(SecondPersonNeeded):
            document_publish(document, by=person, today=TODAY)
    document_publish(document, by=bob, today=TODAY)
    assert document.lifecycle == Lifecycle.PUBLISHED


@pytest.mark.django_db
def test_a_successor_is_published_and_takes_over_in_one_step() -> None:
    old, new = make(Lifecycle.PUBLISHED, 1), make(Lifecycle.REVIEW, 2)
    document_publish(new, by=None, today=TODAY, supersedes=old)
    old.refresh_from_db()
    assert (old.lifecycle, old.superseded_by) == (Lifecycle.SUPERSEDED, new)


@pytest.mark.django_db
def test_nothing_is_published_when_the_old_version_can_not_end() -> None:
    old, new = make(Lifecycle.WITHDRAWN, 1), make(Lifecycle.REVIEW, 2)
    with pytest.raises(NotNow):
        document_publish(new, by=None, today=TODAY, supersedes=old)
    assert Document.objects.get(pk=new.pk).lifecycle == Lifecycle.REVIEW


@pytest.mark.django_db
def test_a_successor_is_another_document_and_published() -> None:
    old, draft = make(Lifecycle.PUBLISHED, 1), make(Lifecycle.DRAFT, 2)
    for successor in (old, draft):
        with pytest.raises(BadSuccessor):
            document_supersede(old, by=None, successor=successor)


@pytest.mark.django_db
def test_a_withdrawal_needs_a_reason_and_keeps_it() -> None:
    document = make(Lifecycle.PUBLISHED)
    with pytest.raises(ReasonNeeded):
        document_withdraw(document, by=None, reason=" \x00 ")
    document_withdraw(document, by=None, reason="Harm\x00 was reported. ")
    assert document.withdrawn_reason == "Harm was reported."
    assert document.withdrawn_at is not None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("signal", "lifecycle", "step"),
    [
        (signals.document_published, Lifecycle.REVIEW, publish),
        (signals.document_superseded, Lifecycle.PUBLISHED, supersede),
        (signals.document_withdrawn, Lifecycle.PUBLISHED, withdraw),
    ],
)
def test_a_step_that_can_not_be_recorded_is_not_taken(
    signal: Signal, lifecycle: Lifecycle, step: Callable[[Document], None]
) -> None:
    document = make(lifecycle)

    def refuse(**said: Any) -> None:
        assert Document.objects.get(pk=said["document"].pk).lifecycle != lifecycle
        raise RuntimeError("no audit row")

    signal.connect(refuse, dispatch_uid="test")
    try:
        with pytest.raises(RuntimeError):
            step(document)
    finally:
        signal.disconnect(dispatch_uid="test")
    assert Document.objects.get(pk=document.pk).lifecycle == lifecycle


def test_of_two_who_withdraw_at_once_one_is_told(own_database: str) -> None:
    document = make(Lifecycle.PUBLISHED)
    barrier = threading.Barrier(2)
    outcomes: list[str] = []

    def attempt() -> None:
        mine = Document.objects.get(pk=document.pk)
        barrier.wait()
        try:
            withdraw(mine)
            outcomes.append("done")
        except NotNow:
            outcomes.append("told")
        finally:
            connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["done", "told"]
