"""Warn a reader about a document's state: stopped, withdrawn, superseded, review due."""

import datetime
from collections.abc import Set
from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext

from corpus.models import AnsweringStop, Document, Lifecycle
from corpus.stops import Stops

WITHDRAWN, SUPERSEDED, UNPUBLISHED = "withdrawn", "superseded", "unpublished"
STOPPED = "stopped"
NOT_IN_FORCE, REVIEW_DUE = "not_in_force", "review_due"


@dataclass(frozen=True)
class Notice:
    """A banner. `stop` means do not use; `caution` means use with care."""

    code: str  # stable, for programs
    level: str
    text: str
    successor: Document | None = None
    stop: AnsweringStop | None = None

    @property
    def sentence(self) -> str:
        """The text, with the document's successor where that may be named."""
        if not self.successor:
            return self.text
        return f"{self.text} {gettext('Replaced by')} {self.successor}."


def document_notices(
    document: Document, *, on: datetime.date, stops: Stops, readable: Set[int] = frozenset()
) -> tuple[Notice, ...]:
    """Return the banners of `document` on a day: a stop, then its state. Reads `superseded_by`.

    A successor is named only if its collection is in `readable`, a set of primary keys.
    """
    notices: list[Notice] = []
    if stop := stops.of(document):
        notices.append(Notice(STOPPED, "stop", stop.sentence, stop=stop))
    if document.lifecycle == Lifecycle.WITHDRAWN:
        text = gettext("Withdrawn. Do not use.")
        if document.withdrawn_at:
            day = _day(document.withdrawn_at.date())
            text = gettext("Withdrawn on %(day)s. Do not use.") % {"day": day}
        if document.withdrawn_reason:
            text += gettext(" Reason: %(reason)s") % {"reason": document.withdrawn_reason}
        notices.append(Notice(WITHDRAWN, "stop", text))
    elif document.lifecycle == Lifecycle.SUPERSEDED:
        successor = document.superseded_by
        if successor is not None and successor.collection_id not in readable:
            successor = None
        text = gettext("Superseded. Do not use.")
        notices.append(Notice(SUPERSEDED, "stop", text, successor=successor))
    elif document.lifecycle in (Lifecycle.DRAFT, Lifecycle.REVIEW):
        state = Lifecycle(document.lifecycle).label
        text = gettext("%(state)s: not published, never used for an answer.") % {"state": state}
        notices.append(Notice(UNPUBLISHED, "stop", text))
    elif document.lifecycle == Lifecycle.PUBLISHED:
        if document.effective_from and document.effective_from > on:
            text = gettext("Not in force until %(day)s.") % {"day": _day(document.effective_from)}
            notices.append(Notice(NOT_IN_FORCE, "stop", text))
        if document.is_review_due(on):
            due = _day(document.review_by) if document.review_by else ""
            text = gettext(
                "Past its review date (%(day)s). Still in force; check with its issuer."
            ) % {"day": due}
            notices.append(Notice(REVIEW_DUE, "caution", text))
    return tuple(notices)


def _day(date: datetime.date) -> str:
    return date_format(date, gettext("j F Y"))
