"""Long lists, a page at a time: each page has the address of the next."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from chat.api.fields import Strict, Words

MAX_WORDS_CHARS = 200
EXAMPLE = "https://medrag.example/api/v1/conversations?cursor=cD0yMDI2LTExLTAy"


class PageRequest(Strict):
    cursor = serializers.CharField(
        required=False,
        trim_whitespace=False,
        help_text="Of `next` or `previous`; the first page without this.",
    )


class WordsRequest(PageRequest):
    words = Words(
        required=False,
        max_length=MAX_WORDS_CHARS,
        help_text="Only those with these words in their title or in a question.",
    )


class Described(CursorPagination):
    """Pages of fifty whose addresses are only those that a page has given."""

    page_size = 50

    def is_position(self, text: str) -> bool:
        """Tell whether a row can stand there: after any text that the database can hold."""
        return "\0" not in text

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Read the address of a page. Raises NotFound for one that no page has given."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not self.is_position(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the library's, with an address of ours for its own example."""
        described = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            described["properties"][name]["example"] = EXAMPLE
        return described


class ByTime(Described):
    """Pages by a moment of each row."""

    def is_position(self, text: str) -> bool:
        try:
            moment = parse_datetime(text)
        except ValueError:
            return False
        return moment is not None and timezone.is_aware(moment)


class LatestFirst(ByTime):
    ordering: Any = ("-updated_at", "pk")


class InOrder(ByTime):
    ordering: Any = ("created_at", "pk")
    page_size = 20


class Uploaded(ByTime):
    ordering: Any = ("-uploaded_at", "-pk")


class Joined(ByTime):
    ordering: Any = ("-date_joined", "-pk")


class ByName(Described):
    ordering: Any = ("name", "pk")


class ByNumber(Described):
    """Pages by a whole number of each row."""

    def is_position(self, text: str) -> bool:
        return text.isascii() and text.isdecimal() and int(text) < 2**31


class LatestRow(ByNumber):
    ordering: Any = ("-seq",)


class InReadingOrder(ByNumber):
    ordering: Any = ("index",)
