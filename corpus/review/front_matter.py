"""Suggest a document's metadata from its first page and its running headers and footers.

A person confirms each. A date is only used if it can be read in one way; where a document gives
several values, none is suggested.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.language.en.patients.groups import populations
from core.language.en.titles import clean_title, is_organisation, may_name
from corpus.models import Document
from corpus.parsing.types import BlockKind

# As `core.language.en.patients.groups` has them, and what stands for all of them.
POPULATIONS = (
    "all ages", "adult", "elderly", "child", "adolescent", "infant", "neonate", "preterm",
    "infant, child, adolescent", "adult, child", "pregnant", "postpartum", "breastfeeding",
    "dialysis", "renal impairment", "hepatic impairment", "immunocompromised", "critically ill",
)  # fmt: skip
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
# A day, or a month, which is told but not used.
_DAY = (
    r"(\d{1,2}(?:st|nd|rd|th)?\s+[A-Za-z]{3,9}\.?,?\s+\d{4}|\d{4}-\d{2}-\d{2}"
    r"|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}[/.]\d{4}|(?:"
    + "|".join(m[:3] for m in _MONTHS)
    + r")[a-z]*\.?\s+\d{4})"
)
_GAP = r"\s*[:|–-]?\s*"
# A field, its label and the pattern whose group is its value, in a line of the page.
_PATTERNS = {
    "version": re.compile(r"\bversion" + _GAP + r"v?(\d{1,3}(?:\.\d{1,3}){0,3})(?![\d.]*\d)", re.I),
    "issuer": re.compile(r"^\W*(?:issued by|issuer|published by)\b" + _GAP + r"(.{3,200})$", re.I),
    "population": re.compile(
        r"^\W*(?:applies to|population|patient group)\b" + _GAP + r"(.{3,200})$", re.I
    ),
    "effective_from": re.compile(
        r"\b(?:in force from|effective from|effective date|valid from|date of issue|issue date"
        r"|date issued|issued(?: on)?)\b"
        + _GAP + _DAY, re.I,
    ),
    "review_by": re.compile(
        r"(?<!last )(?<!previous )\b(?:review(?: by| date| due)?|valid until|expiry date)\b"
        + _GAP + _DAY, re.I,
    ),
}  # fmt: skip
# Said of a document's age where it does not say since when it is in force; the first that is found.
_WEAKER_DATES = (
    re.compile(
        r"\b(?:last (?:updated|revised|amended|modified)|updated|revised)(?: on)?" + _GAP + _DAY,
        re.I,
    ),
    re.compile(r"\b(?:first )?published(?: on| date)?" + _GAP + _DAY, re.I),
)
_PROPER = r"[A-Z][\w.'’&/-]*(?:\s+(?:[A-Z][\w.'’&/-]*|of|for|the|and|&|in|on)){0,11}?"
# Where a page names its issuer without a label; the first that is found.
_WEAKER_ISSUERS = (
    re.compile(
        rf"^(?:The\s+)?({_PROPER})\s+(?i:(?:(?:best|clinical|good|national|practice|public|evidence|"
        r"based|health|interim)[\s-]+)*(?:guidelines?|guidance|protocols?))"
        r"(?=\W*(?:$|\d|(?i:first published|published|last|updated|revised|version|www|https?)\b))"
    ),
    re.compile(r"^(?:The\s+)?(.{5,120})$"),  # that is only the name of a body
    re.compile(
        rf"(?:©|\(c\)|\bCopyright)\s*(?:\d{{4}},?\s+)?({_PROPER})(?=\s*(?:$|[.,;|]|\d{{4}}))"
    ),
)
_HEAD_LINES = 20  # of the first page, on which an issuer stands without a label
# Where the next field begins, in a line of which a field is the beginning.
_LABEL = re.compile(
    r"\s(?=(?:issued|published by|applies to|patient group|(?:issuer|population)(?=\s*:)"
    r"|version\s*:?\s*v?\d|in force from|effective (?:from|date)|valid (?:from|until)"
    r"|date of issue|issue date|review(?: by| date| due|(?=\s*:?\s*\d))|next review"
    r"|expiry date)\b)", re.I,
)  # fmt: skip
# As the page that offers them calls them; each other field by its own name.
_LABELS = {"effective_from": "in force from", "population": "applies to"}
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})$")
_NUMBERS = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})$")


@dataclass(frozen=True)
class Offer:
    """A suggested value for a field, and the line that it was found in."""

    field: str
    label: str
    value: str | datetime.date
    now: Any
    line: str
    is_running: bool  # a line of a header or footer, and not of the first page's text


@dataclass(frozen=True)
class Unclear:
    """A field with several values, or with a date that is no certain day, as printed."""

    label: str
    printed: tuple[str, ...]
    is_several: bool = True


@dataclass(frozen=True)
class FrontMatter:
    offers: tuple[Offer, ...] = ()
    unclear: tuple[Unclear, ...] = ()


def front_matter(document: Document) -> FrontMatter:
    """Return values that differ from the document's fields. Runs two queries."""
    page = document.pages.order_by("number").first()
    if page is None:
        return FrontMatter()
    on_pages = document.pages.order_by("number").values_list("running_lines", flat=True)
    running = list(dict.fromkeys(line for lines in on_pages for line in lines))
    first = [line.strip() for line in page.text.splitlines()]
    offers: list[Offer] = []
    unclear: list[Unclear] = []
    places_of = {"title": _titles(page.text, page.blocks), **_found([*first, *running])}
    places_of["effective_from"] = places_of["effective_from"] or _age(first)
    places_of["issuer"] = places_of["issuer"] or _issuers(first[:_HEAD_LINES], running)
    for field, places in places_of.items():
        label, now = _LABELS.get(field, field.replace("_", " ")), getattr(document, field)
        certain = [(value, line) for value, _, line in places if value]
        values = list(dict.fromkeys(value for value, _ in certain))
        printed = tuple(dict.fromkeys(p for value, p, _ in places if value or not values))
        if len(values) > 1 or (printed and not values):
            unclear.append(Unclear(label, printed, is_several=bool(values)))
        elif values and values[0] != now:
            line = certain[0][1]
            is_running = field != "title" and line not in first
            offers.append(Offer(field, label, values[0], now, line, is_running))
    return FrontMatter(tuple(offers), tuple(unclear))


Found = list[tuple[str | datetime.date | None, str, str]]  # value, as printed, and its line


def _found(lines: Sequence[str]) -> dict[str, Found]:
    """Return what each field is said to be; the value of a date that is no certain day is None."""
    parts = [(line, part) for line in lines for part in _parts(line)]
    read: dict[str, Callable[[str], str | datetime.date | None]] = {
        "effective_from": day_of, "review_by": day_of, "population": _population,
    }  # fmt: skip
    places_of: dict[str, Found] = {}
    for field, pattern in _PATTERNS.items():
        places_of[field] = []
        for line, part in parts:
            for match in pattern.finditer(part):
                printed = match[1].strip(" .|·•")
                value = read.get(field, str)(printed)
                if value or field in ("effective_from", "review_by"):
                    places_of[field].append((value, printed, line))
    return places_of


def _parts(line: str) -> list[str]:
    """Split a line that holds several fields: short lines are parsed as one paragraph."""
    return [
        field
        for part in re.split(r"\s[·•]\s", line)
        for field in (_LABEL.split(part) if _LABEL.match(f" {part}") else [part])
    ]


def _age(lines: Sequence[str]) -> Found:
    """Return when a document was last changed, or else published, as it says on its first page."""
    for pattern in _WEAKER_DATES:
        printed = [(match[1], line) for line in lines for match in pattern.finditer(line)]
        if printed:
            return [(day_of(each), each, line) for each, line in printed]
    return []


def _issuers(lines: Sequence[str], running: Sequence[str]) -> Found:
    """Return who is named as in `NICE guideline`, alone in a line, or as holder of the rights."""
    guideline, alone, rights = _WEAKER_ISSUERS
    for pattern, where in ((guideline, lines), (alone, lines), (rights, [*lines, *running])):
        named = [(m[1].strip(" ."), line) for line in where for m in pattern.finditer(line)]
        if pattern is alone:
            named = [(name, line) for name, line in named if is_organisation(name)]
        if found := [(name, name, line) for name, line in named if _may_issue(name)]:
            return list(found)
    return []


def _may_issue(name: str) -> bool:
    """Tell whether a name is an abbreviation, such as `NICE`, or holds more than common words."""
    is_short = re.fullmatch(r"[A-Z][A-Za-z/&-]*[A-Z]", name) is not None
    return is_short or (is_organisation(name) or (may_name(name) and "Author" not in name))


def _titles(text: str, blocks: Sequence[dict[str, Any]]) -> Found:
    """Return the first heading of the highest level that names a subject."""
    headings = [b for b in blocks if b["kind"] == BlockKind.HEADING and b.get("level") == 1]
    titles = [" ".join(text[b["start"] : b["end"]].split()) for b in headings]
    named = [title for title in titles if may_name(title)][:1]
    return [(clean_title(title)[:500], title, title) for title in named]


def _population(words: str) -> str | None:
    """Return the choice for exactly the groups in `words`; None where there is none."""
    named = set(populations(words))
    return next((p for p in POPULATIONS if named and set(p.split(", ")) == named), None)


def day_of(printed: str) -> datetime.date | None:
    """Return the day of an unambiguous date: 3/4/2026 may be in March or in April."""
    try:
        if match := _NUMBERS.match(printed):
            day, month, year = (int(part) for part in match.groups())
            return datetime.date(year, month, day) if day > 12 or day == month else None
        if match := _DAY_FIRST.match(printed):
            named = [n for n, m in enumerate(_MONTHS, 1) if m.startswith(match[2].lower())]
            return datetime.date(int(match[3]), named[0], int(match[1])) if named else None
        return datetime.date.fromisoformat(printed)
    except ValueError:
        return None
