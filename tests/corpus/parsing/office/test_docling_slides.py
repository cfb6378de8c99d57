"""Test what docling drops of slides: each is lost, or said wrongly, without `mark_slide`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
from pptx.oxml.ns import qn
from pptx.util import Inches

from corpus.parsing.office.docling import slides
from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures

Write = Callable[[Any], None]


def read(tmp_path: Path, *writes: Write) -> ParsedDocument:
    """Return a file with a slide for each of these, which has a title and a body."""
    show = pptx.Presentation()
    for write in writes:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = "Dose"
        write(slide)
    return fixtures.read_saved(tmp_path, show, "a.pptx")


def said(paragraph: Any, *runs: tuple[str, dict[str, str]]) -> None:
    for text, look in runs:
        run = paragraph.add_run()
        run.text = text
        run._r.get_or_add_rPr().attrib.update(look)


def table_of(slide: Any, *rows: tuple[str, ...]) -> Any:
    inch = Inches(1)
    table = slide.shapes.add_table(len(rows), 2, inch, inch, 5 * inch, 2 * inch).table
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return table


HEADS = ("Drug", "Dose")


def struck(slide: Any) -> None:
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    said(paragraph, ("Give ", {}), ("10 mg", {"strike": "sngStrike"}), (" 5 mg", {}))


def raised(slide: Any) -> None:
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    said(paragraph, ("Below 10", {}), ("9", {"baseline": "30000"}), ("/L & <5", {}))


def struck_in_a_cell(slide: Any) -> None:
    cell = table_of(slide, HEADS, ("A",)).cell(1, 1)
    said(cell.text_frame.paragraphs[0], ("10 mg ", {"strike": "dblStrike"}), ("5 mg", {}))


def under_a_merged_cell(slide: Any) -> None:
    table = table_of(slide, HEADS, ("A", "5 mg"), ("B", "10 mg"))
    xml = table.cell(1, 1)._tc, table.cell(2, 1)._tc
    xml[0].set("rowSpan", "2")
    xml[1].set("vMerge", "1")


def points_in_a_cell(slide: Any) -> None:
    frame = table_of(slide, HEADS, ("A",)).cell(1, 1).text_frame
    for text in ("5 mg", "not in children"):
        paragraph = frame.add_paragraph()
        paragraph.text = text
        bullet = paragraph._p.makeelement(qn("a:buChar"), {"char": "•"})
        paragraph._p.get_or_add_pPr().append(bullet)


def empty_span(slide: Any) -> None:
    table = table_of(slide, ("", "Dose"), ("", "mg"), ("", "5"))
    table.cell(0, 0).merge(table.cell(1, 0))


@pytest.mark.parametrize(
    ("write", "there", "gone", "codes"),
    [
        (struck, "Give 5 mg", "10 mg", ["struck_out"]),
        (raised, "Below 10⁹/L & <5", "109", []),
        (struck_in_a_cell, "A | 5 mg", "10 mg", ["struck_out"]),
        (under_a_merged_cell, "B | 5 mg", "10 mg", []),
        (points_in_a_cell, "A | 5 mg; not in children", "5 mg not", []),
    ],
)
def test_what_docling_drops_is_looked_up(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Write,
    there: str,
    gone: str,
    codes: list[str],
) -> None:
    (page,) = read(tmp_path, write).pages
    assert there in page.text
    assert gone not in page.text
    assert [doubt.code for doubt in page.doubts] == codes
    monkeypatch.setattr(slides, "mark_slide", lambda slide: None)
    lost = read(tmp_path, write).pages[0].text
    assert gone in lost or there not in lost


def test_an_empty_cell_that_spans_keeps_its_extent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spans() -> list[tuple[int, int]]:
        (table,) = [b.table for b in read(tmp_path, empty_span).pages[0].blocks if b.table]
        return [(cell.rows, cell.columns) for cell in table.cells if cell.column == 0]

    assert spans() == [(2, 1), (1, 1)]
    monkeypatch.setattr(slides, "mark_slide", lambda slide: None)
    assert spans() != [(2, 1), (1, 1)]


def test_what_is_hidden_is_left_out_with_a_doubt(tmp_path: Path) -> None:
    def hidden(slide: Any) -> None:
        slide.placeholders[1].text = "Give 10 mg"
        slide._element.set("show", "0")

    def hidden_shape(slide: Any) -> None:
        slide.placeholders[1].text = "Give 10 mg"
        slide.placeholders[1]._element.nvSpPr.cNvPr.set("hidden", "1")

    def beside_the_slide(slide: Any) -> None:
        slide.placeholders[1].text = "Give 10 mg"
        slide.placeholders[1].left = Inches(14)

    pages = read(tmp_path, hidden, hidden_shape, beside_the_slide).pages
    assert [page.text for page in pages] == ["", "Dose", "Dose"]
    assert [[doubt.code for doubt in page.doubts] for page in pages] == [["hidden_left_out"]] * 3


@pytest.mark.parametrize(
    ("draw", "is_doubted"),
    [
        (lambda shapes: shapes.add_connector(1, *map(Inches, (1, 5.25, 4, 5.25))), True),
        (lambda shapes: shapes.add_connector(1, *map(Inches, (1, 5.6, 4, 5.6))), False),
        (lambda shapes: shapes.add_connector(1, *map(Inches, (4, 5.25, 6, 5.25))), False),
        (lambda shapes: shapes.add_shape(1, *map(Inches, (1, 5, 3, 0.5))), True),
        (lambda shapes: shapes.add_shape(1, *map(Inches, (4.1, 5, 3, 0.5))), False),
        (lambda shapes: shapes.add_textbox(*map(Inches, (1, 5, 3, 0.5))), False),
        (lambda shapes: shapes.add_connector(1, *map(Inches, (1, 4, 4, 4))), False),
    ],
)
def test_a_line_or_shape_that_lies_over_words_is_doubted(
    tmp_path: Path, draw: Callable[[Any], Any], is_doubted: bool
) -> None:
    def write(slide: Any) -> None:
        slide.placeholders[1].text = "Short, and below it an empty place"
        box = slide.shapes.add_textbox(*map(Inches, (1, 5, 3, 0.5)))
        box.text_frame.text = "Give 10 mg"
        draw(slide.shapes)

    (page,) = read(tmp_path, write).pages
    assert "Give 10 mg" in page.text
    assert [doubt.code for doubt in page.doubts] == ["part_unread"] * is_doubted


def test_notes_are_no_text_and_a_layout_says_what_has_no_bullet(tmp_path: Path) -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[4])  # two columns, each with a heading
    for place, text in zip(slide.placeholders, ("Dose", "Adults", "5 mg"), strict=False):
        place.text = text
    slide.notes_slide.notes_text_frame.text = "for the speaker"
    (page,) = fixtures.read_saved(tmp_path, show, "a.pptx").pages
    texts = [("heading", "Dose"), ("paragraph", "Adults"), ("list_item", "5 mg")]
    assert fixtures.block_texts(page) == texts
