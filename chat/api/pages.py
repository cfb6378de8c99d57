"""Paginate long lists: each page has the address of the next."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api.fields import Strict, Words
from chat.api.guarded import Guarded, record_read, user_of, valid, words_hmac

MAX_WORDS_CHARS = 200
EXAMPLE = "https://medrag.example/api/v1/conversations?cursor=cD0yMDI2LTExLTAy"


class PageRequest(Strict):
    cursor = serializers.CharField(
        required=False,
        trim_whitespace=False,
        help_text="The cursor of `next` or `previous`; without it the first page is returned.",
    )


class WordsRequest(PageRequest):
    words = Words(
        required=False,
        max_length=MAX_WORDS_CHARS,
        help_text="Only conversations with these words in their title or in a question.",
    )


class Described(CursorPagination):
    """Pages of fifty rows; only addresses given by a page are valid."""

    page_size = 50

    def is_position(self, text: str) -> bool:
        """Tell whether a cursor's position is valid: any text that the database can store."""
        return "\0" not in text

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Decode the cursor of a page. Raises NotFound for one that no page has given."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not self.is_position(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the library's schema with addresses of our own as examples."""
        described = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            described["properties"][name]["example"] = EXAMPLE
        return described


class ByTime(Described):
    """Pages ordered by a time."""

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


class LatestAsked(ByTime):
    ordering: Any = ("-created_at", "-pk")
    page_size = 20


class Uploaded(ByTime):
    ordering: Any = ("-uploaded_at", "-pk")


class Joined(ByTime):
    ordering: Any = ("-date_joined", "-pk")


class ByName(Described):
    ordering: Any = ("name", "pk")


class ByNumber(Described):
    """Pages ordered by a whole number."""

    def is_position(self, text: str) -> bool:
        return text.isascii() and text.isdecimal() and int(text) < 2**31


class LatestRow(ByNumber):
    ordering: Any = ("-seq",)


class InReadingOrder(ByNumber):
    ordering: Any = ("index",)


# A paginated list; the log has who read it. A docstring would describe its operations in the API.
class Listed(Guarded, GenericAPIView[Any]):
    asks: type[PageRequest] = PageRequest

    def asked(self) -> dict[str, Any]:
        return valid(self.asks(data=self.request.query_params.dict()))

    def paged(
        self,
        rows: QuerySet[Any],
        operation: str,
        *,
        subject: str = "",
        words: str = "",
        **more: Any,
    ) -> Response:
        """Return a page of the rows and log who reads it. `more` is context for the serializer."""
        user = user_of(self.request)
        page = self.paginate_queryset(rows) or []
        hashed = {"query_hmac": words_hmac(words)} if words else {}
        record_read(user, operation, subject=subject or f"user:{user.pk}", **hashed)
        return self.get_paginated_response(
            self.get_serializer_class()(page, many=True, context=more).data
        )
