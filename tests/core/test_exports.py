"""Exported rows for other programs."""

import csv
import io
import json

import pytest

from core.exports import CSV, JSON_LINES, exported

ROWS = [
    {"number": 1, "text": "=1+1", "list": ["a", "b"], "none": None},
    {"number": -2, "text": 'a "line"\nbreak', "list": [], "none": None},
]


def test_csv_has_its_names_once_and_no_formula() -> None:
    read = list(csv.reader(io.StringIO("".join(exported(ROWS, CSV)))))
    assert read == [
        ["number", "text", "list", "none"],
        ["1", "'=1+1", "a b", ""],
        ["-2", 'a "line"\nbreak', "", ""],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_each_start_of_a_formula_is_made_harmless(start: str) -> None:
    (_, line) = exported([{"a": f"{start}1"}], CSV)
    assert f"'{start}1" in line


def test_json_lines_are_as_they_were() -> None:
    assert [json.loads(line) for line in exported(ROWS, JSON_LINES)] == ROWS


def test_nothing_is_nothing() -> None:
    assert not [*exported([], CSV), *exported([], JSON_LINES)]
