"""Read the words of a PDF's pages by PDFium, to check the parser's result.

Uses nothing of the parser: what it loses or moves must not be lost or moved here too.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.parsing.clean import UNREADABLE, clean_text, mend_accents
from corpus.parsing.geometry import contains, height, middle, union, width
from corpus.parsing.pdf.annotations import shown_alone
from corpus.parsing.pdf.render import unreadable
from corpus.parsing.types import Box

DIVIDED = "\x02\ufffe"  # how PDFium marks a hyphen that divides a word over two lines
_WORD = re.compile(rf"[^\s{DIVIDED}]+[{DIVIDED}]?")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # two units of UTF-16 for one character
_SHADOW = 0.3  # of a word's height or width between it and its copy, at most
_BAND = 12.0  # points
_MOST_SAME = 50  # words that are compared
_NOTHING = "\u200b"  # keeps a place, and is no part of any word


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word in the form of `plain_texts`, and its box on the displayed page."""

    text: str
    box: Box


class Printed:
    """An open PDF whose words can be read page by page."""

    def __init__(self, path: Path) -> None:
        import pypdfium2  # native, so late

        try:
            self._document = pypdfium2.PdfDocument(path)
            self._document.init_forms()
        except pypdfium2.PdfiumError as error:
            raise unreadable(str(error)) from error

    def words(self, number: int) -> list[PrintedWord]:
        """Return the words on page `number` (1-based), in the order of the file.

        Calls PDFium twice a word, and once for the page's text.
        """
        with closing(self._document[number - 1]) as page:
            words = list(_words(page))
            with shown_alone(page, number) as alone:
                return [*_once(words), *(_words(alone) if alone else ())]


def _once(words: Sequence[PrintedWord]) -> Iterator[PrintedWord]:
    """Yield words without those painted a second time at nearly the same place."""
    known: dict[tuple[str, int], list[Box]] = {}
    for word in words:
        level = int(word.box[1] // _BAND)
        near = (known.get((word.text, level + step), ()) for step in (-1, 0, 1))
        if not any(_is_copy(word.box, box) for same in near for box in same[-_MOST_SAME:]):
            known.setdefault((word.text, level), []).append(word.box)
            yield word


def _is_copy(box: Box, other: Box) -> bool:
    near = _SHADOW * min(width(box), height(box))
    return max(abs(side - of_other) for side, of_other in zip(box, other, strict=True)) <= near


def _words(page: Any) -> Iterator[PrintedWord]:
    with closing(page.get_textpage()) as text_page:
        text = _text(text_page.raw)
        places = [match.span() for match in _WORD.finditer(text)]
        texts = [word.replace(" ", "") for word in plain_texts([text[a:b] for a, b in places])]
        boxes = list(_boxes(page, text_page.raw, places))
        sheet = (0.0, 0.0, *page.get_size())
    for text, box in zip(texts, boxes, strict=True):
        if text not in ("", "o") and contains(sheet, middle(box)):  # a lone o is mostly a bullet
            yield PrintedWord(text, box)


def _text(text_page: Any) -> str:
    """Return the page's text, each character at the index by which PDFium counts it."""
    import pypdfium2.raw as raw

    count = raw.FPDFText_CountChars(text_page)
    units = (ctypes.c_ushort * (count + 1))()
    if count > 0 and raw.FPDFText_GetText(text_page, 0, count, units) == count + 1:
        text = bytes(units)[: 2 * count].decode("utf-16-le", "replace")
        if len(text) == count:  # no characters of two units, and none that PDFium left out
            return text
    codes = (raw.FPDFText_GetUnicode(text_page, index) for index in range(count))
    return _PAIR.sub(
        lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le") + _NOTHING,
        "".join(map(chr, codes)),
    )


def _boxes(page: Any, text_page: Any, places: Sequence[tuple[int, int]]) -> Iterator[Box]:
    """Yield each word's box on the displayed page, around its first and last letters."""
    import pypdfium2.raw as raw

    sides = [ctypes.c_double() for _ in range(4)]  # left, right, bottom, top
    left, right, bottom, top = map(ctypes.byref, sides)
    turn, size, origin = int(page.get_rotation()), page.get_size(), page.get_bbox()[:2]

    def letter(index: int) -> Box:
        raw.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
        x0, x1, y0, y1 = (side.value for side in sides)
        return (x0 - origin[0], y0 - origin[1], x1 - origin[0], y1 - origin[1])

    for start, end in places:
        user = letter(start)
        if end - start > 1:
            user = union((user, letter(end - 1)))
        yield _displayed(user, size, turn)


def _displayed(rect: Box, size: tuple[float, float], turn: int) -> Box:
    """Return a rectangle of PDF user space, y upwards, as a box on the displayed page."""
    width, height = size
    x0, y0, x1, y1 = rect
    return {
        0: (x0, height - y1, x1, height - y0),
        90: (y0, x0, y1, x1),
        180: (width - x1, y0, width - x0, y1),
        270: (width - y1, height - x1, width - y0, height - x0),
    }[turn]


_DIVIDED = dict.fromkeys(map(ord, f"{DIVIDED}\u00ad"), "-")
_ALIKE = (
    dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
    | dict.fromkeys(map(ord, "\u2018\u2019\u02bc`\u00b4"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d"), '"')
    | {ord("\N{FRACTION SLASH}"): "/", ord("\u03bc"): "\u00b5"}
)
_BREAK = "\n"
_LEADERS = re.compile(r"[._\u00b7]{4,}")
_HYPHEN = re.compile(r"-(?!\d)")
_HYPHEN_INSIDE = re.compile(r"-(?!\d|$)")


def plain_texts(texts: Sequence[str]) -> list[str]:
    """Return texts normalised: plain letters, dashes and quotation marks, single blanks.

    Ligatures and separate accents are resolved; leaders and signs that only their own font can show
    are left out. As many texts as were given; some may be empty.
    """
    if not texts:
        return []
    whole = _BREAK.join(" ".join(text.split()) for text in texts)
    whole = clean_text(whole.translate(_DIVIDED)).replace(UNREADABLE, "")
    whole = unicodedata.normalize("NFKC", mend_accents(whole)).translate(_ALIKE)
    return _LEADERS.sub("", whole).split(_BREAK)


def without_hyphens(texts: Sequence[str]) -> list[str]:
    """Return words without hyphens, except before a figure: there it may be a minus or a range.

    This comparison does not judge whether a hyphen at a line's end belongs to the word.
    """
    if not texts:
        return []
    after = [*(text[:1].isdigit() for text in texts[1:]), False]
    return [
        _HYPHEN.sub("", text) if not before_figure else _HYPHEN_INSIDE.sub("", text)
        for text, before_figure in zip(texts, after, strict=True)
    ]
