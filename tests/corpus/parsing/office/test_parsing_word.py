"""Test Word files: marks of deletion, numbers, notes, boxes, tables in cells, typed tags."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import docx
import pytest

from corpus.parsing.types import Page
from tests.corpus.hostile import bad_office
from tests.corpus.parsing import parsing_fixtures as fixtures

NUMBERING = b"""<w:numbering %s><w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%%1.%%2)"/></w:lvl>
</w:abstractNum><w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>
<w:lvlText w:val="x"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num></w:numbering>"""


def paragraph(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def item(text: str, number: int, level: int = 0) -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return paragraph(run(text), numbered)


def read(tmp_path: Path, *parts: str, **others: bytes) -> Page:
    path = tmp_path / "a.docx"
    content = bad_office.unpack(bad_office.body("".join(parts).encode()))
    relations = content["word/_rels/document.xml.rels"].decode()
    content["word/styles.xml"] = others.pop("styles", b"<w:styles %s/>") % bad_office.W
    for name, part in others.items():
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/" + name
        link = f'<Relationship Id="x{name}" Type="{kind}" Target="{name}.xml"/>'
        relations = relations.replace("</Relationships>", link + "</Relationships>")
        if name == "numbering":
            relations = relations.replace('Target="numbering.xml"', 'Target="old.xml"', 1)
        content[f"word/{name}.xml"] = part % bad_office.W
    content["word/_rels/document.xml.rels"] = relations.encode()
    path.write_bytes(bad_office.pack(content))
    return fixtures.read(path, tmp_path).pages[0]


def saved(tmp_path: Path, file: Any) -> Page:
    return fixtures.read_saved(tmp_path, file).pages[0]


def filled(table: Any, *rows: Sequence[str]) -> Any:
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return table


def note(text: str) -> bytes:
    """Return the part of notes, of which `MARK` refers to this one."""
    notes = b'<w:footnotes %%s><w:footnote w:id="2">%s</w:footnote></w:footnotes>'
    return notes % paragraph(run(text)).encode()


MARK = '<w:r><w:footnoteReference w:id="2"/></w:r>'


def codes(page: Page) -> list[tuple[str, str]]:
    return [(doubt.code, page.text[doubt.start : doubt.end]) for doubt in page.doubts]


@pytest.mark.parametrize(
    "gone",
    [
        run("10 mg ", "<w:strike/>"),
        run("10 mg ", "<w:dstrike/>"),
        f"<w:del>{run('10 mg ').replace('w:t', 'w:delText')}</w:del>",
        f"<w:moveFrom>{run('10 mg ')}</w:moveFrom>",
    ],
)
def test_what_is_struck_out_is_not_said(tmp_path: Path, gone: str) -> None:
    page = read(tmp_path, paragraph(run("Give ") + gone + f"<w:ins>{run('5 mg.')}</w:ins>"))
    assert page.text == "Give 5 mg."
    assert codes(page) == [("struck_out", "Give 5 mg.")]


def test_a_paragraph_of_which_all_is_struck_is_doubted_as_well(tmp_path: Path) -> None:
    page = read(tmp_path, paragraph(run("Give 10 mg.", "<w:strike/>")), paragraph(run("Stop.")))
    assert page.text == "Stop."
    assert codes(page) == [("struck_out", "")]


def test_a_switched_off_strike_is_none(tmp_path: Path) -> None:
    page = read(tmp_path, paragraph(run("Give 5 mg.", '<w:strike w:val="0"/>')))
    assert (page.text, page.doubts) == ("Give 5 mg.", ())


HIDING = b"""<w:styles %s><w:style w:styleId="a"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>"""


@pytest.mark.parametrize(
    "gone",
    [
        run("secret", "<w:vanish/>"),
        run("secret", '<w:rStyle w:val="b"/>'),
        f"<w:unknown>{run('secret')}</w:unknown>",
        "<w:r><w:unknown><w:t>secret</w:t></w:unknown></w:r>",
        "</w:p>" + paragraph(run("secret"), '<w:pStyle w:val="b"/>') + "<w:p>",
    ],
)
def test_hidden_words_are_left_out_with_a_doubt(tmp_path: Path, gone: str) -> None:
    page = read(tmp_path, paragraph(run("Give 5 mg. ") + gone), styles=HIDING)
    assert page.text == "Give 5 mg."
    assert [code for code, _ in codes(page)] == ["hidden_left_out"]


def test_what_a_style_hides_may_be_shown_by_the_words_themselves(tmp_path: Path) -> None:
    shown = run("Give 5 mg.", '<w:rStyle w:val="b"/><w:vanish w:val="0"/>')
    assert read(tmp_path, paragraph(shown), styles=HIDING).text == "Give 5 mg."


CHOICE = """<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>
<w:listEntry w:val="7 mg"/><w:listEntry w:val="5 mg"/></w:ddList></w:ffData></w:fldChar></w:r>"""
RUBY = "<w:r><w:ruby><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>"


@pytest.mark.parametrize("said", [CHOICE, RUBY.format(run("five"), run("5 mg"))])
def test_what_is_chosen_or_has_its_reading_above_it_is_read(tmp_path: Path, said: str) -> None:
    page = read(tmp_path, paragraph(run("Give ") + said + run(".")))
    assert (page.text, page.doubts) == ("Give 5 mg.", ())


BORDERS = "<w:tcPr><w:tcBorders>{}</w:tcBorders></w:tcPr>"
DOWN, UP = '<w:tl2br w:val="single"/>', '<w:tr2bl w:val="{}"/>'


@pytest.mark.parametrize(
    ("of_row", "of_cell", "code"),
    [
        ("<w:trPr><w:hidden/></w:trPr>", "", "hidden_left_out"),
        ("<w:trPr><w:del/></w:trPr>", "", "struck_out"),
        ("", BORDERS.format(DOWN + UP.format("single")), "struck_out"),
        ("", BORDERS.format(DOWN + UP.format("nil")), ""),
    ],
)
def test_rows_that_are_hidden_and_cells_that_are_crossed_out_are_not_said(
    tmp_path: Path, of_row: str, of_cell: str, code: str
) -> None:
    def row(first: str, second: str, of_row: str = "", of_cell: str = "") -> str:
        texts = paragraph(run(first)), paragraph(run(second))
        return f"<w:tr>{of_row}<w:tc>{texts[0]}</w:tc><w:tc>{of_cell}{texts[1]}</w:tc></w:tr>"

    rows = row("Age", "Dose"), row("Adult", "900 mg", of_row, of_cell), row("Child", "7 mg")
    page = read(tmp_path, f"<w:tbl>{''.join(rows)}</w:tbl>", paragraph(run("Stop.")))
    assert ("900 mg" in page.text) == (not code) and "Child | 7 mg" in page.text
    assert [doubt for doubt, _ in codes(page)] == [code] * bool(code)


OVER = """<w:r><w:drawing><wp:anchor xmlns:wp="p" behindDoc="{}"><wp:wrapNone/><a:graphic
xmlns:a="a"><wps:wsp xmlns:wps="s">{}</wps:wsp></a:graphic></wp:anchor></w:drawing></w:r>"""
OLDER = '<w:r><w:pict><v:line xmlns:v="v" style="position:{}"/></w:pict></w:r>'


@pytest.mark.parametrize(
    ("shape", "is_doubted"),
    [
        (OVER.format(0, ""), True),
        (OVER.format(1, ""), False),
        (OVER.format(0, f"<w:txbxContent>{paragraph(run('Note.'))}</w:txbxContent>"), False),
        (OLDER.format("absolute"), True),
        (OLDER.format("static"), False),
    ],
)
def test_a_line_or_shape_that_lies_over_the_text_is_doubted(
    tmp_path: Path, shape: str, is_doubted: bool
) -> None:
    page = read(tmp_path, paragraph(run("Give 5 mg.") + shape))
    assert [code for code, _ in codes(page)] == ["part_unread"] * is_doubted


def test_automatic_numbers_are_read_and_nested_points_know_their_depth(tmp_path: Path) -> None:
    points = [item("Look", 1), item("at eyes", 1, 1), item("at ears", 1, 1), item("Treat", 1)]
    page = read(tmp_path, *points, item("at once", 2), numbering=NUMBERING)
    shown = [(page.text[b.start : b.end], b.level, b.kind.value) for b in page.blocks]
    assert shown == [
        ("1. Look", 1, "list_item"),
        ("1.a) at eyes", 2, "list_item"),
        ("1.b) at ears", 2, "list_item"),
        ("2. Treat", 1, "list_item"),
        ("at once", 1, "list_item"),
    ]


def test_a_note_stands_below_what_it_belongs_to(tmp_path: Path) -> None:
    parts = paragraph(run("Give 5 mg.") + MARK), paragraph(run("x"))
    page = read(tmp_path, *parts, footnotes=note("Not in pregnancy."))
    assert fixtures.block_texts(page) == [
        ("paragraph", "Give 5 mg.¹"),
        ("footnote", "1 Not in pregnancy."),
        ("paragraph", "x"),
    ]


def test_a_text_box_is_read_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph(run('Stop at once.'))}</w:txbxContent>"
    both = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    page = read(tmp_path, paragraph(run("Give 5 mg.") + f"<w:r>{both}</w:r>"))
    assert page.text == "Give 5 mg.\nStop at once."


def test_tags_that_were_typed_as_text_are_not_text(tmp_path: Path) -> None:
    typed = "&lt;table&gt;&lt;tr&gt;&lt;td&gt;", "1.", "&lt;td&gt;", "Give oxygen if p &lt; 0.05."
    page = read(tmp_path, paragraph("".join(map(run, typed))))
    assert fixtures.block_texts(page) == [("list_item", "1. Give oxygen if p < 0.05.")]


def test_a_table_in_a_cell_is_read_once_and_in_order(tmp_path: Path) -> None:
    file = docx.Document()
    outer = filled(file.add_table(rows=2, cols=2), ("Drug", "Dose"), ("Alpha",))
    filled(outer.cell(1, 1).add_table(rows=2, cols=2), ("Adults", "5 mg"), ("Children", "1 mg"))
    assert saved(tmp_path, file).text == "Drug | Dose\nAlpha | Adults, 5 mg; Children, 1 mg"


def test_a_bar_over_the_table_is_a_section_of_it(tmp_path: Path) -> None:
    file = docx.Document()
    rows = ("Drug", "Dose"), ("Adults",), ("A", "5 mg"), ("Children",), ("A", "1 mg")
    table = filled(file.add_table(rows=5, cols=2), *rows)
    for bar in (1, 3):
        table.cell(bar, 0).merge(table.cell(bar, 1))
    shown = saved(tmp_path, file).text.splitlines()
    assert shown[1:] == ["Adults | A | 5 mg", "Children | A | 1 mg"]


def test_a_formula_is_written_on_one_line_with_a_doubt(tmp_path: Path) -> None:
    m = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    over, under = (f"<m:r><m:t>{text}</m:t></m:r>" for text in ("weight", "a+b"))
    fraction = f"<m:f><m:num>{over}</m:num><m:den>{under}</m:den></m:f>"
    page = read(tmp_path, paragraph(run("Dose = ") + f"<m:oMath {m}>{fraction}</m:oMath>"))
    assert page.text == "Dose = weight/(a + b)"
    assert [code for code, _ in codes(page)] == ["formula"]


def test_a_missing_part_is_no_reason_to_fail(tmp_path: Path) -> None:
    content = bad_office.without(bad_office.letter(), "word/styles.xml", "word/numbering.xml")
    (tmp_path / "a.docx").write_bytes(content)
    (page,) = fixtures.read(tmp_path / "a.docx", tmp_path).pages
    assert "Give ten milligrams" in page.text


def test_a_note_of_a_cell_stands_below_its_table_and_a_deleted_row_is_gone(tmp_path: Path) -> None:
    def row(first: str, second: str, properties: str = "") -> str:
        cells = (f"<w:tc>{paragraph(text)}</w:tc>" for text in (first, second))
        return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"

    deleted = row(run("A"), run("9 mg"), "<w:del/>")
    rows = row(run("Drug"), run("Dose")) + deleted + row(run("A"), run("5 mg") + MARK)
    page = read(tmp_path, f"<w:tbl>{rows}</w:tbl>", footnotes=note("Not in pregnancy."))
    assert page.text == "Drug | Dose\nA | 5 mg¹\n1 Not in pregnancy."
    assert [code for code, _ in codes(page)] == ["struck_out"]
    assert page.blocks[-1].kind == "footnote"


def test_a_table_of_contents_is_no_text(tmp_path: Path) -> None:
    file = docx.Document()
    file.styles.add_style("toc 1", 1)
    file.add_paragraph("Dose 3", style="toc 1")
    file.add_paragraph("Give 5 mg.")
    assert saved(tmp_path, file).text == "Give 5 mg."


def test_headers_and_footers_are_kept_beside_the_text(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_paragraph("Give iron by mouth.")
    section = word.sections[0]
    section.header.paragraphs[0].text = "Iron\tVersion 3.1"
    row = section.footer.add_table(1, 2, docx.shared.Cm(10)).rows[0]
    row.cells[0].text, row.cells[1].text = "Review date", "1 March 2028"
    page = saved(tmp_path, word)
    assert page.text == "Give iron by mouth."
    assert page.running_lines == ("Iron Version 3.1", "Review date | 1 March 2028")


def test_a_footer_is_no_note_of_the_table_above_it(tmp_path: Path) -> None:
    word = docx.Document()
    filled(word.add_table(2, 2), ("Weight", "Dose"), ("Under 50 kg", "20 mg"))
    word.add_paragraph("Uncontrolled when printed")
    word.add_paragraph("Page 1 of 1")
    word.sections[0].footer.paragraphs[0].text = "* Iron, version 3.1"
    kinds = [kind for kind, _ in fixtures.block_texts(saved(tmp_path, word))]
    assert kinds == ["table", "paragraph", "paragraph"]


WHITE = '<w:color w:val="FFFFFF"/>'
NAVY = '<w:shd w:val="clear" w:fill="000080"/>'
STYLES = f"""<w:styles %s><w:style w:type="paragraph" w:styleId="pale"><w:rPr>{WHITE}</w:rPr>
</w:style><w:style w:type="paragraph" w:styleId="bar"><w:pPr>{NAVY}</w:pPr></w:style>
<w:style w:type="table" w:styleId="grid"><w:tblStylePr w:type="firstRow"><w:tcPr>{NAVY}</w:tcPr>
</w:tblStylePr></w:style></w:styles>""".encode()
BOX = "<w:r><w:pict><v:rect xmlns:v='v' {}><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox>"
BOX += "</v:rect></w:pict></w:r>"


def table_of(paragraph: str, properties: str = "", cell: str = "") -> str:
    cells = f"<w:tc><w:tcPr>{cell}</w:tcPr>{paragraph}</w:tc><w:tc><w:p/></w:tc>"
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tr>{cells}</w:tr></w:tbl>"


PALE = paragraph(run("Give 900 mg.", WHITE))


@pytest.mark.parametrize(
    ("written", "is_seen"),
    [
        (PALE, False),
        (paragraph(run("Give 900 mg.", '<w:color w:val="FEFEFE"/>')), False),
        (paragraph(run("Give 900 mg."), '<w:pStyle w:val="pale"/>'), False),
        (paragraph(run("Give 900 mg.", f'{WHITE}<w:shd w:val="clear" w:fill="auto"/>')), False),
        (table_of(PALE), False),
        (table_of(PALE, NAVY, '<w:shd w:val="clear" w:fill="FFFFFF"/>'), False),
        (paragraph(BOX.format("fillcolor='white'", PALE)), False),
        (paragraph(run("Give 900 mg.", WHITE + NAVY)), True),
        (paragraph(run("Give 900 mg.", f'{WHITE}<w:highlight w:val="blue"/>')), True),
        (paragraph(run("Give 900 mg.", WHITE), NAVY), True),
        (paragraph(run("Give 900 mg.", WHITE), '<w:pStyle w:val="bar"/>'), True),
        (table_of(PALE, cell=NAVY), True),
        (table_of(PALE, '<w:tblStyle w:val="grid"/>'), True),
        (paragraph(BOX.format("fillcolor='#000080 [3]'", PALE)), True),
        (paragraph(run("Give 900 mg.", '<w:color w:val="auto"/>')), True),
        (
            paragraph(run("Give 900 mg.", '<w:color w:val="333333"/>'), '<w:pStyle w:val="pale"/>'),
            True,
        ),
    ],
)
def test_white_words_are_read_only_on_a_colour(tmp_path: Path, written: str, is_seen: bool) -> None:
    page = read(tmp_path, paragraph(run("Zinc.")), written, paragraph(run("Stop.")), styles=STYLES)
    assert "Zinc." in page.text and "Stop." in page.text
    assert ("900 mg" in page.text) == is_seen
    assert [doubt.code for doubt in page.doubts] == ["hidden_left_out"] * (not is_seen)
