"""Test how printed cells become labels and rows that can each be read alone."""

import pytest

from corpus.parsing.drafts import DraftTable
from corpus.parsing.tables.printed import ReadTable, header_rows, read_cells
from corpus.parsing.types import Cell


def _whole(row: int, text: str) -> Cell:
    return Cell(row, 0, text, columns=2)


def _pair(row: int, *texts: str, header: bool = False) -> list[Cell]:
    return [Cell(row, column, text, is_header=header) for column, text in enumerate(texts)]


def test_plain_cells_come_back_as_they_were() -> None:
    cells = (*_pair(0, "Age", "Dose", header=True), *_pair(1, "1", "2 mg"), *_pair(2, "3", ""))
    table = DraftTable(cells)

    assert (table.header, table.rows) == (("Age", "Dose"), (("1", "2 mg"), ("3", "")))


@pytest.mark.parametrize("cells", [(), (Cell(0, 0, ""),)])
def test_without_text_nothing_is_said(cells: tuple[Cell, ...]) -> None:
    assert read_cells(cells) == ReadTable((), ())


def test_a_table_of_labels_only_has_rows_and_no_labels() -> None:
    table = DraftTable(tuple(_pair(0, "A", "B", header=True) + _pair(1, "C", "D", header=True)))

    assert header_rows(table.cells) == 0
    assert (table.header, table.rows) == ((), (("A", "B"), ("C", "D")))


def test_labels_that_stand_right_below_each_other_hold_together() -> None:
    table = DraftTable(
        (
            *_pair(0, "Weight", "Dose", header=True),
            _whole(1, "Adults"),
            _whole(2, "Renal impairment"),
            *_pair(3, "Any", "1 g"),
            _whole(4, "Children"),
            *_pair(5, "Any", "2 mg/kg"),
        )
    )

    assert table.header == ("", "Weight", "Dose")
    assert table.rows == (
        ("Adults, Renal impairment", "Any", "1 g"),
        ("Children", "Any", "2 mg/kg"),
    )


def test_rows_above_the_first_group_belong_to_none() -> None:
    table = DraftTable((*_pair(0, "All", "1 g"), _whole(1, "Children"), *_pair(2, "Any", "2 g")))

    assert table.rows == (("", "All", "1 g"), ("Children", "Any", "2 g"))


def test_a_sentence_over_the_width_is_a_row_and_no_group() -> None:
    note = "Give each dose over one hour, and watch the patient while it runs."
    table = DraftTable((*_pair(0, "Any", "1 g"), _whole(1, note), *_pair(2, "Old", "2 g")))

    assert table.rows == (("Any", "1 g"), (note, ""), ("Old", "2 g"))


def test_a_group_below_which_nothing_stands_is_not_lost() -> None:
    table = DraftTable((*_pair(0, "Any", "1 g"), _whole(1, "Children")))

    assert table.rows == (("Any", "1 g"), ("Children", ""))


def test_labels_say_what_is_printed_twice_once() -> None:
    cells = [Cell(0, 0, "Dose", is_header=True), Cell(1, 0, "Dose", is_header=True)]

    assert [entry.text for entry in read_cells([*cells, Cell(2, 0, "1 g")]).header] == ["Dose"]
