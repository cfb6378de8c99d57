"""Show measures as columns of lists, and filter lists by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter, display
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluation.question_runs.card_words import in_words

# Each band's address, words and condition on the column of the measure.
_BANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "low": ("below 0.5", {"lt": 0.5}),
    "middle": ("0.5 to 0.8", {"gte": 0.5, "lt": 0.8}),
    "high": ("0.8 and above", {"gte": 0.8}),
    "none": ("no value", {"isnull": True}),
}


def measure_column(measure: str) -> Callable[[Any], str]:
    """Return a column of rows that have the measure as an attribute, which it sorts by."""

    @display(description=in_words(measure), ordering=measure)
    def shown(row: Any) -> str:
        return two_places(getattr(row, measure))

    shown.__name__ = measure
    return shown


def two_places(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def measure_filter(measure: str) -> type[SimpleListFilter]:
    """Return a filter of rows that have the measure as a column."""

    class MeasureFilter(SimpleListFilter):
        title = in_words(measure)
        parameter_name = measure

        def lookups(
            self, request: HttpRequest, model_admin: ModelAdmin[Any]
        ) -> list[tuple[str, str]]:
            return [(band, words) for band, (words, _) in _BANDS.items()]

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            _, conditions = _BANDS.get(self.value() or "", ("", {}))
            return queryset.filter(
                **{f"{measure}__{name}": value for name, value in conditions.items()}
            )

    return MeasureFilter
