"""Words, rules and boxes of a PDF's pages, read by PDFium.

Only words that a reader sees are kept: invisible text (an OCR layer, or something hidden on
purpose) and text outside the page are not what the page says.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2.raw as raw

from corpus.parsing.clean import PRIVATE_BULLETS, UNREADABLE, clean_line, mend_accents, symbol_text
from corpus.parsing.geometry import (
    PageCells,
    Rule,
    Word,
    height,
    middle,
    overlap,
    union,
    upright,
    width,
)
from corpus.parsing.pdf.drawings import Drawings, Frame, bounds, drawings, objects
from corpus.parsing.pdf.unseen import UNSEEN, are_unseen, may_be_unseen
from corpus.parsing.types import Box, Doubt

_BOLD = re.compile(r"bold|black|heavy|semib|demi|cmbx|cmssbx|medi(?![a-z])|\bbd\b", re.IGNORECASE)
_BOLD_WEIGHT = 600  # of 100 to 900, where the font's name does not tell
_SIGN_FONT = re.compile(r"symbol|wingdings", re.IGNORECASE)
_UNPAINTED = (3, 7)  # PDF 32000-1, table 106: neither fill nor stroke
_NAME_BYTES = 128
_HYPHENS = "\x02\u00ad"  # how PDFium marks a hyphen that divides a word
_MIN_PAINTED = 1.0  # points; a blank has no height
_NOTHING = "\x00\ufffe\uffff"
# Signs of TeX's extension font, which PDFium reads by their codes (The TeXbook, appendix F).
_TEX_FONT = re.compile(r"(?:^|\+)CMEX\d")
_TEX_EXTENSION = dict(zip("PXQYRZ", "\u2211\u2211\u220f\u220f\u222b\u222b", strict=True))
_ADDED, _PRINTED = "", " "  # a blank that PDFium put between letters, and one of the file
_GAP = 0.17  # font heights; a wider gap is a blank, which TeX does not print
_SPACED = 0.6  # letter-spaced capitals stand closer, cells of a row further apart
_MIN_SPACED = 3
_TWICE = 8  # text objects between one and the same again
_ASLANT = Doubt(
    "text_aslant", "Words that stand aslant on this page, as a watermark does, were left out."
)


@dataclass(frozen=True, slots=True)
class _Font:
    """What all characters of one text object share."""

    name: str
    size: float  # points
    bold: bool
    turn: int  # clockwise on the displayed page; -1 for aslant
    shown: bool
    suspect: bool = False  # of a colour in which nobody may see it


@dataclass(frozen=True, slots=True)
class _Character:
    """`box` is the font's box in the frame in which the character stands upright."""

    text: str
    box: Box
    font: _Font
    is_mapped: bool = True  # its font says which character it is


def read_page(page: Any, number: int) -> PageCells:
    """Return the cells of a page of pypdfium2, in points from its top left corner.

    Its words are those in the direction of most letters; words in other directions are its
    `insets`, each in a frame in which they stand upright.
    """
    frame = Frame.of(page)
    fonts: dict[int, _Font] = {}
    shown = (char for char in _characters(page, frame, fonts) if _is_shown(char, frame.size))
    printed = list(_pieces(shown))
    pieces = _seen(page, frame, printed)
    lost = _lost(page, frame, fonts)
    letters = Counter[int]()
    for piece in pieces:
        letters[piece[0].font.turn] += len(piece)
    aslant = letters.pop(-1, 0)
    turns = sorted(letters, key=lambda turn: (-letters[turn], turn)) or [0]
    drawn = drawings(page, frame)
    doubts = [_ASLANT] if aslant else []
    doubts += [UNSEEN] if len(pieces) < len(printed) else []
    main, *insets = (_cells(number, pieces, drawn, frame.size, turn) for turn in turns)
    return replace(
        main,
        words=(*main.words, *lost),
        insets=tuple(insets),
        doubts=(*doubts, *drawn.doubts),
        unmapped=len(lost) + sum(not char.is_mapped for piece in pieces for char in piece),
    )


def _cells(
    number: int,
    pieces: Sequence[Sequence[_Character]],
    drawn: Drawings,
    size: tuple[float, float],
    turn: int,
) -> PageCells:
    words = (_word(p, at) for at, p in enumerate(pieces) if p[0].font.turn == turn)
    return PageCells(
        number,
        *(size[::-1] if turn in (90, 270) else size),
        tuple(word for word in words if word.text),
        tuple(Rule(upright(rule.box, size, turn)) for rule in drawn.rules),
        turn=turn,
        drawn=tuple(upright(box, size, turn) for box in drawn.art),
        frames=tuple(upright(box, size, turn) for box in drawn.frames),
    )


def _seen(
    page: Any, frame: Frame, pieces: Sequence[list[_Character]]
) -> Sequence[list[_Character]]:
    """Return the pieces without those that nobody sees on the page."""
    suspect = [piece for piece in pieces if piece[0].font.suspect]
    if not suspect:
        return pieces
    boxes = [_displayed(piece, frame.size) for piece in suspect]
    hidden = {id(p) for p, is_so in zip(suspect, are_unseen(page, boxes), strict=True) if is_so}
    return [piece for piece in pieces if id(piece) not in hidden]


def _displayed(piece: Sequence[_Character], size: tuple[float, float]) -> Box:
    turn = max(piece[0].font.turn, 0)
    box = union(character.box for character in piece)
    return upright(box, size[::-1] if turn in (90, 270) else size, -turn % 360)


def _word(piece: Sequence[_Character], place: int) -> Word:
    font = piece[0].font
    text = mend_accents(clean_line("".join(character.text for character in piece)))
    box = union(character.box for character in piece)
    return Word(text, box, font.size, font.bold, font.name, place)


def _is_shown(character: _Character | str, size: tuple[float, float]) -> bool:
    """Tell what is painted on the page from what is hidden or beside it; blanks are kept."""
    if isinstance(character, str):
        return True
    font, box = character.font, character.box
    across, down = size[::-1] if font.turn in (90, 270) else size
    x, y = middle(box)
    return font.shown and font.size >= 1 and 0 <= x <= across and 0 <= y <= down


def _pieces(characters: Iterable[_Character | str]) -> Iterator[list[_Character]]:
    """Yield the characters of each word: blanks part them, printed or seen by PDFium, and gaps."""
    parts: list[list[_Character]] = []
    is_open = False
    for character in characters:
        if isinstance(character, str):
            is_open = False
            if character is _PRINTED:
                yield from _spelled(parts)
                parts = []
        elif is_open and _goes_on(parts[-1][-1], character, _GAP):
            parts[-1].append(character)
        else:
            if parts and not _goes_on(parts[-1][-1], character, _SPACED):
                yield from _spelled(parts)
                parts = []
            parts.append([character])
            is_open = True
    yield from _spelled(parts)


def _spelled(parts: Sequence[list[_Character]]) -> Iterator[list[_Character]]:
    """Yield words; letters set apart for looks, three or more in a row, are one."""
    for alone, group in itertools.groupby(parts, key=_is_letter):
        letters = list(group)
        if alone and len(letters) >= _MIN_SPACED:
            yield [character for part in letters for character in part]
        else:
            yield from letters


def _is_letter(part: Sequence[_Character]) -> bool:
    return len(part) == 1 and part[0].text.isalpha()


def _goes_on(before: _Character, character: _Character, reach: float) -> bool:
    """Tell whether a character stands in one word with that before: no raised or other-sized one.

    `reach` is how far apart they may stand, in font heights.
    """
    one, other = before.font, character.font
    if character.box == before.box:
        return True  # of one glyph: a ligature
    if one.turn != other.turn or not 0.85 * one.size <= other.size <= 1.18 * one.size:
        return False
    gap = character.box[0] - before.box[2]
    shift = abs(character.box[3] - before.box[3])
    shared = overlap(before.box[1], before.box[3], character.box[1], character.box[3])
    level = shared >= 0.6 * min(height(before.box), height(character.box))
    return level and shift < 0.3 * one.size and -0.7 * one.size <= gap <= reach * one.size


def _lost(page: Any, frame: Frame, read: Container[int]) -> list[Word]:
    """Return a mark for each text object that is painted and of which nothing was `read`.

    A file may not say which characters it paints; `≤ 50` must not vanish between its neighbours.
    What is painted twice for weight or a shadow PDFium gives once.
    """
    texts = list(objects(page, (raw.FPDF_PAGEOBJ_TEXT,)))
    is_read = [ctypes.addressof(owner.contents) in read for owner, _ in texts]
    found = []
    for at in (at for at, known in enumerate(is_read) if not known):
        box = bounds(*texts[at], frame)
        painted = raw.FPDFTextObj_GetTextRenderMode(texts[at][0]) not in _UNPAINTED
        if not painted or not box or min(width(box), height(box)) < _MIN_PAINTED:
            continue
        before = (bounds(*texts[i], frame) for i in range(max(0, at - _TWICE), at) if is_read[i])
        if not any(other and _is_twice(box, other) for other in before):
            found.append(Word(UNREADABLE, box, height(box)))
    return found


def _is_twice(box: Box, other: Box) -> bool:
    """Tell the second of two equal objects that are painted over each other, hardly apart."""
    alike = abs(width(box) - width(other)) < 0.1 and abs(height(box) - height(other)) < 0.1
    near = 0.2 * min(width(box), height(box))
    return alike and max(abs(box[0] - other[0]), abs(box[1] - other[1])) <= near


def _characters(page: Any, frame: Frame, fonts: dict[int, _Font]) -> Iterator[_Character | str]:
    """Yield all characters of a page in the order of the file, and the blanks between them.

    `fonts` is filled with that of each text object by its address.
    """
    textpage = page.get_textpage()
    handle = textpage.raw
    mapped: dict[tuple[str, int], bool] = {}
    rect = raw.FS_RECTF()
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
        if text.isspace() or text in _NOTHING or not owner:
            yield _ADDED if not owner or raw.FPDFText_IsGenerated(handle, index) else _PRINTED
            continue
        address = ctypes.addressof(owner.contents)
        font = fonts.get(address)
        if font is None:
            font = fonts[address] = _font(handle, index, owner, frame)
        known = mapped.get((font.name, code))
        if known is None:
            known = mapped[font.name, code] = not _lacks_mapping(handle, index, code)
        box = _box(handle, index, font, frame, rect)
        yield _Character(_text(text, font, known), box, font, known)


def _sign(text: str, font: _Font) -> str | None:
    """Return the sign that a character of Symbol or Wingdings shows; None for other fonts."""
    found = _SIGN_FONT.search(font.name)
    if found is None:
        return None
    private = text if ord(text) > 0xFF else chr(0xF000 + ord(text))
    sign = symbol_text(private, found.group())
    return sign if sign != private else None


def _box(handle: Any, index: int, font: _Font, frame: Frame, rect: Any) -> Box:
    """Return a character's box upright; by its baseline where its font gives no sound height."""
    raw.FPDFText_GetLooseCharBox(handle, index, rect)
    shown = frame.displayed(rect.left, rect.bottom, rect.right, rect.top)
    box = upright(shown, frame.size, max(font.turn, 0))
    if 0.6 * font.size <= height(box) <= 1.8 * font.size:
        return box
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(handle, index, x, y)
    at = frame.displayed(x.value, y.value, x.value, y.value)
    base = upright(at, frame.size, max(font.turn, 0))[1]
    return (box[0], base - 0.75 * font.size, box[2], base + 0.25 * font.size)


def _lacks_mapping(handle: Any, index: int, code: int) -> bool:
    """Tell a character of which only its font knows what it looks like."""
    private = 0xE000 <= code <= 0xF8FF or code == 0xFFFD
    return private or raw.FPDFText_HasUnicodeMapError(handle, index) == 1


def _font(handle: Any, index: int, owner: Any, frame: Frame) -> _Font:
    """Return what a text object sets its characters in; asked once for each object."""
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
    return _Font(name, size, bold, _turn(angle), mode not in _UNPAINTED, may_be_unseen(owner))


def _turn(angle: float) -> int:
    """Return a clockwise angle as 0, 90, 180 or 270; -1 for one that is aslant."""
    near = round(angle / 90) * 90
    return near % 360 if abs(angle - near) <= 10 else -1


def _text(text: str, font: _Font, is_mapped: bool) -> str:
    if text in _TEX_EXTENSION and _TEX_FONT.search(font.name):
        return _TEX_EXTENSION[text]
    if not is_mapped:
        return _sign(text, font) or ("•" if text in PRIVATE_BULLETS else UNREADABLE)
    return "-" if text in _HYPHENS else text
