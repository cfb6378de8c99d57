"""Find signs that change a value and that their font names wrongly.

A font may map ≥ and ≤, or ≥ and 3, to one character. What was read can't tell them apart; what is
printed can, so the shapes of one character in one font are compared over the whole document, and
each comparison and prefix of a unit with what it should look like.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.geometry import Around, Sign, height, union, upright
from corpus.parsing.pdf.characters import Character, displayed
from corpus.parsing.pdf.misnamed import (
    COMPARISONS,
    FIRST_SIGN,
    PREFIXES,
    could_be,
    is_other_comparison,
    is_other_prefix,
    printed_sign,
)
from corpus.parsing.types import Box

_SCALE = 4.0  # pixels a point: a sign of 10 points has 20 pixels or more
_LONGEST = 4_000  # pixels of a picture
_AROUND = 3  # pixels around a sign, which show its ground
_SIDE = 16  # pixels of a shape
MIN_INK = 48  # of 255, over the ground
_DIFFERENT = 0.41  # of the ink of both: prints of one glyph differ by 0.36 at most, ≥ and ≤ by 0.46
_ONE_SIZE = 1.4  # times; raised digits are by a half smaller than others
_BLANK = 0.17  # font heights; a wider gap is a blank
_REACH = 1.0  # font heights from a sign to its number
_ODD = 0.04  # of a font height
_COMMON = frozenset("()[]{}.,;:/\\-–—−•·*†‡§_…'’|")  # which no bound is mistaken for
_MAX_SIGNS = 200  # before numbers of a page
_MAX_PRINTS = 1_000  # of a page; comparisons above are taken for misnamed
_SAMPLES = 2  # prints of a character of a font that are looked at in any case
_MOST = 0.5  # of the prints of a character that must be one other sign
_NEARLY_ALL = 0.8  # of them: then one that can't be told is doubted
_LEAST_SIZE = 4.0  # points: smaller print is no evidence
# Fonts of signs alone, which publishers name by letters and digits.
_PI_FONT = re.compile(
    r"AdvP(?:[0-9A-F]{4,6}|[A-Z]+\d)|AdvMath|Math(?:ematical)?[- ]?Pi|Universal[- ]?\w*Pi|MTSY"
)
_TYPEWRITER = re.compile("courier", re.IGNORECASE)


@dataclass
class Prints:
    """What the characters of each font look like over a document, gathered page by page.

    With `is_known` all pages were seen: then characters that are printed as another sign become
    that sign, and are counted.
    """

    is_known: bool = False
    seen: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    pages: set[int] = field(default_factory=set)  # with prints of another sign
    mended: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def read(
        self, page: Any, number: int, given: Iterable[Character | str]
    ) -> list[Character | str]:
        """Return the characters of a page; look at those that may be printed as other signs."""
        read = list(given)
        chars = [char for char in read if isinstance(char, Character) and _has_print(char)]
        wanted = self._wanted(chars)
        inks = _inks(page, page.get_size(), wanted)
        signs: dict[int, Character] = {}
        for char in wanted:
            printed = printed_sign(inks[id(char)]) if id(char) in inks else ""
            other = "" if printed and could_be(char.text, printed) else printed
            if not self.is_known:
                self.seen[char.font.name, char.text].append(other)
                if other or (_is_of_signs(char) and not printed):
                    self.pages.add(number)
            else:
                signs[id(char)] = self._decided(char, other)
        bars = {id(char) for char in signs.values() if char.text == "–"}
        return _with_dashes([signs.get(id(char), char) for char in read], bars)

    def _wanted(self, chars: Sequence[Character]) -> list[Character]:
        """Return the characters to look at, some of each and all that stand out."""
        if self.is_known:
            odd = {
                pair for pair, signs in self.seen.items() if any(signs) or _PI_FONT.search(pair[0])
            }
            return [char for char in chars if (char.font.name, char.text) in odd]
        wanted, count = [], Counter({pair: len(signs) for pair, signs in self.seen.items()})
        for before, char, after in zip([None, *chars], chars, [*chars[1:], None], strict=False):
            pair = (char.font.name, char.text)
            if count[pair] < _SAMPLES or _stands_out(before, char, after):
                count[pair] += 1
                wanted.append(char)
        return wanted[:_MAX_PRINTS]

    def _decided(self, char: Character, other: str) -> Character:
        """Return a character as the sign that it is printed as; doubted where that is not sure."""
        signs = self.seen[char.font.name, char.text]
        is_lost = char.text == UNREADABLE
        if other and (is_lost or signs.count(other) > _MOST * len(signs)):
            self.mended[char.text, other] += 1
            return replace(char, text=other, is_mapped=True)
        is_one = sum(map(bool, signs)) > _NEARLY_ALL * len(signs)
        is_odd = bool(other) or is_one or _is_of_signs(char)
        return replace(char, is_odd=is_odd and not is_lost)


def _has_print(char: Character) -> bool:
    """Tell whether a character may be misnamed at all: letters of other scripts are not."""
    is_latin = char.text == UNREADABLE or ord(char.text[0]) < FIRST_SIGN
    return (
        is_latin and char.font.turn >= 0 and char.font.size >= _LEAST_SIZE and bool(char.font.name)
    )


def _is_of_signs(char: Character) -> bool:
    """Tell whether a font of signs names a character by a letter, a digit, or a sign of money."""
    is_name = char.text.isalnum() or char.text in "$#%&@"
    return is_name and _PI_FONT.search(char.font.name) is not None


def _stands_out(before: Character | None, char: Character, after: Character | None) -> bool:
    """Tell whether a character is alone in its font, or a letter or an odd sign at a number."""
    near = [other for other in (before, after) if other]
    if char.text == UNREADABLE or not any(char.font.name == other.font.name for other in near):
        return True
    if not (after and after.text.isdigit()) or char.text in _COMMON or char.text.isdigit():
        return False
    return not char.text.isalpha() or bool(before and before.text.isdigit())


def _with_dashes(read: list[Character | str], mended: Container[int]) -> list[Character | str]:
    """Return characters with each mended bar as a minus, but as a dash between two words."""
    for at in (at for at, char in enumerate(read) if id(char) in mended):
        char = read[at]
        before, after = (_next(read, at, step) for step in (-1, 1))
        is_between = (
            before is not None
            and after is not None
            and before[1] == after[1]
            and before[0].text.isalnum()
            and after[0].text.isalnum()
            and abs(before[0].base - after[0].base) < 0.1 * before[0].font.size
        )
        if isinstance(char, Character) and not is_between:
            read[at] = replace(char, text="−")
    return read


def _next(read: list[Character | str], at: int, step: int) -> tuple[Character, bool] | None:
    """Return the character before or after one, and whether a blank stands between."""
    near = read[at + step : at + 3 * step : step] if at + 3 * step >= 0 else read[at - 1 :: -1]
    found = next((each for each in near if isinstance(each, Character)), None)
    return (found, isinstance(near[0], str)) if found else None


def with_bullets(pieces: Sequence[list[Character]]) -> list[list[Character]]:
    """Return words with each lone `o` of Courier among other fonts as the bullet that it is."""
    typed = [_TYPEWRITER.search(piece[0].font.name) is not None for piece in pieces]
    return [
        [replace(piece[0], text="◦")]
        if len(piece) == 1
        and piece[0].text == "o"
        and typed[at]
        and not any(typed[max(0, at - 1) : at] + typed[at + 1 : at + 2])
        else piece
        for at, piece in enumerate(pieces)
    ]


def signs_of(page: Any, pieces: Sequence[Sequence[Character]]) -> tuple[Sign, ...]:
    """Return the signs of a page whose print matters.

    These are signs before numbers, a digit like each that stands alone, comparisons anywhere, and
    an `m` or µ that is printed as the other.
    """
    size = page.get_size()
    words = [piece for piece in pieces if piece[0].font.turn >= 0]
    letters = [char for word in words for char in word]
    before = dict(islice(_by_id(_before_numbers(letters), _odd_digits(letters)), _MAX_SIGNS))
    alone = {(char.font.name, char.text) for char in before.values() if char.text.isdigit()}
    alike = (char for char in letters if (char.font.name, char.text) in alone)
    compared = before | _one_of_each(alike, before)
    seen = compared | dict(_by_id(char for char in letters if char.text in COMPARISONS))
    prefixes = {id(char) for word in words for char in _other_prefixes(word, size)}
    inks = _inks(page, size, list(seen.values())[:_MAX_PRINTS])

    def sign(at: int, char: Character) -> Sign:
        ink = inks.get(id(char))
        return Sign(
            char.font.name,
            char.text,
            displayed([char], size),
            char.font.size,
            _around(words, at, size),
            _shape(ink) if id(char) in compared and ink is not None else None,
            id(char) in before,
            char.is_odd
            or id(char) in prefixes
            or (id(char) in seen and is_other_comparison(char.text, ink)),
        )

    wanted = prefixes | set(seen) | {id(char) for char in letters if char.is_odd}
    return tuple(
        sign(at, char) for at, word in enumerate(words) for char in word if id(char) in wanted
    )


def _by_id(*groups: Iterable[Character]) -> Iterator[tuple[int, Character]]:
    return ((id(char), char) for group in groups for char in group)


def _one_of_each(
    characters: Iterable[Character], known: dict[int, Character]
) -> dict[int, Character]:
    """Return the first character of each font and text that is not `known`."""
    first_of: dict[tuple[str, str], Character] = {}
    for char in characters:
        if id(char) not in known:
            first_of.setdefault((char.font.name, char.text), char)
    return dict(_by_id(first_of.values()))


def _other_prefixes(word: Sequence[Character], size: tuple[float, float]) -> Iterator[Character]:
    """Yield each `m` or µ before a unit that is printed as the other."""
    for at, char in enumerate(word):
        if char.text in PREFIXES and char.ink and not (at and word[at - 1].text.isalpha()):
            after = word[at + 1].text if at + 1 < len(word) else ""
            bottom = upright(char.ink, size, char.font.turn)[3]
            if is_other_prefix(char.text, after, (bottom - char.base) / char.font.size):
                yield char


def _around(words: Sequence[Sequence[Character]], at: int, size: tuple[float, float]) -> Around:
    """Return a word with those right before and after it on its line."""
    before = [words[at - 1]] if at and _is_next(words[at - 1][-1], words[at][0]) else []
    after = [word for word in words[at + 1 : at + 2] if _is_next(words[at][-1], word[0])]
    near = [*before, words[at], *after]
    text = "".join(char.text for word in near for char in word)
    return Around(text, union(displayed(word, size) for word in near), words[at][0].font.turn)


def _is_next(char: Character, other: Character) -> bool:
    """Tell whether a character follows right behind another, at most after a blank."""
    gap = (other.box[0] - char.box[2]) / char.font.size
    level = abs(char.base - other.base) < 0.3 * char.font.size
    return char.font.turn == other.font.turn and level and -0.5 < gap < _REACH


def _before_numbers(characters: Sequence[Character]) -> Iterator[Character]:
    """Yield signs right before a digit, and digits that stand alone before a number."""
    for at, (char, other) in enumerate(pairwise(characters)):
        if not (char.font.name and other.text.isdigit() and _is_next(char, other)):
            continue
        if char.text.isdigit():
            gap = (other.box[0] - char.box[2]) / char.font.size
            before = characters[at - 1] if at else char
            if gap > _BLANK and not 0 <= char.box[0] - before.box[2] < _BLANK * char.font.size:
                yield char
        elif not (char.text.isalpha() or char.text in _COMMON or char.text == UNREADABLE):
            yield char


def _odd_digits(characters: Sequence[Character]) -> Iterator[Character]:
    """Yield digits whose ink is not as high as that of most of their like: `330` may be ≥30."""
    alike: dict[tuple[str, str], list[tuple[float, Character]]] = defaultdict(list)
    for char in characters:
        if char.font.name and char.font.turn == 0 and char.text.isdigit() and char.ink:
            alike[char.font.name, char.text].append((height(char.ink) / char.font.size, char))
    for group in alike.values():
        usual = sorted(share for share, _ in group)[len(group) // 2]
        yield from (char for share, char in group if abs(share - usual) > _ODD)


def picture_of(page: Any, boxes: Sequence[Box], *, around: int = _AROUND) -> tuple[Any, Any]:
    """Render the part of a page around boxes in grey; return it and a function to find a box.

    The picture is empty where nothing of that part is on the page, or it is less than a pixel.
    """
    import numpy  # heavy, so late

    wide, tall = page.get_size()
    left, top, right, bottom = union(boxes)
    scale = min(_SCALE, _LONGEST / max(wide, tall))
    crop = tuple(max(0, math.floor(side) - 2) for side in (left, tall - bottom, wide - right, top))
    x, y = (math.ceil(crop[side] * scale) for side in (0, 3))
    try:
        picture = page.render(scale=scale, crop=crop, grayscale=True).to_numpy()
        picture = picture.reshape(picture.shape[:2])
    except ValueError:  # the crop leaves nothing
        picture = numpy.zeros((0, 0), dtype="uint8")

    def span(start: float, end: float) -> slice:
        return slice(max(0, int(start) - around), max(0, int(end) + 1 + around))

    def place(box: Box) -> tuple[slice, slice]:
        left, top, right, bottom = (side * scale for side in box)
        return span(top - y, bottom - y), span(left - x, right - x)

    return picture, place


def _inks(page: Any, size: tuple[float, float], characters: Sequence[Character]) -> dict[int, Any]:
    """Return the ink of each printed character, upright and cut to its edges, by its id."""
    import numpy  # heavy, so late

    if not characters:
        return {}
    boxes = [char.ink or displayed([char], size) for char in characters]
    picture, place = picture_of(page, boxes)
    if not picture.size:
        return {}
    inks = {}
    for char, box in zip(characters, boxes, strict=True):
        ink = ink_of(picture[place(box)])
        if ink is not None:
            inks[id(char)] = numpy.rot90(ink, char.font.turn // 90)
    return inks


def ink_of(pixels: Any) -> Any:
    """Return how far pixels differ from their ground, cut to the edges of the ink, or None."""
    import numpy  # heavy, so late

    if min(pixels.shape) <= 2 * _AROUND:
        return None
    edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    ground = numpy.median(numpy.concatenate(edges))
    ink = numpy.abs(pixels[_AROUND:-_AROUND, _AROUND:-_AROUND].astype("float32") - ground)
    marked = ink > MIN_INK
    if not marked.any():
        return None
    rows, columns = numpy.flatnonzero(marked.any(1)), numpy.flatnonzero(marked.any(0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _shape(ink: Any) -> Any:
    """Return the ink of a sign on a square of 16 pixels."""
    import numpy  # heavy, so late
    from PIL import Image

    square = Image.fromarray(ink / ink.max()).resize((_SIDE, _SIDE), Image.Resampling.BOX)
    return numpy.asarray(square)


def misnamed(pages: Sequence[Sequence[Sign]]) -> list[list[Sign]]:
    """Return for each page the signs that their font probably misnames.

    These are printed as another sign, or before a number, with a character that has two shapes in
    its font.
    """
    alike: dict[tuple[str, str], list[Sign]] = defaultdict(list)
    for sign in (sign for signs in pages for sign in signs):
        if sign.shape is not None:
            alike[sign.font, sign.text].append(sign)
    torn = {name for name, signs in alike.items() if _differ(signs)}
    return [
        [s for s in signs if s.is_other or (s.is_before and (s.font, s.text) in torn)]
        for signs in pages
    ]


def _differ(signs: Sequence[Sign]) -> bool:
    """Tell whether two prints differ that are nearly of one size: small ones have thick strokes."""
    rest = list(signs)
    while rest:
        first, *others = rest
        near = [o for o in others if 1 / _ONE_SIZE <= o.size / first.size <= _ONE_SIZE]
        if any(distance(first.shape, other.shape) > _DIFFERENT for other in near):
            return True
        rest = [other for other in others if other not in near]
    return False


def distance(shape: Any, other: Any) -> float:
    """Return how much two shapes differ, in [0, 1]: 0 is the same, 1 no ink in common.

    A thin stroke may be printed a pixel aside, so the least of nine shifts counts.
    """
    import numpy  # heavy, so late

    around = numpy.pad(other, 1)
    shifts = (
        around[down : down + _SIDE, right : right + _SIDE]
        for down in range(3)
        for right in range(3)
    )
    return min(float(numpy.abs(shape - moved).sum() / (shape + moved).sum()) for moved in shifts)
