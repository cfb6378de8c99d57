"""Test the form of the tables of ward words and of classes of medicines."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

from core.language.words import words

TABLES = Path(__file__).resolve().parents[3] / "core" / "language" / "en" / "short_forms"
COLUMNS = ["short", "words", "kind", "case", "beside"]
KINDS = {"abbreviation", "lay", "name", "class"}
CASES = {"any", "exact"}
LEAST_ROWS, LEAST_ABBREVIATIONS, LEAST_CLASSES = 900, 700, 60
MOST_SHORT_CHARS, MOST_WORDS_CHARS, MOST_WORDS = 40, 120, 12
_BESIDE = re.compile(r"[a-z0-9]+\*?")
# What a reader that drops signs would take for one form, and which mean opposites.
OPPOSITES = [("+ve", "-ve"), ("↑K", "↓K"), ("↑Na", "↓Na"), ("↑Ca", "↓Ca"), ("↑Mg", "↓Mg")]


def _table(name: str, columns: list[str]) -> list[dict[str, str]]:
    lines = (TABLES / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert lines[0].split("\t") == columns
    rows = [line.split("\t") for line in lines[1:]]
    assert [row for row in rows if len(row) != len(columns)] == []
    assert [row for row in rows if [cell.strip() for cell in row] != row] == []
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _beside(row: dict[str, str]) -> list[str]:
    return row["beside"].split(",") if row["beside"] else []


def _form(text: str) -> str:
    return f" {' '.join(words(text)).casefold()} "


ROWS = _table("ward_words.tsv", COLUMNS)
CLASSES = _table("medicine_classes.tsv", ["class", "members"])


def test_every_row_has_a_form_words_a_kind_and_a_case() -> None:
    faults = [
        row
        for row in ROWS
        if not row["short"]
        or len(row["short"]) > MOST_SHORT_CHARS
        or not 0 < len(words(row["words"])) <= MOST_WORDS
        or len(row["words"]) > MOST_WORDS_CHARS
        or row["kind"] not in KINDS
        or row["case"] not in CASES
    ]
    assert faults == []


def test_there_are_enough_rows() -> None:
    assert len(ROWS) >= LEAST_ROWS
    assert sum(row["kind"] == "abbreviation" for row in ROWS) >= LEAST_ABBREVIATIONS


def test_rows_are_sorted() -> None:
    keys = [(row["short"].casefold(), row["short"], row["beside"]) for row in ROWS]
    assert keys == sorted(keys)


def test_no_form_has_two_meanings_beside_the_same_words_however_it_is_typed() -> None:
    keys = Counter((row["short"].casefold(), row["beside"]) for row in ROWS)
    assert [key for key, count in keys.items() if count > 1] == []


def test_words_do_not_hold_the_form() -> None:
    held = [r for r in ROWS if words(r["short"]) and _form(r["short"]) in _form(r["words"])]
    assert held == []


def test_beside_words_are_single_lower_case_words_or_beginnings_sorted() -> None:
    for row in ROWS:
        beside = _beside(row)
        assert all(map(_BESIDE.fullmatch, beside)), row
        assert beside == sorted(set(beside)), row


def test_no_word_decides_for_two_meanings_of_a_form() -> None:
    meanings: dict[str, list[dict[str, str]]] = {}
    for row in ROWS:
        meanings.setdefault(row["short"].casefold(), []).append(row)
    shared = [
        (one["short"], a, b)
        for rows in meanings.values()
        for one, other in combinations(rows, 2)
        for a in _beside(one)
        for b in _beside(other)
        if _overlap(a, b)
    ]
    assert shared == []


def _overlap(one: str, other: str) -> bool:
    """Tell whether some word fits both."""
    a, b = one.rstrip("*"), other.rstrip("*")
    return (
        a == b
        or (one.endswith("*") and b.startswith(a))
        or (other.endswith("*") and a.startswith(b))
    )


def test_signs_tell_opposites_apart() -> None:
    meant = {row["short"]: row["words"] for row in ROWS}
    assert [pair for pair in OPPOSITES if meant[pair[0]] == meant[pair[1]]] == []


def test_classes_are_sorted_once_each_and_have_distinct_members() -> None:
    names = [row["class"].casefold() for row in CLASSES]
    assert names == sorted(set(names))
    assert len(names) >= LEAST_CLASSES
    for row in CLASSES:
        members = row["members"].split(", ")
        assert members == list(dict.fromkeys(members)), row
        assert all(member and member == member.lower() for member in members), row


def test_every_short_form_of_a_class_leads_to_members() -> None:
    named = {row["class"].casefold() for row in CLASSES}
    of_classes = [row for row in ROWS if row["kind"] == "class"]
    known = named | {r["words"].casefold() for r in of_classes if r["short"].casefold() in named}
    without = [
        row["short"]
        for row in of_classes
        if row["short"].casefold() not in named
        and not {row["words"].casefold(), row["words"].casefold().removesuffix("s")} & known
    ]
    assert without == []
