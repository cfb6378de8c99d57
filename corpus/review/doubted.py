"""Select and count pages' doubts by grade.

A stored doubt without a grade counts as one about a value.
"""

from __future__ import annotations

from django.db.models import (
    BooleanField,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from corpus.models import Document, Page
from corpus.parsing.doubts.grades import Grade

_PATHS = {
    Grade.VALUE: '$[*] ? (!(@.grade == "structure") && !(@.grade == "note"))',
    Grade.STRUCTURE: '$[*] ? (@.grade == "structure")',
    Grade.NOTE: '$[*] ? (@.grade == "note")',
}


def has_doubt(grade: Grade, *, of: str = "doubts") -> Func:
    """Return the condition on a page that it has a doubt of this grade in `of`."""
    path = Value(_PATHS[grade])
    return Func(F(of), path, function="jsonb_path_exists", output_field=BooleanField())


def documents_with_doubts(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Annotate documents with their number of doubts of each grade, as `doubts_of_value` ..."""
    return documents.annotate(**{f"doubts_of_{grade}": _counted(grade) for grade in Grade})


def _counted(grade: Grade) -> Coalesce:
    path = Value(_PATHS[grade])
    found = Func(F("doubts"), path, function="jsonb_path_query_array")
    count = Func(found, function="jsonb_array_length", output_field=IntegerField())
    pages = Page.objects.filter(document=OuterRef("pk")).exclude(doubts=[]).order_by()
    sums = pages.values("document").annotate(count=Sum(count)).values("count")
    return Coalesce(Subquery(sums), 0)
