"""Read the characters of a PDF's page by PDFium, each with its box and its font."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as raw

from corpus.parsing.clean import (
    PRIVATE_BULLETS,
    PRIVATE_TICK,
    SIGN_FONT,
    UNREADABLE,
    symbol_text,
)
from corpus.parsing.geometry import height, union, upright
from corpus.parsing.pdf.drawings import Frame, Painted
from corpus.parsing.pdf.misnamed import PREFIXES
from corpus.parsing.pdf.unseen import Doubtful
from corpus.parsing.types import Box

_BOLD = re.compile(r"bold|black|heavy|semib|demi|cmbx|cmssbx|medi(?![a-z])|\bbd\b", re.IGNORECASE)
_BOLD_WEIGHT = 600  # of 100 to 900, where the font's name does not tell
_NAME_BYTES = 128
_HYPHENS = "\x02\u00ad"  # how PDFium marks a hyphen that divides a word
_NOTHING = "\x00\ufffe\uffff"
# Signs of TeX's extension font, which PDFium reads by their codes (The TeXbook, appendix F).
_TEX_FONT = re.compile(r"(?:^|\+)CMEX\d")
_TEX_EXTENSION = dict(zip("PXQYRZ", "\u2211\u2211\u220f\u220f\u222b\u222b", strict=True))
_UNNAMED = dict.fromkeys(PRIVATE_BULLETS, "•") | {PRIVATE_TICK: "✓"}
ADDED, PRINTED = "", " "  # a blank that PDFium put between letters, and one of the file
Origin = tuple[ctypes.c_double, ctypes.c_double]
UNPAINTED = (3, 7)  # PDF 32000-1, table 106: neither fill nor stroke


@dataclass(frozen=True, slots=True)
class Font:
    """The font, direction and visibility that all characters of one text object share."""

    name: str
    size: float  # points
    bold: bool
    turn: int  # clockwise on the displayed page; -1 for aslant
    shown: bool
    place: int = -1  # in the order in which the page's objects are painted
    suspect: bool = False  # may be invisible: light, clipped, or in an optional layer


@dataclass(frozen=True, slots=True)
class Character:
    """A character, with its font's box in the frame in which the character stands upright."""

    text: str
    box: Box
    font: Font
    base: float  # of its baseline, downwards in the same frame
    is_mapped: bool = True  # its font says which character it is
    after_blank: bool = False  # the file prints a blank before it
    is_cut: bool = False  # its text runs off the page's edge here
    is_odd: bool = False  # printed as another sign, though not surely as which
    ink: Box | None = None  # around its ink, on the displayed page; of letters, only of m and µ


def characters(
    page: Any, frame: Frame, painted: Sequence[Painted], fonts: dict[int, Font]
) -> Iterator[Character | str]:
    """Yield the characters of a page in the order of the file, and the blanks between them.

    A blank is `ADDED` or `PRINTED`. Fills `fonts` with the font of each text object, by its
    address.
    """
    textpage = page.get_textpage()
    handle = textpage.raw
    mapped: dict[tuple[str, int], bool] = {}
    may_be_unseen = Doubtful(frame)
    places = {
        each.address: at for at, each in enumerate(painted) if each.kind == raw.FPDF_PAGEOBJ_TEXT
    }
    rect, origin = raw.FS_RECTF(), (ctypes.c_double(), ctypes.c_double())
    half = 0
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(handle, index)
        if 0xD800 <= code < 0xDC00:  # half of a pair
            half = code
            continue
        if half:
            code, half = 0x10000 + ((half - 0xD800) << 10) + (code - 0xDC00 & 0x3FF), 0
        text = chr(code)
        owner = raw.FPDFText_GetTextObject(handle, index)
        is_unnamed = bool(owner) and code < 0x20 and _is_printed_unnamed(handle, index, frame)
        if (text.isspace() or text in _NOTHING or not owner) and not is_unnamed:
            yield ADDED if not owner or raw.FPDFText_IsGenerated(handle, index) else PRINTED
            continue
        address = ctypes.addressof(owner.contents)
        font = fonts.get(address)
        if font is None:
            place = places.get(address, -1)
            is_doubtful = place >= 0 and may_be_unseen(painted[place])
            font = fonts[address] = _font(handle, index, owner, frame, (place, is_doubtful))
        known = mapped.get((font.name, code))
        if known is None:
            private = is_unnamed or 0xE000 <= code <= 0xF8FF or code == 0xFFFD
            known = not (private or raw.FPDFText_HasUnicodeMapError(handle, index) == 1)
            mapped[font.name, code] = known
        base = _base(handle, index, font, frame, origin)
        box = _box(handle, index, font, frame, rect, base)
        is_bare = text.isalpha() and text not in PREFIXES
        ink = None if is_bare else _ink(handle, index, frame)
        yield Character(_text(text, font, known), box, font, base, known, ink=ink)


def displayed(piece: Sequence[Character], size: tuple[float, float]) -> Box:
    """Return the box around characters of one direction on a displayed page of `size`."""
    turn = max(piece[0].font.turn, 0)
    box = union(character.box for character in piece)
    return upright(box, size[::-1] if turn in (90, 270) else size, -turn % 360)


def _is_printed_unnamed(handle: Any, index: int, frame: Frame) -> bool:
    """Tell whether a character has ink and no name: a font of signs begins with code 0 or 1."""
    if raw.FPDFText_HasUnicodeMapError(handle, index) != 1:
        return False
    ink = _ink(handle, index, frame)
    return ink is not None and ink[2] > ink[0] and ink[3] > ink[1]


def _ink(handle: Any, index: int, frame: Frame) -> Box | None:
    """Return the box around the ink of a character on the displayed page; None if it has none."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(handle, index, left, right, bottom, top):
        return None
    return frame.displayed(left.value, bottom.value, right.value, top.value)


def _base(handle: Any, index: int, font: Font, frame: Frame, origin: Origin) -> float:
    """Return where a character's baseline is, in the frame in which it stands upright."""
    x, y = origin
    raw.FPDFText_GetCharOrigin(handle, index, x, y)
    at = frame.displayed(x.value, y.value, x.value, y.value)
    return upright(at, frame.size, max(font.turn, 0))[1]


def _box(handle: Any, index: int, font: Font, frame: Frame, rect: Any, base: float) -> Box:
    """Return a character's box in the frame in which it stands upright.

    Computed from the baseline where the font gives no plausible height.
    """
    raw.FPDFText_GetLooseCharBox(handle, index, rect)
    shown = frame.displayed(rect.left, rect.bottom, rect.right, rect.top)
    box = upright(shown, frame.size, max(font.turn, 0))
    if 0.6 * font.size <= height(box) <= 1.8 * font.size:
        return box
    return (box[0], base - 0.75 * font.size, box[2], base + 0.25 * font.size)


def _font(handle: Any, index: int, owner: Any, frame: Frame, painted: tuple[int, bool]) -> Font:
    """Return the font of a text object; called once for each object.

    `painted` is the object's place in the order of painting, and whether it may be invisible.
    """
    buffer, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()
    length = raw.FPDFText_GetFontInfo(handle, index, buffer, _NAME_BYTES, flags)
    name = buffer.value.decode("utf-8", "replace") if 0 < length <= _NAME_BYTES else ""
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(handle, index, matrix)
    scale = abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5 or 1.0
    size = raw.FPDFText_GetFontSize(handle, index) * scale
    bold = bool(_BOLD.search(name)) or raw.FPDFText_GetFontWeight(handle, index) >= _BOLD_WEIGHT
    mode = raw.FPDFTextObj_GetTextRenderMode(owner)
    angle = -math.degrees(math.atan2(matrix.b, matrix.a)) + frame.turn
    near = round(angle / 90) * 90
    turn = near % 360 if abs(angle - near) <= 10 else -1
    return Font(name, size, bold, turn, mode not in UNPAINTED, *painted)


def _text(text: str, font: Font, is_mapped: bool) -> str:
    if text in _TEX_EXTENSION and _TEX_FONT.search(font.name):
        return _TEX_EXTENSION[text]
    match = SIGN_FONT.search(font.name)
    if match and (not is_mapped or (ord(text) < 0x100 and match.group().lower() != "symbol")):
        # Dingbats are often said to be the letters in whose places they stand.
        private = text if ord(text) > 0xFF else chr(0xF000 + ord(text))
        sign = symbol_text(private, match.group())
        if sign and sign != private:
            return sign
    if is_mapped:
        return "-" if text in _HYPHENS else text
    return _UNNAMED.get(text, UNREADABLE)
