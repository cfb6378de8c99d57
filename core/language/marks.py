"""Find the marks of footnotes in texts, and the mark that a note begins with. Pure."""

from __future__ import annotations

import re
import unicodedata

# `*†` is two marks, `**` is one.
_SIGNS = r"\*+|†+|‡+|§+|¶+|#+|[ᵃᵇᶜᵈᵉᶠᵍʰⁱ¹²³⁰⁴-⁹]|[(\[]\d[)\]]"
_MARKS = re.compile(rf"{_SIGNS}|(?<=\s)\(?[a-h]\)?(?=\s|$|\|)")
_LEADING = re.compile(rf"^\s*({_SIGNS}|\(?[a-h]\)?(?=[\s.:])|\d(?=\s[A-Z]))")
_FURTHER = re.compile(r"\s(\*+|†+|‡+|§+|¶+)\s?(?=\w)")
# Signs are set right behind what they mark, or end its cell; `B*57` and `2 * 5` have none.
_SURE_SIGNS = (
    r"(?<=[^\s|*])(?:\*{1,3}(?![\w*])|[†‡]+|[§¶#](?!\w))"
    r"|(?<=[^\s|*] )(?:\*{1,3}|[†‡]+|[§¶#])(?=\s*(?:$|\|))"
)
_SURE_RAISED = r"(?<=\S)(?:[ᵃᵇᶜᵈᵉᶠᵍʰ]|(?<!\dm)(?<![\scdkmnµμ/]m)(?<!10)[¹²³⁴-⁹](?![⁰¹²³⁴-⁹]))"
_SURE = re.compile(
    rf"{_SURE_SIGNS}|{_SURE_RAISED}"
    r"|(?<=[^\s|])\s?[(\[]?[a-h1-9][)\]](?=\s|$)|(?<=[\w)]\s)[a-h](?=\s*(?:$|\|))",
    re.MULTILINE,
)
_SURE_LEADING = re.compile(
    r"^(?:(\*{1,3}|†+|‡+|[§¶#])\s?(?=\S)|([ᵃᵇᶜᵈᵉᶠᵍʰ¹²³⁴-⁹])\s?(?=\S)"
    r"|[(\[]?([a-h1-9])(?:[)\]]\s?|\s(?=[A-Z]))|([a-h])[.:]\s)"
)
_RAISED_MARKS = "ᵃᵇᶜᵈᵉᶠᵍʰ¹²³⁴⁵⁶⁷⁸⁹"
_UNCLEAR = re.compile(r"^[A-Z]?[*†‡]+$")  # a grade, or stars of a rating


def marks_in(text: str) -> set[str]:
    """Return all that may be a mark in a text."""
    return {plain_mark(mark) for mark in _MARKS.findall(text)} | cell_marks(text)


def leading_mark(note: str) -> str | None:
    """Return the mark that a footnote begins with; None without one."""
    match = _LEADING.match(note)
    return plain_mark(match[1]) if match else note_mark(note)


def note_marks(note: str) -> set[str]:
    """Return the marks that a footnote explains: `* With food. † Not in renal failure.`"""
    further = {plain_mark(mark) for mark in _FURTHER.findall(note)}
    first = leading_mark(note)
    return further | {first} if first else further


def cell_marks(cell: str) -> set[str]:
    """Return the marks in cells that stand behind what they mark: `50 mg*`, `5 mg a)`."""
    return {plain_mark(mark.strip()) for mark in _SURE.findall(cell)}


def cell_signs(cell: str) -> set[str]:
    """Return those of a cell's marks that can only be marks: `*`, `†` and `‡` behind a text."""
    if _UNCLEAR.match(cell.strip()):
        return set()
    emphasis = {plain_mark(mark) for mark in _FURTHER.findall(f" {cell}")}  # *** so *** is none
    return {mark for mark in cell_marks(cell) - emphasis if mark[0] in "*†‡"}


def note_mark(text: str) -> str | None:
    """Return the mark that a text of any kind begins with if it may be a note; None without one.

    `a large dose` begins with none; `a) Once` and `a Once` may be notes.
    """
    match = _SURE_LEADING.match(text)
    return plain_mark(next(filter(None, match.groups()))) if match else None


def begins_raised(text: str) -> bool:
    """Tell whether a text begins with a raised letter or figure, which no list has."""
    return text[:1] in _RAISED_MARKS and text != ""


def plain_mark(mark: str) -> str:
    """Normalise a footnote's mark: `ᵃ`, `(a)` and `a` are one."""
    return unicodedata.normalize("NFKC", mark).strip("()[]")
