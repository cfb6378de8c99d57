"""Refuse, before anything reads it, what no browser sends: NUL, or an encoding other than UTF-8.

Django decodes forms by whatever codec a request names, and PostgreSQL stores no NUL: both would end
as a server error on any page that did not check.
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
from chat.sign_in.scim.answers import error_response as scim_error_response

ADMINISTRATION = "/admin/"
PROGRAMS = {  # the beginning of their paths, and how they are refused
    "/api/": problem_response,
    "/v1/": error_response,
    "/scim/": scim_error_response,
    "/mcp": problem_response,
    "/cds-services": problem_response,
}
UNSOUND = "The request is not sound UTF-8 text."
_READ_AS_UTF8 = {"utf-8", "ascii"}
_NO_SUCH_VALUE = (ValueError, ValidationError, FieldDoesNotExist, FieldError, DataError)

logger = logging.getLogger(__name__)


class SoundRequests:
    """Answers 400 to a request with another charset, with NUL or with an unreadable form.

    Fields of the product's own forms and bodies sent to the API are not examined: their forms and
    serializers have better messages. Those of Django's administration are.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        starts = (start for start in PROGRAMS if request.path_info.startswith(start))
        program = next(starts, None)
        is_readable = _is_utf8(request) and (program or _has_readable_form(request))
        if is_readable and not any("\0" in text for text in _texts(request)):
            return self._get_response(request)
        if program:
            return PROGRAMS[program](HTTPStatus.BAD_REQUEST, UNSOUND)
        # Error pages look for a CSRF token in the form, which can't be read.
        request._mark_post_parse_error()  # type: ignore[attr-defined]
        return bad_request(request, ValueError())

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Answer 400 if the administration passed a value to a field that can't hold it.

        The administration's hidden values (`_to_field`, `_selected_action`) reach the database's
        fields unchecked. Only an error raised by Django's own code, or a DataError, is blamed on
        the request.
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
    for name, value in request.COOKIES.items():  # a quoted cookie may hold any character
        yield from (name, value)
    is_form_raw = request.path_info.startswith(ADMINISTRATION)
    for fields in (request.GET, request.POST) if is_form_raw else (request.GET,):
        for name, values in fields.lists():
            yield name
            yield from (value for value in values if isinstance(value, str))


def _has_readable_form(request: HttpRequest) -> bool:
    """Tell whether the form, if there is one, is complete and within the limits on its size."""
    try:
        return request.POST is not None
    except (BadRequest, SuspiciousOperation, MultiPartParserError, UnreadablePostError):
        return False
