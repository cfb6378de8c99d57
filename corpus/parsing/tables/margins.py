"""Find a narrow column of grades or ages in the margin beside text, and put it to its lines.

Grades and levels of evidence (`2++`, `Grade A`) become notes below the text that they stand beside.
An age or a group of patients limits the text, so it stands before it where it begins beside its
first line, and where it doesn't, the text is in doubt. A column with anything else in it, such as
section numbers or the labels of a table, stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.parsing.geometry import overlap, width
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.runs import Line
from corpus.parsing.tables.aligned import IN_COLUMNS
from corpus.parsing.types import BlockKind, Box

_SIGNED = r"[1-4](?:\+{1,2}|[-−–]{1,2})"
_ANY = rf"(?:{_SIGNED}|[1-5][a-d]?|[A-D][+-]?|I{{1,3}}[ab]?|IV|GPP|R)"
_CALLED = r"(?:(?i:grade|level|class|evidence|strength|LOE|SOR)s?(?:\s+of\s+\w+)?\W{0,3})"
_GRADE = re.compile(
    rf"^(?:{_CALLED}{{0,3}}{_ANY}(?:\s*[,/]?\s*{_ANY}){{0,3}}"
    r"|(?i:(?:very )?low|moderate|high|strong|weak|conditional)|[⊕⊝⨁◯+]{2,4})$"
)
# Pure figures may number sections or items: a column must have one of these to be of grades.
_CERTAIN = re.compile(rf"{_SIGNED}|{_CALLED}|GPP|[⊕⊝⨁◯]|\b[A-D]\b|\bI{{1,3}}[ab]\b")
_SPAN = r"\d{1,3}(?:\s*(?:-|–|to)\s*\d{1,3}|\+)?\s*(?:y|yrs?|years?|m|months?|w|weeks?|d|days?)"
_AGE = re.compile(
    rf"^(?:(?:[<>≤≥]|under|over|from|up to)?\s*{_SPAN}(?:\s+(?:and|or) (?:over|older|under))?"
    r"|(?:all )?(?:adults?|children|child|infants?|neonates?|adolescents?|elderly|all ages))$",
    re.I,
)
_LONG = 0.55  # of the width of all text: a line of running text
_LINES = 4  # of running text, at least
_BODY = 0.8  # of its lines begin, or end, within the column that most begin with
_NOTES = 2  # at least, in one margin
_GAP = 4.0  # points between a note and the column
_SAME = 3.0  # points between left edges of one column


@dataclass(frozen=True)
class Margins:
    """The runs of a page without the notes in its margins, and these from the top down."""

    runs: list[Line]
    notes: tuple[Line, ...]


def find_margins(runs: Sequence[Line], solids: Sequence[Box]) -> Margins:
    """Take the notes in the margins out of a page's runs; none is one beside a table or figure."""
    column = _column(runs)
    if column is None:
        return Margins(list(runs), ())
    left, right = column
    apart = [part for run in runs for part in _parted(run, left)]
    notes: list[Line] = []
    for is_left in (True, False):
        beside = [
            run for run in apart
            if (run.box[2] <= left - _GAP if is_left else run.box[0] >= right + _GAP)
        ]  # fmt: skip
        is_free = not any(_level(run.box, box) for run in beside for box in solids)
        notes += beside if is_free and _are_notes(beside) else []
    if not notes:
        return Margins(list(runs), ())
    gone = set(map(id, notes))
    rest = [run for run in apart if id(run) not in gone]
    return Margins(rest, tuple(sorted(notes, key=lambda note: note.box[1])))


def _column(runs: Sequence[Line]) -> tuple[float, float] | None:
    """Return the edges of the page's one column of running text; None if there is none."""
    if not runs:
        return None
    whole = max(r.box[2] for r in runs) - min(r.box[0] for r in runs)
    long = [run for run in runs if width(run.box) >= _LONG * whole]
    if len(long) < _LINES:
        return None
    # The text may begin on the same line as a note, with the width of a blank between them.
    starts = Counter(round(word.box[0] / _SAME) for run in long for word in run.words[:3])
    count = max(starts.values())
    if count < _BODY * len(long):
        return None
    at = min(place for place, number in starts.items() if number == count)
    firsts = [w.box[0] for run in long for w in run.words[:3] if round(w.box[0] / _SAME) == at]
    return min(firsts), max(run.box[2] for run in long)


def _parted(run: Line, left: float) -> list[Line]:
    """Divide a run at the left edge of the column where a note stands close before it."""
    for at, word in enumerate(run.words[:4]):
        if at and abs(word.box[0] - left) <= _SAME:
            note, text = Line(run.words[:at]), Line(run.words[at:])
            gap = word.box[0] - run.words[at - 1].box[2]
            is_note = _GRADE.match(note.text) or _AGE.match(note.text)
            return [note, text] if is_note and gap >= _GAP else [run]
    return [run]


def _are_notes(runs: Sequence[Line]) -> bool:
    texts = [run.text.strip("[](){} ") for run in runs]
    if len(texts) < _NOTES:
        return False
    if all(map(_AGE.match, texts)):
        return True
    if texts == list("ABCD")[: len(texts)]:
        return False  # steps: airway, breathing
    return all(map(_GRADE.match, texts)) and any(map(_CERTAIN.search, texts))


def put_notes(parts: Sequence[Part], notes: Sequence[Line]) -> list[Part]:
    """Return the parts with each note at the text that it stands beside."""
    placed = list(parts)
    for note in notes:
        groups = [part for part in placed if isinstance(part, Group) and part.lines[0] is not note]
        if not groups:
            made = Group(BlockKind.FOOTNOTE, [note], note.box[0], note.box, stands_alone=True)
            placed.append(made)
            continue
        beside = max(groups, key=lambda group: (_level(note.box, group.box), -_off(note, group)))
        first = beside.lines[0]
        if _AGE.match(note.text):
            if _level(note.box, first.box) > 0:
                beside.lines.insert(0, note)
                continue
            beside.doubts += [] if IN_COLUMNS in beside.doubts else [IN_COLUMNS]
        at = next(index for index, part in enumerate(placed) if part is beside) + 1
        while at < len(placed) and _is_note_of(placed[at], notes):
            at += 1
        made = Group(BlockKind.FOOTNOTE, [note], note.box[0], beside.column, stands_alone=True)
        placed.insert(at, made)
    return placed


def _is_note_of(part: Part, notes: Sequence[Line]) -> bool:
    return isinstance(part, Group) and any(part.lines[0] is note for note in notes)


def _level(box: Box, other: Box) -> float:
    """Return over how many points two boxes stand beside each other."""
    return overlap(box[1], box[3], other[1], other[3])


def _off(note: Line, group: Group) -> float:
    return abs(note.box[1] - group.box[1])
