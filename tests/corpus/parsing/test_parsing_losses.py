"""Test that no text is lost, glued together or said twice between a file and its pages."""

from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.clean import clean_line
from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.table_fixtures import GRID, caption, draw_table


def text_of(document: ParsedDocument) -> str:
    return "\n".join(page.text for page in document.pages)


@pytest.mark.parametrize(
    ("body", "there", "gone"),
    [
        ("<p>Never under 12 years.</p><h2>Dose</h2><p>x</p>", "Never under 12 years.", "?"),
        ("<h1>T</h1><p>Give 50<sup>1,2</sup> mg</p>", "50^1,2 mg", "501,2"),
        ("<h1>T</h1><p><del>Give 10 mg</del> <ins>Give 5 mg</ins></p>", "Give 5 mg", "10 mg"),
        ("<h1>T</h1><table><thead><tr><th>A</th></tr></thead><tfoot><tr><td>not in pregnancy</td>"
         "</tr></tfoot><tbody><tr><td>5 mg</td></tr></tbody></table>", "not in pregnancy", "?"),
        ("<h1>T</h1><table><tr><th>A</th></tr><tr><td><ul><li>5 mg<ul><li>not in children</li></ul>"
         "</li></ul></td></tr></table>", "not in children", "?"),
    ],
)  # fmt: skip
def test_html_keeps_what_is_said(tmp_path: Path, body: str, there: str, gone: str) -> None:
    text = text_of(fixtures.read_text(tmp_path, f"<html><body>{body}</body></html>"))
    assert there in text
    assert gone not in text


def test_superscripts_of_markdown_stay_powers(tmp_path: Path) -> None:
    text = "# T\n\nGive at 10<sup>9</sup>/L.\n"
    assert "10⁹/L" in text_of(fixtures.read_text(tmp_path, text, "a.md"))


def test_a_range_that_was_wrapped_is_no_list(tmp_path: Path) -> None:
    text = "Give a loading dose of 5\n– 10 mg twice daily.\n"
    assert "5 – 10 mg twice daily" in text_of(fixtures.read_text(tmp_path, text, "a.txt"))


def test_a_warning_that_stands_on_every_page_is_no_running_header(tmp_path: Path) -> None:
    pages = [
        fixtures.together(
            fixtures.heading(800, drug),
            fixtures.at(770, "Do not use in pregnancy."),
            fixtures.at(600, f"Take {dose} mg of {drug} once a day."),
        )
        for dose, drug in ((10, "Alpha"), (11, "Beta"), (12, "Gamma"))
    ]
    document = fixtures.read_pdf(tmp_path, *pages)
    assert all("Do not use in pregnancy." in page.text for page in document.pages)


def test_two_tables_of_one_width_stay_two(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for top, who, dose in ((740, "1. Adults", "5 mg"), (560, "2. Children", "1 mg")):
            caption(canvas, f"Table {who}", y=top + 20)
            rows = [["Drug", "Dose"], ["Alpha", dose], ["Beta", dose]]
            draw_table(canvas, rows, widths=[120, 120], top=top, style=[GRID])

    tables = [b.table for b in fixtures.read_page(tmp_path, draw).blocks if b.table]
    assert [table.rows[-1].cells for table in tables] == [("Beta", "5 mg"), ("Beta", "1 mg")]
    assert [table.caption for table in tables] == ["Table 1. Adults", "Table 2. Children"]


def test_signs_of_a_symbol_font_do_not_vanish(tmp_path: Path) -> None:
    written = "Give 5 \uf06dg to those of \uf0b3 50 kg.\n\n\uf0b7 by mouth\n"
    text = text_of(fixtures.read_text(tmp_path, written, "a.txt"))
    assert text == "Give 5 […]g to those of […] 50 kg.\nby mouth"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\uf0b3", "[…]"),  # a cell of a table, or a word of a PDF
        ("\uf0b3 50 kg", "[…] 50 kg"),
        ("eGFR\n\uf0a3 30", "eGFR […] 30"),
        ("\uf0b7", ""),
        ("\uf0b7 by mouth", "by mouth"),
        ("\uf0b7\uf06d", "[…]"),
        ("\uf0fc give with food", "✓ give with food"),
        ("\uf0fc", "✓"),
    ],
)
def test_a_sign_that_stands_alone_is_a_bullet_only_where_it_is_one(written: str, read: str) -> None:
    assert clean_line(written) == read


@pytest.mark.parametrize(
    ("font", "char", "text", "codes"),
    [
        ("Symbol", "F06D", "Give 5 µg.", []),
        ("Symbol", "F0B3", "Give 5 ≥g.", []),
        ("Wingdings", "F0E0", "Give 5 →g.", []),
        ("Wingdings 2", "F06D", "Give 5 […]g.", ["symbols_left_out"]),
        ("Symbol", "nonsense", "Give 5 […]g.", ["symbols_left_out"]),
    ],
)
def test_signs_that_word_keeps_as_places_in_a_font(
    tmp_path: Path, font: str, char: str, text: str, codes: list[str]
) -> None:
    file = docx.Document()
    paragraph = file.add_paragraph("Give 5 ")
    sign = parse_xml(f'<w:sym {nsdecls("w")} w:font="{font}" w:char="{char}"/>')
    paragraph.add_run()._r.append(sign)
    paragraph.add_run("g.")
    (page,) = fixtures.read_saved(tmp_path, file).pages
    assert page.text == text
    assert [(doubt.code, doubt.end) for doubt in page.doubts] == [(c, len(text)) for c in codes]


def test_a_blank_that_is_printed_parts_words_however_close_they_stand(tmp_path: Path) -> None:
    said = "Treat C. difficile infection for 10 days and look again."

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(60, 760)
        text.setFont("Helvetica-Oblique", 10)
        text.setWordSpace(-2.5)  # of a blank of 2.78 points: as where letters aslant reach over it
        text.textLine(said)
        canvas.drawText(text)

    assert said in fixtures.read_page(tmp_path, fixtures.heading(800, "Dose"), draw).text
