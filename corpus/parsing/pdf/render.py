"""Render pages of a PDF as pictures by PDFium, for the viewer and for OCR."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as raw

from corpus.parsing.clean import clean_line
from corpus.parsing.geometry import height, touch, union, width
from corpus.parsing.pdf.drawings import Frame, bounds, objects
from corpus.parsing.types import Box, ParseError

VIEW_SCALE = 1.6  # pixels a point
QUALITY = 80
MAX_PIXELS = 24_000_000  # of one picture: a page of 2 x 2 m at 1.6 would have 81 million
MAX_SIDE_PX = 16_000  # WebP holds 16,383
FINENESS = 20  # steps a point, so that rounding errors don't change which picture is rendered
LETTER_EDGES, LETTER_PT = 8, 40.0  # of a letter drawn as a path: least edges, greatest size
MAX_LABEL_CHARS = 20  # of a page; a longer one is no number of a page
GAP = 1.0  # points between the pieces of one picture


class Renderer:
    """An open PDF whose pages can be rendered, turned as a reader sees them."""

    def __init__(self, path: Path) -> None:
        try:
            self._document = pypdfium2.PdfDocument(path)
            self._document.init_forms()
            self.page_count = len(self._document)
        except pypdfium2.PdfiumError as error:
            raise unreadable(str(error)) from error

    def picture(self, number: int, scale: float, region: Box | None = None) -> Any:
        """Return page `number` (1-based), or a region of it, as an RGB picture of PIL.

        `region` is in points of the displayed page. The scale is reduced where the picture would be
        huge. Raises ParseError for a page without a size.
        """
        across, down = size = self.size(number)
        if min(size) <= 0:
            raise unreadable("")
        scale = min(scale, (MAX_PIXELS / (across * down)) ** 0.5, MAX_SIDE_PX / max(size))
        left, top, right, bottom = region or (0.0, 0.0, *size)
        crop = (left, down - bottom, across - right, top)
        return self.page(number).render(scale=scale, crop=crop).to_pil().convert("RGB")

    def size(self, number: int) -> tuple[float, float]:
        """Return the width and height of the displayed page, in points."""
        width, height = self.page(number).get_size()
        return float(width), float(height)

    def pictures(self, number: int) -> list[Box]:
        """Return the boxes of pictures on the displayed page, in points, touching ones joined."""
        right_edge, bottom_edge = self.size(number)
        boxes = []
        for drawn in self._drawn(number, raw.FPDF_PAGEOBJ_IMAGE):
            left, top, right, bottom = (round(side * FINENESS) / FINENESS for side in drawn)
            box = (max(0.0, left), max(0.0, top), min(right_edge, right), min(bottom_edge, bottom))
            if box[0] < box[2] and box[1] < box[3]:
                boxes.append(box)
        return _joined(boxes)

    def outlines(self, number: int) -> int:
        """Count the small shapes with many edges on a page, such as letters drawn as outlines."""
        boxes = self._drawn(number, raw.FPDF_PAGEOBJ_PATH, least=LETTER_EDGES)
        return sum(max(width(box), height(box)) <= LETTER_PT for box in boxes)

    def _drawn(self, number: int, kind: int, least: int = 0) -> list[Box]:
        """Return the boxes of objects of one kind, or of paths with at least `least` edges."""
        page = self.page(number)
        frame = Frame.of(page)
        return [
            box
            for each in objects(page)
            if each.kind == kind
            if not least or raw.FPDFPath_CountSegments(each.handle) >= least
            if (box := bounds(each.handle, each.place, frame))
        ]

    def metadata(self) -> dict[str, str]:
        """Return the metadata of the file, without the values that are no text."""
        values = {}
        for key in self._document.METADATA_KEYS:
            with contextlib.suppress(UnicodeDecodeError):
                values[str(key)] = str(self._document.get_metadata_value(key))
        return values

    def bookmarks(self) -> list[str]:
        """Return the titles of the outline, which a reader shows beside the pages."""
        return [str(bookmark.get_title()) for bookmark in self._document.get_toc()]

    def has_attachments(self) -> bool:
        """Tell whether the file holds other files."""
        return bool(self._document.count_attachments() > 0)

    def label(self, number: int) -> str:
        """Return the label of page `number` (1-based) if it is other than the number, else ""."""
        label = clean_line(str(self._document.get_page_label(number - 1)))
        return "" if label == str(number) or len(label) > MAX_LABEL_CHARS else label

    def form_type(self) -> int:
        """Return PDFium's `FORMTYPE_*` of the file."""
        return int(self._document.get_formtype())

    def page(self, number: int) -> Any:
        """Return page `number` (1-based) of pypdfium2. Raises ParseError if it is damaged."""
        try:
            return self._document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise ParseError(
                f"Page {number} of {self.page_count} can't be read.",
                code="page_unreadable",
                hint="Save the PDF again and upload it.",
            ) from error

    def save_view(self, number: int, folder: Path) -> None:
        """Write the picture of a page for the viewer, as `{number}.webp`."""
        picture = self.picture(number, VIEW_SCALE)
        picture.save(folder / f"{number}.webp", "WEBP", quality=QUALITY, method=2)


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Join boxes that touch, since programs cut a large picture into strips."""
    joined: list[Box] = []
    for box in sorted(boxes, key=lambda box: (box[1], box[0])):
        touching = [other for other in joined if touch(box, other, GAP)]
        while touching:
            joined = [other for other in joined if other not in touching]
            box = union([box, *touching])
            touching = [other for other in joined if touch(box, other, GAP)]
        joined.append(box)
    return joined


def unreadable(detail: str) -> ParseError:
    """Return the error of a PDF that can't be opened; `detail` is the library's message."""
    if "password" in detail.lower() or "security" in detail.lower():
        return ParseError(
            "The PDF is protected by a password.",
            code="pdf_encrypted",
            hint="Save it without a password and upload it again.",
        )
    return ParseError(
        "The PDF is damaged and can't be opened.",
        code="pdf_corrupt",
        hint="Open it in a PDF viewer and save it again, or export it again.",
    )
