"""Pages of a PDF as pictures, by PDFium: for the viewer and for OCR."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus.parsing.letters import Letters
from corpus.parsing.types import ParseError

VIEW_SCALE = 1.6  # pixels a point
QUALITY = 80
MAX_PIXELS = 24_000_000  # of one picture: a page of 2 x 2 m at 1.6 would have 81 million


class Renderer:
    """An open PDF that gives pictures of its pages, turned as a reader sees them."""

    def __init__(self, path: Path) -> None:
        import pypdfium2  # native, so late

        try:
            self._document = pypdfium2.PdfDocument(path)
            self.page_count = len(self._document)
        except pypdfium2.PdfiumError as error:
            raise _unreadable(str(error)) from error

    def picture(self, number: int, scale: float) -> Any:
        """Return page `number` (1-based) as an RGB picture of PIL, smaller where it would be
        huge."""
        page = self._document[number - 1]
        width, height = page.get_size()
        if width <= 0 or height <= 0:
            raise _unreadable("")
        scale = min(scale, (MAX_PIXELS / (width * height)) ** 0.5)
        return page.render(scale=scale).to_pil().convert("RGB")

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height in points, as a reader sees the page."""
        width, height = self._document[number - 1].get_size()
        return float(width), float(height)

    def letters(self, number: int) -> Letters:
        return Letters(self._document[number - 1])

    def metadata(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self._document.get_metadata_dict().items()}

    def save_view(self, number: int, folder: Path) -> None:
        """Write the picture of a page that the viewer shows."""
        folder.mkdir(exist_ok=True)
        picture = self.picture(number, VIEW_SCALE)
        picture.save(folder / f"{number}.webp", "WEBP", quality=QUALITY, method=2)


def _unreadable(detail: str) -> ParseError:
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
