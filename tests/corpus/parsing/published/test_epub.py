"""Test how e-books are read, of the second and third version of EPUB."""

from pathlib import Path

import pytest

from corpus.parsing.types import ParsedDocument, ParseError
from tests.corpus.hostile.bad_office import pack, unpack
from tests.corpus.parsing.every_format import book_of
from tests.corpus.parsing.parsing_fixtures import parse, read

XHTML = (
    '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
    '<link rel="stylesheet" type="text/css" href="style/a.css"/></head><body>{}</body></html>'
)
EPUB_2 = (
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" '
    '"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html><head><title>x</title></head>'
    "<body>{}</body></html>"
)
TABLE = "<table><tr><th>Age</th><th>Dose</th></tr><tr><td>2 y</td><td>1&#160;mg</td></tr></table>"
TITLE = "Paediatric antibiotic guide"


def read_book(folder: Path, content: bytes) -> ParsedDocument:
    (folder / "a.epub").write_bytes(content)
    return read(folder / "a.epub", folder)


@pytest.mark.parametrize("form", [XHTML, EPUB_2])
def test_each_chapter_is_a_page(tmp_path: Path, form: str) -> None:
    one = form.format("<h1>Sepsis</h1><p>Give&nbsp;5 mg.</p><a id='x'/><p>Then stop.</p>")
    two = form.format(f"<h1>Doses</h1>{TABLE}")
    document = read_book(tmp_path, book_of(one, two, title=TITLE))
    assert document.title == TITLE
    assert [page.text for page in document.pages] == [
        "Sepsis\nGive 5 mg.\nThen stop.",
        "Doses\nAge | Dose\n2 y | 1 mg",
    ]
    assert all(page.doubts == () for page in document.pages)


def test_what_a_sheet_of_styles_hides_or_strikes_is_not_read(tmp_path: Path) -> None:
    css = b".old{text-decoration:line-through} .off{display:none}"
    chapter = XHTML.format('<p>Give <i class="old">9 mg</i> 5 mg.</p><p class="off">9 mg</p>')
    (page,) = read_book(tmp_path, book_of(chapter, more={"OEBPS/style/a.css": css})).pages
    assert page.text == "Give 5 mg."
    assert {doubt.code for doubt in page.doubts} == {"struck_out", "markup_left_out"}


def test_a_later_sheet_of_styles_counts(tmp_path: Path) -> None:
    sheets = {
        "OEBPS/style/a.css": b".x{display:block}",
        "OEBPS/style/b.css": b".x{display:none}",
    }
    first = '<title/><link rel="stylesheet" href="style/a.css"/>'
    body = (
        XHTML.replace("a.css", "b.css")
        .replace("<title/>", first)
        .format('<p>Give 5 mg.</p><p class="x">9 mg</p>')
    )
    (page,) = read_book(tmp_path, book_of(body, more=sheets)).pages
    assert page.text == "Give 5 mg."


def test_a_chapter_that_is_a_picture_is_doubted(tmp_path: Path) -> None:
    parts = unpack(book_of(XHTML.format("<p>Give 5 mg.</p>"), XHTML))
    package = parts["OEBPS/book.opf"].decode()
    at = package.rindex("application/xhtml+xml")
    package = f"{package[:at]}image/svg+xml{package[at + 21 :]}"
    document = read_book(tmp_path, pack({**parts, "OEBPS/book.opf": package.encode()}))
    assert [page.text for page in document.pages] == ["Give 5 mg.", ""]
    assert [doubt.code for doubt in document.pages[1].doubts] == ["part_unread"]


def test_lists_of_contents_and_notes_of_a_book(tmp_path: Path) -> None:
    nav = XHTML.format('<nav><ol><li><a href="c1.xhtml">Sepsis</a></li></ol></nav>')
    note = "<h1>Sepsis</h1><p>Give 5 mg.<sup>1</sup></p><aside><p>1 Not in children.</p></aside>"
    document = read_book(tmp_path, book_of(nav, XHTML.format(note)))
    assert document.pages[0].text == ""
    assert document.pages[1].text == "Sepsis\nGive 5 mg.¹\n1 Not in children."


def test_a_book_with_too_many_chapters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.epub").write_bytes(book_of(*[XHTML] * 5))
    with pytest.raises(ParseError) as failed:
        parse(tmp_path / "a.epub", tmp_path / "out", max_pages=4)
    assert failed.value.code == "too_many_pages"
