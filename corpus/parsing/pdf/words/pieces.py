"""Make words of the characters of a page."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from corpus.parsing.geometry import height, overlap
from corpus.parsing.layout.runs import RAISED
from corpus.parsing.pdf.characters import PRINTED, Character

LAPPED = 0.3  # font heights that a word may reach into the next at most
_GAP = 0.17  # font heights; a wider gap is a blank, which TeX does not print
_SPACED = 0.6  # font heights; letter-spaced capitals are closer, cells of a row further apart
_MIN_SPACED = 3
_APART = 0.08  # font heights between two raised numbers


def pieces(characters: Iterable[Character | str]) -> Iterator[list[Character]]:
    """Yield the characters of each word; blanks and wide gaps separate words.

    Two raised numbers that touch are two words.
    """
    before: list[Character] = []
    for piece in _pieces(characters):
        yield from _marks(before, piece)
        before = piece


def _marks(before: Sequence[Character], piece: list[Character]) -> Iterator[list[Character]]:
    """Yield the numbers of a raised word that a program painted one by one, or the word."""
    is_raised = (
        before
        and before[-1].base - piece[0].base > RAISED * before[-1].font.size
        and before[-1].font.turn == piece[0].font.turn
        and all(char.text.isdigit() for char in piece)
    )
    if not is_raised:
        yield piece
        return
    by_object = itertools.groupby(piece, key=lambda char: char.font.place)
    is_whole = any(len(list(group)) > 1 for _, group in by_object)  # not digit by digit
    part = piece[:1]
    for char, after in itertools.pairwise(piece):
        gap = after.box[0] - char.box[2]
        is_next = char.font.place != after.font.place and is_whole
        if is_next or gap > _APART * char.font.size:
            yield part
            part = []
        part.append(after)
    yield part


def _pieces(characters: Iterable[Character | str]) -> Iterator[list[Character]]:
    """Yield the characters of each word, raised numbers that touch in one."""
    parts: list[list[Character]] = []
    is_open = after_blank = False
    for character in characters:
        if isinstance(character, str):
            is_open = False
            if character is PRINTED:
                yield from _spelled(parts)
                parts, after_blank = [], True
            continue
        if after_blank:
            character, after_blank = replace(character, after_blank=True), False
        if is_open and parts and goes_on(parts[-1][-1], character, _GAP):
            parts[-1].append(character)
        else:
            if parts and not goes_on(parts[-1][-1], character, _SPACED):
                yield from _spelled(parts)
                parts = []
            parts.append([character])
            is_open = True
    yield from _spelled(parts)


def _spelled(parts: Sequence[list[Character]]) -> Iterator[list[Character]]:
    """Yield words, with three or more letters in a row that were set apart joined to one."""
    for alone, group in itertools.groupby(
        parts, key=lambda part: len(part) == 1 and part[0].text.isalpha()
    ):
        letters = list(group)
        if alone and len(letters) >= _MIN_SPACED:
            yield [character for part in letters for character in part]
        else:
            yield from letters


def goes_on(before: Character, character: Character, reach: float) -> bool:
    """Tell whether a character belongs to the same word as the one before it.

    Raised characters and those of another size do not. `reach` is the widest gap, in font heights.
    """
    font, next_font = before.font, character.font
    if character.box == before.box:
        return True  # of one glyph: a ligature
    if font.turn != next_font.turn or not 0.85 * font.size <= next_font.size <= 1.18 * font.size:
        return False
    gap = character.box[0] - before.box[2]
    risen = before.base - character.base
    if before.text.isalnum() and character.text.isdigit() and risen > RAISED * font.size:
        return False
    if before.text.isdigit() and -risen > RAISED * font.size:
        return False
    letters = before.text.isalnum() and character.text.isalnum()  # no accent set apart
    if letters and gap < -LAPPED * font.size and font.place != next_font.place:
        return False
    shift = abs(character.box[3] - before.box[3])
    shared = overlap(before.box[1], before.box[3], character.box[1], character.box[3])
    level = shared >= 0.6 * min(height(before.box), height(character.box))
    return level and shift < 0.3 * font.size and -0.7 * font.size <= gap <= reach * font.size
