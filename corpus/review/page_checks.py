"""Say what to look at on the pages of a document before it is published."""

from __future__ import annotations

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
class PageCheck:
    """What to look at on a page before the document is published."""

    number: int
    tables: int
    ocr_confidence: float | None
    doubts: tuple[PageDoubt, ...]  # each once
    words_share: float | None = None  # of its words, found again under their boxes
    is_lost: bool = False  # it is a poor page of a document that lost words

    @property
    def is_badly_scanned(self) -> bool:
        return self.ocr_confidence is not None and self.ocr_confidence < OCR_CONFIDENT

    @property
    def is_doubtful(self) -> bool:
        """Somebody has to look at it before the document is published."""
        has_value = any(doubt.grade == Grade.VALUE for doubt in self.doubts)
        return has_value or self.is_badly_scanned or self.is_lost


def page_checks(document: Document) -> list[PageCheck]:
    """Return every page in order. Runs one query that loads neither text nor blocks."""
    tables_of_page = Func(F("blocks"), Value(_TABLES), function="jsonb_path_query_array")
    tables = Func(tables_of_page, function="jsonb_array_length", output_field=IntegerField())
    rows = document.pages.order_by("number").annotate(tables=tables, share=SHARE)
    names = ("number", "tables", "ocr_confidence", "doubts", "share")
    listed = list(rows.values_list(*names, "words_found", "words_checked"))
    lost = lost_among({number: WordsFound(good or 0, of) for number, *_, good, of in listed if of})
    poor = lost.pages if lost else ()
    return [
        PageCheck(number, count, confidence, _listed(doubts), share, number in poor)
        for number, count, confidence, doubts, share, *_ in listed
    ]


def _listed(doubts: Sequence[Mapping[str, str]]) -> tuple[PageDoubt, ...]:
    every = (
        PageDoubt(doubt.get("code", ""), doubt.get("grade", Grade.VALUE), doubt["message"])
        for doubt in doubts
    )
    return tuple(sorted(dict.fromkeys(every), key=lambda doubt: _ORDER.index(Grade(doubt.grade))))


def pages_doubtful(checks: Sequence[PageCheck]) -> list[int]:
    """Return the numbers of pages that must be looked at before publishing."""
    return [check.number for check in checks if check.is_doubtful]


def pages_scanned_badly(checks: Sequence[PageCheck]) -> list[int]:
    return [check.number for check in checks if check.is_badly_scanned]


def reason_to_wait(document: Document) -> str:
    """Return why a document that was published unread has to wait for a look; empty if it has not.

    It lost words, or has a value in doubt or a page scanned badly, unless it was published
    `despite_doubts`.
    """
    if lost := lost_words(document):
        return f"Only {int(100 * lost.share)} % of its words were found when it was read."
    doubtful = [] if document.despite_doubts else pages_doubtful(page_checks(document))
    return MISREAD_ON.format(pages_named(doubtful)) if doubtful else ""


def pages_to_look_at(documents: Sequence[Document]) -> dict[int, int]:
    """Return the number of doubtful pages by document, where there are any. Runs one query."""
    pages = Page.objects.filter(POOR, document__in=[document.pk for document in documents])
    return dict(pages.order_by().values_list("document").annotate(Count("pk")))
