"""Test how sheets of OpenDocument are read, as two programs write them."""

from pathlib import Path

import pytest

from corpus.parsing.types import ParsedDocument, ParseError
from tests.corpus.parsing.opendocument.open_files import frame, open_file, rows
from tests.corpus.parsing.parsing_fixtures import read

REST = (  # how LibreOffice fills a sheet up
    '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
    'table:number-columns-repeated="16384"/></table:table-row>'
)


def number(value: str, shown: str, style: str = "") -> str:
    return (
        f'<table:table-cell table:style-name="{style}" office:value-type="float" office:value="'
        f'{value}"><text:p>{shown}</text:p></table:table-cell>'
    )


def sheet(inside: str, name: str = "Doses", style: str = "") -> str:
    return f'<table:table table:name="{name}" table:style-name="{style}">{inside}</table:table>'


def read_ods(folder: Path, body: str, by: str = "libreoffice") -> ParsedDocument:
    (folder / "a.ods").write_bytes(open_file("spreadsheet", body, by=by))
    return read(folder / "a.ods", folder)


def test_numbers_are_read_as_they_are_shown(tmp_path: Path) -> None:
    columns = '<table:table-column table:number-columns-repeated="16384"/>'
    body = sheet(columns + rows(("Weight", "Dose"), ("50 kg", number("0.05", "5%"))) + REST)
    document = read_ods(tmp_path, body)
    assert [page.text for page in document.pages] == ["Doses\nWeight | Dose\n50 kg | 5%"]
    assert document.title == "Doses"
    assert document.pages[0].doubts == ()


def test_a_workbook_of_microsoft_office_with_two_sheets_and_a_hidden_one(tmp_path: Path) -> None:
    one = sheet(rows(("Age", "Dose"), ("2 y", number("1", "1 mg")), heads=False), "Sheet1")
    gone = sheet(rows(("Secret", "9 mg")), "Old", "gone")
    two = sheet(rows(("Weight", "Rate"), ("9 kg", number("2", "2"))), "Rates")
    document = read_ods(tmp_path, one + gone + two, by="office")
    assert [page.text for page in document.pages] == [
        "Age | Dose\n2 y | 1 mg",
        "Rates\nWeight | Rate\n9 kg | 2",
    ]
    assert [doubt.code for doubt in document.pages[0].doubts] == ["hidden_left_out"]


@pytest.mark.parametrize(
    ("cell", "text", "codes"),
    [
        (number("9", "9 mg", "ce2"), "", {"struck_out"}),
        (number("9", "9 mg", "ce4"), "", {"hidden_left_out"}),
        (number("9", "9 mg", "ce5"), "", {"hidden_left_out"}),
        (
            number("9", "9 mg").replace("<text:p>", '<text:p text:style-name="P1">'),
            "",
            {"struck_out"},
        ),
        (
            '<table:table-cell office:value-type="date" office:date-value="2024-02-01"/>',
            "2024-02-01",
            {"number_format"},
        ),
        ('<table:table-cell table:formula="of:=1+1"/>', "", {"number_format"}),
        ('<table:table-cell office:value-type="float" office:value="7"/>', "7", {"number_format"}),
        (
            "<table:table-cell><office:annotation><text:p>9</text:p></office:annotation>"
            "<text:p>1 mg</text:p></table:table-cell>",
            "1 mg",
            {"comment_left_out"},
        ),
        (
            '<table:table-cell table:style-name="ce3" office:value-type="date" '
            'office:date-value="2024-02-01"><text:p>01.02.24</text:p></table:table-cell>',
            "2024-02-01",
            {"date_unsure"},
        ),
    ],
)
def test_what_may_be_wrong_in_a_cell_is_doubted(
    tmp_path: Path, cell: str, text: str, codes: set[str]
) -> None:
    (page,) = read_ods(tmp_path, sheet(rows(("Age", "Dose"), ("2 y", cell), ("3 y", "4 mg")))).pages
    assert page.text.splitlines()[2] == f"2 y | {text}"
    assert {doubt.code for doubt in page.doubts} == codes


def test_hidden_columns_are_left_out_and_shapes_over_cells_are_read(tmp_path: Path) -> None:
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    shapes = f"<table:shapes>{frame('Not in renal failure.')}</table:shapes>"
    body = rows(("Age", "Old", "Dose"), ("2 y", "9 mg", "1 mg"))
    (page,) = read_ods(tmp_path, sheet(shapes + columns + body)).pages
    assert page.text == "Doses\nAge | Dose\n2 y | 1 mg\nNot in renal failure."
    assert {doubt.code for doubt in page.doubts} == {"hidden_left_out", "box_over_sheet"}


def test_a_date_that_is_called_so_is_written_in_iso(tmp_path: Path) -> None:
    date = (
        '<table:table-cell table:style-name="ce3" office:value-type="date" '
        'office:date-value="2024-04-03"><text:p>3.4.24</text:p></table:table-cell>'
    )
    (page,) = read_ods(tmp_path, sheet(rows(("Review date", date), ("Dose", "1 mg")))).pages
    assert "Review date | 2024-04-03" in page.text
    assert "date_unsure" not in {doubt.code for doubt in page.doubts}


@pytest.mark.parametrize(
    "inside",
    [
        '<table:table-row table:number-rows-repeated="1000000"><table:table-cell><text:p>1</text:p>'
        "</table:table-cell></table:table-row>",
        '<table:table-row><table:table-cell table:number-columns-repeated="9999999"><text:p>1'
        "</text:p></table:table-cell></table:table-row>",
        '<table:table-row><table:table-cell table:number-columns-spanned="90000" '
        'table:number-rows-spanned="90000"><text:p>1</text:p></table:table-cell></table:table-row>',
    ],
)
def test_a_sheet_that_repeats_a_cell_without_end_is_refused(tmp_path: Path, inside: str) -> None:
    with pytest.raises(ParseError) as failed:
        read_ods(tmp_path, sheet(inside))
    assert failed.value.code == "sheet_too_large"
