"""Write checks against the list of retractions and their alerts; nothing else does.

No document is withdrawn here: a list may be wrong, or name an abstract as well as a guideline.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from corpus.models import Document, Lifecycle
from corpus.publications import publication_numbers
from evaluation.models import RetractionAlert, RetractionCheck
from evaluation.retractions.listing import Listed, ListUnreadable, read_list

HERE = (Lifecycle.DRAFT, Lifecycle.REVIEW, Lifecycle.PUBLISHED)  # in force, or may become so


def is_check_due() -> bool:
    """Tell whether a list is set and was not checked today. Runs at most one query."""
    if not settings.RETRACTIONS_FILE:
        return False
    return not RetractionCheck.objects.filter(day=timezone.localdate()).exists()


def retractions_check(announce: Callable[[RetractionAlert], None]) -> None:
    """Compare each document with the list, once a day; call `announce` for each new alert.

    An unreadable list is stored as a problem, and no alert changes. The list is read before the
    transaction; of two processes that check at once only one stores its result.
    """
    if not is_check_due():
        return
    day = timezone.localdate()
    try:
        listed = read_list(Path(settings.RETRACTIONS_FILE))
    except ListUnreadable as error:
        RetractionCheck.objects.get_or_create(day=day, defaults={"problem": error.sentence})
        return
    documents = list(Document.objects.filter(lifecycle__in=HERE).order_by("pk"))
    numbers_of = {
        document.pk: numbers
        for document in documents
        if (numbers := sorted(publication_numbers(document) & listed.reasons.keys()))
    }
    counts = {
        "listed": len(listed.reasons),
        "left_out": listed.left_out,
        "documents": len(documents),
        "found": len(numbers_of),
    }
    with transaction.atomic():
        _, is_first = RetractionCheck.objects.get_or_create(day=day, defaults=counts)
        if is_first:
            for alert in _alerts_changed(day, listed, numbers_of):
                announce(alert)


def _alerts_changed(
    day: datetime.date, listed: Listed, numbers_of: dict[int, list[str]]
) -> list[RetractionAlert]:
    """Create and return new alerts, and end those whose document is no longer found."""
    open_ = RetractionAlert.objects.filter(ended_on=None)
    open_.exclude(document__in=numbers_of).update(ended_on=day)
    known = set(open_.values_list("document", flat=True))
    return [
        RetractionAlert.objects.create(
            document_id=document,
            number=numbers[0],
            reason=next(filter(None, map(listed.reasons.__getitem__, numbers)), ""),
            began_on=day,
        )
        for document, numbers in numbers_of.items()
        if document not in known
    ]
