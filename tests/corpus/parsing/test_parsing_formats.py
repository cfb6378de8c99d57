"""Test office files, HTML, Markdown, plain text and MedQuAD's XML."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.types import ParsedDocument, ParseError, Table
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.tree_notation import table_rows

DOSES = [("Age", "Dose"), ("Under 1 year", "60 mg"), ("1 to 5 years", "120 mg")]

HTML = """<!doctype html><html><head><title>Head title</title>
<script>alert("scripted")</script><style>p {color: red}</style></head><body>
<nav>Navigation</nav><h1>Paracetamol</h1><p>First paragraph, 10<sup>9</sup>/L.</p>
<p hidden>hidden one</p><p style="display: none">hidden two</p><!-- hidden three -->
<img src="http://192.0.2.1/x.png"><iframe src="http://192.0.2.1/"></iframe>
<h2>Dose</h2><ul><li>by mouth</li><li>by rectum</li></ul>
<table><tr><th>Age</th><th>Dose</th></tr><tr><td>Under 1 year</td><td>60 mg</td></tr>
<tr><td>1 to 5 years</td><td>120 mg</td></tr></table></body></html>"""

MARKDOWN = """# Paracetamol

First paragraph
in two lines.

## Dose

- by mouth
- by rectum

| Age | Dose |
|---|---|
| Under 1 year | 60 mg |
| 1 to 5 years | 120 mg |
"""

MEDQUAD = """<?xml version="1.0" encoding="UTF-8"?>
<Document id="0000005" source="MPlusHealthTopics" url="https://www.nlm.nih.gov/acne.html">
<Focus>Acne</Focus><QAPairs>
<QAPair pid="1"><Question qid="1" qtype="information">What is (are) Acne ?</Question>
<Answer>Acne is a skin disease. It is common.    If you have acne       -  Clean your skin
     -  Avoid the sun        Treatments include medicines
                and creams.</Answer></QAPair>
<QAPair pid="2"><Question>What causes Acne ?</Question><Answer>  </Answer></QAPair>
</QAPairs></Document>"""


def _texts(document: ParsedDocument) -> list[tuple[str, str]]:
    return [pair for page in document.pages for pair in fixtures.block_texts(page)]


def _table(document: ParsedDocument) -> Table:
    (table,) = [b.table for page in document.pages for b in page.blocks if b.table]
    return table


def _assert_doses(document: ParsedDocument) -> None:
    table = _table(document)
    assert table.header == DOSES[0]
    assert [row.cells for row in table.rows] == DOSES[1:]


def test_html_shows_what_a_reader_sees(tmp_path: Path) -> None:
    document = fixtures.read_text(tmp_path, HTML)
    assert document.title == "Paracetamol"
    assert _texts(document)[:5] == [
        ("heading", "Paracetamol"),
        ("paragraph", "First paragraph, 10⁹/L."),
        ("heading", "Dose"),
        *(("list_item", "by mouth"), ("list_item", "by rectum")),
    ]
    assert [b.level for b in document.pages[0].blocks if b.kind == "heading"] == [1, 2]
    _assert_doses(document)
    text = document.pages[0].text
    assert not any(word in text for word in ("hidden", "scripted", "Navigation", "color"))


def test_markdown(tmp_path: Path) -> None:
    document = fixtures.read_text(tmp_path, MARKDOWN, "a.md")
    assert _texts(document)[:5] == [
        ("heading", "Paracetamol"),
        ("paragraph", "First paragraph in two lines."),
        ("heading", "Dose"),
        *(("list_item", "by mouth"), ("list_item", "by rectum")),
    ]
    _assert_doses(document)


def test_word(tmp_path: Path) -> None:
    source = docx.Document()
    source.add_heading("Paracetamol", 0)
    source.add_heading("Dose", 1)
    run = source.add_paragraph("Platelets below 100 x 10").add_run("9")
    run.font.superscript = True
    table = source.add_table(rows=0, cols=2)
    for row in DOSES:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document = fixtures.read_saved(tmp_path, source)
    assert _texts(document)[:2] == [("heading", "Paracetamol"), ("heading", "Dose")]
    assert "100 x 10⁹" in document.pages[0].text
    _assert_doses(document)


def test_slides_are_pages(tmp_path: Path) -> None:
    source = pptx.Presentation()
    for number in (1, 2):
        slide = source.slides.add_slide(source.slide_layouts[1])
        slide.placeholders[1].text = f"Text of slide {number}"
    pages = fixtures.read_saved(tmp_path, source, "a.pptx").pages
    assert [page.text for page in pages] == ["Text of slide 1", "Text of slide 2"]


def test_sheets_are_pages(tmp_path: Path) -> None:
    source = openpyxl.Workbook()
    for sheet in (source.active, source.create_sheet("More")):
        for row in DOSES:
            sheet.append(row)
    pages = fixtures.read_saved(tmp_path, source, "a.xlsx").pages
    assert ["Under 1 year | 60 mg" in page.text for page in pages] == [True, True]


SPANS = """\
  = Group | Dose | <
  = ^ | mg/kg | Maximum
  | Adults | 1 | 20 mg
  | ^ | 2 |
  | Children | Avoid | <"""
SPANNING_HTML = """<table><thead><tr><th rowspan="2">Group</th><th colspan="2">Dose</th></tr>
<tr><th>mg/kg</th><th>Maximum</th></tr></thead><tbody><tr><td rowspan="2">Adults</td><td>1</td>
<td>20 mg</td></tr><tr><td>2</td><td></td></tr><tr><td>Children</td><td colspan="2">Avoid</td></tr>
</tbody></table>"""
# Rows of texts, and the cells that are merged: from row and column to row and column.
CELLS = (
    ("Group", "Dose", ""), ("", "mg/kg", "Maximum"), ("Adults", "1", "20 mg"), ("", "2", ""),
    ("Children", "Avoid", ""),
)  # fmt: skip
MERGED = ((0, 0, 1, 0), (0, 1, 0, 2), (2, 0, 3, 0), (4, 1, 4, 2))


def _spanning_html(path: Path) -> None:
    path.write_text(f"<html><body>{SPANNING_HTML}</body></html>")


def _spanning_docx(path: Path) -> None:
    source = docx.Document()
    table = source.add_table(rows=len(CELLS), cols=3)
    _fill_merged(table)
    source.save(str(path))


def _spanning_pptx(path: Path) -> None:
    source = pptx.Presentation()
    slide = source.slides.add_slide(source.slide_layouts[6])
    inch = pptx.util.Inches(1)
    _fill_merged(slide.shapes.add_table(len(CELLS), 3, inch, inch, 5 * inch, 2 * inch).table)
    source.save(str(path))


def _spanning_xlsx(path: Path) -> None:
    source = openpyxl.Workbook()
    for row in CELLS:
        source.active.append([text or None for text in row])
    for merged in ("A1:A2", "B1:C1", "A3:A4", "B5:C5"):
        source.active.merge_cells(merged)
    source.save(path)


def _fill_merged(table: Any) -> None:
    for top, left, bottom, right in MERGED:
        table.cell(top, left).merge(table.cell(bottom, right))
    for row, texts in enumerate(CELLS):
        for column, text in enumerate(texts):
            if text:
                table.cell(row, column).text = text


@pytest.mark.parametrize("write", [_spanning_html, _spanning_docx, _spanning_pptx, _spanning_xlsx])
def test_cells_span_as_the_file_says(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / f"a.{write.__name__.removeprefix('_spanning_')}"
    write(path)
    table = _table(fixtures.read(path, tmp_path))
    assert table_rows(table.cells) == SPANS
    assert table.header == ("Group", "Dose, mg/kg", "Dose, Maximum")
    assert [row.cells for row in table.rows] == [
        ("Adults", "1", "20 mg"),
        ("Adults", "2", ""),
        ("Children", "Avoid", "Avoid"),
    ]
    assert all(cell.box is None for cell in table.cells)


def test_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("DOSE OF X\n\nGive 5 µg\nonce daily.\n\n- first\n- second\n".encode("cp1252"))
    assert _texts(fixtures.read(path, tmp_path)) == [
        ("heading", "DOSE OF X"),
        ("paragraph", "Give 5 µg once daily."),
        *(("list_item", "first"), ("list_item", "second")),
    ]


def test_medquad(tmp_path: Path) -> None:
    document = fixtures.read_text(tmp_path, MEDQUAD, "a.xml")
    url = "https://www.nlm.nih.gov/acne.html"
    facts = {"source": "MedlinePlus", "licence": "CC BY 4.0", "source_type": "answers"}
    assert document.title == "Acne"
    assert document.metadata == facts | {"url": url, "language": "en"}
    assert _texts(document) == [
        ("heading", "Acne"),
        ("heading", "What is (are) Acne?"),
        ("paragraph", "Acne is a skin disease. It is common."),
        ("paragraph", "If you have acne"),
        *(("list_item", "Clean your skin"), ("list_item", "Avoid the sun")),
        ("paragraph", "Treatments include medicines and creams."),
    ]


def test_medquad_without_answers_has_no_text(tmp_path: Path) -> None:
    pair = "<QAPair><Question>What?</Question><Answer/></QAPair>"
    text = f"<Document><Focus>X</Focus><QAPairs>{pair}</QAPairs></Document>"
    with pytest.raises(ParseError) as caught:
        fixtures.read_text(tmp_path, text, "a.xml")
    assert caught.value.code == "no_text"


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("e\u0301", "é"),
        ("con\ufb01rmed \ufb02uid", "confirmed fluid"),
        ("a\u00adb\u200bc\u0000d\ud800e\U000e0041f", "abcdef"),
        ("5 µg ≥ 10² ½ ®", "5 µg ≥ 10² ½ ®"),
        ("line\r\nline\rline", "line\nline\nline"),
        ("", ""),
    ],
)
def test_cleaning(raw: str, cleaned: str) -> None:
    assert clean_text(raw) == cleaned
    assert clean_text(clean_text(raw)) == cleaned


def test_a_clean_line_has_single_spaces() -> None:
    assert clean_line("  two\u00a0 \n words ") == "two words"
