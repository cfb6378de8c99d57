"""Test that a reader sees all that an Excel file shows, and nothing that it hides."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Border, Font, PatternFill, Side

from corpus.parsing.office.docling.documents import html_of, opened
from corpus.parsing.office.docling.sheets import Sheets
from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures


@pytest.fixture
def book() -> Any:
    made = openpyxl.Workbook()
    for row in (("Drug", "Dose"), ("Alpha", 0.5), ("Beta", 0.05), ("Gamma", 12)):
        made.active.append(row)
    return made


def read(book: Any, tmp_path: Path) -> ParsedDocument:
    return fixtures.read_saved(tmp_path, book, "a.xlsx")


def codes(document: ParsedDocument) -> list[str]:
    return [doubt.code for page in document.pages for doubt in page.doubts]


def test_numbers_read_as_they_are_shown(book: Any, tmp_path: Path) -> None:
    sheet = book.active
    sheet["B2"].number_format = "0.00"
    sheet["B3"].number_format = "0%"
    sheet["B4"].number_format = '0" mg"'
    sheet.append(("From", datetime.date(2024, 3, 9)))
    sheet["B5"].number_format = "d mmm yyyy"
    document = read(book, tmp_path)
    rows = document.pages[0].text.splitlines()[1:]
    assert rows == ["Alpha | 0.50", "Beta | 5%", "Gamma | 12 mg", "From | 2024-03-09"]
    assert codes(document) == []


@pytest.mark.parametrize(("value", "form"), [(12, "0.0E+00"), ("=1+1", "General")])
def test_a_format_that_is_not_known_and_a_formula_without_its_value_are_doubted(
    book: Any, tmp_path: Path, value: object, form: str
) -> None:
    book.active["B4"] = value
    book.active["B4"].number_format = form
    document = read(book, tmp_path)
    assert f"Gamma | {value if value == 12 else ''}" in document.pages[0].text
    assert codes(document) == ["number_format"]


def hide_row(book: Any) -> None:
    book.active.row_dimensions[3].hidden = True


def hide_column(book: Any) -> None:
    sheet = book.active
    sheet.insert_cols(2)
    sheet["A3"], sheet["B3"] = "x", "Beta"
    sheet.column_dimensions["B"].hidden = True


def hide_sheet(book: Any) -> None:
    book.active["A3"] = "x"
    hidden = book.create_sheet("Old")
    hidden["A1"], hidden.sheet_state = "Beta", "hidden"


def strike(book: Any) -> None:
    book.active["A3"].font = Font(strike=True)


def cross(book: Any) -> None:
    line = Side("thin")
    book.active["A3"].border = Border(diagonal=line, diagonalUp=True, diagonalDown=True)


def strike_a_part(book: Any) -> None:
    book.active["A3"] = CellRichText(TextBlock(InlineFont(strike=True), "Beta"), " blocker")


def whiten(book: Any) -> None:
    book.active["A3"].font = Font(color="FFFFFFFF")


def format_away(book: Any) -> None:
    book.active["A3"].number_format = ";;;"


def format_a_number_away(book: Any) -> None:
    book.active["A3"], book.active["A3"].number_format = 7, ";;;"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (cross, "struck_out"),
        (strike_a_part, "struck_out"),
        (whiten, "hidden_left_out"),
        (format_away, "hidden_left_out"),
        (format_a_number_away, "hidden_left_out"),
        (hide_row, "hidden_left_out"),
        (hide_column, "hidden_left_out"),
        (hide_sheet, "hidden_left_out"),
        (strike, "struck_out"),
    ],
)
def test_what_is_hidden_or_struck_is_left_out_with_a_doubt(
    book: Any, tmp_path: Path, change: Callable[[Any], None], code: str
) -> None:
    change(book)
    document = read(book, tmp_path)
    (page,) = document.pages
    assert not {"Beta", "7"} & set(page.text.split()) and "Gamma | 12" in page.text
    assert codes(document) == [code]


def test_white_words_on_a_dark_cell_and_a_zero_that_is_not_shown_are_no_doubt(
    book: Any, tmp_path: Path
) -> None:
    sheet = book.active
    sheet["A1"].font, sheet["A1"].fill = Font(color="FFFFFFFF"), PatternFill("solid", "FF000080")
    sheet["B3"], sheet["B3"].number_format = 0, "0;-0;;@"
    document = read(book, tmp_path)
    assert document.pages[0].text.startswith("Drug | Dose") and not codes(document)


def test_a_rule_that_may_strike_cells_out_is_doubted(book: Any, tmp_path: Path) -> None:
    rule = FormulaRule(formula=['$A1="Beta"'], font=Font(strike=True))
    book.active.conditional_formatting.add("A1:B9", rule)
    assert codes(read(book, tmp_path)) == ["number_format"]


def test_a_title_above_a_table_is_its_caption(book: Any, tmp_path: Path) -> None:
    sheet = book.active
    sheet.insert_rows(1)
    sheet["A1"] = "Doses for children"
    sheet.merge_cells("A1:B1")
    (page,) = read(book, tmp_path).pages
    caption, table = page.blocks
    assert (caption.kind, table.table and table.table.caption) == ("caption", "Doses for children")
    assert table.table is not None
    assert table.table.header == ("Drug", "Dose")


def test_a_bar_over_a_sheet_is_a_section_and_a_blank_row_ends_no_labels(
    book: Any, tmp_path: Path
) -> None:
    sheet = book.active
    sheet.insert_rows(2)
    sheet["A2"] = "By mouth"
    sheet["A2"].font = Font(bold=True)
    sheet.append(())
    sheet["A7"], sheet["B7"] = "Delta", 4
    sheet["A8"], sheet["B8"] = "Omega", 5
    (page,) = read(book, tmp_path).pages
    first, second = [block.table for block in page.blocks if block.table]
    assert first is not None and second is not None
    assert first.rows[0].cells == ("By mouth", "Alpha", "0.5")
    assert [row.cells for row in second.rows] == [("Delta", "4"), ("Omega", "5")]


def test_a_named_sheet_says_for_whom_its_table_is(book: Any, tmp_path: Path) -> None:
    book.active.title = "Children"
    (page,) = read(book, tmp_path).pages
    assert fixtures.block_texts(page)[0] == ("heading", "Children")


HEADS = ("Drug", "From age", "Dose")
FIRST = (HEADS, ("Codeine", "12 years", "30 mg"))


def rows_read(tmp_path: Path, *rows: tuple[str, ...], bold: int = 0) -> list[Any]:
    """Return heads and rows of each table of a sheet; the cells of row `bold` are bold."""
    made = openpyxl.Workbook()
    for at, row in enumerate(rows, 1):
        made.active.append(row)
        for cell in made.active[at] if at == bold else ():
            cell.font = Font(bold=True)
    tables = [block.table for block in read(made, tmp_path).pages[0].blocks if block.table]
    return [(table.header, [row.cells for row in table.rows]) for table in tables]


@pytest.mark.parametrize(
    ("block", "heads"),
    [
        ((("Ibuprofen", "3 months", "50 mg"), ("Naproxen", "1 year", "100 mg")), HEADS),
        ((("Ibuprofen", "3 months", "50 mg"),), HEADS),
        ((HEADS, ("Ibuprofen", "3 months", "50 mg")), HEADS),
        ((("Gas", "From hour", "Flow"), ("Oxygen", "1", "2 L")), ("Gas", "From hour", "Flow")),
        ((("Ibuprofen", "any", "ask"), ("Naproxen", "any", "100 mg")), ()),  # it may be heads
    ],
)
def test_rows_below_a_gap_have_the_heads_above_unless_they_have_their_own(
    tmp_path: Path, block: tuple[tuple[str, ...], ...], heads: tuple[str, ...]
) -> None:
    _, (header, rows) = rows_read(tmp_path, *FIRST, (), *block)
    assert header == heads
    own = block[0] == heads
    assert rows == list(block[1 if own else 0 :])


def test_rows_without_heads_have_none_where_the_columns_are_others(tmp_path: Path) -> None:
    block = (("Ibuprofen", "50 mg"), ("Naproxen", "100 mg"))
    _, (header, rows) = rows_read(tmp_path, *FIRST, (), *block)
    assert (header, rows) == ((), list(block))


def test_words_below_bold_heads_and_a_gap_are_no_heads(tmp_path: Path) -> None:
    block = (("Ibuprofen", "any", "ask"), ("Naproxen", "any", "ask"))
    (_, (header, rows)) = rows_read(tmp_path, *FIRST, (), *block, bold=1)
    assert (header, rows) == (HEADS, list(block))


@pytest.mark.parametrize(
    ("rows", "bold"),
    [
        ((("Hours", "4 hours", "8 hours"), ("Wait", "2 hours", "6 hours")), 1),
        ((("Drug", "1 year", "5 years"), ("Ibuprofen", "50 mg", "100 mg")), 0),  # ages over doses
    ],
)
def test_a_row_with_figures_is_heads(
    tmp_path: Path, rows: tuple[tuple[str, ...], tuple[str, ...]], bold: int
) -> None:
    assert rows_read(tmp_path, *rows, bold=bold) == [(rows[0], [rows[1]])]


def test_docling_alone_reads_what_excel_does_not_show(book: Any, tmp_path: Path) -> None:
    sheet = book.active
    sheet["A2"].font = Font(strike=True)
    sheet["B3"].number_format = "0%"
    sheet.row_dimensions[4].hidden = True
    text = read(book, tmp_path).pages[0].text
    document = opened(Sheets, tmp_path / "a.xlsx").convert()
    alone = html_of(document.body, document)
    assert all(shown in alone for shown in ("Alpha", "0.05", "Gamma"))
    assert text == "Drug | Dose\n | 0.5\nBeta | 5%"
