"""Test what becomes of the parts of Office files that no parser reads, up to the answer."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.shared import RGBColor
from openpyxl.comments import Comment

from tests.chat.storing import Storing
from tests.chat.uploads import Upload, follow, store
from tests.corpus.parsing.office.attached import DRAWN, SHEET, WORD, attach, drawn, inserted

ADULTS = "Adults with sepsis: give gentamicin 5 mg/kg intravenously once daily."
CHILDREN = "Children with sepsis: give gentamicin 7 mg/kg intravenously once daily."
PART = f"<p><t>{CHILDREN}</t></p>".encode()
OF_ADULTS = "gentamicin dose in adults with sepsis?"
OF_CHILDREN = "gentamicin dose in children with sepsis?"


def saved(file: Any) -> bytes:
    buffer = io.BytesIO()
    file.save(buffer)
    return buffer.getvalue()


def word(change: Callable[[Any, Any], None] = lambda file, run: None) -> bytes:
    file = docx.Document()
    file.add_heading("Gentamicin in sepsis", 1)
    change(file, file.add_paragraph().add_run(ADULTS))
    return saved(file)


def slides(change: Callable[[Any], None] = lambda slide: None) -> bytes:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Gentamicin in sepsis"
    slide.placeholders[1].text = ADULTS
    change(slide)
    return saved(show)


def sheet(change: Callable[[Any], None] = lambda sheet: None) -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Sepsis"
    for row in (("Medicine", "Dose in sepsis, adults"), ("Gentamicin", "5 mg/kg once daily")):
        book.active.append(row)
    change(book.active)
    return saved(book)


def chunk(content: bytes, name: str) -> bytes:
    return inserted("altChunk", "aFChunk", content, name=name, to=word())


def superseded(page: Any) -> None:
    page["B2"].comment = Comment("SUPERSEDED: give 10 mg/kg", "A")


def whitened(file: Any, run: Any) -> None:
    pale = file.add_paragraph().add_run(CHILDREN.replace("7 mg", "9 mg"))
    pale.font.color.rgb = RGBColor(255, 255, 255)


HTML = f"<html><body><h2>Children</h2><p>{CHILDREN}</p></body></html>".encode()
CHART = "a chart"


def docx_of(content: Callable[[], bytes], **expected: str) -> Upload:
    return Upload("a.docx", content, **{"question": OF_ADULTS, "said": "5 mg/kg", **expected})


def pptx_of(content: Callable[[], bytes], **expected: str) -> Upload:
    return Upload("a.pptx", content, **{"question": OF_ADULTS, "said": "5 mg/kg", **expected})


def xlsx_of(content: Callable[[], bytes], **expected: str) -> Upload:
    return Upload("a.xlsx", content, **{"question": OF_ADULTS, "said": "5 mg/kg", **expected})


READ = {"question": OF_CHILDREN, "said": "7 mg/kg", "unsaid": "5 mg/kg"}
UPLOADS = {
    "Word": docx_of(word),
    "inserted HTML": docx_of(lambda: chunk(HTML, "x.html"), **READ),
    "chart in Word": docx_of(
        lambda: attach(WORD, "chart", PART, to=word()), unread="7 mg", doubt=CHART
    ),
    "comment in Word": docx_of(
        lambda: word(lambda file, run: file.add_comment(run, "Do not use 5 mg/kg: give 3 mg/kg")),
        unread="3 mg",
        doubt="Somebody commented on these words",
    ),
    "white words in Word": docx_of(
        lambda: word(whitened), unread="9 mg", doubt="that the file hides"
    ),
    "picture on a slide": pptx_of(
        lambda: slides(lambda slide: slide.shapes.add_picture(drawn("Children: 7 mg/kg"), 0, 0)),
        unread="7 mg",
        doubt="a picture",
    ),
    "comment in Excel": xlsx_of(lambda: sheet(superseded), unread="10 mg/kg", doubt="on B2"),
    "box over a sheet": xlsx_of(
        lambda: attach(SHEET, "drawing", DRAWN % PART, to=sheet()),
        question=OF_CHILDREN,
        said="7 mg/kg",
        doubt="box",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(lambda: store(UPLOADS)):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPLOADS)
def test_each_part_of_an_office_file_is_read_or_holds_it_back(name: str) -> None:
    follow(name, UPLOADS[name])
