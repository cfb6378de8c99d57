"""Describe a database that does not answer in a sentence or two, wherever a person reads it.

Commands use `start.ended_politely`, pages `server_error`, the log `WithoutTraceback`.
"""

from __future__ import annotations

import logging
import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template import loader

from core.database_availability import AWAY, DISK_FULL, in_words, is_away, sqlstate
from corpus.files import FilesUnavailable
from medrag_site.database.embedded import folder_of
from medrag_site.database.postmaster import SILENT, DatabaseStartError, silence
from medrag_site.request_log import request_id

KEPT = "What was committed is kept."
RETRY_AFTER_S = 10


def sentence_of(error: Exception) -> str:
    """Describe a database error: what happened, whether anything was lost and what to do."""
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, DatabaseStartError):
        return message if message.startswith(SILENT) else f"{SILENT}: {message}"
    if sqlstate(error) == DISK_FULL:
        return f"The database's disk is full: {message} {KEPT} Free some space, then try again."
    if not is_away(error):
        return (
            f"The database can't be used: {message} Nothing was lost: what migrations change is "
            "changed whole or not at all. Run manage.py doctor to see what is wrong."
        )
    if settings.DATABASE_IS_EMBEDDED:
        return f"{silence(folder_of(settings.DATA_DIR))} {KEPT}"
    return (
        f"{SILENT}: {message} {KEPT} See whether that server runs and whether "
        "DATABASE_URL leads to it, then try again."
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Return a page with status 503 if the database or the store of files is away, else 500.

    Django's error handler.
    """
    error = sys.exc_info()[1]
    if not isinstance(error, (*AWAY, FilesUnavailable)):
        page = loader.get_template("500.html").render({"request_id": request_id()})
        return HttpResponseServerError(page)  # without the request, so that nothing else can fail
    what = "store of files" if isinstance(error, FilesUnavailable) else "database"
    response = render(request, "503.html", {"what": what}, status=503, using="django")
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


class WithoutTraceback(logging.Filter):
    """Log what is away, database or store of files, in one line: where it was met helps nobody."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, (*AWAY, FilesUnavailable)):
            is_files = isinstance(error, FilesUnavailable)
            away = "the store of files is away" if is_files else in_words(error)
            record.msg = f"{record.getMessage()} ({away}: {type(error).__name__})"
            record.args = ()
            record.exc_info = record.exc_text = None
        return True
