"""Tell which pages must be ticked before a document is published in any way.

They are those with a value in doubt, unless the document is published despite that, and the poor
pages of a document of which too few words were found again after parsing.

Shares are in [0, 1], higher is better, and None where no page has a text layer to compare.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import F, FloatField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Cast, NullIf

from core.errors import MedragError
from corpus.indexing.rows import page_as_read
from corpus.models import Document, Page
from corpus.parsing.doubts.grades import Grade
from corpus.parsing.types import DOCUMENT_ENOUGH, PAGE_ENOUGH, WordsFound
from corpus.review.doubted import has_doubt

NAMED = 20  # pages in a sentence

SHARE = Cast("words_found", FloatField()) / NullIf(F("words_checked"), 0)  # of a page


class PagesNotReviewed(MedragError):
    """Words were not found or values probably misread, and nobody checked these pages."""

    code = "not_looked_at"


def documents_with_words(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Annotate documents with `words_share`, and number and share of their worst page."""
    pages = Page.objects.filter(document=OuterRef("pk"), words_checked__gt=0).order_by()
    worst = pages.annotate(share=SHARE).order_by("share", "number")
    return documents.annotate(
        words_share=_share(),
        worst_page=Subquery(worst.values("number")[:1]),
        worst_share=Subquery(worst.values("share")[:1]),
    )


def documents_with_lost_words(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Keep documents that can't be published without a look at each poor page."""
    return documents.alias(found=_share()).filter(found__lt=DOCUMENT_ENOUGH)


def _share() -> Subquery:
    pages = Page.objects.filter(document=OuterRef("pk"), words_checked__gt=0).order_by()
    sums = Cast(Sum("words_found"), FloatField()) / Sum("words_checked")
    return Subquery(pages.values("document").annotate(share=sums).values("share"))


@dataclass(frozen=True)
class LostWords:
    """The share of a document that lost words, and the pages to check."""

    share: float
    pages: tuple[int, ...]


def lost_words(document: Document) -> LostWords | None:
    """Return None where enough words were found, or none could be compared. Runs one query."""
    rows = document.pages.filter(words_checked__gt=0).order_by("number")
    counts = rows.values_list("number", "words_found", "words_checked")
    return lost_among({number: WordsFound(good or 0, of or 0) for number, good, of in counts})


def lost_among(pages: Mapping[int, WordsFound]) -> LostWords | None:
    """Return None where enough words of these pages, by number, were found."""
    whole = WordsFound(
        sum(words.found for words in pages.values()), sum(words.checked for words in pages.values())
    )
    if whole.share >= DOCUMENT_ENOUGH:
        return None
    poor = tuple(number for number, words in pages.items() if words.share < PAGE_ENOUGH)
    return LostWords(whole.share, poor)


def lines_misread(
    document: Document, *, settled: bool = False, **pages: bool
) -> dict[tuple[str, str], set[int]]:
    """Map each doubt about a value, by code and doubted words, to its pages. Runs one query.

    With `settled`, also those that the repair of a table answered. `pages` are conditions on them,
    such as `looked=True`.
    """
    doubted = Q(has_doubt(Grade.VALUE))
    if settled:
        doubted |= Q(has_doubt(Grade.VALUE, of="as_read__doubts"))
    rows = document.pages.filter(doubted, **pages).order_by("number")
    lines: dict[tuple[str, str], set[int]] = {}
    for page in map(page_as_read, rows):
        for doubt in (doubt for doubt in page.doubts if doubt.grade is Grade.VALUE):
            line = (doubt.code, page.text[doubt.start : doubt.end])
            lines.setdefault(line, set()).add(page.number)
    return lines


def looks_keep(document: Document, seen: Collection[tuple[str, str]]) -> None:
    """Mark pages as looked at whose doubts about values are all in `seen`, after a new reading."""
    lines = lines_misread(document)
    new = set().union(*(pages for line, pages in lines.items() if line not in seen))
    same = set().union(*lines.values()) - new
    document.pages.filter(number__in=same).update(looked=True)


def refuse_unseen(
    document: Document, looked: Collection[int], *, despite_doubts: bool = False
) -> None:
    """Raise PagesNotReviewed if a page that must be ticked isn't, nor is in `looked`.

    Where words were lost, a tick of an earlier reading doesn't count: others may be lost now.
    """
    ticked = dict(document.pages.filter(looked=True).values_list("number", "looked_at"))
    compared = {*looked, *(number for number, at in ticked.items() if at)}
    lost = lost_words(document)
    missing = [number for number in lost.pages if number not in compared] if lost else []
    if lost and missing:
        raise PagesNotReviewed(
            f"Only {int(100 * lost.share)} % of the words of “{document}” were found when it was "
            f"read, and nobody has checked {pages_named(missing)}. It was not published.",
            hint="Open “Check and publish”, compare each of these pages and tick it.",
        )
    misread = sorted(set().union(*lines_misread(document).values()) - {*looked, *ticked})
    if misread and not despite_doubts:
        raise PagesNotReviewed(
            f"A value on {pages_named(misread)} of “{document}” was probably misread, or part of "
            "the file was not read, and nobody has compared it. It was not published.",
            hint="Open “Check and publish”, compare each of these pages, correct or tick it.",
        )


def pages_named(pages: list[int]) -> str:
    """Return `page 2`, or `pages 2, 3` with how many more there are."""
    more = len(pages) - NAMED
    named = ", ".join(map(str, pages[:NAMED]))
    return f"page{'s' if len(pages) > 1 else ''} {named}{f' and {more} more' if more > 0 else ''}"
