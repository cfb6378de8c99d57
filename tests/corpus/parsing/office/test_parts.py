"""Test that each part of an Office file is read, known to hold no words, or doubted."""

import datetime
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.worksheet.datavalidation import DataValidation
from pptx.util import Inches

from corpus.models import Document, Lifecycle
from corpus.parsing.doubts.grades import Grade, grade_of
from corpus.parsing.office.parts import DECIDED, EMPTY, READ, Package
from corpus.parsing.types import ParsedDocument
from corpus.review.words_found import PagesNotReviewed
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish, document_submit
from tests.corpus.documents import ingest
from tests.corpus.hostile import bad_office
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.office.attached import (
    DRAWN,
    ENDS,
    MAKE,
    SHEET,
    SLIDE,
    WORD,
    attach,
    drawn,
    inserted,
)

DOSE = "Children: give 7 mg/kg"
WORDS = f"<p><t>{DOSE}</t></p>".encode()


def read(folder: Path, content: bytes, name: str) -> ParsedDocument:
    (folder / name).write_bytes(content)
    return fixtures.read(folder / name, folder)


def doubts(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(doubt.code, doubt.message) for page in document.pages for doubt in page.doubts]


@pytest.mark.parametrize(
    ("owner", "kind", "part", "named"),
    [
        *[(owner, "diagramData", WORDS, "SmartArt") for owner in MAKE],
        *[(owner, "chart", WORDS, "a chart") for owner in MAKE],
        *[(owner, "oleObject", b"\x00", "embedded object") for owner in MAKE],
        *[(owner, "package", b"PK", "embedded object") for owner in MAKE],
        *[(owner, "image", b"\x00", "a picture") for owner in MAKE],
        *[(owner, "invented", b"\x00", "unknown kind (invented)") for owner in MAKE],
        (WORD, "subDocument", WORDS, "another document"),
        (WORD, "aFChunk", WORDS, "another document"),  # to which nothing in the text refers
        (SHEET, "vmlDrawing", b"<xml><textbox><p>Not here</p></textbox></xml>", "text in a box"),
        (SHEET, "vmlDrawing", b"<xml><textbox><br></textbox></xml>", "text in a box"),  # damaged
    ],
)
def test_a_part_that_is_not_read_is_a_doubt_that_names_it(
    tmp_path: Path, owner: str, kind: str, part: bytes, named: str
) -> None:
    for mode in ("Internal", "External"):
        content = attach(owner, kind, part, mode=mode)
        ((code, message),) = doubts(read(tmp_path, content, ENDS[owner]))
        assert code == "part_unread" and named in message


@pytest.mark.parametrize(
    ("owner", "kind", "part"),
    [
        (WORD, "comments", b"<comments/>"),
        (SHEET, "drawing", DRAWN % b""),
        (SHEET, "vmlDrawing", b"<xml><textbox><div></div></textbox></xml>"),
        (WORD, "customXml", WORDS),
        (SHEET, "printerSettings", b"\x00"),
        (SLIDE, "tags", WORDS),
        *[(owner, "hyperlink", b"") for owner in MAKE],
    ],
)
def test_a_part_without_words_of_the_page_is_none(
    tmp_path: Path, owner: str, kind: str, part: bytes
) -> None:
    assert doubts(read(tmp_path, attach(owner, kind, part), ENDS[owner])) == []


@pytest.mark.parametrize("owner", MAKE)
def test_a_part_that_nothing_leads_to_is_doubted(tmp_path: Path, owner: str) -> None:
    content = bad_office.pack({**bad_office.unpack(MAKE[owner]()), "hidden/x.xml": WORDS})
    assert "nothing in it leads to" in doubts(read(tmp_path, content, ENDS[owner]))[0][1]


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (f"<html><title>x</title><p>{DOSE}.</p><ul><li>Stop</li></ul></html>".encode(), "x.html"),
        (f"{DOSE}.\r\n\r\nStop".encode(), "x.txt"),
        (f"<meta charset=latin-1><p>{DOSE}.</p>Stop: 5 µg".encode("latin-1"), "x.html"),
        (rb"{\rtf1 Children: give 7 mg/kg}", "x.rtf"),
    ],
)
@pytest.mark.parametrize("place", ["%s", "<w:tbl><w:tr><w:tc>%s</w:tc><w:tc/></w:tr></w:tbl>"])
def test_an_inserted_file_is_read_where_it_stands_or_doubted(
    tmp_path: Path, part: bytes, name: str, place: str
) -> None:
    after = "<w:p><w:r><w:t>The end.</w:t></w:r></w:p>"
    content = inserted("altChunk", "aFChunk", part, name=name, place=place + after)
    document = read(tmp_path, content, "a.docx")
    text = document.pages[0].text
    if name == "x.rtf":
        assert [code for code, _ in doubts(document)] == ["part_unread"]
    else:
        assert text.index(DOSE) < text.index("Stop") < text.index("The end.")
        assert doubts(document) == []


def test_what_an_inserted_page_hides_is_doubted(tmp_path: Path) -> None:
    part = f"<p>{DOSE}</p><p hidden>Give 9 mg</p>".encode()
    document = read(tmp_path, inserted("altChunk", "aFChunk", part, name="x.html"), "a.docx")
    assert DOSE in document.pages[0].text and "9 mg" not in document.pages[0].text
    assert [code for code, _ in doubts(document)] == ["hidden_left_out"]


def test_a_comment_of_word_is_doubted_at_its_words(tmp_path: Path) -> None:
    file = docx.Document()
    file.add_paragraph("Rest.")
    run = file.add_paragraph().add_run("Give 400 mg.")
    file.add_comment(run, text="Do not use")
    (page,) = fixtures.read_saved(tmp_path, file).pages
    assert [(d.code, page.text[d.start : d.end]) for d in page.doubts] == [
        ("comment_left_out", "Give 400 mg.")
    ]


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        (WORD, b"<w:p><w:r><w:pict><v:textpath xmlns:v='v' string='DRAFT'/></w:pict></w:r></w:p>"),
        (
            WORD,
            b"<w:p><w:r><w:drawing><a:txBody xmlns:a='a'><a:p><a:r><a:t>DRAFT</a:t></a:r></a:p>"
            b"</a:txBody></w:drawing></w:r></w:p>",
        ),
        (SLIDE, b"<m:oMath xmlns:m='m'><m:r><m:t>5 mg</m:t></m:r></m:oMath>"),
    ],
)
def test_words_drawn_in_a_part_that_is_read_are_doubted(
    tmp_path: Path, name: str, drawn: bytes
) -> None:
    parts = bad_office.unpack(MAKE[name]())
    end = b"<w:sectPr" if name == WORD else b"</a:p>"
    parts[name] = parts[name].replace(end, drawn + end, 1)
    assert [c for c, _ in doubts(read(tmp_path, bad_office.pack(parts), ENDS[name]))] == [
        "part_unread"
    ]


def test_what_is_on_a_slide_is_doubted_there_and_what_is_on_all_runs(tmp_path: Path) -> None:
    show = pptx.Presentation()
    for title in ("One", "Two"):
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = title
        slide.notes_slide.notes_text_frame.text = "Not in children." if title == "Two" else " "
    slide.shapes.add_picture(drawn("Give 7 mg/kg"), 0, 0)
    box = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1))
    box.text_frame.text = "Superseded"
    slide.slide_layout.shapes._spTree.append(box._element)
    slide.slide_layout.part.get_or_add_image_part(io.BytesIO(bad_office.white_square(8)))
    one, two = fixtures.read_saved(tmp_path, show, "a.pptx").pages
    assert [d.code for d in one.doubts] == ["standing_unsure"]
    assert [d.code for d in two.doubts] == [*["part_unread"] * 2, "standing_unsure"]
    assert one.running_lines == two.running_lines == ("Superseded",)


def test_a_shape_for_newer_programs_is_read(tmp_path: Path) -> None:
    parts = bad_office.unpack(bad_office.slides())
    at = parts[SLIDE].rindex(b"<p:sp>")
    end = parts[SLIDE].rindex(b"</p:sp>") + len(b"</p:sp>")
    both = (
        b"<mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/"
        b"2006'><mc:Choice Requires='a14'>%s</mc:Choice><mc:Fallback/></mc:AlternateContent>"
    )
    shape = parts[SLIDE][at:end]
    parts[SLIDE] = parts[SLIDE][:at] + both % shape + parts[SLIDE][end:]
    document = read(tmp_path, bad_office.pack(parts), "a.pptx")
    assert "Give ten milligrams" in document.pages[0].text


@pytest.mark.parametrize(
    ("text", "in_header", "code"),
    [
        ("", False, ""),
        ("Trust", False, ""),
        ("Give 7 mg", False, "part_unread"),
        ("Avoid in AKI", False, "part_unread"),
        ("The patient must be weighed", False, "part_unread"),
        ("City Hospital 24", True, ""),
        ("SUPERSEDED", True, "standing_unsure"),
    ],
)
def test_a_picture_is_doubted_if_it_may_hold_words_of_the_page(
    tmp_path: Path, text: str, in_header: bool, code: str
) -> None:
    word = docx.Document()
    word.add_paragraph(DOSE)
    word.add_picture(drawn("" if code and in_header else text))
    if in_header:
        word.sections[0].header.paragraphs[0].add_run().add_picture(drawn(text))
    document = fixtures.read_saved(tmp_path, word)
    assert [found for found, _ in doubts(document)] == [code] * bool(code)


def commented(book: Any) -> None:
    book.active["B2"].comment = Comment("SUPERSEDED: give 10 mg/kg", "A")


def prompted(book: Any) -> None:
    validation = DataValidation(prompt="Not in children", sqref="B2")
    book.active.add_data_validation(validation)


def charted(book: Any) -> None:
    chart = BarChart()
    chart.title = DOSE
    chart.add_data(Reference(book.active, min_col=2, min_row=1, max_row=2))
    book.active.add_chart(chart, "D2")


def pictured(book: Any) -> None:
    book.active.add_image(Image(drawn("Do not give")), "D2")


def charted_apart(book: Any) -> None:
    book.create_chartsheet().add_chart(BarChart())


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (commented, "comment_left_out", "B2"),
        (prompted, "comment_left_out", "commented"),
        (charted, "part_unread", "a chart"),
        (pictured, "part_unread", "a picture"),
        (charted_apart, "part_unread", "a chart"),
    ],
)
def test_what_stands_over_a_sheet_is_doubted_on_its_page(
    tmp_path: Path, change: Callable[[Any], None], code: str, named: str
) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "First"
    book.active = book.create_sheet("Second")
    book.active["A1"], book.active["B2"] = "Drug", "5 mg"
    book.active.oddHeader.center.text = "Ward 3, &D"
    change(book)
    first, second = fixtures.read_saved(tmp_path, book, "a.xlsx").pages
    assert (first.running_lines, second.running_lines) == ((), ("Ward 3,",))
    page = first if change in (prompted, charted_apart) else second  # of all sheets
    assert [d.code for d in (*first.doubts, *second.doubts)] == [code]
    assert grade_of(code) is Grade.VALUE and named in page.doubts[0].message


def test_a_threaded_comment_and_a_box_of_a_sheet_are_not_lost(tmp_path: Path) -> None:
    thread = b"<list><threadedComment ref='B3'><text>x</text></threadedComment></list>"
    prompt = b"<dataValidations><dataValidation prompt='x' sqref='A1'/></dataValidations>"
    parts = bad_office.unpack(attach(SHEET, "threadedComment", thread))
    parts[SHEET] = parts[SHEET].replace(b"<pageMargins", prompt + b"<pageMargins")
    told = doubts(read(tmp_path, bad_office.pack(parts), "a.xlsx"))
    assert [code for code, _ in told] == ["comment_left_out"] * 2 and "on B3," in told[1][1]
    (page,) = read(tmp_path, attach(SHEET, "drawing", DRAWN % WORDS), "a.xlsx").pages
    assert [(d.code, page.text[d.start : d.end]) for d in page.doubts] == [("box_over_sheet", DOSE)]


@pytest.mark.parametrize("owner", MAKE)
def test_each_kind_of_part_that_programs_write_was_decided_about(owner: str) -> None:
    """The libraries' own files have them, so that a new kind there is found here."""
    with zipfile.ZipFile(io.BytesIO(MAKE[owner]())) as archive:
        package = Package(archive)
        kinds = {r.kind for part in package.reached() for r in package.relations(part)}
    assert kinds <= DECIDED and not READ & EMPTY
    assert len(kinds) > 5


@pytest.mark.parametrize(
    ("rows", "form", "read_as", "is_doubted"),
    [
        ([("Review by", 0)], "mm-dd-yy", "Review by | 2024-04-03", False),
        ([("Issued", 0)], "m/d/yy h:mm", "Issued | 2024-04-03 0:00", False),
        ([("Gültig bis", 0)], "[$-407]d. mmmm yyyy;@", "Gültig bis | 2024-04-03", False),
        (
            [("Drug", "Reviewed"), ("Iron", 0), ("Zinc", 0)],
            "dd/mm/yyyy",
            "Iron | 2024-04-03",
            False,
        ),
        ([("Drug", "Reviewed"), ("Iron", 0), ("Zinc", "1-2")], "dd/mm/yyyy", "Zinc | 1-2", True),
        ([("Weight (kg)", "Dose"), (0, "10 mg")], "d-mmm", "2024-04-03 | 10 mg", True),
        ([("Weight (kg)", "Dose"), (0, "10 mg"), (0, "5 mg")], "mm-dd-yy", "2024-04-03 | 5", True),
        ([("Age (years)", "Dose"), ("5-7", "10 mg"), (0, "5 mg")], "mmm-yy", "2024-04 | 5", True),
        ([("Review after (days)", 0)], "mm-dd-yy", "days) | 2024-04-03", True),
        ([("Plan 2023",), ("Date",), (0,)], "d/m/yy", "Date\n2024-04-03", False),
        ([("Times daily", 0)], "mm-dd-yy", "daily | 2024-04-03", True),
        ([("Dilute", 0)], "h:mm", "Dilute | 1:02", True),
        ([("Time", 0)], "hh:mm", "Time | 01:02", False),
    ],
)
def test_dates_are_iso_and_doubted_where_nothing_says_that_they_are_dates(
    tmp_path: Path, rows: list[tuple[Any, ...]], form: str, read_as: str, is_doubted: bool
) -> None:
    book = openpyxl.Workbook()
    value = datetime.time(1, 2) if form in ("h:mm", "hh:mm") else datetime.datetime(2024, 4, 3)
    for row in rows:
        book.active.append([value if cell == 0 else cell for cell in row])
        for cell in book.active[book.active.max_row]:
            cell.number_format = form if cell.value == value else "General"
    document = fixtures.read_saved(tmp_path, book, "a.xlsx")
    assert read_as in document.pages[0].text
    assert [code for code, _ in doubts(document)] == ["date_unsure"] * is_doubted


def test_a_format_that_only_names_a_locale_is_one_of_dates(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(("Review by", 45385))
    book.active["B1"].number_format = "mm-dd-yy"
    book.save(tmp_path / "b.xlsx")
    parts = bad_office.unpack((tmp_path / "b.xlsx").read_bytes())
    styles = parts["xl/styles.xml"].replace(b'numFmtId="14"', b'numFmtId="31"')
    document = read(tmp_path, bad_office.pack({**parts, "xl/styles.xml": styles}), "a.xlsx")
    assert "Review by | 2024-04-03" in document.pages[0].text


@pytest.mark.django_db
@pytest.mark.parametrize("owner", MAKE)
def test_a_document_with_an_unread_part_waits_for_a_look(owner: str) -> None:
    document = ingest(attach(owner, "diagramData", WORDS), ENDS[owner])
    while document_index(document.pk):
        pass
    document_submit(document, by=None)
    today = datetime.date(2026, 3, 1)
    with pytest.raises(PagesNotReviewed, match="page 1"):
        document_publish(document, by=None, today=today)
    document_publish(document, by=None, today=today, looked=[1])
    assert Document.objects.get(pk=document.pk).lifecycle == Lifecycle.PUBLISHED
