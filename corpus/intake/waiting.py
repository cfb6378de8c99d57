"""Publish what waits in review, as far as it may be, and say what is left and why."""

from __future__ import annotations

import csv
import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from django.contrib.auth.models import User
from django.db import transaction

from core.errors import MedragError
from corpus.models import Document, Lifecycle
from corpus.parsing.doubts.grades import Grade
from corpus.review.doubted import documents_with_doubts
from corpus.review.page_checks import (
    PageDoubt,
    page_checks,
    pages_scanned_badly,
    pages_unseen,
)
from corpus.review.words_found import PagesNotReviewed, pages_named
from corpus.services.history import history_add
from corpus.services.lifecycle import document_approve

_HEAD = ("document", "page", "code", "grade")


@dataclass
class Publication:
    """What was published, and the sentence for each document that is left in review."""

    published: list[Document] = field(default_factory=list)
    left: dict[Document, str] = field(default_factory=dict)


def documents_publish(
    documents: Iterable[Document],
    *,
    by: User | None,
    today: datetime.date,
    despite_doubts: bool = False,
    dry_run: bool = False,
) -> Publication:
    """Publish each document that waits in review, as the administration would; others are passed.

    One that can't be published is left, and stops no other. A dry run undoes each.
    """
    outcome = Publication()
    for document in documents:
        if document.lifecycle != Lifecycle.REVIEW:
            continue
        try:
            with transaction.atomic():
                _publish(document, by=by, today=today, despite_doubts=despite_doubts)
                transaction.set_rollback(dry_run)
            outcome.published.append(document)
        except MedragError as error:
            outcome.left[document] = error.sentence
    return outcome


def _publish(
    document: Document, *, by: User | None, today: datetime.date, despite_doubts: bool
) -> None:
    checks = page_checks(document)
    pages = pages_unseen(checks)
    if (scanned := pages_scanned_badly(checks)) and not despite_doubts:
        raise PagesNotReviewed(
            f"Nobody has compared {pages_named(scanned)} of “{document}”, read by OCR with a low "
            "confidence. It was not published.",
            hint="Open “Check and publish”, compare each of these pages and tick it.",
        )
    document_approve(document, by=by, today=today, despite_doubts=despite_doubts)
    if by:
        unseen = f" without a look at {pages_named(pages)}" if pages else ""
        history_add(document, by=by, line=f"Published{unseen}.")


def doubts_of(document: Document) -> Iterator[tuple[int, PageDoubt]]:
    """Yield the page and the doubt, those about values first, then in order of pages. One query."""
    pages = page_checks(document)
    for grade in Grade:
        for check in pages:
            yield from ((check.number, doubt) for doubt in check.doubts if doubt.grade == grade)


def left_named(document: Document) -> str:
    """Return why a document is left: codes and pages of its doubts about values, or a poor scan."""
    codes: dict[str, list[int]] = {}
    checks = page_checks(document)
    unseen = pages_unseen(checks)
    for check in checks:
        for doubt in check.doubts if check.number in unseen else ():
            if doubt.grade == Grade.VALUE:
                codes.setdefault(doubt.code, []).append(check.number)
    named = [f"{code} on {pages_named(sorted(set(pages)))}" for code, pages in codes.items()]
    if not named and unseen:
        return f"{pages_named(unseen)} to be compared"
    return "; ".join(named)


def doubts_counted(documents: Sequence[int]) -> str:
    """Return the number of doubts of these documents by grade, such as `3 of value, 8 of note`."""
    rows = documents_with_doubts(Document.objects.filter(pk__in=documents))
    counts: Counter[Grade] = Counter()
    for document in rows:
        for grade in Grade:
            counts[grade] += getattr(document, f"doubts_of_{grade}")
    return ", ".join(f"{counts[grade]} of {grade}" for grade in Grade)


def write_left(documents: Iterable[Document], stream: TextIO) -> None:
    """Write a line of CSV for each doubt of these documents."""
    rows = csv.writer(stream)
    rows.writerow(_HEAD)
    for document in documents:
        for page, doubt in doubts_of(document):
            rows.writerow([document.filename, page, doubt.code, doubt.grade])


def write_left_to(path: Path, documents: Iterable[Document]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_left(documents, stream)
