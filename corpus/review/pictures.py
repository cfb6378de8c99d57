"""Make pictures of PDF pages when somebody first looks at them, and keep them.

Indexing doesn't wait for them. The PDF is opened in the sandbox, never in a web process; two
processes asked at once make the same bytes, and the later replaces the earlier.
"""

from __future__ import annotations

import tempfile
import threading
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from core.errors import MedragError
from corpus import files
from corpus.models import Document, Page
from corpus.parsing.sniff import PDF
from corpus.sandbox import parent as sandbox

DRAWING_S = 20.0  # a page of ordinary guidelines takes half a second
PROCESSOR_S = 20
_AT_ONCE = threading.BoundedSemaphore(2)  # of a web process: its other threads serve other pages


class NoPicture(MedragError):
    """The picture of a page can't be made, at least not now."""

    code = "no_picture"


def has_picture(document: Document, page: Page) -> bool:
    """Tell whether the page has a picture or can have one on request."""
    if page.width <= 0:
        return False
    try:
        return files.has_page_image(document.sha256, page.number) or (
            document.media_type == PDF and files.has_document(document.sha256)
        )
    except files.FilesUnavailable:  # whoever asks for the picture is told so
        return document.media_type == PDF


def picture_response(document: Document, page: Page) -> HttpResponseBase:
    """Return the picture, or one that says that it can't be made (503, uncached).

    Raises Http404 for a page without pictures.
    """
    if not has_picture(document, page):
        raise Http404
    try:
        return FileResponse(open_picture(document, page.number), content_type="image/webp")
    except NoPicture as error:
        content = render_to_string("corpus/no_picture.svg", {"page": page, "error": error})
        headers = {"Cache-Control": "no-store"}
        return HttpResponse(content, content_type="image/svg+xml", status=503, headers=headers)


def open_picture(document: Document, number: int) -> BinaryIO:
    """Open the stored picture, or make it. Raises NoPicture."""
    try:
        with suppress(FileNotFoundError):
            return files.open_page_image(document.sha256, number)
    except files.FilesUnavailable as error:
        raise _no_picture(number, error) from error
    if not _AT_ONCE.acquire(timeout=DRAWING_S):
        raise NoPicture(
            f"The picture of page {number} is not ready: others are being made first.",
            hint="Nothing is lost. Load the page again in a minute.",
            retryable=True,
        )
    try:
        with suppress(FileNotFoundError):  # made while this waited
            return files.open_page_image(document.sha256, number)
        return _drawn(document, number)
    finally:
        _AT_ONCE.release()


def _drawn(document: Document, number: int) -> BinaryIO:
    """Make and store the picture; if it can't be stored it is made again next time."""
    limits = sandbox.Limits(
        memory_mb=settings.PARSE_MEMORY_MB, cpu_s=PROCESSOR_S, wall_s=DRAWING_S, max_output_mb=64
    )
    try:
        with (
            tempfile.TemporaryDirectory(prefix="medrag-picture-") as folder,
            files.document_on_disk(document.sha256) as path,
        ):
            picture = sandbox.draw_in_child(
                path,
                number=number,
                output_dir=Path(folder),
                limits=limits,
            )
    except (MedragError, OSError) as error:
        raise _no_picture(number, error) from error
    # A disk that is full or that this process may only read, a bucket that does not answer.
    with suppress(OSError, files.FilesUnavailable):
        files.keep_page_image(picture, document.sha256, number)
    return BytesIO(picture)


def _no_picture(number: int, error: Exception) -> NoPicture:
    why = f" {error}" if isinstance(error, MedragError) else ""
    return NoPicture(
        f"The picture of page {number} can't be made.{why}",
        hint="Nothing is lost: its text is searched and shown. Download the original to see it.",
        retryable=isinstance(error, MedragError) and error.retryable,
    )
