"""Tell whether a picture of an Office file holds words, by reading it as a scan is read."""

from __future__ import annotations

import re
from io import BytesIO

from corpus.parsing.pdf.ocr import SCALE, Reader
from corpus.parsing.standing import is_said

_LEAST_PX = 16  # of a side: what is smaller is a bullet or a line
_MOST_PX = 4_000
_MOST_PICTURES = 40
_FEW_LETTERS = 16  # as in a logo
_WARNS = re.compile(r"\b(?:not?|never|avoid|stop|caution|warning|danger)\b", re.IGNORECASE)


class PictureWords:
    """Reads pictures, each once."""

    def __init__(self) -> None:
        self._reader: Reader | None = None
        self._read: dict[bytes, str | None] = {}

    def of(self, raw: bytes) -> str | None:
        """Return the words in a picture; None if it can't be read, or no OCR is installed.

        None, too, for a picture after the first 40, since each takes a part of a second.
        """
        if raw not in self._read and len(self._read) >= _MOST_PICTURES:
            return None
        if raw not in self._read:
            try:
                self._read[raw] = self._words(raw)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001  whatever a damaged picture makes a library raise
                self._read[raw] = None
        return self._read[raw]

    def _words(self, raw: bytes) -> str:
        from PIL import Image  # heavy, so late

        with Image.open(BytesIO(raw)) as opened:
            if max(opened.size) > _MOST_PX:
                raise ValueError
            if min(opened.size) < _LEAST_PX:
                return ""
            flat = Image.new("RGBA", opened.size, "white")
            flat.alpha_composite(opened.convert("RGBA"))
        self._reader = self._reader or Reader()
        size = (flat.width / SCALE, flat.height / SCALE)
        read = self._reader.read(flat.convert("RGB"), number=1, size=size)
        return " ".join(word.text for word in read.words)


def is_ornament(words: str | None) -> bool:
    """Tell whether a picture with these words says nothing: it has no figure, and few letters."""
    if words is None or any(map(str.isdigit, words)) or is_said([words]) or _WARNS.search(words):
        return False
    return sum(map(str.isalpha, words)) < _FEW_LETTERS
