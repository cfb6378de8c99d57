"""Find words that are printed but invisible, by rendering their page.

White words are a heading on a dark bar, or an order to a language model on white paper; a box may
hide what was painted before it, or be transparent. So PDFium renders the page with and without a
character: it is seen where the two differ.
"""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pypdfium2.raw as raw

from corpus.parsing.geometry import contains, height, overlap, union
from corpus.parsing.pdf.drawings import Frame, Painted, bounds, clip_of
from corpus.parsing.types import Box, Doubt

UNSEEN = Doubt(
    "text_unseen",
    "Words that nobody sees, as white ones on white or those under a picture are, were left out of "
    "this page. Ask who wrote the file what they are for.",
)
PARTLY_SEEN = Doubt(
    "text_partly_unseen",
    "Words of which only a part can be seen, as under a picture, were left out of this page; […] "
    "stands in their place.",
)
_FILLED = (0, 4)  # PDF 32000-1, table 106: by filling alone
_LIGHT = 220  # of 255
_FAINT = 16  # of 255, opaque
_SAME = 8  # of 255; what differs by less nobody sees
_SCALE = 1.5  # pixels a point
_LONGEST = 3_000  # pixels
_MAX_LAYERS = 8
_MAX_COVERS = 2_000  # of a page; where there are more, all words are looked at
_COVERED = 0.25  # of a word's height: lines that only touch a box are not below it
_INNER = 0.2  # of a character's height, above and below: neighbouring lines may reach in there
_CUT = 1.0  # points that a clip may cut off unnoticed; bounds are not exact
_OPTIONAL = "OC"  # marks what belongs to a layer, which may be switched off


class Doubtful:
    """Tests the text objects of a page for signs that they are invisible."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._colour = tuple(ctypes.c_uint() for _ in range(4))
        self._name = (ctypes.c_ushort * (len(_OPTIONAL) + 1))()
        self._size = ctypes.c_ulong()
        self._marks: dict[int, bool] = {}  # by address: whether it is that of an optional layer

    def __call__(self, text: Painted) -> bool:
        """Tell whether a text object is light or transparent, clipped, or in an optional layer."""
        return self._is_light(text.handle) or self._is_optional(text.handle) or self._is_cut(text)

    def _is_light(self, text: Any) -> bool:
        if not raw.FPDFPageObj_GetFillColor(text, *self._colour):
            return False
        red, green, blue, alpha = (part.value for part in self._colour)
        if alpha >= _FAINT and min(red, green, blue) < _LIGHT:
            return False
        return raw.FPDFTextObj_GetTextRenderMode(text) in _FILLED

    def _is_optional(self, text: Any) -> bool:
        for index in range(raw.FPDFPageObj_CountMarks(text)):
            mark = raw.FPDFPageObj_GetMark(text, index)
            address = ctypes.addressof(mark.contents)
            if address not in self._marks:
                limit = ctypes.sizeof(self._name)
                raw.FPDFPageObjMark_GetName(mark, self._name, limit, self._size)
                name = "".join(map(chr, self._name[:2])) if self._size.value == limit else ""
                self._marks[address] = name == _OPTIONAL
            if self._marks[address]:
                return True
        return False

    def _is_cut(self, text: Painted) -> bool:
        windows = [box for box in (text.window, clip_of(text.handle, text.place)) if box]
        box = bounds(text.handle, text.place, self._frame) if windows else None
        return bool(windows) and not (
            box
            and all(
                contains(self._frame.displayed(*window), corner, margin=_CUT)
                for window in windows
                for corner in (box[:2], box[2:])
            )
        )


def covered(words: Sequence[tuple[int, Box]], covers: Sequence[tuple[int, Box]]) -> set[int]:
    """Return the indexes of words that an object painted later overlaps.

    Words and covers come with their places in the order of painting. All words where there are more
    than 2,000 covers.
    """
    if len(covers) > _MAX_COVERS:
        return set(range(len(words)))
    order = sorted(range(len(words)), key=lambda at: words[at][1][1])
    tops = [words[at][1][1] for at in order]
    tallest = max((height(box) for _, box in words), default=0.0)
    hidden: set[int] = set()
    for later, cover in covers:
        first, last = bisect_left(tops, cover[1] - tallest), bisect_right(tops, cover[3])
        for at in order[first:last]:
            place, box = words[at]
            across = overlap(cover[0], cover[2], box[0], box[2])
            down = overlap(cover[1], cover[3], box[1], box[3])
            if later > place and across > _CUT and down > _COVERED * height(box):
                hidden.add(at)
    return hidden


def are_seen(
    page: Any, marks: Sequence[tuple[Painted, Box]], doubles: Sequence[Painted]
) -> list[bool | None]:
    """Tell for each character whether it is seen; None where too many lie over each other.

    A mark is the text object of a character and its box on the displayed page; `doubles` are
    objects that may paint a character again, for weight or over what hid it.
    """
    picture = _Picture(page, [box for _, box in marks])
    seen: list[bool | None] = [None] * len(marks)
    rest: dict[int, list[int]] = {}  # marks by the address of their text object
    for at, (text, _) in enumerate(marks):
        rest.setdefault(text.address, []).append(at)
    whole = picture.paint()
    for _ in range(_MAX_LAYERS):
        groups = [[marks[at][1] for at in group] for group in rest.values()]
        fits = picture.apart(whole, groups)
        layer = [group for group, is_fit in zip(rest.values(), fits, strict=True) if is_fit]
        with _left_out([*doubles, *(marks[group[0]][0] for group in layer)]):
            changed = picture.changed(whole, picture.paint())
        for at in (at for group in layer for at in group):
            seen[at] = bool(changed[picture.place(marks[at][1])].any())
        tried = zip(rest.items(), fits, strict=True)
        rest = {name: group for (name, group), is_fit in tried if not is_fit}
        if not rest:
            break
    return seen


@contextmanager
def _left_out(texts: Sequence[Painted]) -> Iterator[None]:
    """Keep text objects from being painted within the `with` block."""
    for text in texts:
        raw.FPDFPageObj_SetIsActive(text.handle, False)
    try:
        yield
    finally:
        for text in texts:
            raw.FPDFPageObj_SetIsActive(text.handle, True)


class _Picture:
    """The part of a page around some boxes, to be rendered more than once."""

    def __init__(self, page: Any, boxes: Sequence[Box]) -> None:
        self._page = page
        wide, tall = page.get_size()
        self._scale = min(_SCALE, _LONGEST / max(wide, tall))
        left, top, right, bottom = union(boxes)
        self._crop = (
            max(0, math.floor(left) - 1),
            max(0, math.floor(tall - bottom) - 1),
            max(0, math.floor(wide - right) - 1),
            max(0, math.floor(top) - 1),
        )
        # pypdfium2 rounds the edges of a crop up.
        self._origin = tuple(math.ceil(self._crop[side] * self._scale) for side in (0, 3))

    def paint(self) -> Any:
        return self._page.render(scale=self._scale, crop=self._crop).to_numpy()

    def place(self, box: Box, inner: float = _INNER) -> tuple[slice, slice]:
        """Return the rows and columns of a box, without `inner` of its height above and below."""
        inner *= height(box)
        x, y = self._origin
        top, bottom = ((box[1] + inner) * self._scale - y, (box[3] - inner) * self._scale - y)
        left, right = (box[0] * self._scale - x, box[2] * self._scale - x)
        rows = slice(max(0, int(top)), max(0, int(bottom)) + 1)
        return rows, slice(max(0, int(left)), max(0, int(right)) + 1)

    def changed(self, before: Any, after: Any) -> Any:
        """Return which pixels of two pictures differ visibly."""
        import numpy  # heavy, so late

        apart = numpy.maximum(before, after) - numpy.minimum(before, after) > _SAME
        return apart[..., 0] | apart[..., 1] | apart[..., 2]

    def apart(self, whole: Any, groups: Sequence[Sequence[Box]]) -> list[bool]:
        """Tell for each group of boxes, in order, whether it overlaps no group accepted before."""
        import numpy  # heavy, so late

        inside, around = (numpy.zeros(whole.shape[:2], bool) for _ in range(2))
        apart = []
        for boxes in groups:
            pairs = [(self.place(box), self.place(box, 0.0)) for box in boxes]
            apart.append(not any(around[a].any() or inside[b].any() for a, b in pairs))
            for inner, outer in pairs if apart[-1] else ():
                inside[inner] = True
                around[outer] = True
        return apart
