import re
from collections.abc import Set
from dataclasses import asdict

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from corpus.models import Correction, Document
from corpus.parsing.registry import reader_name
from corpus.parsing.sniff import OFFICE, PDF
from corpus.review.corrections import cells_keyed
from corpus.review.pages import Place, ShownCell, table_rows

register = template.Library()

_NUMBER = re.compile(r"(\d+(?:[.,·]\d+)*)")


@register.filter
def percent(share: float) -> str:
    """Format 0.714 as `71 %`, rounded down, so that only a perfect value is 100 %."""
    return f"{int(share * 100)} %"


@register.filter
def painted(place: Place, keys: Set[str]) -> bool:
    return not keys.isdisjoint(place.keys)


@register.filter
def by_number(text: str) -> list[tuple[str, bool]]:
    """Split a text where numbers are, for highlighting them."""
    parts = _NUMBER.split(text)
    return [(part, index % 2 == 1) for index, part in enumerate(parts) if part]


@register.filter
def code_spans(text: str) -> SafeString:
    """Return the text as HTML, with what stands between backticks as code."""
    parts = enumerate(text.split("`"))
    spans = (format_html("<code>{}</code>", part) if n % 2 else part for n, part in parts)
    return format_html_join("", "{}", ((span,) for span in spans))


@register.filter
def is_office(document: Document) -> bool:
    return document.media_type in OFFICE


@register.filter
def is_drawn(document: Document) -> bool:
    """Tell whether pages of this type have pictures."""
    return document.media_type == PDF


@register.filter
def read_by(document: Document) -> str:
    return reader_name(document.engine, document.media_type) or "not read yet"


@register.filter
def table_read(correction: Correction) -> tuple[tuple[ShownCell, ...], ...]:
    """Return the rows of a table as it was read before its repair."""
    return table_rows(0, {"cells": [asdict(cell) for cell in cells_keyed(correction.around)]})


@register.filter
def table_repaired(correction: Correction) -> tuple[tuple[ShownCell, ...], ...]:
    return table_rows(0, correction.table or {"header": (), "rows": ()})
