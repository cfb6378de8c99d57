"""Log in a form that machines read: a line for each request, with the id by which it is found.

The id is in each line logged while a request is answered, in the response's header `X-Request-ID`
and on error pages, so that a reported error can be found. It is generated here and never taken from
the request, so that nobody can write into the log.
"""

from __future__ import annotations

import datetime
import json
import logging
import time
import traceback
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "X-Request-ID"
_OF_REQUESTS = ("method", "route", "ms")

logger = logging.getLogger(__name__)

_current: ContextVar[str] = ContextVar("request_id", default="")


class RequestIds:
    """Gives each request an id, and in JSON a line; the first middleware, so that none is missed.

    The line names the route, never the path or the query, which may hold a question.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        _current.set(uuid.uuid4().hex)  # kept until the next: Django logs after the middleware
        began = time.perf_counter()
        response = self._get_response(request)
        response[HEADER] = _current.get()
        if settings.LOG_FORMAT == "json":
            route = request.resolver_match.view_name if request.resolver_match else ""
            fields = {
                "method": request.method,
                "route": route,
                "status_code": response.status_code,
                "ms": round(1000 * (time.perf_counter() - began)),
            }
            logger.info("request", extra=fields)
        return response


def request_id() -> str:
    """Return the id of the request that this thread answers or answered last, else ""."""
    return _current.get()


class RequestLines(logging.Filter):
    """Add the request's id to each record; drop the traceback of a 4xx response.

    In JSON, Django's own line of a 4xx is dropped: the request has one of its own.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id() or "-"
        status = getattr(record, "status_code", 0)
        if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
            record.exc_info = record.exc_text = None
            return settings.LOG_FORMAT != "json" or record.name == logger.name
        return True


class JsonLines(logging.Formatter):
    """Formats a record as a line of JSON: time, level, logger, message, request, error.

    The line of a request also has its method, route, status and milliseconds.

    Of an exception only its type and places in the code are written, never its message, which may
    quote a question.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", "-"),
        }
        if status := getattr(record, "status_code", 0):
            line["status"] = int(status)
        line |= {name: getattr(record, name) for name in _OF_REQUESTS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            frames = traceback.extract_tb(error.__traceback__)
            line["error"] = type(error).__name__
            line["places"] = [f"{frame.filename}:{frame.lineno}" for frame in reversed(frames)]
        return json.dumps(line, ensure_ascii=False)
