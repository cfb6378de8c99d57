"""Join words to runs (neighbours on one printed line), and runs to lines."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from corpus.parsing.clean import mend_accents
from corpus.parsing.geometry import (
    Rule,
    Word,
    height,
    middle,
    overlap,
    same_row,
    typical_size,
    union,
    width,
)
from corpus.parsing.layout.joining import mend_numbers
from corpus.parsing.lists import list_marker
from corpus.parsing.types import Box

# A gap of this many font heights ends a run. Justified text stretches blanks to about 0.8, gutters
# between columns start at about 1.2.
RUN_GAP = 0.95
# The widest gap in a run between words that do not follow each other in the file: words of two
# columns may be no further apart than justified words.
APART_GAP = 0.45
STRETCHED = 2.5  # font heights that a blank of a justified line has at most
MARKER_GAP = 4.0  # font heights between a list's marker and its text
NEXT = 3  # places; a raised mark may be written between two words
_OVERLAP = 0.6  # font heights that a word may reach into the one before it
_LAPPED = 0.3  # font heights that a word of one line reaches into the next at most
_BAND = 12.0  # points: words are sought in the level strips of a page that they reach into
_MAX_BANDS = 200  # that a word reaches into; no letter is as tall
_MAX_NEAR = 200  # words looked at beside another; more are printed over each other
RAISED = 0.1  # font heights above the baseline; more is a mark or a power, whatever its size
_RAISED_SMALL = 0.05  # the same for clearly smaller digits
_CLEARLY_RAISED = 0.2  # font heights above the baseline, where a blank stands before a mark
_MARKS = re.compile(r"\d{1,3}(?:[,–-]\d{1,3})*")
TOUCHING = 0.11  # font heights; less than this between two words is no blank
_RAISED = str.maketrans(
    "0123456789+-−–abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)

# The words that reach into a level strip of the page, from left to right: the left edge, the font
# height, and the place in the order of all words.
_Band = list[tuple[float, float, int]]


@dataclass(frozen=True)
class Line:
    """Words on one printed line, from left to right."""

    words: tuple[Word, ...]

    @cached_property
    def box(self) -> Box:
        return union(word.box for word in self.words)

    @cached_property
    def size(self) -> float:
        return typical_size(self.words)

    @cached_property
    def bold(self) -> bool:
        letters = [word for word in self.words if any(c.isalnum() for c in word.text)]
        return bool(letters) and all(word.bold for word in letters)

    @cached_property
    def text(self) -> str:
        base = self.words[0]  # the last word that is not raised
        parts = [base.text]
        if len(self.words) > 1 and _begins_raised(base, self.words[1]):
            base, parts = self.words[1], [raise_text(base.text) or base.text]
        for before, word in zip(self.words, self.words[1:], strict=False):
            joint = _joint(before, word)
            # An exponent or a note's mark: 10⁹ must not be read as 109. Behind a blank only another
            # mark: `¹⁶⁵ ¹⁶⁶`.
            is_mark = not joint or (before is not base and word.size <= 1.05 * before.size)
            is_mark = is_mark or _is_set_off(base, word)
            raised = raise_mark(word.text) if is_mark and _is_raised(word, base) else None
            if raised and not joint and before is not base and _are_numbers(before, word):
                joint = " "
            base = base if raised else word
            parts += [joint, raised or word.text]
        return mend_numbers(mend_accents("".join(parts)))


def _is_raised(word: Word, base: Word) -> bool:
    """Tell whether a word is printed above the baseline of another.

    Of digits and their minus the baseline decides, if it is known, whatever their size.
    """
    is_figure = (word.text.lstrip("+-−–")[:1] or "1").isdigit()
    if word.base is not None and base.base is not None and is_figure:
        least = RAISED if word.size >= 0.85 * base.size else _RAISED_SMALL
        return word.size <= 1.05 * base.size and base.base - word.base > least * base.size
    return word.size < 0.85 * base.size and word.box[3] < base.box[3] - 0.2 * base.size


def _is_set_off(base: Word, word: Word) -> bool:
    """Tell whether a number is clearly small and high behind a blank: `calories ¹⁶⁵`.

    Behind a number it may be a fraction: `2 ¹/₂`.
    """
    if base.base is None or word.base is None or not _MARKS.fullmatch(word.text):
        return False
    is_near = word.box[0] - base.box[2] <= APART_GAP * base.size
    is_high = base.base - word.base >= _CLEARLY_RAISED * base.size
    return is_near and is_high and word.size < 0.85 * base.size and base.text[-1].isalpha()


def _are_numbers(before: Word, word: Word) -> bool:
    return before.text[-1:].isdigit() and word.text[:1].isdigit()


def _begins_raised(word: Word, after: Word) -> bool:
    """Tell whether the first word of a line is a footnote's mark: `² Once a week`."""
    is_small = word.size < 0.85 * after.size
    return is_small and word.text.isdigit() and _is_raised(word, after)


def _joint(before: Word, word: Word) -> str:
    """Return the blank between two words of a line, or nothing.

    Slanted letters reach over the blank behind them, so a blank in the file counts between words of
    about one size. Otherwise, as for a raised mark, the gap decides.
    """
    follows = word.place == before.place + 1 and word.after_blank
    if follows and 0.85 * before.size <= word.size <= before.size / 0.85:
        return " "
    gap = word.box[0] - before.box[2]
    return "" if gap < TOUCHING * max(before.size, word.size) else " "


def raise_text(text: str) -> str | None:
    """Return figures, signs or one letter as Unicode superscripts; None where there are none."""
    raisable = all(ord(c) in _RAISED for c in text) and (len(text) == 1 or not text.isalpha())
    return text.translate(_RAISED) if text and raisable else None


def raise_mark(text: str) -> str | None:
    """Return a text as superscripts, or behind a caret if figures (`1,2`) have none; else None."""
    return raise_text(text) or (f"^{text}" if text[:1].isdigit() or text[:1] in "+-−–" else None)


def link_runs(words: Sequence[Word], rules: Sequence[Rule] = ()) -> list[Line]:
    """Join each word to its right neighbour, unless a wide gap or an upright rule divides them.

    Returns runs from the top down, then from the left. Only neighbours are compared, so that lines
    of two columns whose baselines differ never become one. Lines printed over each other are told
    apart by the order of the file.
    """
    runs = _linked(words, rules, frozenset())
    over = printed_over(runs)
    runs = _linked(words, rules, over) if over else runs
    return sorted(_justified(_with_markers(runs)), key=lambda run: (run.box[1], run.box[0]))


def printed_over(runs: Sequence[Line]) -> frozenset[int]:
    """Return the ids of all words in rows where runs are printed over each other."""
    lapped = [run for run in runs if any(_laps(*pair) for pair in itertools.pairwise(run.words))]
    strips: dict[int, list[Line]] = {}
    printed = (run for run in runs if any(map(str.isalnum, run.text)))
    for run in sorted(printed, key=lambda run: run.box[0]):
        for number in _reached(run.box):
            strips.setdefault(number, []).append(run)
    for strip in strips.values():
        for at, run in enumerate(strip):
            for other in itertools.islice(strip, at + 1, at + 1 + _MAX_NEAR):
                if other.box[0] >= run.box[2]:
                    break
                if _crossing(run, other) and same_row(run.box, other.box):
                    lapped += [run, other]
    bands = _merged((run.box[1], run.box[3]) for run in lapped)
    inside = set()
    for word in (word for run in runs for word in run.words) if bands else ():
        at = bisect_right(bands, y := middle(word.box)[1], key=itemgetter(0))
        if at > 0 and y <= bands[at - 1][1]:
            inside.add(id(word))
    return frozenset(inside)


def _merged(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return spans in rising order, those that touch merged."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _laps(word: Word, other: Word) -> bool:
    if not all(any(map(str.isalnum, text)) for text in (word.text, other.text)):
        return False  # accents that TeX sets apart
    return word.box[2] - other.box[0] > _LAPPED * min(word.size, other.size)


def _linked(words: Sequence[Word], rules: Sequence[Rule], over: frozenset[int]) -> list[Line]:
    """Return the runs; words with ids in `over` are joined in the order of the file only."""
    order = sorted(range(len(words)), key=lambda i: (words[i].box[0], words[i].box[1], i))
    uprights = sorted((rule.box for rule in rules if not rule.horizontal), key=itemgetter(0))
    bands: dict[int, _Band] = {}
    for place, index in enumerate(order):
        word = words[index]
        for number in _reached(word.box):
            bands.setdefault(number, []).append((word.box[0], word.size, place))
    follows: dict[int, int] = {}
    taken: set[int] = set()
    for place, index in enumerate(order):
        near = (at for at in _near(words[index], place, bands) if order[at] not in taken)
        fitting = [at for at in near if _is_right_of(words[index], words[order[at]], uprights)]
        if over and (
            id(words[index]) in over or any(id(words[order[at]]) in over for at in fitting)
        ):
            fitting = [at for at in fitting if _is_next(words[index], words[order[at]])]
        if fitting:
            follows[index] = order[min(fitting)]
            taken.add(follows[index])
    runs = []
    for index in order:
        if index not in taken:
            chain = [index]
            while chain[-1] in follows:
                chain.append(follows[chain[-1]])
            runs.append(Line(tuple(words[i] for i in chain)))
    return runs


def _with_markers(runs: Sequence[Line]) -> list[Line]:
    """Join a list marker that stands alone to the run that follows it on the same line.

    Of `1.5 2.5 4` none is a marker: numbers in a row are values.
    """
    by_place = {run.words[0].place: run for run in runs}
    found: list[tuple[Line, Line]] = []
    for run in runs:
        if len(run.words) > 2 or list_marker(run.text) != run.text:
            continue
        text = by_place.get(run.words[-1].place + 1) if run.words[-1].place >= 0 else None
        gap = text.box[0] - run.box[2] if text else -1.0
        if text and 0 <= gap <= MARKER_GAP * run.size and same_row(run.box, text.box):
            found.append((run, text))
    markers, texts = ({id(pair[at]) for pair in found} for at in (0, 1))
    joined = {
        id(run): (run, text)
        for run, text in found
        if id(run) not in texts and id(text) not in markers
    }
    taken = {id(text) for _, text in joined.values()}
    return [
        Line(tuple(word for line in joined.get(id(run), (run,)) for word in line.words))
        for run in runs
        if id(run) not in taken
    ]


def _justified(runs: Sequence[Line]) -> list[Line]:
    """Join runs that are one justified line.

    All blanks of such a line are equally wide, while gaps between cells differ from blanks within
    them.
    """
    in_order = sorted(
        (run for run in runs if run.words[0].place >= 0), key=lambda r: r.words[0].place
    )
    chains: list[list[Line]] = []
    for run in in_order:
        before = chains[-1][-1] if chains else run
        gap = run.box[0] - before.box[2]
        follows = run.words[0].place == before.words[-1].place + 1
        near = follows and 0 < gap <= STRETCHED * before.size
        if near and same_row(before.box, run.box):
            chains[-1].append(run)
        else:
            chains.append([run])
    free = [run for run in runs if run.words[0].place < 0]
    for chain in chains:
        whole = Line(tuple(word for run in chain for word in run.words))
        gaps = [after.box[0] - word.box[2] for word, after in itertools.pairwise(whole.words)]
        is_even = len(gaps) >= 3 and max(gaps) <= 1.15 * min(gaps) + 0.3
        free += [whole] if len(chain) > 1 and is_even else chain
    return free


def _reached(box: Box) -> range:
    first = int(box[1] // _BAND)
    return range(first, min(int(box[3] // _BAND), first + _MAX_BANDS) + 1)


def _near(word: Word, place: int, bands: dict[int, _Band]) -> Iterator[int]:
    """Yield the places of words right of a word, in the strips of the page that it reaches into."""
    limit = word.box[2] + RUN_GAP * word.size
    for number in _reached(word.box):
        band = bands[number]
        start = bisect_left(band, word.box[2] - _OVERLAP * word.size, key=itemgetter(0))
        for left, size, other in band[start : start + _MAX_NEAR]:
            if left > limit + size:
                break
            if other > place:
                yield other


def _is_right_of(word: Word, other: Word, uprights: Sequence[Box]) -> bool:
    """Tell whether `other` follows `word` on one line: near enough, with no rule between them.

    `uprights` are ordered from left to right.
    """
    gap = other.box[0] - word.box[2]
    reach = RUN_GAP if _is_next(word, other) else APART_GAP
    near = -_OVERLAP * word.size <= gap <= reach * max(word.size, other.size)
    if not near or not same_row(word.box, other.box):
        return False
    first = bisect_left(uprights, word.box[2] - 1, key=itemgetter(0))
    last = bisect_right(uprights, other.box[0] + 1, key=itemgetter(0))
    between = uprights[first : max(first, last)]
    return not any(overlap(rule[1], rule[3], word.box[1], word.box[3]) > 1 for rule in between)


def _is_next(word: Word, other: Word) -> bool:
    """Tell whether the file writes `other` soon after `word`; True where the order is unknown."""
    return word.place < 0 or other.place < 0 or 0 < other.place - word.place <= NEXT


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Group lines that stand side by side: rows from the top down, each from left to right."""

    def left(line: Line) -> float:
        return line.box[0]

    rows: list[list[Line]] = []
    latest: list[Line] = []  # of the last row, as they came
    for line in sorted(lines, key=lambda item: ((item.box[1] + item.box[3]) / 2, item.box[0])):
        # The last line first: it is usually the neighbour, and a row may hold many.
        is_beside = any(
            same_row(line.box, other.box) and not _crossing(line, other)
            for other in reversed(latest)
        )
        # The lines of one cell may stand between the lines of another in height.
        at = bisect_left(rows[-1], line.box[0], key=left) if is_beside else 0
        near = rows[-1][max(0, at - 2) : at + 2] if is_beside else ()
        if is_beside and not any(_crossing(line, other) for other in near):
            insort(rows[-1], line, key=left)
            latest.append(line)
        else:
            rows.append([line])
            latest = [line]
    return rows


def _crossing(line: Line, other: Line) -> bool:
    """Tell whether two lines share half of the narrower one's width, one above the other."""
    shared = overlap(line.box[0], line.box[2], other.box[0], other.box[2])
    return shared >= 0.5 * min(width(line.box), width(other.box))


def without(lines: Iterable[Line], taken: Iterable[Line]) -> list[Line]:
    """Return the lines that are not in `taken`, compared by identity."""
    names = set(map(id, taken))
    return [line for line in lines if id(line) not in names]


def merge_row(row: Sequence[Line]) -> Line:
    """Merge the lines of a row to one line, its words from left to right."""
    words = [word for line in row for word in line.words]
    return Line(tuple(sorted(words, key=lambda word: word.box[0])))


def lines_of(words: Sequence[Word]) -> list[Line]:
    """Return the printed lines of words, from the top down."""
    return [merge_row(row) for row in rows_of(link_runs(words))]


def pitch_of(lines: Sequence[Line]) -> float:
    """Return the median distance between the bottoms of successive lines, in points.

    1.2 times the font size where no lines follow each other.
    """
    steps = sorted(
        below.box[3] - above.box[3]
        for above, below in itertools.pairwise(lines)
        if 0 < below.box[3] - above.box[3] < 3 * height(above.box)
    )
    return steps[len(steps) // 2] if steps else 1.2 * (lines[0].size if lines else 10.0)
