"""What no browser sends is refused before anything reads it: another encoding than UTF-8, and NUL.

Django decodes forms by whatever codec a request names, and PostgreSQL keeps no NUL: both end
somewhere below as an error of the server's, on whichever page forgot to look.
"""

from __future__ import annotations

import codecs
import logging
import traceback
from collections.abc import Callable, Iterator
from http import HTTPStatus

from django.core.exceptions import (
    BadRequest,
    FieldDoesNotExist,
    FieldError,
    SuspiciousOperation,
    ValidationError,
)
from django.db import DataError
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.views.defaults import bad_request

from chat.api.openai.views import error_response
from chat.api.problems import problem_response

API, COMPATIBLE, ADMINISTRATION = "/api/", "/v1/", "/admin/"
UNSOUND = "The request is not sound UTF-8 text."
_READ_AS_UTF8 = {"utf-8", "ascii"}
_NO_SUCH_VALUE = (ValueError, ValidationError, FieldDoesNotExist, FieldError, DataError)

logger = logging.getLogger(__name__)


class SoundRequests:
    """Answers 400 where a request names another charset, holds NUL, or a form that can't be read.

    What is typed into forms of our own and what the API is sent is theirs to judge, since they
    have kinder words for it; Django's administration hands it on as it came.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_compatible = request.path_info.startswith(COMPATIBLE)
        is_api = is_compatible or request.path_info.startswith(API)
        is_readable = _is_utf8(request) and (is_api or _has_readable_form(request))
        if is_readable and not any("\0" in text for text in _texts(request)):
            return self._get_response(request)
        if is_api:
            refused = error_response if is_compatible else problem_response
            return refused(HTTPStatus.BAD_REQUEST, UNSOUND)
        # The pages of errors look for a token of CSRF in the form, and would fail as it does.
        request._mark_post_parse_error()  # type: ignore[attr-defined]
        return bad_request(request, ValueError())

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Refuse what the administration hands on to a field that can't hold it.

        Its hidden values (`_to_field`, `_selected_action`) reach the database's fields as they
        came. Only an error raised by Django's own code counts as the request's.
        """
        match = request.resolver_match
        if match is None or match.app_name != "admin" or not isinstance(error, _NO_SUCH_VALUE):
            return None
        *_, (frame, line) = traceback.walk_tb(error.__traceback__)
        if not isinstance(error, DataError) and not _is_django(frame.f_globals["__name__"]):
            return None
        logger.warning("Refused what no field holds: %s at line %d", type(error).__name__, line)
        return bad_request(request, error)


def _is_django(module: str) -> bool:
    return module.startswith(("django.db.", "django.contrib.admin."))


def _is_utf8(request: HttpRequest) -> bool:
    try:
        named = codecs.lookup((request.content_params or {}).get("charset", "utf-8")).name
    except (LookupError, ValueError):
        return False
    return named in _READ_AS_UTF8


def _texts(request: HttpRequest) -> Iterator[str]:
    yield request.path_info
    yield from (value for value in request.META.values() if isinstance(value, str))
    for name, value in request.COOKIES.items():  # a quoted one may hold any character
        yield from (name, value)
    is_form_raw = request.path_info.startswith(ADMINISTRATION)
    for fields in (request.GET, request.POST) if is_form_raw else (request.GET,):
        for name, values in fields.lists():
            yield name
            yield from (value for value in values if isinstance(value, str))


def _has_readable_form(request: HttpRequest) -> bool:
    """Tell whether the form, if there is one, is whole and within the limits on its size."""
    try:
        return request.POST is not None
    except (BadRequest, SuspiciousOperation, MultiPartParserError, UnreadablePostError):
        return False
