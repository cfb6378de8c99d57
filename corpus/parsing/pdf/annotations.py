"""Decide about each annotation of a PDF's page: it is read, empty of words, or a doubt.

Free text and the values of form fields are words of the page. What else somebody put on a page may
change what it says: a comment, a stamp, a hand-drawn line. The kinds are those of ISO 32000-2,
table 171; any other is a doubt.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

import pypdfium2
import pypdfium2.raw as raw

from corpus.parsing.geometry import contains, middle
from corpus.parsing.pdf.drawings import Frame, Point, Segment
from corpus.parsing.types import Box, Doubt


class Care(Enum):
    """What is done about the annotations of a kind."""

    READ = "its words are words of the page"
    MARKS = "it marks a place: a doubt if it has a comment"
    DOUBTED = "it says or changes something that is not read"
    EMPTY = "it has no words of its own"


CARE = {
    raw.FPDF_ANNOT_TEXT: (Care.MARKS, "note"),
    raw.FPDF_ANNOT_LINK: (Care.EMPTY, "link"),  # `Contents` describes where it leads
    raw.FPDF_ANNOT_FREETEXT: (Care.READ, "text box"),
    raw.FPDF_ANNOT_LINE: (Care.DOUBTED, "drawn line"),
    raw.FPDF_ANNOT_SQUARE: (Care.MARKS, "rectangle"),
    raw.FPDF_ANNOT_CIRCLE: (Care.MARKS, "circle"),
    raw.FPDF_ANNOT_POLYGON: (Care.MARKS, "polygon"),
    raw.FPDF_ANNOT_POLYLINE: (Care.DOUBTED, "drawn line"),
    raw.FPDF_ANNOT_HIGHLIGHT: (Care.MARKS, "highlight"),
    raw.FPDF_ANNOT_UNDERLINE: (Care.MARKS, "underline"),
    raw.FPDF_ANNOT_SQUIGGLY: (Care.MARKS, "squiggly underline"),
    raw.FPDF_ANNOT_STRIKEOUT: (Care.DOUBTED, "strikeout"),
    raw.FPDF_ANNOT_STAMP: (Care.DOUBTED, "stamp"),
    raw.FPDF_ANNOT_CARET: (Care.DOUBTED, "insertion mark"),
    raw.FPDF_ANNOT_INK: (Care.DOUBTED, "drawing or handwriting"),
    raw.FPDF_ANNOT_POPUP: (Care.EMPTY, "window of a comment"),  # shows its parent's words
    raw.FPDF_ANNOT_FILEATTACHMENT: (Care.DOUBTED, "attached file"),
    raw.FPDF_ANNOT_SOUND: (Care.DOUBTED, "sound"),
    raw.FPDF_ANNOT_MOVIE: (Care.DOUBTED, "film"),
    raw.FPDF_ANNOT_WIDGET: (Care.READ, "form field"),
    raw.FPDF_ANNOT_SCREEN: (Care.DOUBTED, "film"),
    raw.FPDF_ANNOT_PRINTERMARK: (Care.EMPTY, "printer's mark"),
    raw.FPDF_ANNOT_TRAPNET: (Care.EMPTY, "trap network"),
    raw.FPDF_ANNOT_WATERMARK: (Care.DOUBTED, "watermark"),
    raw.FPDF_ANNOT_THREED: (Care.DOUBTED, "3D picture"),
    raw.FPDF_ANNOT_RICHMEDIA: (Care.DOUBTED, "film"),
    raw.FPDF_ANNOT_XFAWIDGET: (Care.READ, "form field"),
    raw.FPDF_ANNOT_REDACT: (Care.DOUBTED, "redaction"),
}
_UNKNOWN = (Care.DOUBTED, "annotation of an unknown kind")
_STRIKING = (raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_REDACT)
_HIDING = (
    raw.FPDF_ANNOT_FREETEXT,
    raw.FPDF_ANNOT_SQUARE,
    raw.FPDF_ANNOT_CIRCLE,
    raw.FPDF_ANNOT_POLYGON,
)
_UNSEEN_FLAGS = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_BUTTONS = (raw.FPDF_FORMFIELD_PUSHBUTTON, raw.FPDF_FORMFIELD_SIGNATURE)  # their words are captions
_TICKS = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)  # of values that none sees
_WORDS = re.compile(r"\w+")
_MARGIN = 2.0  # points


def unread(name: str) -> Doubt:
    """Return the doubt that names an annotation that was not read."""
    return Doubt(
        "annotation_unread",
        f"This page has an annotation ({name}) that was not read, and which may change what the "
        "page says. Look at it in the original file.",
    )


@dataclass(frozen=True)
class Annotation:
    """One annotation: its kind, words, and place on the displayed page.

    It `may_hide` what is below it. `struck` are the boxes that it strikes out, `strokes` the lines
    that it draws.
    """

    index: int
    care: Care
    name: str
    words: str
    box: Box
    is_shown: bool
    may_hide: bool
    struck: tuple[Box, ...] = ()
    strokes: tuple[Segment, ...] = ()

    def doubt(self, read: str) -> Doubt | None:
        """Return a doubt unless it is empty, or all its words are in `read`, those shown in it."""
        if self.care in (Care.READ, Care.MARKS) and not self.words:
            return None
        missing = set(_WORDS.findall(self.words)) - set(_WORDS.findall(read))
        is_read = self.care is Care.READ and self.is_shown and not missing
        return None if is_read or self.care is Care.EMPTY else unread(self.name)


def annotations_of(page: Any, frame: Frame) -> list[Annotation]:
    """Return the annotations of a page of pypdfium2, in their order."""
    found = []
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        handle = raw.FPDFPage_GetAnnot(page.raw, index)
        try:
            found.append(_read(handle, index, frame, page.pdf.formenv))
        finally:
            raw.FPDFPage_CloseAnnot(handle)
    return found


def _read(handle: Any, index: int, frame: Frame, forms: Any) -> Annotation:
    kind = raw.FPDFAnnot_GetSubtype(handle)
    care, name = CARE.get(kind, _UNKNOWN)
    words = _said(handle, forms) if care is Care.READ else _text(handle, b"Contents")
    if care is Care.READ and forms and kind != raw.FPDF_ANNOT_FREETEXT:
        field = raw.FPDFAnnot_GetFormFieldType(forms, handle)
        care = Care.EMPTY if field in _BUTTONS else care
        words = "" if field in _TICKS else words
    strokes = tuple(_strokes(handle, frame))
    is_shown = not raw.FPDFAnnot_GetFlags(handle) & _UNSEEN_FLAGS
    rect = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(handle, rect)
    x, y = sorted((rect.left, rect.right)), sorted((rect.bottom, rect.top))
    box = frame.displayed(x[0], y[0], x[1], y[1])
    struck = (tuple(_quads(handle, frame)) or (box,)) if kind in _STRIKING else ()
    return Annotation(
        index, care, name, words.strip(), box, is_shown, kind in _HIDING, struck, strokes
    )


def _said(handle: Any, forms: Any) -> str:
    """Return the words of a text box, or the value of a form field."""
    if forms:
        ask = raw.FPDFAnnot_GetFormFieldValue
        size = ask(forms, handle, None, 0)
        if size > 2:
            held = (ctypes.c_ushort * (size // 2))()
            ask(forms, handle, held, size)
            return _decoded(held)
    return _text(handle, b"V") or _text(handle, b"Contents")


def _text(handle: Any, key: bytes) -> str:
    size = raw.FPDFAnnot_GetStringValue(handle, key, None, 0)
    held = (ctypes.c_ushort * max(1, size // 2))()
    raw.FPDFAnnot_GetStringValue(handle, key, held, size)
    return _decoded(held)


def _decoded(held: Any) -> str:
    return bytes(held).decode("utf-16-le", "replace").partition("\x00")[0]


def _quads(handle: Any, frame: Frame) -> Iterator[Box]:
    quad = raw.FS_QUADPOINTSF()
    for index in range(raw.FPDFAnnot_CountAttachmentPoints(handle)):
        if raw.FPDFAnnot_GetAttachmentPoints(handle, index, quad):
            across = (quad.x1, quad.x2, quad.x3, quad.x4)
            down = (quad.y1, quad.y2, quad.y3, quad.y4)
            yield frame.displayed(min(across), min(down), max(across), max(down))


def _strokes(handle: Any, frame: Frame) -> Iterator[Segment]:
    """Yield the lines of an annotation that is drawn by hand or point by point."""
    paths = [
        _points(raw.FPDFAnnot_GetInkListPath, handle, index)
        for index in range(raw.FPDFAnnot_GetInkListCount(handle))
    ]
    paths.append(_points(raw.FPDFAnnot_GetVertices, handle))
    start, end = raw.FS_POINTF(), raw.FS_POINTF()
    if raw.FPDFAnnot_GetLine(handle, start, end):
        paths.append([(start.x, start.y), (end.x, end.y)])
    for path in paths:
        yield from pairwise(frame.displayed(*point, *point)[:2] for point in path)


def _points(ask: Any, *given: Any) -> list[Point]:
    count = ask(*given, None, 0)
    points = (raw.FS_POINTF * max(1, count))()
    count = min(count, ask(*given, points, count))
    return [(point.x, point.y) for point in points[:count]]


@contextmanager
def shown_alone(page: Any, number: int) -> Iterator[Any]:
    """Open a copy of a page that shows nothing but the annotations that are read.

    `number` is 1-based. None where there are none.
    """
    notes = annotations_of(page, Frame.of(page))
    kept = {note.index for note in notes if note.care is Care.READ and note.is_shown}
    if not kept:
        yield None
        return
    copy = pypdfium2.PdfDocument.new()
    try:
        copy.import_pages(page.pdf, [number - 1])
        alone = copy[0]
        for index in reversed(range(raw.FPDFPage_GetAnnotCount(alone.raw))):
            if index not in kept:
                raw.FPDFPage_RemoveAnnot(alone.raw, index)
        for each in list(alone.get_objects(max_depth=1)):
            alone.remove_obj(each)
        alone.gen_content()
        raw.FPDFPage_Flatten(alone.raw, raw.FLAT_NORMALDISPLAY)
        alone.close()
        yield copy[0]
    finally:
        copy.close()


def doubts_about(
    notes: Sequence[Annotation], words: Sequence[tuple[str, Box]], pictures: Sequence[Box] = ()
) -> Iterator[tuple[Doubt, Box]]:
    """Yield the doubts about annotations with their boxes; `words` are those read in them.

    What lies over one of the `pictures` may hide words that only OCR could read.
    """
    for note in notes:
        left, top, right, bottom = note.box
        room = (left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN)
        inside = " ".join(text for text, box in words if contains(room, middle(box)))
        hides = note.may_hide and any(contains(box, middle(note.box)) for box in pictures)
        if doubt := unread(note.name) if hides else note.doubt(inside):
            yield doubt, note.box
