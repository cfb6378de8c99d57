"""Logs that machines read, and the id by which a request is found in them.

The id stands in each line that is logged while a request is answered, in the header `X-Request-ID`
of its response and on pages of errors, so that whoever reports one can be answered. It is made here
and never taken from the request: nobody writes into the log.
"""

from __future__ import annotations

import datetime
import json
import logging
import traceback
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "X-Request-ID"

_current: ContextVar[str] = ContextVar("request_id", default="")


class RequestIds:
    """Gives each request an id; the first of the middleware, so that all lines have it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        _current.set(uuid.uuid4().hex)  # until the thread's next: Django logs after the middleware
        response = self._get_response(request)
        response[HEADER] = _current.get()
        return response


def request_id() -> str:
    """Return the id of the request that this thread answers, or did last; else nothing."""
    return _current.get()


class RequestLines(logging.Filter):
    """Add the id to each record, and drop tracebacks where the request was at fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id() or "-"
        status = getattr(record, "status_code", 0)
        if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
            record.exc_info = record.exc_text = None
        return True


class JsonLines(logging.Formatter):
    """A JSON object a line: time, level, logger, message, request and, of a fault, its places.

    Of an exception its kind and places in the code are told, never its message: that may quote a
    question.
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
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            frames = traceback.extract_tb(error.__traceback__)
            line["error"] = type(error).__name__
            line["places"] = [f"{frame.filename}:{frame.lineno}" for frame in reversed(frames)]
        return json.dumps(line, ensure_ascii=False)
