"""Pages of a PDF as pictures, by PDFium: for the viewer and for OCR."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from corpus.parsing.pdf.letters import Letters
from corpus.parsing.types import ParseError

VIEW_SCALE = 1.6  # pixels a point
QUALITY = 80
MAX_PIXELS = 24_000_000  # of one picture: a page of 2 x 2 m at 1.6 would have 81 million
MAX_SIDE_PX = 16_000  # WebP holds 16,383


class Renderer:
    """An open PDF that gives pictures of its pages, turned as a reader sees them."""

    def __init__(self, path: Path) -> None:
        import pypdfium2  # native, so late

        try:
            self._document = pypdfium2.PdfDocument(path)
            self.page_count = len(self._document)
        except pypdfium2.PdfiumError as error:
            raise unreadable(str(error)) from error

    def picture(self, number: int, scale: float) -> Any:
        """Return page `number` (1-based) as an RGB picture of PIL, smaller where it would be
        huge."""
        width, height = self.size(number)
        if width <= 0 or height <= 0:
            raise unreadable("")
        scale = min(scale, (MAX_PIXELS / (width * height)) ** 0.5, MAX_SIDE_PX / max(width, height))
        return self.page(number).render(scale=scale).to_pil().convert("RGB")

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height in points, as a reader sees the page."""
        width, height = self.page(number).get_size()
        return float(width), float(height)

    def picture_share(self, number: int) -> float:
        """Return how much of the page its pictures fill, in [0, 1]; what overlaps counts twice."""
        import pypdfium2.raw as raw  # native, so late

        page = self.page(number)
        width, height = page.get_size()
        area = 0.0
        for found in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4):
            left, bottom, right, top = found.get_bounds()
            area += abs(right - left) * abs(top - bottom)
        return min(1.0, area / (width * height)) if width * height > 0 else 0.0

    def letters(self, number: int) -> Letters:
        return Letters(self.page(number))

    def metadata(self) -> dict[str, str]:
        """Return what the file says of itself; what is no text is left out."""
        found = {}
        for key in self._document.METADATA_KEYS:
            with contextlib.suppress(UnicodeDecodeError):
                found[str(key)] = str(self._document.get_metadata_value(key))
        return found

    def page(self, number: int) -> Any:
        """Return page `number` (1-based) of pypdfium2. Raises ParseError where it is damaged."""
        import pypdfium2

        try:
            return self._document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise ParseError(
                f"Page {number} of {self.page_count} can't be read.",
                code="page_unreadable",
                hint="Save the PDF again and upload it.",
            ) from error

    def save_view(self, number: int, folder: Path) -> None:
        """Write the picture of a page that the viewer shows."""
        folder.mkdir(exist_ok=True)
        picture = self.picture(number, VIEW_SCALE)
        picture.save(folder / f"{number}.webp", "WEBP", quality=QUALITY, method=2)


def unreadable(detail: str) -> ParseError:
    """The error of a PDF that a library refuses to open, by what it says of it."""
    if "password" in detail.lower() or "security" in detail.lower():
        return ParseError(
            "The PDF is protected by a password.",
            code="pdf_encrypted",
            hint="Save it without a password and upload it again.",
        )
    return ParseError(
        "The PDF is damaged and can't be opened.",
        code="pdf_corrupt",
        hint="Open it in a PDF viewer and save it again, or export it anew.",
    )
