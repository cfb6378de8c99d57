"""Test what becomes of dates in Excel and of marks of Markdown, up to the answer."""

import datetime
import io
from collections.abc import Iterator, Sequence
from typing import Any

import openpyxl
import pytest

from tests.chat.storing import Storing
from tests.chat.uploads import Upload, follow, store

DAY = datetime.datetime(2024, 2, 1)
HEAD = ("Weight (kg)", "Dose of zinc")


def sheet(form: str, *rows: Sequence[Any], **expected: str) -> Upload:
    """Return a workbook whose dates have a format."""

    def content() -> bytes:
        book, buffer = openpyxl.Workbook(), io.BytesIO()
        book.active.title = "Zinc deficiency"
        for row in rows:
            book.active.append(row)
        for cell in (cell for row in book.active for cell in row if cell.value == DAY):
            cell.number_format = form
        book.save(buffer)
        return buffer.getvalue()

    return Upload("a.xlsx", content, **{"question": "", **expected})


REVIEWED = {"question": "review date of the zinc deficiency guideline?", "said": "2024-02-01"}
OF_WEIGHT = {"question": "dose of zinc by weight?", "said": "10 mg", "doubt": "`1-2` becomes"}
DAILY = {"question": "dose of zinc in zinc deficiency?", "said": "10 mg"}


def text(body: str, **expected: str) -> Upload:
    whole = f"# Fluconazole in candidaemia\n\n{body}\n"
    return Upload("a.md", whole.encode, **{"question": OF_CHILDREN, **expected})


OF_ADULTS, OF_CHILDREN = "fluconazole dose in adults?", "fluconazole dose in children?"
ADULTS, CHILDREN = "Give fluconazole 400 mg once daily.", "Give fluconazole 6 mg/kg once daily."
CLEARANCE = "How is creatinine clearance estimated?"
OF_TAB = {"said": "6 mg/kg", "unsaid": "400 mg", "unread": "==="}
UPLOADS = {
    "a date by format 14": sheet("mm-dd-yy", ("Zinc", "10 mg"), ("Review date", DAY), **REVIEWED),
    "a date that nothing calls one": sheet(
        "mm-dd-yy", ("Zinc", "10 mg daily"), ("Children", DAY), **DAILY, doubt="A date stands here"
    ),
    "a weight that became a date": sheet("d-mmm", HEAD, (DAY, "10 mg"), **OF_WEIGHT),
    "a formula": text(
        "Estimate creatinine clearance as (140-age)*weight*1.23 divided by serum creatinine.",
        question=CLEARANCE,
        said="(140-age)*weight*1.23",
    ),
    "a warning": text(
        f'!!! warning "Children"\n    {CHILDREN}\n\nThen stop.', said=CHILDREN, unsaid="!!!"
    ),
    "tabs": text(f'=== "Adults"\n\n    {ADULTS}\n\n=== "Children"\n\n    {CHILDREN}\n', **OF_TAB),
    "a struck dose": text(
        f"## Children\n\n~~Give fluconazole 9 mg/kg.~~ {CHILDREN}",
        said="6 mg/kg",
        unread="9 mg",
        doubt="strikes out",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(lambda: store(UPLOADS)):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPLOADS)
def test_dates_and_marks_are_read_as_their_writer_meant(name: str) -> None:
    follow(name, UPLOADS[name])
