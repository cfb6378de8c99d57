"""Test that the rows of one regimen are quoted together, and the rows beside it by themselves."""

from pathlib import Path

import pytest

from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.said import said_in

Rows = tuple[tuple[str, ...], ...]
HEAD = ("Infection", "Medicine", "Dose", "Length")


def said(folder: Path, rows: Rows, head: tuple[str, ...] = HEAD) -> list[str]:
    """Return the statements of a table in HTML; a cell `^` is covered by the one above it."""
    parts = [f"<tr>{''.join(f'<th>{label}</th>' for label in head)}</tr>"]
    for index, row in enumerate(rows):
        cells = []
        for column, cell in enumerate(row):
            if cell == "^":
                continue
            under = 1
            while index + under < len(rows) and rows[index + under][column] == "^":
                under += 1
            cells.append(f'<td rowspan="{under}">{cell}</td>')
        parts.append(f"<tr>{''.join(cells)}</tr>")
    text = f"<h1>Guideline</h1><table>{''.join(parts)}</table>"
    return said_in(fixtures.read_text(folder, text))


@pytest.mark.parametrize("first", ["", "^"])
@pytest.mark.parametrize("joined", ["PLUS samplin", "or samplin", "+ samplin", "and samplin"])
def test_a_row_that_goes_on_with_the_one_above_is_quoted_with_it(
    tmp_path: Path, joined: str, first: str
) -> None:
    found = said(
        tmp_path,
        (
            ("Ulcer", "examplol", "20 mg BD", "7 days"),
            (first, joined, "1 g BD", "7 days"),
            (first, "PLUS placebin", "500 mg BD", "7 days"),
            ("Cough", "otherin", "100 mg OD", "5 days"),
        ),
    )
    assert len(found) == 2
    regimen, other = found
    for part in ("Ulcer", "examplol", "20 mg BD", joined, "1 g BD", "PLUS placebin", "500 mg BD"):
        assert regimen.count(part) == 1
    assert "otherin" not in regimen
    assert other == "Infection: Cough; Medicine: otherin; Dose: 100 mg OD; Length: 5 days"


def test_a_word_at_the_end_of_a_cell_joins_the_row_below(tmp_path: Path) -> None:
    found = said(
        tmp_path,
        (
            ("Ulcer", "examplol AND", "20 mg BD", "7 days"),
            ("", "samplin", "1 g BD", "7 days"),
            ("", "otherin", "2 g OD", "1 day"),
        ),
    )
    assert [("examplol" in text, "samplin" in text, "otherin" in text) for text in found] == [
        (True, True, False),
        (False, False, True),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        # Nothing joins them: two choices, each with the label of both.
        (("Ulcer", "examplol", "20 mg", "7 days"), ("^", "samplin", "1 g", "5 days")),
        # A joining word in a row of its own label.
        (("Ulcer", "examplol", "20 mg", "7 days"), ("Cough", "and samplin", "1 g", "5 days")),
        # `oral` and `android` begin with letters of such a word.
        (("Ulcer", "examplol", "20 mg", "7 days"), ("^", "oral samplin", "1 g", "5 days")),
    ],
)
def test_other_rows_stand_by_themselves(tmp_path: Path, rows: Rows) -> None:
    found = said(tmp_path, rows)
    assert len(found) == 2
    assert not any("examplol" in text and "samplin" in text for text in found)
    assert all(text.startswith("Infection: ") for text in found)


def test_a_length_over_both_rows_is_said_of_both(tmp_path: Path) -> None:
    found = said(
        tmp_path,
        (
            ("Cystitis", "examplol", "100 mg BD", "Females 3 days, males 7 days"),
            ("^", "samplin", "200 mg BD", "^"),
        ),
    )
    assert ["males 7 days" in text for text in found] == [True, True]
