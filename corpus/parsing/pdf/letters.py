"""What PDFium knows of the letter at a point: its font, true size and the height of its line.

docling-parse reads text better (it keeps hyphens at line ends), but gives some fonts' words boxes
as tall as their letters, so that `on` and `by` seem to have two sizes, and names the 14 standard
fonts by resource (F1).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus.parsing.types import Box

_TOLERANCE = 2.0  # points
_NAME_BYTES = 128
_BREAKS = "\x02\u00ad"  # how PDFium marks a hyphen that divides a word
# Signs of TeX's extension font, which PDFium reads by their codes (The TeXbook, appendix F).
_TEX_FONT = re.compile(r"(?:^|\+)CMEX\d")
_TEX_EXTENSION = dict(zip("PXQYRZ", "\u2211\u2211\u220f\u220f\u222b\u222b", strict=True))
_TEX_SIGNS = frozenset(_TEX_EXTENSION.values())
_DASHES = "\u2014" + _BREAKS  # for all of which docling-parse writes a hyphen


@dataclass(frozen=True)
class Letter:
    """`size` is that of the font in points; `box` is the font's box, in points from the top
    left."""

    font: str
    size: float
    box: Box
    index: int  # on its page


class Letters:
    """The letters of one page of PDFium."""

    def __init__(self, page: Any) -> None:
        import pypdfium2.raw as raw  # native, so late

        self._raw = raw
        self._text = page.get_textpage()
        self._turn = int(page.get_rotation())
        self._size = page.get_size()
        self._origin = page.get_bbox()[:2]

    def at(self, x: float, y: float) -> Letter | None:
        """Return the letter at a point, from the top left of the page as a reader sees it."""
        index = self._text.get_index(*self._to_user(x, y), _TOLERANCE, _TOLERANCE)
        if index is None:
            return None
        box = self._to_display(self._text.get_charbox(index, loose=True))
        size = self._raw.FPDFText_GetFontSize(self._text.raw, index) * self._scale(index)
        return Letter(self._font(index), float(size), box, index)

    def read(self, first: Letter, text: str) -> list[tuple[str, Box]]:
        """Return the letters from `first` on with the blanks between them, if they are `text`'s.

        Blanks have no box of their own, and get that of the letter before. Letters of a formula may
        come in another order. Empty where PDFium reads others.
        """
        found: list[tuple[str, Box]] = []
        wanted = iter(text)
        for read, box in self._from(first.index):
            if read.isspace():
                found.append((" ", found[-1][1] if found else box))
                continue
            letter = next(wanted, "")
            if not letter:
                break
            dash = letter == "-" and read in _DASHES
            found.append((letter if dash and read in _BREAKS else read, box))
        letters = [letter for letter, _ in found if letter != " "]
        same = "".join(letters).replace("\u2014", "-") == text.replace("\u2014", "-")
        scattered = not _TEX_SIGNS.isdisjoint(text) and sorted(letters) == sorted(text)
        return found if same or scattered else []

    def _from(self, index: int) -> Iterator[tuple[str, Box]]:
        count = self._text.count_chars()
        while index < count:
            box = self._to_display(self._text.get_charbox(index))
            code = self._raw.FPDFText_GetUnicode(self._text.raw, index)
            if 0xD800 <= code < 0xDC00 and index + 1 < count:  # half of a pair
                index += 1
                low = self._raw.FPDFText_GetUnicode(self._text.raw, index)
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00 & 0x3FF)
            text = chr(code)
            if text in _TEX_EXTENSION and _TEX_FONT.search(self._font(index)):
                text = _TEX_EXTENSION[text]
            yield text, box
            index += 1

    def _scale(self, index: int) -> float:
        matrix = self._raw.FS_MATRIX()
        if not self._raw.FPDFText_GetMatrix(self._text.raw, index, matrix):
            return 1.0
        return float(abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5) or 1.0

    def _font(self, index: int) -> str:
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        flags = ctypes.c_int()
        length = self._raw.FPDFText_GetFontInfo(self._text.raw, index, buffer, _NAME_BYTES, flags)
        return buffer.value.decode("utf-8", "replace") if 0 < length <= _NAME_BYTES else ""

    def _to_user(self, x: float, y: float) -> tuple[float, float]:
        """Turn a point of the displayed page into PDF user space: unturned, y upwards,
        uncropped."""
        width, height = self._size
        x, y = {
            0: (x, height - y),
            90: (y, x),
            180: (width - x, y),
            270: (height - y, width - x),
        }[self._turn]
        return (x + self._origin[0], y + self._origin[1])

    def _to_display(self, rect: tuple[float, float, float, float]) -> Box:
        """Turn a rectangle of PDF user space into a box on the displayed page."""
        width, height = self._size
        x0, y0, x1, y1 = (value - self._origin[i % 2] for i, value in enumerate(rect))
        return {
            0: (x0, height - y1, x1, height - y0),
            90: (y0, x0, y1, x1),
            180: (width - x1, y0, width - x0, y1),
            270: (width - y1, height - x1, width - y0, height - x0),
        }[self._turn]
