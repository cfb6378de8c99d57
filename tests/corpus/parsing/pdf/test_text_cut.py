"""Text that runs off the edge of its page is read as far as it shows, and its line is doubted."""

from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.doubts.grades import Grade, grade_of
from corpus.parsing.types import Box, Page
from tests.corpus.parsing import parsing_fixtures as fixtures

WIDTH, HEIGHT = A4
WHOLE, DOSE = "Zinc heals wounds.", "Give at most 200 mg daily."
Line = tuple[float, float, str]


def _read(folder: Path, *lines: Line, crop: Box = (0, 0, *A4), turn: int = 0) -> Page:
    def draw(canvas: Canvas) -> None:
        canvas.setCropBox(crop)
        canvas.setPageRotation(turn)
        canvas.setPageSize(A4 if turn in (0, 180) else A4[::-1])  # turned back by reportlab
        canvas.setFont("Helvetica", 10)
        for x, y, said in lines:
            canvas.drawString(x, y, said)

    return fixtures.read_page(folder, draw)


def _cut(page: Page) -> list[str]:
    return [page.text[d.start : d.end] for d in page.doubts if d.code == "text_cut"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (WIDTH - 72, "Give at most 20"),  # in the middle of a number
        (WIDTH - 60, "Give at most"),  # between two words
        (-18, "at most 200 mg daily."),
    ],
)
def test_a_line_that_runs_off_the_side_is_doubted(
    tmp_path: Path, x: float, shown: str, turn: int
) -> None:
    page = _read(tmp_path, (60, 700, WHOLE), (x, 600, DOSE), turn=turn)
    assert shown in page.text
    assert DOSE not in page.text
    assert _cut(page) == [shown]


def test_a_text_that_runs_off_the_bottom_is_doubted_at_its_last_line(tmp_path: Path) -> None:
    page = _read(tmp_path, (60, 700, WHOLE), (60, 5, "Give iron, and"), (60, -7, DOSE))
    assert _cut(page) == ["Give iron, and"]


def test_the_edge_is_that_of_the_crop_box(tmp_path: Path) -> None:
    lines = [(60.0, 700.0, WHOLE), (300.0, 600.0, DOSE)]
    assert _cut(_read(tmp_path, *lines)) == []
    assert _cut(_read(tmp_path, *lines, crop=(40, 0, 372, HEIGHT))) == ["Give at most 20"]


def test_what_stands_apart_off_the_page_is_no_part_of_its_text(tmp_path: Path) -> None:
    """As the marks of a printer, or the other page of a spread."""
    spread = [(60.0, y, WHOLE) for y in (700, 688, 676)]
    beside = [(360.0, y, DOSE) for y in (700, 688, 676)]
    mixed = [line for pair in zip(spread, beside, strict=True) for line in pair]
    page = _read(tmp_path, *mixed, (60, 120, WHOLE), (60, 80, DOSE), crop=(40, 100, 340, 800))
    assert page.text.count(WHOLE) == 4
    assert DOSE not in page.text
    assert _cut(page) == []


def test_a_document_with_cut_text_is_held_back_until_somebody_has_looked() -> None:
    assert grade_of("text_cut") is Grade.VALUE
