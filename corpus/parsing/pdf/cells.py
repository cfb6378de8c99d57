"""Read the words, rules and boxes of a PDF's pages by PDFium.

Only words that a reader sees are kept; invisible text (an OCR layer, or text hidden on purpose) and
text outside the page are left out; words at which text runs off the page are told.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2.raw as raw

from corpus.parsing.clean import UNREADABLE, clean_line, mend_accents
from corpus.parsing.geometry import (
    PageCells,
    Rule,
    Word,
    height,
    middle,
    overlap,
    union,
    upright,
)
from corpus.parsing.layout.doubts import CROSSED_OUT
from corpus.parsing.layout.runs import RAISED, TOUCHING
from corpus.parsing.pdf.annotations import (
    Annotation,
    Care,
    annotations_of,
    doubts_about,
    shown_alone,
)
from corpus.parsing.pdf.characters import (
    Character,
    Font,
    characters,
    displayed,
)
from corpus.parsing.pdf.drawings import Drawings, Frame, Painted, bounds, drawings, objects
from corpus.parsing.pdf.signs import Prints, signs_of, with_bullets
from corpus.parsing.pdf.struck import are_crossed_out, placed, struck, withheld
from corpus.parsing.pdf.unseen import PARTLY_SEEN, UNSEEN, are_seen, covered
from corpus.parsing.pdf.words.blanks import with_blanks
from corpus.parsing.pdf.words.doubles import without_doubles
from corpus.parsing.pdf.words.gaps import with_unnamed
from corpus.parsing.pdf.words.lost import count_read, lost_signs
from corpus.parsing.pdf.words.pieces import LAPPED, goes_on, pieces
from corpus.parsing.types import Box, Doubt

_TEXT = raw.FPDF_PAGEOBJ_TEXT
_MIN_PAINTED = 1.0  # points; a blank has no height
_RUN_ON = 1.0  # font heights; a wider gap at the page's edge is a margin, as between two pages
_LEADING = 2.0  # font heights between the baselines of a text's lines, at most
_HARDLY = 0.03  # of a font height: no digits of one number differ by more in baseline or size
_STRIP = 12.0  # points; wider than a text is from its copy
_SHADOW = 0.1  # font heights from a sign to a copy that PDFium leaves out
_ASLANT = Doubt(
    "text_aslant", "Words that stand aslant on this page, as a watermark does, were left out."
)


def read_page(page: Any, number: int, prints: Prints | None = None) -> PageCells:
    """Return the cells of a pypdfium2 page, in points from its top left corner.

    With `prints` it is looked at how its characters are printed.

    Its words are those in the direction of most letters; words in other directions are its
    `insets`, each in a frame in which they stand upright.
    """
    frame = Frame.of(page)
    painted = list(objects(page))
    fonts: dict[int, Font] = {}
    given: Iterable[Character | str] = characters(page, frame, painted, fonts)
    if prints:
        given = prints.read(page, number, with_unnamed(page, list(given), frame.size))
    drawn = drawings(painted, frame)
    single = without_doubles(_on_page(given, frame.size), drawn.covers, frame.size)
    printed = list(pieces(with_blanks(single)))
    notes = annotations_of(page, frame)
    seen = _seen(page, frame, printed, painted, drawn, notes)
    words: Sequence[list[Character]] = with_bullets(seen.pieces)
    if any(_laps(before, piece) for before, piece in itertools.pairwise(words)):
        # PDFium sorts the words of one line by place; lines printed over each other are told apart
        # by the order of painting.
        words = sorted(words, key=lambda piece: piece[0].font.place)
    said = _noted(page, number, frame)
    words = placed(words, said)
    texts = [("".join(char.text for char in piece), displayed(piece, frame.size)) for piece in said]
    images = (each for each in painted if each.kind == raw.FPDF_PAGEOBJ_IMAGE)
    pictures = [box for x in images if (box := bounds(x.handle, x.place, frame))]
    about = doubts_about(notes, texts, pictures)
    lost = lost_signs(page, painted, frame, fonts)
    if prints:
        count_read(prints, number, lost)
    letters = Counter[int]()
    for piece in words:
        letters[piece[0].font.turn] += len(piece)
    aslant = letters.pop(-1, 0)
    turns = sorted(letters, key=lambda turn: (-letters[turn], turn)) or [0]
    doubts = [*([_ASLANT] if aslant else []), *seen.doubts]
    if are_crossed_out(printed, drawn.lines, drawn.covers, frame.size):
        doubts.append(CROSSED_OUT)
    main, *insets = (_cells(number, words, drawn, frame.size, turn) for turn in turns)
    return replace(
        main,
        words=(*main.words, *lost),
        insets=tuple(insets),
        doubts=(*doubts, *drawn.doubts),
        hidden=tuple(seen.hidden),
        gone=tuple(seen.gone),
        notes=tuple(about),
        signs=signs_of(page, words),
        unmapped=sum(word.text == UNREADABLE for word in lost)
        + sum(not char.is_mapped for piece in words for char in piece),
    )


def _cells(
    number: int,
    pieces: Sequence[Sequence[Character]],
    drawn: Drawings,
    size: tuple[float, float],
    turn: int,
) -> PageCells:
    words, raised, cut = [], [], []
    for place, piece in enumerate(pieces):
        font = piece[0].font
        text = mend_accents(clean_line("".join(character.text for character in piece)))
        if font.turn == turn and text:
            box = union(character.box for character in piece)
            after_blank = piece[0].after_blank
            base = piece[0].base
            words.append(Word(text, box, font.size, font.bold, font.name, place, after_blank, base))
            pairs = itertools.pairwise(piece)
            if any(_may_be_raised(*pair) for pair in pairs) or _touches(pieces, place):
                raised.append(box)
            if any(character.is_cut for character in piece):
                cut.append(box)
    return PageCells(
        number,
        *(size[::-1] if turn in (90, 270) else size),
        tuple(words),
        tuple(Rule(upright(rule.box, size, turn)) for rule in drawn.rules),
        turn=turn,
        drawn=tuple(upright(box, size, turn) for box in drawn.art),
        frames=tuple(upright(box, size, turn) for box in drawn.frames),
        raised=tuple(raised),
        cut=tuple(cut),
    )


@dataclass(frozen=True)
class _Seen:
    """The words that a reader sees, and the displayed boxes of what was left out.

    `gone` are the boxes of struck or covered words among others, for which a mark stands.
    """

    pieces: Sequence[list[Character]]
    hidden: Sequence[Box] = ()
    gone: Sequence[Box] = ()
    doubts: Iterable[Doubt] = ()


def _seen(
    page: Any,
    frame: Frame,
    pieces: Sequence[list[Character]],
    painted: Sequence[Painted],
    drawn: Drawings,
    notes: Sequence[Annotation],
) -> _Seen:
    """Return the words that a reader sees and that are not struck through.

    A word that is seen in part, or struck through, is replaced by `UNREADABLE`.
    """
    suspect = {at for at, piece in enumerate(pieces) if any(c.font.suspect for c in piece)}
    first = min((piece[0].font.place for piece in pieces), default=0)
    above = ((len(painted), note.box) for note in notes if note.care is not Care.EMPTY)
    late = [*(cover for cover in drawn.covers if cover[0] > first), *above]
    words = [(piece[0].font.place, displayed(piece, frame.size)) for piece in pieces if late]
    over = covered(words, late) if late else set()
    suspect = {at for at in suspect | over if all(c.font.place >= 0 for c in pieces[at])}
    boxes = [box for note in notes for box in note.struck]
    by_hand = ((len(painted), line) for note in notes for line in note.strokes)
    crossed = struck(pieces, boxes, [*drawn.lines, *by_hand], drawn.covers, frame.size)
    if not suspect | crossed:
        return _Seen(pieces)
    visible = _visible(
        page,
        frame,
        [char for at in sorted(suspect) for char in pieces[at]],
        painted,
        {char.font.place for piece in pieces for char in piece},
    )
    rest: list[list[Character]] = []
    gone, covered_whole = set(), set()
    hidden: list[Box] = []
    doubts: dict[Doubt, None] = {}
    for at, piece in enumerate(pieces):
        letters = [char for char in piece if char.text.isalnum()]
        seen = {visible.get(id(char), True) for char in letters or piece}
        if at in crossed or seen == {False}:
            hidden.append(displayed(piece, frame.size))
            if at not in crossed and letters:  # no doubt for bullets
                doubts[UNSEEN] = None
            if at in crossed or (at in over and letters):
                gone.add(len(rest))
                covered_whole |= {len(rest)} - ({len(rest)} if at in crossed else set())
                rest.append(piece)
        elif seen == {True}:
            rest.append(piece)
        else:
            box = union(char.box for char in piece)
            rest.append([replace(piece[0], text=UNREADABLE, box=box)])
            doubts |= {PARTLY_SEEN: None} if letters else {}
    kept = list(withheld(rest, gone, covered_whole))
    marks = [displayed(piece, frame.size) for piece, is_mark in kept if is_mark]
    return _Seen([piece for piece, _ in kept], [*hidden, *marks], marks, doubts)


def _visible(
    page: Any,
    frame: Frame,
    suspects: Sequence[Character],
    painted: Sequence[Painted],
    read: Container[int],
) -> dict[int, bool | None]:
    """Tell whether each character, by its id, is seen; `read` are the places of all texts."""
    if not suspects:
        return {}
    doubles = [o for at, o in enumerate(painted) if o.kind == _TEXT and at not in read]
    marks = [(painted[char.font.place], displayed([char], frame.size)) for char in suspects]
    return dict(zip(map(id, suspects), are_seen(page, marks, doubles), strict=True))


def _noted(page: Any, number: int, frame: Frame) -> list[list[Character]]:
    """Return the words of a page's text boxes and form fields."""
    with shown_alone(page, number) as alone:
        given = characters(alone, frame, (), {}) if alone else ()
        return list(pieces(_on_page(given, frame.size)))


def _on_page(
    given: Iterable[Character | str], size: tuple[float, float]
) -> Iterator[Character | str]:
    """Yield blanks and what is painted on the page, marked where its text runs off the edge."""
    shown = [c for c in given if isinstance(c, str) or (c.font.shown and c.font.size >= 1)]
    printed = [character for character in shown if not isinstance(character, str)]
    off = {id(character): _is_off(character, size) for character in printed}
    cut = set()
    for before, after in itertools.pairwise(printed):
        (left, was_below), (leaves, is_below) = off[id(before)], off[id(after)]
        is_edge = (left or was_below) != (leaves or is_below)
        if is_edge and _runs_on(before, after, is_below=was_below or is_below):
            cut |= {id(before), id(after)}
    for character in shown:
        if isinstance(character, str):
            yield character
        elif not any(off[id(character)]):
            yield replace(character, is_cut=True) if id(character) in cut else character


def _is_off(character: Character, size: tuple[float, float]) -> tuple[bool, bool]:
    """Tell whether a character is off the page at the side, and above or below it."""
    across, down = size[::-1] if character.font.turn in (90, 270) else size
    x, y = middle(character.box)
    return not 0 <= x <= across, not 0 <= y <= down


def _runs_on(before: Character, after: Character, *, is_below: bool) -> bool:
    """Tell whether text goes on over the page's edge: in its line, or `is_below` in the next."""
    apart = abs(before.base - after.base)
    is_next = is_below and before.font.turn == after.font.turn
    return goes_on(before, after, _RUN_ON) or (is_next and apart <= _LEADING * before.font.size)


def _laps(before: Sequence[Character], piece: Sequence[Character]) -> bool:
    """Tell whether two successive words are printed over each other."""
    last, first = before[-1], piece[0]
    if not (last.text.isalnum() and first.text.isalnum()):
        return False  # accents that TeX sets apart
    across = last.box[2] - first.box[0] > LAPPED * last.font.size
    shared = overlap(last.box[1], last.box[3], first.box[1], first.box[3])
    return across and shared >= 0.6 * min(height(last.box), height(first.box))


def _may_be_raised(before: Character, character: Character) -> bool:
    """Tell whether a digit differs a little, in baseline or size, from the one before it."""
    if not (before.text.isdigit() and character.text.isdigit()):
        return False
    size, next_size = before.font.size, character.font.size
    return before.base - character.base > _HARDLY * size or next_size < (1 - _HARDLY) * size


def _touches(pieces: Sequence[Sequence[Character]], place: int) -> bool:
    """Tell whether a word of smaller digits touches the number before it, hardly raised."""
    before, first = pieces[place - 1][-1], pieces[place][0]
    if place == 0 or not (before.text.isdigit() and first.text.isdigit()):
        return False
    size = before.font.size
    is_near = abs(first.box[0] - before.box[2]) < TOUCHING * size and not first.after_blank
    is_smaller = first.font.size < (1 - _HARDLY) * size
    return is_near and is_smaller and abs(before.base - first.base) <= RAISED * size
