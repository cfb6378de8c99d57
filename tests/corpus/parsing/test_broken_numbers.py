"""A number that a line's end breaks is one number or doubted, never two numbers believed."""

from pathlib import Path

import pytest
from docx import Document as Word

from corpus.parsing.doubts.grades import Grade, grade_of
from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.tables import cases, listed

FULL = "Colchicine is a medicine for acute gout that is taken by mouth in low doses for some days."


def _read(folder: Path, *pages: list[str]) -> ParsedDocument:
    return fixtures.read_pdf(folder, *(fixtures.at(700, *lines) for lines in pages))


def _doubted(document: ParsedDocument) -> list[str]:
    return [
        page.text[doubt.start : doubt.end]
        for page in document.pages
        for doubt in page.doubts
        if doubt.code == "number_broken"
    ]


@pytest.mark.parametrize(("before", "after"), cases(__file__, "broken_numbers.tsv"))
def test_a_number_that_may_go_on_is_doubted_on_both_lines(
    tmp_path: Path, before: str, after: str
) -> None:
    assert _doubted(_read(tmp_path, [FULL, before, after])) == [before, after]
    assert grade_of("number_broken") is Grade.VALUE


def test_what_most_probably_goes_on_is_joined_and_doubted(tmp_path: Path) -> None:
    (page,) = _read(tmp_path, [FULL, "Give 1.", "5 mg of colchicine."]).pages
    assert page.text.endswith("Give 1.5 mg of colchicine.")


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("In renal disease give 0.", "5 mg of colchicine.", "give 0.5 mg of"),
        ("Give a daily dose of 0.", "25 mg of colchicine.", "dose of 0.25 mg of"),
        ("Do not exceed a daily dose of 1,", "000 mg of colchicine.", "dose of 1,000 mg of"),
        ("Do not exceed a daily dose of 1,", "500 mg of colchicine.", "dose of 1,500 mg of"),
        ("Once a day inject 12,", "500 units of dalteparin.", "inject 12,500 units of"),
    ],
)
def test_what_can_only_be_one_number_is_joined(
    tmp_path: Path, before: str, after: str, joined: str
) -> None:
    document = _read(tmp_path, [FULL, before, after])
    assert joined in document.pages[0].text
    assert _doubted(document) == []


def test_a_number_broken_at_the_end_of_a_page_or_column_is_doubted(tmp_path: Path) -> None:
    assert _doubted(_read(tmp_path, [FULL, "Give 0."], ["5 mg of colchicine.", FULL])) == [
        "Give 0.",
        "5 mg of colchicine.",
    ]

    ends = ["on to the top of the right one. Give 1.", "5 mg of colchicine."]
    left = fixtures.at(700, *fixtures.LEFT[:-1], ends[0], x=40, size=8)
    right = fixtures.at(700, ends[1], *fixtures.RIGHT, x=310, size=8)
    assert _doubted(fixtures.read_pdf(tmp_path, fixtures.together(left, right))) == ends


@pytest.mark.parametrize(("lines",), cases(__file__, "whole_numbers.tsv", listed))
def test_honest_ends_of_lines_are_not(tmp_path: Path, lines: list[str]) -> None:
    assert _doubted(_read(tmp_path, [FULL, *lines])) == []


def test_a_blank_behind_the_point_is_doubted_where_there_are_no_lines(tmp_path: Path) -> None:
    doubted = ["Give 1. 5 mg of colchicine.", "Give 1, 500 mg of it.", "Adults | up to 1. 5 mg"]
    word = Word()
    for said in (*doubted[:2], "1. 5 mg of colchicine.", "As table 1. 5 mg says."):
        word.add_paragraph(said)
    row = word.add_table(rows=2, cols=2).rows[1]
    row.cells[0].text, row.cells[1].text = "Adults", "up to 1. 5 mg"
    assert _doubted(fixtures.read_saved(tmp_path, word)) == doubted
