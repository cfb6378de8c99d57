"""Test the steps by which a table is repaired."""

import itertools

import pytest

from corpus.parsing.types import Cell
from corpus.review.grid import STEPS, BadTable, Grid, grid_cells, grid_of, grid_posted, grid_step

CELLS = (
    Cell(0, 0, "Age", is_header=True),
    Cell(0, 1, "Dose", columns=2, is_header=True),
    Cell(1, 0, "Adult", rows=2),
    Cell(1, 1, "5 mg"),
    Cell(1, 2, "daily"),
    Cell(2, 1, "8 mg"),
    Cell(2, 2, "weekly"),
)


def drawn(grid: Grid) -> list[str]:
    """Return each row with the cell at every place, and a line below the heads."""
    rows = [
        "|".join(grid.at(row, column).text for column in range(grid.width))
        for row in range(grid.height)
    ]
    return [*rows[: grid.heads], "-", *rows[grid.heads :]]


def taken(step: str, place: str, *, text: str | None = None) -> list[str]:
    grid = grid_of(CELLS)
    if text is not None:
        texts = [text if cell.place == place else cell.text for cell in grid.cells]
        grid = grid_posted(grid.shape, texts=texts, heads=grid.heads)
    return drawn(grid_step(grid, step, place=place))


HEAD = ["Age|Dose|Dose", "-"]
WIDE, HIGH = "Adult 5 mg 8 mg|Adult 5 mg 8 mg", "Dose 5 mg daily|Dose 5 mg daily"
WIDER = "Age|Dose|Dose|Dose"
FIRST, SECOND = "Adult|5 mg|daily", "Adult|8 mg|weekly"


@pytest.mark.parametrize(
    ("step", "place", "expected"),
    [
        ("row_above", "0.0", ["||", "Age|Dose|Dose", "-", FIRST, SECOND]),
        ("row_below", "0.0", [*HEAD, "||", FIRST, SECOND]),
        ("row_below", "1.1", [*HEAD, FIRST, "Adult||", SECOND]),
        ("row_below", "1.0", [*HEAD, FIRST, SECOND, "||"]),
        ("row_removed", "0.0", ["-", FIRST, SECOND]),
        ("row_removed", "1.0", [*HEAD, SECOND]),
        ("row_removed", "2.1", [*HEAD, FIRST]),
        ("column_left", "0.0", ["|Age|Dose|Dose", "-", "|" + FIRST, "|" + SECOND]),
        (
            "column_right",
            "1.1",
            ["Age|Dose|Dose|Dose", "-", "Adult|5 mg||daily", "Adult|8 mg||weekly"],
        ),
        ("column_removed", "0.0", ["Dose|Dose", "-", "5 mg|daily", "8 mg|weekly"]),
        ("column_removed", "0.1", ["Age|Dose", "-", "Adult|daily", "Adult|weekly"]),
        ("right", "1.1", [*HEAD, "Adult|5 mg daily|5 mg daily", SECOND]),
        ("right", "1.0", [*HEAD, f"{WIDE}|daily", f"{WIDE}|weekly"]),
        ("below", "1.1", [*HEAD, "Adult|5 mg 8 mg|daily", "Adult|5 mg 8 mg|weekly"]),
        ("below", "0.1", [f"Age|{HIGH}", "-", f"Adult|{HIGH}", SECOND]),
        ("rows", "1.0", [*HEAD, FIRST, "|8 mg|weekly"]),
        ("rows", "1.1", [*HEAD, FIRST, "Adult||daily", SECOND]),
        ("columns", "0.1", ["Age|Dose|", "-", FIRST, SECOND]),
        ("columns", "1.1", [WIDER, "-", "Adult|5 mg||daily", "Adult|8 mg|8 mg|weekly"]),
    ],
)  # fmt: skip
def test_a_step_changes_rows_columns_and_heads(step: str, place: str, expected: list[str]) -> None:
    assert taken(step, place) == expected


def test_a_cell_is_split_at_its_lines() -> None:
    three = taken("rows", "1.1", text="5 mg\n6 mg\n7 mg")
    assert three == [*HEAD, FIRST, "Adult|6 mg|daily", "Adult|7 mg|daily", SECOND]
    two = taken("rows", "1.0", text="Adult\nChild\nInfant")
    assert two == [*HEAD, FIRST, "Child Infant|8 mg|weekly"]


@pytest.mark.parametrize(
    ("step", "place"), [("right", "0.1"), ("below", "2.1"), ("rows", ""), ("rows", "1.7")]
)
def test_what_can_not_be_done_is_refused(step: str, place: str) -> None:
    with pytest.raises(BadTable):
        taken(step, place)


def test_each_step_leaves_cells_that_cover_the_table_and_can_be_posted() -> None:
    """Two steps after each other, at every cell."""
    grids = [grid_of(CELLS)]
    for _ in range(2):
        for grid, step in itertools.product(list(grids), STEPS):
            for cell in grid.cells:
                try:
                    made = grid_step(grid, step, place=cell.place)
                except BadTable:
                    continue
                texts = [each.text for each in made.cells]
                assert grid_posted(made.shape, texts=texts, heads=made.heads) == made
                words = sorted(word for each in grid.cells for word in each.text.split())
                if "removed" not in step:  # nothing is lost
                    assert sorted(w for text in texts for w in text.split()) == words
                if len(grids) < 60:
                    grids.append(made)
    assert len(grids) == 60


def test_a_read_table_with_gaps_and_overlaps_keeps_all_words_and_boxes() -> None:
    read = (Cell(0, 0, "a", columns=2, box=(0, 0, 1, 1)), Cell(0, 1, "b", rows=2), Cell(2, 0, "c"))
    grid = grid_of(read)
    assert drawn(grid) == ["-", "a b|a b", "|", "c|"]
    cells = grid_cells(grid, read)
    assert cells[0] == Cell(0, 0, "a b", columns=2, box=(0, 0, 1, 1))


def test_joined_cells_stand_where_their_parts_stood() -> None:
    read = (Cell(0, 0, "a", box=(0, 0, 5, 5)), Cell(0, 1, "b", box=(5, 0, 9, 5)))
    grid = grid_step(grid_of(read), "right", place="0.0")
    assert grid_cells(grid, read) == (Cell(0, 0, "a b", columns=2, box=(0, 0, 9, 5)),)


def test_a_table_too_large_for_a_form_is_told() -> None:
    with pytest.raises(BadTable, match="900 cells"):
        grid_of([Cell(row, 0, "x") for row in range(901)])
    with pytest.raises(BadTable):
        grid_of([Cell(0, 0, "x", rows=30_000)])
