"""What a reader must know about a document before trusting it."""

import datetime
from collections.abc import Set
from dataclasses import dataclass

from django.utils.formats import date_format

from corpus.models import Document, Lifecycle

WITHDRAWN, SUPERSEDED, UNPUBLISHED = "withdrawn", "superseded", "unpublished"
NOT_IN_FORCE, REVIEW_DUE = "not_in_force", "review_due"


@dataclass(frozen=True)
class Notice:
    """A banner. `stop` means do not use; `caution` means use with care."""

    code: str  # stable, for programs
    level: str
    text: str
    successor: Document | None = None

    @property
    def sentence(self) -> str:
        """With what has replaced the document, where that may be named."""
        return f"{self.text} Replaced by {self.successor}." if self.successor else self.text


def document_notices(
    document: Document, *, on: datetime.date, readable: Set[int] = frozenset()
) -> tuple[Notice, ...]:
    """Return the banners of `document` on a day, the gravest first. Reads `superseded_by`.

    A successor is named only where its collection is one of `readable`, by primary key.
    """
    found = (
        _withdrawn(document),
        _superseded(document, readable),
        _unpublished(document),
        _not_yet(document, on),
        _review_due(document, on),
    )
    return tuple(notice for notice in found if notice)


def _withdrawn(document: Document) -> Notice | None:
    if document.lifecycle != Lifecycle.WITHDRAWN:
        return None
    when = f" on {_day(document.withdrawn_at.date())}" if document.withdrawn_at else ""
    why = f" Reason: {document.withdrawn_reason}" if document.withdrawn_reason else ""
    return Notice(WITHDRAWN, "stop", f"Withdrawn{when}. Do not use.{why}")


def _superseded(document: Document, readable: Set[int]) -> Notice | None:
    if document.lifecycle != Lifecycle.SUPERSEDED:
        return None
    successor = document.superseded_by
    if successor is not None and successor.collection_id not in readable:
        successor = None
    return Notice(SUPERSEDED, "stop", "Superseded. Do not use.", successor=successor)


def _unpublished(document: Document) -> Notice | None:
    if document.lifecycle not in (Lifecycle.DRAFT, Lifecycle.REVIEW):
        return None
    state = Lifecycle(document.lifecycle).label
    return Notice(UNPUBLISHED, "stop", f"{state}: not published, never used for an answer.")


def _not_yet(document: Document, on: datetime.date) -> Notice | None:
    if document.lifecycle != Lifecycle.PUBLISHED or not document.effective_from:
        return None
    if document.effective_from <= on:
        return None
    return Notice(NOT_IN_FORCE, "stop", f"Not in force until {_day(document.effective_from)}.")


def _review_due(document: Document, on: datetime.date) -> Notice | None:
    if document.lifecycle != Lifecycle.PUBLISHED or not document.is_review_due(on):
        return None
    due = _day(document.review_by) if document.review_by else ""
    return Notice(
        REVIEW_DUE,
        "caution",
        f"Past its review date ({due}). Still in force; check with its issuer.",
    )


def _day(date: datetime.date) -> str:
    return date_format(date, "j F Y")
