"""Say what to look at on the pages of a document before it is published."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Func, IntegerField, Q, Value

from corpus.models import Document, Page
from corpus.parsing.doubts.grades import Grade
from corpus.parsing.types import WordsFound
from corpus.review.doubted import has_doubt
from corpus.review.words_found import SHARE, lost_among, lost_words, pages_named
from corpus.types import OCR_CONFIDENT

POOR = Q(ocr_confidence__lt=OCR_CONFIDENT) | Q(has_doubt(Grade.VALUE))  # somebody has to look
UNSEEN = POOR & Q(looked=False)
MISREAD_ON = "A value was probably misread, or not read, on {}."
_TABLES = '$[*] ? (@.kind == "table")'
_ORDER = list(Grade)


@dataclass(frozen=True)
class PageDoubt:
    """A doubt of a page, as listed; those about values come first."""

    code: str
    grade: str
    message: str


@dataclass(frozen=True)
class Look:
    """That somebody compared a page with the file; `at` is None for one of an earlier reading."""

    by: str
    at: datetime.datetime | None


@dataclass(frozen=True)
class PageCheck:
    """What to look at on a page before the document is published."""

    number: int
    tables: int
    ocr_confidence: float | None
    doubts: tuple[PageDoubt, ...]  # each once
    words_share: float | None = None  # of its words, found again under their boxes
    is_lost: bool = False  # it is a poor page of a document that lost words
    looked: Look | None = None  # None if nobody has compared it

    @property
    def is_badly_scanned(self) -> bool:
        return self.ocr_confidence is not None and self.ocr_confidence < OCR_CONFIDENT

    @property
    def is_doubtful(self) -> bool:
        """Somebody has to look at it, or had to, before the document is published."""
        has_value = any(doubt.grade == Grade.VALUE for doubt in self.doubts)
        return has_value or self.is_badly_scanned or self.is_lost

    @property
    def is_unseen(self) -> bool:
        """Somebody still has to look at it; lost words need a look since this reading."""
        is_compared = self.looked and (self.looked.at or not self.is_lost)
        return self.is_doubtful and not is_compared


def page_checks(document: Document) -> list[PageCheck]:
    """Return every page in order. Runs one query that loads neither text nor blocks."""
    tables_of_page = Func(F("blocks"), Value(_TABLES), function="jsonb_path_query_array")
    tables = Func(tables_of_page, function="jsonb_array_length", output_field=IntegerField())
    rows = document.pages.order_by("number").annotate(tables=tables, share=SHARE)
    names = ("number", "tables", "ocr_confidence", "doubts", "share", "words_found")
    looks = ("looked", "looked_by__username", "looked_at")
    listed = list(rows.values(*names, "words_checked", *looks))
    words = {
        row["number"]: WordsFound(row["words_found"] or 0, row["words_checked"])
        for row in listed
        if row["words_checked"]
    }
    lost = lost_among(words)
    poor = lost.pages if lost else ()
    return [
        PageCheck(
            number=row["number"],
            tables=row["tables"],
            ocr_confidence=row["ocr_confidence"],
            doubts=_listed(row["doubts"]),
            words_share=row["share"],
            is_lost=row["number"] in poor,
            looked=Look(row["looked_by__username"] or "", row["looked_at"])
            if row["looked"]
            else None,
        )
        for row in listed
    ]


def _listed(doubts: Sequence[Mapping[str, str]]) -> tuple[PageDoubt, ...]:
    every = (
        PageDoubt(doubt.get("code", ""), doubt.get("grade", Grade.VALUE), doubt["message"])
        for doubt in doubts
    )
    return tuple(sorted(dict.fromkeys(every), key=lambda doubt: _ORDER.index(Grade(doubt.grade))))


def pages_doubtful(checks: Sequence[PageCheck]) -> list[int]:
    """Return the numbers of pages that must be looked at before publishing, or had to be."""
    return [check.number for check in checks if check.is_doubtful]


def pages_unseen(checks: Sequence[PageCheck]) -> list[int]:
    """Return the numbers of pages that somebody still has to look at before publishing."""
    return [check.number for check in checks if check.is_unseen]


def pages_scanned_badly(checks: Sequence[PageCheck]) -> list[int]:
    """Return the numbers of badly scanned pages that nobody has looked at."""
    return [check.number for check in checks if check.is_badly_scanned and check.is_unseen]


def reason_to_wait(document: Document) -> str:
    """Return why a document that was published unread has to wait for a look; empty if it has not.

    It lost words, or has a value in doubt or a page scanned badly, unless it was published
    `despite_doubts`.
    """
    if lost := lost_words(document):
        return f"Only {int(100 * lost.share)} % of its words were found when it was read."
    doubtful = [] if document.despite_doubts else pages_unseen(page_checks(document))
    return MISREAD_ON.format(pages_named(doubtful)) if doubtful else ""


def pages_to_look_at(documents: Sequence[Document]) -> dict[int, int]:
    """Return the number of pages still to be looked at by document, if any. Runs one query."""
    pages = Page.objects.filter(UNSEEN, document__in=[document.pk for document in documents])
    return dict(pages.order_by().values_list("document").annotate(Count("pk")))
