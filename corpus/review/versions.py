"""Measure the similarity of documents, and compare versions. Pure.

Similarity uses a sketch stored with each document: the smallest hashes of its word shingles
(Broder, On the resemblance and containment of documents, 1997, section 2). Versions are compared
section by section, line by line within a section (a table row is a line), and word by word within
changed lines.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

from corpus.parsing.types import Block, BlockKind, Page

SHINGLE_WORDS = 3
SKETCH = 128  # hashes kept: the estimate's standard error is at most 0.5 / sqrt(128) = 0.044
_PAIRED_ABOVE = 0.4  # share of words that two lines have in common if one was made of the other

_CHANCE_WORDS = 2  # so many the same words between two changes may be chance
_LONG_CHANGE = 4  # words; next to a shorter change they are no chance

DiffRun = tuple[str, str]  # ("same" | "removed" | "added", text)

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\n|[^\S\n]+|[^\s]+")
_VERSION = re.compile(
    r"\b(?:v|ver|version|edition|rev|revision)\.?\s*\d+(?:\.\d+)*\b"
    r"|\b\d+(?:st|nd|rd|th) edition\b|\b(?:19|20)\d\d\b"
)
_NOT_THE_MATTER = frozenset(
    "guideline guidelines guidance policy protocol version edition revised revision updated update "
    "draft final copy new the a an of for and in on to".split()
)
# A section's number, never a quantity: "5 mg tablets" and "10 mg tablets" are two headings.
_HEADING_NUMBER = re.compile(
    r"^\s*(?:\d+\.)*\d+\.?\s+(?=[^\W\d])"
    r"(?!(?:m?g|kg|mcg|ug|µg|ng|m?l|d?l|mmol|units?|iu|years?|months?|weeks?|days?|hours?|h"
    r"|min(?:ute)?s?|seconds?|tablets?|capsules?|doses?|drops?|puffs?|times|to|or|and|x)\b)"
)
_NUMBER = re.compile(
    r"([<>≤≥±~]?\s?)(\d+(?:[.,·]\d+)*|(?<!\d)[.·]\d+)\s?"
    r"(%|‰|°\s?[CF]|[^\W\d_]+(?:/[^\W_]+)*)?"
)
_UNITS = frozenset(
    "ng ug mcg mg g kg ml l dl nmol umol mmol mol meq iu unit units mm cm m mmhg kpa hz bpm s sec "
    "second seconds min mins minute minutes h hr hrs hour hours day days week weeks month months "
    "year years hourly daily weekly times tablet tablets drop drops puff puffs".split()
)


class ChangeKind(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    SAME = "same"
    MOVED = "moved"


@dataclass(frozen=True)
class SectionChange:
    """What became of a section. `path` is its headings, in the newer document if it exists there.

    `pieces` without the added ones give the old text, without the removed ones the new text.
    `numbers_changed`: a number, its unit or the order of numbers differs.
    """

    path: tuple[str, ...]
    kind: ChangeKind
    old_text: str
    new_text: str
    pieces: tuple[DiffRun, ...]
    numbers_changed: bool


@dataclass(frozen=True)
class _Stretch:
    """A stretch of the older text and its replacement."""

    old: str
    new: str
    is_same: bool

    @property
    def words(self) -> int:
        return max(len(self.old.split()), len(self.new.split()))


@dataclass
class _Section:
    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def signature(texts: Iterable[str]) -> list[int]:
    """Return the sketch of a document: its SKETCH smallest shingle hashes, ascending.

    They are in [0, 2**63); fewer for a short text, none without words. Takes the texts of its
    pages.
    """
    digests = (hashlib.blake2b(run.encode(), digest_size=8).digest() for run in shingles(texts))
    return sorted(int.from_bytes(digest, "big") >> 1 for digest in digests)[:SKETCH]


def shingles(texts: Iterable[str]) -> set[str]:
    """Return every run of SHINGLE_WORDS words, or all words where there are fewer."""
    words = [word for text in texts for word in _WORD.findall(_folded(text))]
    if not words:
        return set()
    last = max(len(words) - SHINGLE_WORDS + 1, 1)
    return {" ".join(words[i : i + SHINGLE_WORDS]) for i in range(last)}


def text_similarity(first: Sequence[int], second: Sequence[int]) -> float:
    """Estimate the Jaccard similarity of two documents' shingles from sketches, in [0, 1]."""
    if not first or not second:
        return 0.0
    a, b = set(first), set(second)
    union = sorted(a | b)[:SKETCH]
    return sum(value in a and value in b for value in union) / len(union)


def title_similarity(first: str, second: str) -> float:
    """Return the share of common words of two titles, without versions and years, in [0, 1]."""
    a, b = title_words(first), title_words(second)
    return len(a & b) / len(a | b) if a and b else 0.0


def title_words(title: str) -> frozenset[str]:
    words = _WORD.findall(_VERSION.sub(" ", _folded(title)))
    return frozenset(word for word in words if word not in _NOT_THE_MATTER)


def compare(old_pages: Sequence[Page], new_pages: Sequence[Page]) -> tuple[SectionChange, ...]:
    """Return every section of both, in the order of the newer; removed ones keep their place.

    Sections are matched by headings without numbers, else by text.
    """
    old, new = _sections(old_pages), _sections(new_pages)
    partner, in_place = _partners(old, new)
    removed = sorted(set(range(len(old))) - set(partner.values()))
    changes: list[SectionChange] = []
    for position, section in enumerate(new):
        before = partner.get(position)
        while before is not None and removed and removed[0] < before:
            changes.append(_change(old[removed.pop(0)], None))
        was = None if before is None else old[before]
        changes.append(_change(was, section, stayed=position in in_place))
    changes += [_change(old[place], None) for place in removed]
    return tuple(changes)


def numbers_of(text: str) -> list[str]:
    """Return the numbers of a text in order, each with comparison sign and unit."""
    numbers = []
    for sign, number, unit in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        known = unit if unit.casefold() in _UNITS or "/" in unit or not unit[:1].isalpha() else ""
        numbers.append(f"{sign.strip()}{number} {known}".strip())
    return numbers


def _change(old: _Section | None, new: _Section | None, *, stayed: bool = False) -> SectionChange:
    was, now = old or _Section(()), new or _Section(())
    numbers = numbers_of(was.text) != numbers_of(now.text)
    pieces: Iterable[DiffRun]
    if new is None:
        kind, pieces = ChangeKind.REMOVED, [("removed", was.text)]
    elif old is None:
        kind, pieces = ChangeKind.ADDED, [("added", now.text)]
    elif was.text.split() == now.text.split():
        kind = ChangeKind.SAME if stayed and _key(was.path) == _key(now.path) else ChangeKind.MOVED
        pieces, numbers = [("same", now.text)], False
    else:
        kind, pieces = ChangeKind.CHANGED, _diff_lines(was.lines, now.lines)
    path = was.path if new is None else now.path
    return SectionChange(path, kind, was.text, now.text, tuple(_merged(pieces)), numbers)


# Sections


def _sections(pages: Sequence[Page]) -> list[_Section]:
    """Return the text below each heading; text before the first has an empty path."""
    sections = [_Section(())]
    headings: list[tuple[int, str]] = []
    for page in pages:
        for block in page.blocks:
            text = page.text[block.start : block.end]
            if block.kind == BlockKind.HEADING:
                headings = [h for h in headings if h[0] < block.level]
                headings.append((block.level, " ".join(text.split())))
                sections.append(_Section(tuple(heading for _, heading in headings)))
            else:
                _write(sections[-1], block, text)
    return [section for section in sections if section.path or section.lines]


def _write(section: _Section, block: Block, text: str) -> None:
    if block.kind == BlockKind.TABLE:
        section.lines += [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        return
    line = " ".join(text.split())
    if block.continues and section.lines:
        section.lines[-1] += f" {line}"
    elif line:
        section.lines.append(line)


def _partners(old: list[_Section], new: list[_Section]) -> tuple[dict[int, int], set[int]]:
    """Match sections of the newer version to older ones, and tell which kept their order."""
    old_keys, new_keys = _counted(old), _counted(new)
    matcher = difflib.SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    partner = {
        block.b + i: block.a + i
        for block in matcher.get_matching_blocks()
        for i in range(block.size)
    }
    in_place = set(partner)
    unmatched = {key: i for i, key in enumerate(old_keys) if i not in partner.values()}
    for position, key in enumerate(new_keys):
        if position not in partner and key in unmatched:
            partner[position] = unmatched.pop(key)
    _pair_by_text(old, new, partner)
    return partner, in_place


def _pair_by_text(old: list[_Section], new: list[_Section], partner: dict[int, int]) -> None:
    """Match sections with changed headings by their unchanged text."""
    unmatched = [i for i in range(len(old)) if i not in partner.values() and old[i].lines]
    alone = [i for i in range(len(new)) if i not in partner and new[i].lines]
    sketches = {i: set(_WORD.findall(_folded(old[i].text))) for i in unmatched}
    pairs = []
    for position in alone:
        words = set(_WORD.findall(_folded(new[position].text)))
        for before in unmatched:
            union = len(words | sketches[before])
            likeness = len(words & sketches[before]) / union if union else 0.0
            if likeness > 0.5:
                pairs.append((-likeness, position, before))
    for _, position, before in sorted(pairs):
        if position not in partner and before not in partner.values():
            partner[position] = before


def _counted(sections: list[_Section]) -> list[tuple[tuple[str, ...], int]]:
    """Return each section's path with its number among equal paths."""
    seen: dict[tuple[str, ...], int] = {}
    keys = []
    for section in sections:
        key = _key(section.path)
        seen[key] = seen.get(key, 0) + 1
        keys.append((key, seen[key]))
    return keys


def _key(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path used for matching: without the title, which may name the version."""
    return tuple(
        _folded(_HEADING_NUMBER.sub("", _VERSION.sub(" ", _folded(heading)))) for heading in path
    )


# Lines and words


def _diff_lines(old: list[str], new: list[str]) -> Iterator[DiffRun]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "equal":
            yield from (("same", f"{line}\n") for line in new[c:d])
        else:
            yield from _diff_run(old[a:b], new[c:d])


def _diff_run(old: list[str], new: list[str]) -> Iterator[DiffRun]:
    """Yield changed lines, each next to the following one that it resembles."""
    first = 0
    for line in new:
        match = next((i for i in range(first, len(old)) if _alike(old[i], line)), None)
        if match is None:
            yield ("added", f"{line}\n")
            continue
        yield from (("removed", f"{gone}\n") for gone in old[first:match])
        yield from _diff_words(old[match], line)
        yield ("same", "\n")
        first = match + 1
    yield from (("removed", f"{gone}\n") for gone in old[first:])


def _diff_words(old: str, new: str) -> Iterator[DiffRun]:
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    stretches = [
        _Stretch("".join(a[i:j]), "".join(b[k:m]), is_same=op == "equal")
        for op, i, j, k, m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    ]
    for stretch in _readable(stretches):
        if stretch.is_same:
            yield ("same", stretch.new)
            continue
        yield ("removed", stretch.old)
        yield ("added", stretch.new)


def _readable(stretches: list[_Stretch]) -> list[_Stretch]:
    """Drop the few words that two rewritten texts share by chance.

    First white space between two changes, then a word or two between long changes: otherwise a
    rewritten line would look like a shuffle of both texts.
    """
    for words, longest_change in ((1, 0), (_CHANCE_WORDS + 1, _LONG_CHANGE)):
        joined: list[_Stretch] = []
        for index, here in enumerate(stretches):
            between = 0 < index < len(stretches) - 1
            if here.is_same and between and here.words < words:
                longest = max(joined[-1].words, stretches[index + 1].words)
                here = replace(here, is_same=longest < longest_change)
            if joined and not here.is_same and not joined[-1].is_same:
                last = joined.pop()
                here = _Stretch(last.old + here.old, last.new + here.new, is_same=False)
            joined.append(here)
        stretches = joined
    return stretches


def _alike(old: str, new: str) -> bool:
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() >= _PAIRED_ABOVE


def _merged(pieces: Iterable[DiffRun]) -> Iterator[DiffRun]:
    """Merge adjacent pieces of the same kind."""
    for kind, neighbours in groupby(pieces, key=itemgetter(0)):
        if text := "".join(words for _, words in neighbours):
            yield (kind, text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
