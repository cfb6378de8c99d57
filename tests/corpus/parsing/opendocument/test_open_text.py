"""Test how texts of OpenDocument are read, as two programs write them."""

from pathlib import Path

import pytest

from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing.opendocument.open_files import frame, open_file, rows
from tests.corpus.parsing.parsing_fixtures import block_texts, read

LOGO = '<draw:frame><draw:image xlink:href="Pictures/none.png"/></draw:frame>'


def read_odt(
    folder: Path, body: str, *, by: str = "libreoffice", master: str = ""
) -> ParsedDocument:
    (folder / "a.odt").write_bytes(open_file("text", body, by=by, master=master))
    return read(folder / "a.odt", folder)


def test_a_guideline_of_libreoffice(tmp_path: Path) -> None:
    table = rows(("Weight", "Dose"), ("50 kg", "20 mg"), ("80 kg", "40 mg"))
    note = (
        "<text:note><text:note-citation>7</text:note-citation><text:note-body>"
        "<text:p>Not in children.</text:p></text:note-body></text:note>"
    )
    document = read_odt(
        tmp_path,
        '<text:sequence-decls/><text:p text:style-name="T1">Gentamicin in sepsis</text:p>'
        '<text:h text:outline-level="1">Dose</text:h>'
        f'<text:p>Give<text:s text:c="2"/>5 mg below 10<text:span text:style-name="Raised">9</text:'
        f"span>/L.{note}</text:p><text:list text:style-name='Numbers'><text:list-item><text:p>First"
        "</text:p><text:list><text:list-item><text:p>Inner</text:p></text:list-item></text:list>"
        "</text:list-item><text:list-item><text:p>Second</text:p></text:list-item></text:list>"
        "<text:p>Between.</text:p><text:list text:continue-numbering='true' text:style-name="
        "'Numbers'><text:list-item><text:p>Third</text:p></text:list-item></text:list>"
        f"<table:table>{table}</table:table>",
        master="<style:header><text:p>Trust policy</text:p></style:header>",
    )
    (page,) = document.pages
    assert document.title == "Gentamicin in sepsis"
    assert block_texts(page) == [
        ("heading", "Gentamicin in sepsis"),
        ("heading", "Dose"),
        ("paragraph", "Give 5 mg below 10⁹/L.¹"),
        ("footnote", "1 Not in children."),
        ("list_item", "1. First"),
        ("list_item", "a) Inner"),
        ("list_item", "2. Second"),
        ("paragraph", "Between."),
        ("list_item", "3. Third"),
        ("table", "Weight | Dose\n50 kg | 20 mg\n80 kg | 40 mg"),
    ]
    assert [b.level for b in page.blocks if b.kind == "list_item"] == [1, 2, 1, 1]
    assert page.running_lines == ("Trust policy",)
    assert page.doubts == ()


def test_a_guideline_of_microsoft_office(tmp_path: Path) -> None:
    table = rows(("Weight", "Dose"), ("50 kg", "20 mg"), heads=False)
    document = read_odt(
        tmp_path,
        '<text:h text:outline-level="1"><text:span>Gentamicin</text:span></text:h><table:table>'
        f"<table:table-columns><table:table-column/></table:table-columns>{table}</table:table>",
        by="office",
    )
    (page,) = document.pages
    assert page.text == "Gentamicin\nWeight | Dose\n50 kg | 20 mg"
    (found,) = (block.table for block in page.blocks if block.table)
    assert found.header == ("Weight", "Dose")


CHANGED = (
    "<text:tracked-changes><text:changed-region><text:deletion><text:p>9 mg</text:p>"
    "</text:deletion></text:changed-region></text:tracked-changes>"
)


@pytest.mark.parametrize("by", ["libreoffice", "office"])
@pytest.mark.parametrize(
    ("body", "text", "code"),
    [
        (
            '<text:p>A <text:span text:style-name="Struck">9 mg</text:span>.</text:p>',
            "A .",
            "struck_out",
        ),
        ('<text:p>A.</text:p><text:p text:style-name="P1">9 mg</text:p>', "A.", "struck_out"),
        (f'{CHANGED}<text:p>A<text:change text:change-id="c"/>.</text:p>', "A.", "struck_out"),
        (
            '<text:p>A <text:span text:style-name="Hidden">9 mg</text:span></text:p>',
            "A",
            "hidden_left_out",
        ),
        (
            '<text:p><text:span text:style-name="Auto">A</text:span> '
            '<text:span text:style-name="Clear">9 mg</text:span></text:p>',
            "A",
            "hidden_left_out",
        ),
        (
            '<text:p>A <text:span text:style-name="White">9 mg</text:span></text:p>',
            "A",
            "hidden_left_out",
        ),
        (
            '<text:p>A.</text:p><text:section text:display="none"><text:p>9</text:p>'
            "</text:section>",
            "A.",
            "hidden_left_out",
        ),
        (
            '<text:p>A.<text:hidden-text text:is-hidden="true" text:string-value="9"/></text:p>',
            "A.",
            "hidden_left_out",
        ),
        (
            "<text:p>A.<office:annotation><text:p>9</text:p></office:annotation></text:p>",
            "A.",
            "comment_left_out",
        ),
        (f"<text:p>A.{LOGO}</text:p>", "A.", "part_unread"),
        ('<text:p>A.<draw:line draw:style-name="over"/></text:p>', "A.", "part_unread"),
        ('<text:p>A.<draw:control draw:control="c"/></text:p>', "A.", "part_unread"),
    ],
)
def test_what_nobody_may_quote_is_left_out_and_doubted(
    tmp_path: Path, body: str, text: str, code: str, by: str
) -> None:
    (page,) = read_odt(tmp_path, body, by=by).pages
    assert page.text == text
    assert {doubt.code for doubt in page.doubts} == {code}
    assert "9" not in page.text


def test_white_words_on_a_dark_cell_and_text_in_boxes_are_read(tmp_path: Path) -> None:
    dark = (
        '<table:table-cell table:style-name="Dark"><text:p><text:span text:style-name="White">'
        "Weight</text:span></text:p></table:table-cell>"
    )
    box = frame('<text:p>In a box: <text:span text:style-name="Sign">b</text:span></text:p>')
    table = rows((dark, "Dose"), ("5 kg", "1 mg"))
    body = f"<table:table>{table}</table:table><text:p>A.{box}</text:p>"
    (page,) = read_odt(tmp_path, body).pages
    assert page.text == "Weight | Dose\n5 kg | 1 mg\nA.\nIn a box: β"
    assert page.doubts == ()


def test_a_hidden_row_is_left_out_and_a_merged_cell_is_repeated(tmp_path: Path) -> None:
    body = (
        "<table:table><table:table-row><table:table-cell><text:p>Age</text:p></table:table-cell>"
        "<table:table-cell><text:p>Dose</text:p></table:table-cell></table:table-row>"
        '<table:table-row><table:table-cell table:number-rows-spanned="3"><text:p>Adults</text:p>'
        "</table:table-cell><table:table-cell><text:p>1 mg</text:p></table:table-cell>"
        '</table:table-row><table:table-row table:visibility="collapse"><table:covered-table-cell/>'
        "<table:table-cell><text:p>9 mg</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:covered-table-cell/><table:table-cell><text:p>2 mg</text:p>"
        "</table:table-cell></table:table-row></table:table>"
    )
    (page,) = read_odt(tmp_path, body).pages
    assert page.text == "Age | Dose\nAdults | 1 mg\nAdults | 2 mg"
    assert [doubt.code for doubt in page.doubts] == ["hidden_left_out"]


def test_a_table_that_is_hidden_as_a_whole_is_doubted(tmp_path: Path) -> None:
    line = rows(("Age", "9 mg"), heads=False).replace(
        "-row>", '-row table:visibility="collapse">', 1
    )
    (page,) = read_odt(tmp_path, f"<text:p>A.</text:p><table:table>{line}</table:table>").pages
    assert page.text == "A."
    assert [doubt.code for doubt in page.doubts] == ["hidden_left_out"]


def test_a_box_in_a_note_is_read_once_and_a_deep_heading_ends(tmp_path: Path) -> None:
    note = (
        f"<text:note><text:note-body><text:p>Not in{frame('children')}</text:p></text:note-body>"
        "</text:note>"
    )
    body = f'<text:h text:outline-level="99999">Dose{note}</text:h>'
    (page,) = read_odt(tmp_path, body).pages
    assert page.text == "Dose¹\n1 Not in children"


def test_a_formula_is_read_and_doubted(tmp_path: Path) -> None:
    math = (
        '<draw:frame><draw:object><math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi>'
        "<mi>b</mi></mfrac></math></draw:object></draw:frame>"
    )
    (page,) = read_odt(tmp_path, f"<text:p>Give {math} mg.</text:p>").pages
    assert page.text == "Give a/b mg."
    assert [doubt.code for doubt in page.doubts] == ["formula"]
