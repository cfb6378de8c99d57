"""Find the title of a document on its first page, and the names of authors below it.

Names and addresses below the title are not headings. Blocks of them set side by side are read one
after the other.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from core.language.en.titles import is_organisation, is_section, may_name, names_subject
from core.language.words import sentences
from corpus.parsing.geometry import overlap, same_row
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.runs import Line
from corpus.parsing.layout.styles import LARGER, heading_depth
from corpus.parsing.types import BlockKind, Doubt

_PART = r"(?:[A-Z][\w.'’-]*|de|van|von|der|la|bin|al)"
_NAME = rf"{_PART}(?:\s+{_PART}){{1,4}}"
_MARKS = r"[\s*†‡§¹²³⁴-⁹\d,]*"
_NAMES = re.compile(rf"^{_NAME}{_MARKS}(?:(?:,|;|\band\b|&)\s*{_NAME}{_MARKS}){{2,}}$")
_MARKED = re.compile(rf"^{_NAME}\s?[*†‡§¹²³⁴-⁹]")
_CENTRED = 3.0  # points between the middles of lines of one column


def without_bylines(parts: Sequence[Part]) -> list[Part]:
    """Turn headings of the first page that are names of authors into paragraphs.

    Only the headings right after the first one are tried, up to the first that is no name. Changes
    the groups in place.
    """
    groups = [part for part in parts if isinstance(part, Group)]
    headings = [
        (group, below)
        for group, below in itertools.pairwise([*groups, None])
        if group is not None and group.kind is BlockKind.HEADING
    ]
    for heading, below in headings[1:]:
        first, text = heading.lines[0], heading.text
        if heading_depth(text) is not None or first.size >= headings[0][0].lines[0].size:
            break
        beside = any(o is not heading and same_row(first.box, o.lines[0].box) for o, _ in headings)
        above, under = first.box, below.lines[0].box if below else first.box
        off = abs((above[0] + above[2]) - (under[0] + under[2]))
        # A name centred over an address, and no heading over its text.
        centred = beside and off < 2 * _CENTRED < 2 * abs(above[0] - under[0])
        if not (_NAMES.match(text) or _MARKED.match(text) or centred):
            break
        heading.kind = BlockKind.PARAGRAPH
    return list(parts)


def side_by_side(rows: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return rows in reading order, with centred lines side by side read column by column.

    Lines that begin at common left edges stay in rows: they may be labels and their values.
    """
    ordered: list[list[Line]] = []
    stretch: list[Sequence[Line]] = []
    for row in [*rows, []]:
        if row and stretch and _in_columns(stretch[-1], row):
            stretch.append(row)
            continue
        if len(stretch) > 1:
            ordered += [[run] for column in zip(*stretch, strict=True) for run in column]
        else:
            ordered += [list(above) for above in stretch]
        stretch = [row]
    return ordered


def _in_columns(above: Sequence[Line], row: Sequence[Line]) -> bool:
    if len(row) != len(above) or len(row) < 2:
        return False
    if row[0].box[1] - above[0].box[3] > 2 * row[0].size:
        return False
    middles = [
        abs((a.box[0] + a.box[2]) - (b.box[0] + b.box[2])) < 2 * _CENTRED
        for a, b in zip(above, row, strict=True)
    ]
    lefts = [abs(a.box[0] - b.box[0]) < _CENTRED for a, b in zip(above, row, strict=True)]
    apart = all(
        overlap(a.box[0], a.box[2], b.box[0], b.box[2]) == 0
        for a, b in [*zip(above, row[1:], strict=False), *itertools.pairwise(row)]
    )
    return all(middles) and not all(lefts) and apart


TITLE_GUESSED = Doubt(
    "title_guessed",
    "This was taken for the document's title by its size alone. Check the title.",
)
_MAX_CHARS = 300
_LARGE = 0.5  # of the largest print on the page
_LARGER = 1.05  # times the usual print on it
_WORD = re.compile(r"[^\W\d_]{3,}")
_OFTEN = 3  # times that other pages use a word of the document's subject
_SURE = 0.5  # share of a title's words that metadata or other pages confirm
_FULL = 6  # words: a shorter title scores less
_FRONT = 3  # pages with text that a title is sought on
_NEAR = 1.5  # times the larger print: the gap between two lines of a title
_LIKE = 0.55  # of the larger print, that of the smaller
_ADDRESS = re.compile(r"@|\bwww\.|https?:|\b(?:doi|isbn|issn)\b", re.I)


def join_title(pages: Sequence[list[Part]], named: str) -> Group | None:
    """Return the title as one group, which it becomes on its page, too; None if there is none."""
    groups = find_title([[p for p in page if isinstance(p, Group)] for page in pages], named)
    whole, *others = groups or (None,)
    if whole is None or not others:
        return whole
    whole.kind, gone = BlockKind.HEADING, set(map(id, others))
    for group in filter(None, others):
        whole.lines += group.lines
        whole.doubts += [doubt for doubt in group.doubts if doubt not in whole.doubts]
    for page in pages:
        page[:] = [part for part in page if id(part) not in gone]
    return whole


def find_title(pages: Sequence[Sequence[Group]], named: str) -> tuple[Group, ...]:
    """Return the groups that are the title together, in order; empty if no group fits.

    They stand on the first page with text, or without `named` on the first of three that has some,
    since a cover may be a picture. To the group that is chosen `_set_together` adds others.

    `named` is the title in the metadata. A group's score is half its size relative to the largest,
    plus its overlap with `named`, plus half the share of its words that the other pages use three
    times or more, plus 0.3 times its length, full at six words. Set on 26 guidelines of 14 issuers.
    The title gets the doubt `title_guessed` unless it is the one largest heading, or `named` or the
    other pages confirm half of its words.
    """
    first, groups = _candidates(pages, named)
    if not groups:
        return ()
    largest = max(_size(group) for group in groups)
    others = (group.text for page in pages for group in page if page is not first)
    occurrences = Counter(word for text in others for word in _words(text))

    def repeated(group: Group) -> float:
        words = set(_words(group.text))
        return sum(occurrences[word] >= _OFTEN for word in words) / len(words)

    def score(group: Group) -> float:
        length = min(len(_words(group.text)), _FULL) / _FULL
        likeness = _shared(group, named) + 0.5 * repeated(group)
        return round(0.5 * _size(group) / largest + likeness + 0.3 * length, 6)

    best = max(groups, key=lambda group: (score(group), -group.lines[0].box[1]))
    alone = best.kind is BlockKind.HEADING and sum(_size(g) >= _size(best) for g in groups) == 1
    if not alone and max(_shared(best, named), repeated(best)) < _SURE:
        best.doubts.append(TITLE_GUESSED)
    return tuple(_set_together(best, first))


def _candidates(
    pages: Sequence[Sequence[Group]], named: str
) -> tuple[Sequence[Group], Sequence[Group]]:
    """Return the first page that has groups which may be the title, and these."""
    for page in [page for page in pages if page][: 1 if named else _FRONT]:
        if groups := [group for group in page if _may_be_title(group, page, named)]:
            return page, groups
    return (), ()


def _set_together(best: Group, page: Sequence[Group]) -> list[Group]:
    """Return a title's first choice with the lines right above and below that belong to it.

    Above, that is what a series or an issuer isn't; below, what stands nearer to the title than to
    the text that follows, which it would be the heading of.
    """
    at = next(index for index, group in enumerate(page) if group is best)
    usual = _usual(page)
    title = [best]
    if best.kind is not BlockKind.HEADING or heading_depth(best.text) is not None:
        return title
    for group in reversed(page[:at]):
        if not (names_subject(group.text) and _goes_with(group, title[0], usual)):
            break
        title.insert(0, group)
    for index in range(at + 1, len(page)):
        group, follows = page[index], page[index + 1 : index + 2]
        gap = group.box[1] - title[-1].box[3]
        is_head = any(-1 < below.box[1] - group.box[3] < gap for below in follows)
        if is_head or not _goes_with(title[-1], group, usual, other=group):
            break
        title.append(group)
    return title if sum(len(group.text) for group in title) <= _MAX_CHARS else [best]


def _goes_with(upper: Group, lower: Group, usual: float, other: Group | None = None) -> bool:
    """Tell whether two groups are lines of one title; `other` is the one to be added."""
    other, sizes = other or upper, sorted((_size(upper), _size(lower)))
    gap = lower.box[1] - upper.box[3]
    if not (-0.5 * sizes[0] <= gap <= _NEAR * sizes[1] and sizes[0] >= _LIKE * sizes[1]):
        return False
    if other.kind is not BlockKind.HEADING and not (
        other.kind is BlockKind.PARAGRAPH
        and len(other.lines) <= 2
        and _size(other) > LARGER * usual
    ):
        return False
    text = other.text.rstrip()
    if heading_depth(text) is not None or text.endswith((".", ":", ";")) or _ADDRESS.search(text):
        return False
    is_apart = (
        is_section(text) or is_organisation(text) or _NAMES.match(text) or _MARKED.match(text)
    )
    is_issue = not names_subject(text) and any(map(str.isdigit, text))
    across = overlap(upper.box[0], upper.box[2], lower.box[0], lower.box[2])
    return not is_apart and not is_issue and across > 0 and not other.stands_alone


def _may_be_title(group: Group, page: Sequence[Group], named: str) -> bool:
    """Tell whether a group may be the title: a heading, large print, or words of the metadata."""
    if len(group.text) > _MAX_CHARS or group.stands_alone or not may_name(group.text):
        return False
    largest = max(_size(other) for other in page)
    count = len(set(_words(group.text)))
    is_alone = group.kind is BlockKind.HEADING and _size(group) == largest
    is_alone &= heading_depth(group.text) is None
    if _size(group) < _LARGE * largest or count < (1 if is_alone else 2):
        return False
    if group.text.rstrip().endswith(":") and _shared(group, named) < _SURE:
        return False  # it introduces what follows
    if len(sentences(group.text)) > 1 and group.text.rstrip().endswith("."):
        return False  # prose, whose letters a scan may have measured larger
    if group.kind is BlockKind.HEADING:
        return True
    usual = _usual(page)
    is_larger = _size(group) > _LARGER * usual or len(page) == 1 == len(group.lines)
    return group.kind is BlockKind.PARAGRAPH and (is_larger or _shared(group, named) >= _SURE)


def _shared(group: Group, named: str) -> float:
    """Return the Dice coefficient of the words of a group and of `named`, in [0, 1]."""
    words, own = set(_words(group.text)), set(_words(named))
    return 2 * len(words & own) / (len(words) + len(own))


def _usual(page: Sequence[Group]) -> float:
    return median(line.size for group in page for line in group.lines)


def _size(group: Group) -> float:
    return max(line.size for line in group.lines)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
