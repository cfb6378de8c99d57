"""Test the steps by which a table is repaired, and what a repaired table makes of a page."""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from django.utils import timezone

from corpus.indexing.rows import page_as_read
from corpus.models import Correction
from corpus.parsing.drafts import DraftTable, text_draft, write_page
from corpus.parsing.types import BlockKind, Cell, Doubt, Page, Table
from corpus.review.corrections import UNFIT, CorrectedPage, cells_key, corrected, table_now
from corpus.review.grid import STEPS, BadTable, Grid, grid_cells, grid_of, grid_posted, grid_step
from corpus.services.corrections import BadCorrection, correction_make, correction_repair, table_in
from tests.corpus.services.test_services_corrections import indexed
from tests.tables import rows

HEADS = ("Age", "Dose")
READ = (HEADS, ("adult", "5 mg"), ("child", "2 mg"), ("infant", "1 mg"))


def cells_of(rows: Sequence[Sequence[str]], *, heads: int = 1) -> tuple[Cell, ...]:
    return tuple(
        Cell(row, column, text, is_header=row < heads)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )


def page_of(*doubts: Doubt, heads: int = 1, inherited: tuple[str, ...] = ()) -> Page:
    """Return a page with a table between two paragraphs; the doubts are about the table."""
    table = DraftTable(cells_of(READ, heads=heads), inherited=inherited, doubts=doubts)
    paragraphs = [text_draft(BlockKind.PARAGRAPH, text) for text in ("Before.", "After.")]
    return write_page(Page(1, "", ()), [paragraphs[0], table, paragraphs[1]])


def repair(page: Page, rows: Sequence[Sequence[str]], *, heads: int = 1) -> Correction:
    now = table_now(page, 1, ())
    assert now is not None
    text, table = now.written(cells_of(rows, heads=heads))
    return Correction(
        pk=1, page=1, block=1, as_read=now.printed, around=cells_key(now.cells_read), text=text,
        table=asdict(table), made_at=timezone.now(),
    )  # fmt: skip


def repaired(page: Page, rows: Sequence[Sequence[str]], *, heads: int = 1) -> CorrectedPage:
    return corrected(page, [repair(page, rows, heads=heads)])


def table_of(made: CorrectedPage) -> Table:
    table = made.page.blocks[1].table
    assert table is not None
    return table


def changes(page: Page, made: CorrectedPage) -> list[tuple[list[str], list[str], str, str]]:
    """Return the changed and the old parts of the texts, and the words told, of each run."""
    return [
        (
            [made.page.text[a:b] for a, b in one.spans],
            [page.text[a:b] for a, b in one.was],
            one.text,
            one.read,
        )
        for one in made.applied
    ]


def test_each_run_of_rows_that_differ_is_told_by_itself() -> None:
    page = page_of()
    made = repaired(page, (HEADS, ("adult", "0.5 mg"), READ[2], ("infant", "1 mg"), ("other", "-")))
    assert changes(page, made) == [
        (["adult | 0.5 mg"], ["adult | 5 mg"], "| 0.5 mg", "| 5 mg"),
        (["other | -"], ["infant | 1 mg"], "other | -", "infant | 1 mg"),
    ]
    assert made.page.text.startswith("Before.\n") and made.page.text.endswith("\nAfter.")
    blocks = made.page.blocks
    assert made.page.text[blocks[2].start : blocks[2].end] == "After."


def test_a_removed_row_is_told_with_the_row_beside_it() -> None:
    page = page_of()
    made = repaired(page, (HEADS, READ[1], READ[3]))
    ((spans, was, text, read),) = changes(page, made)
    assert (spans, was) == (["adult | 5 mg", "infant | 1 mg"], ["child | 2 mg"])
    assert "child | 2 mg" in read and "child" not in text


def test_where_a_head_changes_every_row_reads_otherwise() -> None:
    page = page_of(heads=0)
    made = repaired(page, READ, heads=1)
    assert table_of(made).header == HEADS and made.page.text == page.text
    ((spans, was, text, read),) = changes(page, made)
    assert len(spans) == len(was) == 4
    assert (text, read) == ("Age | Dose", "")
    assert not repair(page, READ, heads=1).is_taken_back


def test_labels_of_the_page_before_count_as_long_as_the_columns_are_the_same() -> None:
    page = page_of(heads=0, inherited=("Years", "Most"))
    assert table_of(repaired(page, READ[1:], heads=0)).header == ("Years", "Most")
    assert table_of(repaired(page, READ, heads=1)).header == HEADS


def test_its_doubts_about_values_are_settled_and_no_others() -> None:
    doubts = (
        Doubt("values_in_one_cell", "Values."),
        Doubt("table_by_alignment", "A table?"),
        Doubt("part_unread", "Part was not read."),
    )
    page = page_of(*doubts)
    wide = Doubt("number_broken", "Over two blocks.", 0, page.blocks[1].end)
    page = replace(page, doubts=(*page.doubts, wide, Doubt("page_order_lost", "The page.")))
    made = repaired(page, (*READ[:2], ("child", "3 mg"), READ[3]))
    left = ["table_by_alignment", "part_unread", "number_broken", "page_order_lost"]
    assert [doubt.code for doubt in made.page.doubts] == left
    other = page_of(*doubts)
    misread = replace(other, blocks=other.blocks[:1], text="Before.")  # the table isn't there
    unfit = corrected(misread, [repair(page, READ[:2])])
    assert UNFIT in [doubt.code for doubt in unfit.page.doubts] and not unfit.applied


def test_a_table_with_the_same_words_in_other_cells_is_another() -> None:
    row = repair(page_of(heads=1), READ[:2])
    assert corrected(page_of(heads=0), [row]).unfit == (row,)


def test_a_cell_of_a_repaired_table_is_not_corrected_beside_it() -> None:
    page = page_of()
    row = repair(page, READ[:3])
    cell = Correction(
        pk=2, page=1, block=1, cell=3, as_read="5 mg", around="adult | 5 mg", text="6 mg",
        made_at=timezone.now(),
    )  # fmt: skip
    made = corrected(page, [row, cell])
    assert made.unfit == (cell,) and "6 mg" not in made.page.text
    assert "6 mg" in corrected(page, [cell]).page.text


@pytest.mark.django_db
def test_words_can_not_be_put_in_the_place_of_a_table_or_of_a_repaired_cell() -> None:
    document = indexed("# Dose\n\n| Age | Dose |\n|---|---|\n| adult | 5 mg |\n")
    read = page_as_read(document.pages.get())
    now = table_in(document, read, 1)
    assert now is not None
    words = {"page": 1, "block": 1, "text": "6 mg", "reason": "x", "by": None}
    with pytest.raises(BadCorrection):
        correction_make(document, cell=None, as_read=now.printed, **words)  # type: ignore[arg-type]
    grid = grid_of(now.cells)
    changed = [replace(c, text="0.5 mg") if c.text == "5 mg" else c for c in grid.cells]
    correction_repair(
        document, page=1, block=1, seen=now.seen, grid=Grid(tuple(changed), 1), reason="x", by=None
    )
    with pytest.raises(BadCorrection, match="repaired"):
        correction_make(document, cell=3, as_read="5 mg", **words)  # type: ignore[arg-type]
    again = table_in(document, read, 1)
    assert again is not None and again.seen != now.seen
    correction_repair(  # as it was read
        document, page=1, block=1, seen=again.seen, grid=grid, reason="x", by=None
    )
    assert document.corrections.get(is_current=True).is_taken_back
    document.refresh_from_db()
    assert document.corrections_key == ""


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
FIRST, SECOND = "Adult|5 mg|daily", "Adult|8 mg|weekly"


@pytest.mark.parametrize(("step", "place", "expected"), rows(__file__, "grid_steps.jsonl"))
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
