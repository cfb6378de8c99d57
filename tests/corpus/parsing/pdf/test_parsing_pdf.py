"""Test PDFs: reading order, structure, tables, OCR and the geometry behind citations."""

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.serialise import from_json, to_json
from corpus.parsing.types import Block, ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.parsing_fixtures import at, heading
from tests.corpus.parsing.tables.table_fixtures import GRID, draw_table


def _tables(document: ParsedDocument) -> list[Block]:
    return [block for page in document.pages for block in page.blocks if block.table]


def test_two_columns_are_read_one_after_the_other_and_divided_words_mended(tmp_path: Path) -> None:
    document = fixtures.read_pdf(tmp_path, fixtures.two_columns)
    title, (_, text) = fixtures.block_texts(document.pages[0])  # one sentence runs over columns
    assert title == ("heading", "A title that spans both columns of the page")
    assert document.title == title[1]
    assert text.startswith("The first column starts here")
    for said in ("as algorithms often are", "by an X-ray that keeps", "because they are followed"):
        assert said in text
    assert text.endswith("say about it here.")


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
    header, topics = "Hospital X - for demonstration", ("doses", "levels", "harms")
    pages = [
        fixtures.together(
            at(815, header, size=8), at(25, f"Page {n} of 3", size=8), fixtures.plain_page(topic)
        )
        for n, topic in enumerate(topics, 1)
    ]
    document = fixtures.read_pdf(tmp_path, *pages)
    assert [page.number for page in document.pages] == [1, 2, 3]
    for page, topic in zip(document.pages, topics, strict=True):
        assert page.running_lines == (header, f"Page {page.number} of 3")
        assert fixtures.block_texts(page) == [
            ("heading", f"2 About {topic}"),
            ("paragraph", f"This page speaks of {topic} and of nothing else at all."),
        ]


@pytest.mark.parametrize(
    "footer",
    ["Uncontrolled when printed.", "Northfield: iron in children", "Page 1 of 1", "Iron, page 1"],
)
def test_a_footer_below_a_table_is_no_note_of_it(tmp_path: Path, footer: str) -> None:
    def table(canvas: Canvas) -> None:
        draw_table(canvas, fixtures.DOSES, widths=[150, 120, 120], top=140, style=[GRID])

    page = fixtures.read_page(
        tmp_path,
        at(735, *["Give the dose in Table 1 under the skin."] * 20),
        table,
        at(59, "* Reassess every day.", "For adults only.", size=8),
        at(25, footer, size=8),
    )
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
    line = "Stop when the platelet count is below 100 x 10"
    end = 60 + stringWidth(line, "Helvetica", 10)
    after = end + stringWidth("9", "Helvetica", 6)
    draws = at(700, line), at(704, "9", x=end, size=6), at(700, "/L.", x=after)
    assert "100 x 10⁹/L." in fixtures.read_page(tmp_path, *draws).text


def test_the_same_bytes_give_the_same_pages(tmp_path: Path) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns, fixtures.plain_page("x"))

    first, second = (to_json(fixtures.parse(path, tmp_path / "out")) for _ in range(2))

    assert first == second
    assert to_json(from_json(first)) == first


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


def test_a_page_number_with_a_version_is_no_heading_in_any_print(tmp_path: Path) -> None:
    def drawn(number: int, rest: str) -> Callable[[Canvas], None]:
        body = at(700, *[f"Give oxygen to all who need it, and do not wait, said {number}."] * 6)
        y = 50 + 7 * (number % 3)  # not at one height
        return fixtures.together(body, heading(y, f"Page {85 + number} of 168 – {rest}"))

    footers = [drawn(number, f"Version {'ABCDEFGH'[number]}") for number in range(3)]
    dosed = drawn(3, "Give 5 mg")
    document = fixtures.read_pdf(tmp_path, *footers, dosed)
    assert ["Page" in page.text for page in document.pages] == [False, False, False, True]
    assert document.pages[0].running_lines == ("Page 85 of 168 – Version A",)


def test_a_line_that_introduces_what_follows_is_no_title(tmp_path: Path) -> None:
    page = fixtures.together(
        heading(740, "Stopping warfarin"),
        at(700, *["Ask when it was taken last, and why it was."] * 3),
        heading(600, "These are the ways of bridging that there are:"),
        at(560, *["Give heparin for as long as the clinic says."] * 3),
    )
    assert fixtures.read_pdf(tmp_path, page).title == "Stopping warfarin"
