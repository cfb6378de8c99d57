"""Test PDFs: reading order, structure, tables, OCR and the geometry behind citations."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.serialise import from_json, to_json
from corpus.parsing.types import Block, ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.table_fixtures import GRID, draw_table


def _tables(document: ParsedDocument) -> list[Block]:
    return [block for page in document.pages for block in page.blocks if block.table]


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, fixtures.two_columns)

    kinds = fixtures.block_texts(document.pages[0])
    assert kinds[0] == ("heading", "A title that spans both columns of the page")
    assert document.title == "A title that spans both columns of the page"
    assert len(kinds) == 2, "the sentence that runs over the columns is one paragraph"
    text = kinds[1][1]
    assert "because they are followed by this line" in text
    assert text.startswith("The first column starts here")
    assert text.endswith("say about it here.")


def test_divided_words_are_mended_and_compounds_kept(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, fixtures.two_columns)

    assert "as algorithms often are" in document.pages[0].text
    assert "by an X-ray that keeps" in document.pages[0].text


@pytest.mark.parametrize("ruled", [True, False])
def test_a_dosing_table_has_its_header_rows_and_caption(tmp_path: Path, ruled: bool) -> None:
    document = fixtures.read_pdf(tmp_path, fixtures.dosing_table(ruled=ruled))

    (block,) = _tables(document)
    assert block.table is not None
    assert block.table.header == fixtures.DOSES[0]
    assert tuple(row.cells for row in block.table.rows) == fixtures.DOSES[1:]
    assert block.table.caption == "Table 1. Dose by weight"
    assert len(block.lines) == len(fixtures.DOSES)
    kinds = [kind for kind, _ in fixtures.block_texts(document.pages[0])]
    assert kinds == ["heading", "paragraph", "caption", "table", "footnote", "paragraph"]


def test_running_headers_and_page_numbers_are_kept_beside_the_text(tmp_path: Path) -> None:
    def page(number: int) -> fixtures.Draw:
        def draw(canvas: Canvas) -> None:
            fixtures.write_lines(canvas, ["Hospital X - for demonstration"], y=815, size=8)
            fixtures.write_lines(canvas, [f"Page {number} of 3"], y=25, size=8)
            fixtures.plain_page(f"topic {number}")(canvas)

        return draw

    document = fixtures.read_pdf(tmp_path, page(1), page(2), page(3))

    assert [page.number for page in document.pages] == [1, 2, 3]
    for number, page_ in enumerate(document.pages, start=1):
        header, footer = "Hospital X - for demonstration", f"Page {number} of 3"
        assert page_.running_lines == (header, footer)
        assert fixtures.block_texts(page_) == [
            ("heading", f"2 About topic {number}"),
            ("paragraph", f"This page speaks of topic {number} and of nothing else at all."),
        ]


@pytest.mark.parametrize(
    "footer",
    ["Uncontrolled when printed.", "Northfield: iron in children", "Page 1 of 1", "Iron, page 1"],
)
def test_a_footer_below_a_table_is_no_note_of_it(tmp_path: Path, footer: str) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Give the dose in Table 1 under the skin."] * 20, y=735)
        draw_table(canvas, fixtures.DOSES, widths=[150, 120, 120], top=140, style=[GRID])
        fixtures.write_lines(canvas, ["* Reassess every day.", "For adults only."], y=59, size=8)
        fixtures.write_lines(canvas, [footer], y=25, size=8)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages
    notes = " ".join(text for kind, text in fixtures.block_texts(page) if kind == "footnote")
    assert notes == "* Reassess every day. For adults only."
    assert (footer in page.running_lines) or ("paragraph", footer) in fixtures.block_texts(page)


def test_lines_stand_where_they_were_drawn(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, fixtures.plain_page("boxes"))

    page = document.pages[0]
    assert (page.width, page.height) == fixtures.A4
    left, top, right, bottom = page.blocks[1].lines[0].box
    assert left == pytest.approx(60, abs=1)
    assert top < 842 - 735 < bottom + 1  # the baseline
    assert bottom - top < 20
    assert 250 < right < 400


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_read_as_it_is_seen(tmp_path: Path, turn: int) -> None:
    import pypdfium2

    source = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.dosing_table(ruled=True))
    turned = pypdfium2.PdfDocument(source)
    turned[0].set_rotation(turn)
    turned.save(tmp_path / "b.pdf")

    document = fixtures.read(tmp_path / "b.pdf", tmp_path)

    upright = fixtures.read(source, tmp_path)
    assert document.pages[0].text == upright.pages[0].text
    sideways = turn in (90, 270)
    assert (document.pages[0].width > document.pages[0].height) == sideways


def test_superscripts_are_not_read_as_figures(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Stop when the platelet count is below 100 x 10"], size=10)
        canvas.setFont("Helvetica", 6)
        canvas.drawString(60 + canvas.stringWidth("x" * 0, "Helvetica", 10), 600, " ")
        end = 60 + canvas.stringWidth(
            "Stop when the platelet count is below 100 x 10", "Helvetica", 10
        )
        canvas.drawString(end, 704, "9")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(end + canvas.stringWidth("9", "Helvetica", 6), 700, "/L.")

    document = fixtures.read_pdf(tmp_path, draw)

    assert "100 x 10⁹/L." in document.pages[0].text


def test_a_page_without_a_text_layer_is_read_by_ocr(tmp_path: Path) -> None:
    source = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.dosing_table(ruled=True))
    document = fixtures.read(fixtures.picture_pdf(tmp_path / "b.pdf", source), tmp_path)

    page = document.pages[0]
    assert page.ocr_confidence is not None
    assert page.ocr_confidence > 0.9
    (block,) = _tables(document)
    assert block.table is not None
    assert [row.cells for row in block.table.rows][1] == ("50 to 99", "40 mg", "Once daily")
    assert "Measure the platelet count in the second week." in page.text


def test_the_same_bytes_give_the_same_pages(tmp_path: Path) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns, fixtures.plain_page("x"))

    first, second = (to_json(fixtures.parse(path, tmp_path / "out")) for _ in range(2))

    assert first == second
    assert to_json(from_json(first)) == first


@fixtures.needs_samples
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gentamicin-once-daily-adults.pdf", ("40 to 60", "5 mg/kg*", "Every 36 hours")),
        ("warfarin-reversal-adults.pdf", ("4.0 to 6.0", "35", "3,500")),
        ("vte-prophylaxis-adults.pdf", ("100 to 150", "40 mg", "Twice daily")),
        ("stroke-thrombolysis-adults.pdf", ("70", "63.0", "6.3")),
    ],
)
def test_samples_dosing_tables(name: str, row: tuple[str, ...], tmp_path: Path) -> None:
    document = fixtures.read(fixtures.SAMPLES / name, tmp_path)

    rows = [r.cells for block in _tables(document) if block.table for r in block.table.rows]
    assert any(cells[: len(row)] == row for cells in rows)


@pytest.mark.parametrize(
    ("metadata", "heading", "title"),
    [
        ("Microsoft Word - asthma_v3.docx", "", "asthma v3"),
        ("Microsoft Word - asthma_v3.docx", "1 Oxygen", "1 Oxygen"),
        ("Microsoft Word - Acute asthma", "1 Oxygen", "Acute asthma"),
        ("Acute asthma", "1 Oxygen", "Acute asthma"),
    ],
)
def test_a_title_of_the_metadata_is_no_name_of_a_program_or_a_file(
    tmp_path: Path, metadata: str, heading: str, title: str
) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setTitle(metadata)
        if heading:
            fixtures.write_heading(canvas, heading, y=740)
        fixtures.write_lines(canvas, ["Give oxygen to all who need it, and do not wait."] * 6)

    assert fixtures.read_pdf(tmp_path, draw).title == title


def test_a_line_that_introduces_what_follows_is_no_title(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_heading(canvas, "Stopping warfarin", y=740)
        fixtures.write_lines(canvas, ["Ask when it was taken last, and why it was."] * 3, y=700)
        fixtures.write_heading(canvas, "These are the ways of bridging that there are:", y=600)
        fixtures.write_lines(canvas, ["Give heparin for as long as the clinic says."] * 3, y=560)

    document = fixtures.read_pdf(tmp_path, draw)
    assert document.title == "Stopping warfarin"
