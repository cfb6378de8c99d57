"""Settle what is told of a source: what is gone or moved, and what is withdrawn because of it."""

from __future__ import annotations

import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from corpus.access import NotPermitted, collections_publishable
from corpus.models import Document, Lifecycle, Source, SourceFile
from corpus.services.documents import NotNow
from corpus.services.lifecycle import document_withdraw
from corpus.signals import source_settled

MOST_AT_ONCE, MOST_SHARE = 20, 0.1  # files; more that go in one round are withdrawn by people only


def may_settle(user: User, source: Source) -> bool:
    """Tell whether the user may publish, and so withdraw, in the source's collection."""
    return source.collection in collections_publishable(user)


@transaction.atomic
def source_file_settle(file: SourceFile, *, by: User) -> None:
    """Tell no more that a file is gone, or that it moved: somebody knows. Raises NotPermitted."""
    _refuse_others(file.source, by)
    left = SourceFile.objects.exclude(gone_at=None).filter(pk=file.pk)
    left.update(let_go_at=Now(), let_go_by=by)
    SourceFile.objects.filter(pk=file.pk).update(moved_from="")
    source_settled.send(Source, source=file.source, actor=by, settled="file", file=file.pk)


@transaction.atomic
def source_answer(source: Source, *, by: User, asked: str, withdraw: bool) -> int:
    """Answer what the source asked: withdraw what is gone, or keep it in force; return how many.

    Raises NotPermitted, and NotNow if it no longer asks just this.
    """
    _refuse_others(source, by)
    if not Source.objects.filter(pk=source.pk, asks=asked).exclude(asks="").update(asks=""):
        raise NotNow(
            "More is gone by now, or somebody else answered, so nothing was changed.",
            hint="Read the page again.",
        )
    gone = _gone(source)
    documents = list(_in_force_of(source, gone)) if withdraw else []
    for document in documents:
        document_withdraw(document, by=by, reason=_reason(source))
    gone.update(let_go_at=Now(), let_go_by=by)
    settled = "withdrawn" if withdraw else "kept"
    source_settled.send(Source, source=source, actor=by, settled=settled)
    return len(documents)


def withdraw_within_limit(source: Source, *, since: datetime.datetime) -> str:
    """Withdraw the guidelines whose files went since then, or return what is to be asked.

    Nobody's rights apply, so a collection that names its publishers is asked about, too.
    """
    gone = _gone(source).filter(gone_at__gte=since)
    count, present = gone.count(), source.files.filter(gone_at=None).count()
    documents = list(_in_force_of(source, gone))
    why = ""
    if documents and (count > MOST_AT_ONCE or count > MOST_SHARE * (count + present)):
        why, documents = f"{count} of {count + present} files went at once", []
    for document in documents:
        try:
            document_withdraw(document, by=None, reason=_reason(source))
        except NotNow:  # somebody was faster
            continue
        except NotPermitted:
            why = "Only groups may withdraw in this collection"
    open_ones = _in_force_of(source, _gone(source)).count()  # all that a "yes" withdraws
    told = f"{open_ones} guidelines in force whose files are gone were not withdrawn"
    return f"{why}, so {told}. Should they be?" if why else ""


def _gone(source: Source) -> QuerySet[SourceFile]:
    return source.files.exclude(gone_at=None).filter(let_go_at=None)


def _in_force_of(source: Source, gone: QuerySet[SourceFile]) -> QuerySet[Document]:
    """Return the published documents of these files that stand nowhere else, in order.

    A document of another collection, which somebody uploaded there, isn't the source's to withdraw.
    """
    stands = SourceFile.objects.filter(documents=OuterRef("pk"), gone_at=None)
    published = Document.objects.filter(
        lifecycle=Lifecycle.PUBLISHED, collection=source.collection_id
    )
    went = Exists(gone.filter(documents=OuterRef("pk")).order_by())
    return published.filter(went, ~Exists(stands)).order_by("pk")


def _reason(source: Source) -> str:
    return f"Its file was removed from its source, {source}."


def _refuse_others(source: Source, by: User) -> None:
    if not may_settle(by, source):
        raise NotPermitted(
            "You have no right to publish in the source's collection.",
            hint="Nothing was changed. Ask a publisher of that collection.",
        )
