"""Test that labels of a table, running titles and warnings are told apart at the top of pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.types import Table
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.said import said_in
from tests.corpus.parsing.tables.table_fixtures import GRID, Rows, draw_table

ORGANS = ("liver", "heart", "skin", "lungs")
PAGES = range(1, 5)
TITLES = [
    ([["Management of infection | Page {}", ""]], [("SPAN", (0, 0), (1, 0))]),
    ([["Management of infection in primary care", "Page {}"]], []),
    ([["Iron in adults, version 3, {} of 4", ""]], [("SPAN", (0, 0), (1, 0))]),
    ([["Management of infection\nin primary care\nPage {}", ""]], [("SPAN", (0, 0), (1, 0))]),
]


def body(number: int) -> Rows:
    organ = ORGANS[number - 1]
    return [[f"The {organ}", f"{number}50 mg OD"], [f"Under the {organ}", f"{number} g QDS"],
            [f"Above the {organ}", f"{number} mg once"]]  # fmt: skip


def tables_of(folder: Path, *draws: fixtures.Draw) -> list[Table]:
    pages = fixtures.read_pdf(folder, *draws).pages
    return [block.table for page in pages for block in page.blocks if block.table]


def framed(
    number: int, title: Rows, style: Sequence[object], *, labels: Rows = ()
) -> fixtures.Draw:
    head = [[cell.format(number) for cell in row] for row in title]
    rows: Rows = [*head, *labels, *body(number)]

    def draw(canvas: Canvas) -> None:
        draw_table(canvas, rows, widths=[220, 200], top=740, style=[GRID, *style], labels=0)

    return draw


@pytest.mark.parametrize(("title", "style"), TITLES)
def test_a_running_title_inside_a_frame_is_no_label(
    tmp_path: Path, title: Rows, style: Sequence[object]
) -> None:
    tables = tables_of(tmp_path, *(framed(n, title, style) for n in PAGES))
    assert [table.header for table in tables] == [()] * 4
    assert [row.cells for table in tables for row in table.rows] == [
        tuple(row) for n in PAGES for row in body(n)
    ]


def test_labels_below_a_running_title_label_the_rows(tmp_path: Path) -> None:
    title, style = TITLES[0]
    drawn = (framed(n, title, style, labels=[["Where", "How much"]]) for n in PAGES)
    assert [table.header for table in tables_of(tmp_path, *drawn)] == [("Where", "How much")] * 4


@pytest.mark.parametrize("title", ["Antibiotics for children", "Table 3. Antibiotics for 3 days"])
def test_a_title_that_counts_no_pages_stays_with_its_rows(tmp_path: Path, title: str) -> None:
    style = [("SPAN", (0, 0), (1, 0))]
    document = fixtures.read_pdf(tmp_path, *(framed(n, [[title, ""]], style) for n in PAGES))
    assert all(title in page.text for page in document.pages)


@pytest.mark.parametrize("top", [790, 815])
@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize(
    "labels", [[["Where", "How much"]], [["Where", "How much"], ["(organ)", "(by mouth)"]]]
)
def test_labels_that_a_table_repeats_on_each_page_are_no_running_header(
    tmp_path: Path, top: float, ruled: bool, labels: Rows
) -> None:
    def page(number: int) -> fixtures.Draw:
        rows, style = [*labels, *body(number)], [GRID] if ruled else []
        return lambda canvas: draw_table(
            canvas, rows, widths=[200, 200], top=top, style=style, labels=len(labels)
        )

    document = fixtures.read_pdf(tmp_path, *map(page, PAGES))
    for page_read in document.pages:
        assert page_read.text.startswith("Where | How much")
        assert ("(by mouth)" in page_read.text) is (len(labels) == 2)
        assert page_read.running_lines == ()


def test_a_header_above_text_in_columns_still_runs(tmp_path: Path) -> None:
    drawn = [
        fixtures.together(
            fixtures.at(815, "Hospital X", size=8),
            fixtures.at(815, "Iron in adults", x=320, size=8),
            fixtures.at(760, *[f"Text of the {organ} that fills a column as it does."] * 30),
        )
        for organ in ORGANS
    ]
    for page in fixtures.read_pdf(tmp_path, *drawn).pages:
        assert page.running_lines == ("Hospital X Iron in adults",)


WARNINGS = [
    "Do not give if the platelet count is below 50",
    "Stop the infusion if the rash spreads",
    "Maximum 60 mg in one day",
    "Vancomycin and teicoplanin",
    "Gentamicin may harm the unborn child",
    "The dose is halved in renal failure",
]


@pytest.mark.parametrize("y", [780, 800, 60])
@pytest.mark.parametrize("warning", WARNINGS)
def test_a_warning_on_two_pages_is_no_running_line(tmp_path: Path, warning: str, y: float) -> None:
    drawn = [
        fixtures.together(
            *([fixtures.at(y, warning)] if number < 2 else []),
            fixtures.at(600, f"This page speaks of the {organ} and of nothing else at all."),
        )
        for number, organ in enumerate((*ORGANS, "bones"))
    ]
    document = fixtures.read_pdf(tmp_path, *drawn)
    assert sum(warning in text for text in said_in(document)) == 2


@pytest.mark.parametrize("size", [8, 10])
@pytest.mark.parametrize(
    "title", ["Gentamicin in adults", "What is new in sepsis", "Iron, version 3, May 2026",
              "Review in 2 years", "Iron in adults, 3 of 4"],
)  # fmt: skip
def test_a_title_at_the_edge_of_each_page_runs(tmp_path: Path, title: str, size: float) -> None:
    drawn = [
        fixtures.together(
            fixtures.at(815, title, size=size),
            fixtures.at(600, f"This page speaks of the {organ} and of nothing else at all."),
        )
        for organ in ORGANS
    ]
    assert all(page.running_lines for page in fixtures.read_pdf(tmp_path, *drawn).pages)
