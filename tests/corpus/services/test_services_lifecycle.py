"""Test the allowed changes of a document's lifecycle, and that there are no others."""

import datetime
from collections.abc import Callable
from itertools import pairwise, permutations

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone
from pytest_django import Settings

from chat.models import AuditEvent
from corpus import files, signals
from corpus.access import NotPermitted
from corpus.models import Document, Job, JobState, Lifecycle
from corpus.services.documents import NotNow, document_discard
from corpus.services.history import history_ended
from corpus.services.lifecycle import (
    BadSuccessor,
    ReasonNeeded,
    SecondPersonNeeded,
    document_publish,
    document_recheck,
    document_reinstate,
    document_return,
    document_submit,
    document_supersede,
    document_supersede_later,
    document_withdraw,
    documents_supersede_due,
    successions_make_due,
)
from medrag_site.groups import PUBLISHERS, STAFF
from tests.corpora import shelf
from tests.corpus.documents import ingest
from tests.corpus.listening import heard, refused
from tests.corpus.stored import document_path
from tests.people import in_groups, narrow, person

pytestmark = pytest.mark.django_db

TODAY = datetime.date(2026, 3, 1)


def make(lifecycle: Lifecycle, number: int = 0, *, is_indexed: bool = True) -> Document:
    document = ingest(f"# Guideline {number}\n\nText.\n", f"g{number}.md")
    Document.objects.filter(pk=document.pk).update(
        lifecycle=lifecycle, indexed_at=Now() if is_indexed else None
    )
    document.refresh_from_db()
    return document


def publish(document: Document) -> None:
    document_publish(document, by=None, today=TODAY)


def supersede(document: Document) -> None:
    document_supersede(document, by=None, successor=make(Lifecycle.PUBLISHED, 9))


def withdraw(document: Document) -> None:
    document_withdraw(document, by=None, reason="Harm was reported.")


def reinstate(document: Document) -> None:
    document_reinstate(document, by=None, reason="It was another guideline.")


def submit(document: Document) -> None:
    document_submit(document, by=None)


def send_back(document: Document) -> None:
    document_return(document, by=None, reason="The table is misread.")


ARROWS: dict[tuple[Lifecycle, Callable[[Document], None]], Lifecycle] = {
    (Lifecycle.DRAFT, submit): Lifecycle.REVIEW,
    (Lifecycle.REVIEW, send_back): Lifecycle.DRAFT,
    (Lifecycle.REVIEW, publish): Lifecycle.PUBLISHED,
    (Lifecycle.PUBLISHED, supersede): Lifecycle.SUPERSEDED,
    (Lifecycle.PUBLISHED, withdraw): Lifecycle.WITHDRAWN,
    (Lifecycle.WITHDRAWN, reinstate): Lifecycle.PUBLISHED,
    (Lifecycle.SUPERSEDED, reinstate): Lifecycle.PUBLISHED,
}


@pytest.mark.parametrize("step", [submit, send_back, publish, supersede, withdraw, reinstate])
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


def test_publishing_sets_the_day_it_is_in_force_unless_it_names_one(alice: User) -> None:
    alice = in_groups(alice, PUBLISHERS)
    document = make(Lifecycle.REVIEW)
    document_publish(document, by=alice, today=TODAY)
    assert (document.effective_from, document.published_by) == (TODAY, alice)
    assert document.published_at is not None
    later = make(Lifecycle.REVIEW, 2)
    Document.objects.filter(pk=later.pk).update(effective_from=datetime.date(2027, 1, 1))
    document_publish(later, by=alice, today=TODAY)
    assert later.effective_from == datetime.date(2027, 1, 1)


def test_the_uploader_may_not_publish_where_two_are_needed(
    settings: Settings, alice: User, bob: User
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    alice, bob = in_groups(alice, PUBLISHERS), in_groups(bob, PUBLISHERS)
    document = make(Lifecycle.REVIEW)
    Document.objects.filter(pk=document.pk).update(uploaded_by=alice)
    document.refresh_from_db()
    for somebody in (alice, None):
        with pytest.raises(SecondPersonNeeded):
            document_publish(document, by=somebody, today=TODAY)
    document_publish(document, by=bob, today=TODAY)
    assert document.lifecycle == Lifecycle.PUBLISHED


def test_nothing_is_published_when_the_old_version_can_not_end() -> None:
    old, new = make(Lifecycle.WITHDRAWN, 1), make(Lifecycle.REVIEW, 2)
    with pytest.raises(NotNow):
        document_publish(new, by=None, today=TODAY, supersedes=old)
    assert Document.objects.get(pk=new.pk).lifecycle == Lifecycle.REVIEW


def test_a_successor_is_another_document_and_published() -> None:
    old, draft = make(Lifecycle.PUBLISHED, 1), make(Lifecycle.DRAFT, 2)
    for successor in (old, draft):
        with pytest.raises(BadSuccessor):
            document_supersede(old, by=None, successor=successor)


def test_a_withdrawal_needs_a_reason_and_keeps_it() -> None:
    document = make(Lifecycle.PUBLISHED)
    with pytest.raises(ReasonNeeded):
        document_withdraw(document, by=None, reason=" \x00 ")
    document_withdraw(document, by=None, reason="Harm\x00 was reported. ")
    assert document.withdrawn_reason == "Harm was reported."
    assert document.withdrawn_at is not None


@pytest.mark.parametrize(
    ("signal", "lifecycle", "step"),
    [
        (signals.document_submitted, Lifecycle.DRAFT, submit),
        (signals.document_returned, Lifecycle.REVIEW, send_back),
        (signals.document_published, Lifecycle.REVIEW, publish),
        (signals.document_superseded, Lifecycle.PUBLISHED, supersede),
        (signals.document_withdrawn, Lifecycle.PUBLISHED, withdraw),
    ],
)
def test_a_step_that_can_not_be_recorded_is_not_taken(
    signal: Signal, lifecycle: Lifecycle, step: Callable[[Document], None]
) -> None:
    document = make(lifecycle)
    stored = Document.objects.filter(pk=document.pk)
    with refused(signal, lambda: stored.get().lifecycle != lifecycle):
        step(document)
    assert stored.get().lifecycle == lifecycle


def test_sending_back_needs_a_reason_and_tells_it() -> None:
    document = make(Lifecycle.REVIEW)
    with pytest.raises(ReasonNeeded):
        document_return(document, by=None, reason=" \n")
    with heard(signals.document_returned, "reason") as told:
        document_return(document, by=None, reason=" Page 3 is misread. ")
    assert (document.lifecycle, told) == (Lifecycle.DRAFT, ["Page 3 is misread."])


@pytest.mark.parametrize("step", [publish, send_back, supersede, withdraw])
def test_a_narrowed_collection_is_closed_to_the_system(step: Callable[[Document], None]) -> None:
    """A command without `--user` has nobody's rights."""
    lifecycle = Lifecycle.REVIEW if step in (publish, send_back) else Lifecycle.PUBLISHED
    document = make(lifecycle)
    narrow(document.collection, "publishers", "Haematology")
    with pytest.raises(NotPermitted) as refused:
        step(document)
    assert "Guideline" not in refused.value.sentence
    assert Document.objects.get(pk=document.pk).lifecycle == lifecycle


def test_publishing_takes_the_permission_and_the_group() -> None:
    document = make(Lifecycle.REVIEW)
    narrow(document.collection, "publishers", "Haematology")
    for name, groups in {"a": (STAFF, "Haematology"), "b": (PUBLISHERS,), "c": ()}.items():
        with pytest.raises(NotPermitted):
            document_publish(document, by=person(name, *groups), today=TODAY)
    document_publish(document, by=person("d", PUBLISHERS, "Haematology"), today=TODAY)
    assert document.lifecycle == Lifecycle.PUBLISHED


def test_what_is_superseded_takes_the_right_to_its_collection_too() -> None:
    old, new = make(Lifecycle.PUBLISHED, 1), make(Lifecycle.REVIEW, 2)
    Document.objects.filter(pk=old.pk).update(collection=shelf("blood"))
    narrow(shelf("blood"), "publishers", "Haematology")
    old.refresh_from_db()
    publisher = person("p", PUBLISHERS)
    with pytest.raises(NotPermitted):
        document_publish(new, by=publisher, today=TODAY, supersedes=old)
    assert Document.objects.get(pk=new.pk).lifecycle == Lifecycle.REVIEW


def test_a_withdrawal_is_undone_for_a_reason_by_who_may_withdraw(alice: User) -> None:
    document = make(Lifecycle.PUBLISHED)
    withdraw(document)
    with pytest.raises(ReasonNeeded):
        document_reinstate(document, by=None, reason=" ")
    with pytest.raises(NotPermitted):
        document_reinstate(document, by=in_groups(alice, STAFF), reason="An error.")
    reinstate(document)
    assert (document.withdrawn_at, document.withdrawn_reason) == (None, "")


def test_an_older_version_comes_back_where_its_successor_was_withdrawn() -> None:
    old, new = make(Lifecycle.PUBLISHED), make(Lifecycle.PUBLISHED, 9)
    document_supersede(old, by=None, successor=new)
    withdraw(new)
    assert history_ended(old) == f"Superseded until now by document {new.pk}."
    reinstate(old)
    assert (old.lifecycle, old.superseded_by) == (Lifecycle.PUBLISHED, None)
    new.refresh_from_db()
    assert new.lifecycle == Lifecycle.WITHDRAWN


def test_a_document_stays_in_force_until_the_day_of_its_successor() -> None:
    old, new = make(Lifecycle.PUBLISHED), make(Lifecycle.PUBLISHED, 1)
    day = Document.objects.filter(pk=new.pk)
    day.update(effective_from=timezone.localdate() + datetime.timedelta(days=1))
    document_supersede(old, by=None, successor=new)
    successions_make_due()
    assert state(old) == Lifecycle.PUBLISHED
    day.update(effective_from=timezone.localdate())
    successions_make_due()
    assert state(old) == Lifecycle.SUPERSEDED


def test_a_document_stays_in_force_until_its_successor_is_published_and_indexed() -> None:
    old, new = make(Lifecycle.PUBLISHED), make(Lifecycle.DRAFT, 1, is_indexed=False)
    document_supersede_later(old, by=None, successor=new)
    submit(new)
    publish(new)
    assert (state(old), state(new)) == (Lifecycle.PUBLISHED, Lifecycle.PUBLISHED)
    document_recheck(new, by=None, reason="It is in doubt.")
    index(new)
    assert (state(old), state(new)) == (Lifecycle.PUBLISHED, Lifecycle.REVIEW)
    with refused(signals.document_superseded, lambda: state(old) == Lifecycle.SUPERSEDED):
        publish(new)
    assert (state(old), state(new)) == (Lifecycle.PUBLISHED, Lifecycle.REVIEW)
    publish(new)
    assert (state(old), state(new)) == (Lifecycle.SUPERSEDED, Lifecycle.PUBLISHED)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_of_three_editions_the_last_stays_whichever_is_indexed_first(order: tuple[int]) -> None:
    editions = [make(Lifecycle.PUBLISHED, number, is_indexed=False) for number in range(3)]
    for old, new in pairwise(editions):
        document_supersede(old, by=None, successor=new)
        assert state(old) == Lifecycle.PUBLISHED
    for number in order:
        index(editions[number])
    ended = [Lifecycle.SUPERSEDED] * 2
    assert [state(edition) for edition in editions] == [*ended, Lifecycle.PUBLISHED]


def test_what_was_withdrawn_meanwhile_is_not_superseded_when_it_is_back() -> None:
    old, new = make(Lifecycle.PUBLISHED), make(Lifecycle.PUBLISHED, 1, is_indexed=False)
    document_supersede(old, by=None, successor=new)
    withdraw(old)
    reinstate(old)
    index(new)
    assert state(old) == Lifecycle.PUBLISHED


def index(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(indexed_at=Now())
    documents_supersede_due(document, by=None)


def state(document: Document) -> str:
    return Document.objects.get(pk=document.pk).lifecycle


def test_a_failed_upload_is_discarded_and_nothing_else_is() -> None:
    document = make(Lifecycle.DRAFT, is_indexed=False)
    stored = Document.objects.filter(pk=document.pk)
    with pytest.raises(NotNow):
        document_discard(document, by=None)
    Job.objects.filter(document=document).update(state=JobState.FAILED)
    with pytest.raises(NotNow):
        document_submit(document, by=None)
    stored.update(lifecycle=Lifecycle.WITHDRAWN)
    with pytest.raises(NotNow):
        document_discard(document, by=None)
    stored.update(lifecycle=Lifecycle.DRAFT)
    document_discard(document, by=None)
    assert not Document.objects.exists()
    assert not document_path(document.sha256).exists()
    make(Lifecycle.DRAFT, is_indexed=False)  # the same bytes


def test_of_two_that_wait_for_each_other_one_stays_in_force() -> None:
    first = make(Lifecycle.PUBLISHED, 1, is_indexed=False)
    second = make(Lifecycle.PUBLISHED, 2, is_indexed=False)
    document_supersede(first, by=None, successor=second)
    document_supersede(second, by=None, successor=first)  # it was the other way round
    for document in (second, first):
        Document.objects.filter(pk=document.pk).update(indexed_at=Now())
        documents_supersede_due(document, by=None)
    assert state(first) == Lifecycle.PUBLISHED
    assert state(second) == Lifecycle.SUPERSEDED


def test_the_log_waits_for_no_store_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    document = make(Lifecycle.DRAFT, is_indexed=False)
    Job.objects.filter(document=document).update(state=JobState.FAILED)
    discarded = AuditEvent.objects.filter(action="document.discarded")
    logged: list[bool] = []
    monkeypatch.setattr(files, "remove_document", lambda sha256: logged.append(discarded.exists()))
    document_discard(document, by=None)
    assert (logged, discarded.count()) == ([False], 1)
