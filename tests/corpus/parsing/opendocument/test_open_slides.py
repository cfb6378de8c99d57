"""Test how slides of OpenDocument are read, as two programs write them."""

from pathlib import Path

import pytest

from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing.opendocument.open_files import frame, open_file, rows
from tests.corpus.parsing.parsing_fixtures import block_texts, read

LOW = 'svg:x="2cm" svg:y="10cm" svg:width="20cm" svg:height="3cm"'
WORDS = frame("Give 5 mg.", place=LOW)
CHART = {"Object 1/content.xml": b'<d xmlns:o="o"><o:body><o:chart/></o:body></d>'}


def slide(inside: str, style: str = "") -> str:
    return (
        f'<draw:page draw:style-name="{style}" draw:master-page-name="Default">{inside}</draw:page>'
    )


def read_odp(
    folder: Path, body: str, *, by: str = "libreoffice", master: str = ""
) -> ParsedDocument:
    content = open_file("presentation", body, by=by, master=master, parts=CHART)
    (folder / "a.odp").write_bytes(content)
    return read(folder / "a.odp", folder)


@pytest.mark.parametrize("by", ["libreoffice", "office"])
def test_a_slide_has_its_title_first_and_tables_as_rows(tmp_path: Path, by: str) -> None:
    points = (
        "<text:list><text:list-item><text:p>Adults</text:p></text:list-item><text:list-item>"
        "<text:p>Children</text:p></text:list-item></text:list>"
    )
    table = rows(("Age", "Dose"), ("2 y", "1 mg"), heads=by == "libreoffice")
    held = f'<draw:frame svg:x="2cm" svg:y="15cm"><table:table>{table}</table:table></draw:frame>'
    body = slide(frame(points, kind="outline", place=LOW) + frame("Sepsis", kind="title") + held)
    master = frame("Trust guideline")
    document = read_odp(tmp_path, body, by=by, master=master)
    (page,) = document.pages
    assert document.title == "Sepsis"
    assert block_texts(page) == [
        ("heading", "Sepsis"),
        ("list_item", "Adults"),
        ("list_item", "Children"),
        ("table", "Age | Dose\n2 y | 1 mg"),
    ]
    assert page.running_lines == ("Trust guideline",)
    assert page.doubts == ()


def test_a_hidden_slide_is_an_empty_page(tmp_path: Path) -> None:
    document = read_odp(tmp_path, slide(WORDS) + slide(frame("9 mg"), "dp1"))
    assert [page.text for page in document.pages] == ["Give 5 mg.", ""]
    assert [doubt.code for doubt in document.pages[1].doubts] == ["hidden_left_out"]


def test_white_words_on_a_dark_slide_are_read(tmp_path: Path) -> None:
    white = frame('<text:p><text:span text:style-name="White">Give 5 mg.</text:span></text:p>')
    document = read_odp(tmp_path, slide(white, "dp2") + slide(white + WORDS))
    assert [page.text for page in document.pages] == ["Give 5 mg."] * 2
    assert [[d.code for d in page.doubts] for page in document.pages] == [[], ["hidden_left_out"]]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (frame("9 mg", place='svg:x="50cm" svg:y="1cm" svg:width="2cm"'), "hidden_left_out"),
        (f"<presentation:notes>{frame('9 mg', kind='notes')}</presentation:notes>", "part_unread"),
        ('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>', "part_unread"),
        ('<draw:frame><draw:plugin xlink:href="http://192.0.2.1/x"/></draw:frame>', "part_unread"),
        ('<draw:line svg:x1="3cm" svg:x2="9cm" svg:y1="10.5cm" svg:y2="10.5cm"/>', "part_unread"),
        (f'<draw:rect draw:style-name="over" {LOW}/>', "part_unread"),
        ("<office:annotation><text:p>9 mg</text:p></office:annotation>", "comment_left_out"),
    ],
)
def test_what_is_not_read_of_a_slide_is_doubted(tmp_path: Path, more: str, code: str) -> None:
    (page,) = read_odp(tmp_path, slide(WORDS + more)).pages
    assert page.text == "Give 5 mg."
    assert {doubt.code for doubt in page.doubts} == {code}


def test_footers_and_placeholders_are_no_words_of_a_slide(tmp_path: Path) -> None:
    empty = '<draw:frame presentation:class="title" presentation:placeholder="true"/>'
    footer = '<presentation:footer-decl presentation:name="f">Trust</presentation:footer-decl>'
    page = slide(empty + WORDS + frame("1", kind="page-number")).replace(
        "<draw:page ", '<draw:page presentation:use-footer-name="f" '
    )
    (read_page,) = read_odp(tmp_path, footer + page).pages
    assert read_page.text == "Give 5 mg."
    assert read_page.running_lines == ("Trust",)
