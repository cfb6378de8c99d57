"""Test that the notes of a table are told with the rows that carry their marks."""

from pathlib import Path

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.said import said_in
from tests.corpus.parsing.tables.table_fixtures import GRID, Rows, draw_table

Notes = tuple[str, str]

MARKED = [
    (("50 mg*", "20 mg†"), ("* 25 mg over 65 years.", "† Not in heart block.")),
    (("50 mg*", "20 mg†"), ("*25 mg over 65 years; slowly", "†Not in heart block")),
    (("50 mg a)", "20 mg b)"), ("a) 25 mg over 65 years.", "b) Not in heart block.")),
    (("50 mg (a)", "20 mg (b)"), ("(a) 25 mg over 65 years", "(b) Not in heart block")),
    (("50 mg 1)", "20 mg 2)"), ("1) 25 mg over 65 years.", "2) Not in heart block.")),
    (("50 mg a", "20 mg b"), ("a Use 25 mg over 65 years", "b Not in heart block")),
    (("50 mg¹", "20 mg²"), ("1 Use 25 mg over 65 years.", "2 Not in heart block.")),
    (("50 mg ‡", "20 mg §"), ("‡ 25 mg over 65 years.", "§ Not in heart block.")),
]
PLAIN = "Ask the registrar for help when the fits go on after the second drug."


def rows_of(doses: Notes) -> Rows:
    return [["Drug", "Dose"], ["Alpha", doses[0]], ["Beta", doses[1]], ["Gamma", "5 mg"]]


def drawn(rows: Rows, *notes: str, y: float = 640) -> fixtures.Draw:
    """Return a function that draws a table, with notes in the size of the text below it."""
    return fixtures.together(
        fixtures.heading(790, "2 Loading"),
        fixtures.at(765, "Give it in a monitored bed and watch the heart and the pressure."),
        lambda canvas: draw_table(canvas, rows, widths=[150, 150], top=740, style=[GRID]),
        fixtures.at(y, *notes),
        fixtures.at(500, PLAIN),
    )


def html_of(rows: Rows, *below: str) -> str:
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    table = "".join(f"<tr>{line}</tr>" for line in lines).replace("td>", "th>", 4)
    return f"<h1>T</h1><table>{table}</table>{''.join(f'<p>{text}</p>' for text in below)}"


def by_html(folder: Path, rows: Rows, *notes: str) -> ParsedDocument:
    return fixtures.read_text(folder, html_of(rows, *notes, PLAIN))


def by_pdf(folder: Path, rows: Rows, *notes: str) -> ParsedDocument:
    return fixtures.read_pdf(folder, drawn(rows, *notes))


def by_word(folder: Path, rows: Rows, *notes: str) -> ParsedDocument:
    file = docx.Document()
    table = file.add_table(rows=0, cols=2)
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    for text in (*notes, PLAIN):
        file.add_paragraph(text)
    return fixtures.read_saved(folder, file)


def of(drug: str, said: list[str]) -> str:
    (row,) = [text for text in said if drug in text]
    return row


@pytest.mark.parametrize("read", [by_pdf, by_html, by_word])
@pytest.mark.parametrize(("doses", "notes"), MARKED)
def test_a_note_in_the_size_of_the_text_is_told_with_its_row(
    tmp_path: Path, read: type, doses: Notes, notes: Notes
) -> None:
    document = read(tmp_path, rows_of(doses), *notes)
    said = said_in(document)
    assert notes[0] in of("Alpha", said) and notes[1] not in of("Alpha", said)
    assert notes[1] in of("Beta", said) and notes[0] not in of("Beta", said)
    assert not any(note in of("Gamma", said) for note in notes)
    assert PLAIN in said and not {*notes} & {*said}
    assert not [doubt for doubt in document.pages[0].doubts if doubt.code == "table_note_missing"]


def test_a_doubled_sign_is_another_mark(tmp_path: Path) -> None:
    notes = ("* 25 mg over 65 years", "** Not in heart block")
    for read in (by_pdf, by_html):
        said = said_in(read(tmp_path, rows_of(("50 mg*", "20 mg**")), *notes))
        assert of("Alpha", said).endswith("(* 25 mg over 65 years)")
        assert of("Beta", said).endswith("(** Not in heart block)")


def test_a_note_below_a_line_on_the_source_is_told_with_its_row(tmp_path: Path) -> None:
    rows = rows_of(("50 mg*", "20 mg"))
    for document in (
        by_html(tmp_path, rows, "Adapted from the formulary.", "* 25 mg over 65 years."),
        by_pdf(tmp_path, rows, "Adapted from the formulary.", "* 25 mg over 65 years."),
    ):
        said = said_in(document)
        assert "* 25 mg over 65 years." in of("Alpha", said)
        assert "* 25 mg over 65 years." not in said


def test_two_notes_in_one_paragraph_are_told_with_both_rows(tmp_path: Path) -> None:
    both = "* 25 mg over 65 years. † Not in heart block."
    said = said_in(by_html(tmp_path, rows_of(("50 mg*", "20 mg†")), both))
    assert both in of("Alpha", said) and both in of("Beta", said)
    assert both not in of("Gamma", said)


def test_a_note_that_is_a_row_of_the_table_is_told_with_its_rows(tmp_path: Path) -> None:
    text = html_of(rows_of(("50 mg*", "20 mg"))).replace(
        "</table>", '<tr><td colspan="2">* 25 mg over 65 years.</td></tr></table>'
    )
    (row,) = [said for said in said_in(fixtures.read_text(tmp_path, text)) if "Alpha" in said]
    assert row == "Drug: Alpha; Dose: 50 mg* (* 25 mg over 65 years.)"


def test_raised_figures_below_a_table_begin_notes_though_only_some_are_read(tmp_path: Path) -> None:
    notes = ("¹ Not in children.", "² Once a week only.", "³ Not in renal failure.")
    said = said_in(by_html(tmp_path, rows_of(("50 mg²", "20 mg")), *notes))
    assert notes[1] in of("Alpha", said) and notes[1] not in of("Beta", said)
    for drug in ("Alpha", "Beta", "Gamma"):  # for which row the others are is not known
        assert notes[0] in of(drug, said) and notes[2] in of(drug, said)


def test_what_a_note_lists_is_told_with_it(tmp_path: Path) -> None:
    text = html_of(rows_of(("50 mg*", "20 mg")), "* Not in:")
    said = said_in(fixtures.read_text(tmp_path, f"{text}<ul><li>heart block</li></ul>"))
    assert "(* Not in:) (heart block)" in of("Alpha", said)
    assert "heart block" not in said


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_note_on_the_next_page_is_told_with_its_row(tmp_path: Path, goes_on: bool) -> None:
    rows = [["Drug", "Dose"], *([f"Drug {n}", f"{n} mg"] for n in range(30)), ["Alpha", "50 mg*"]]

    def first(canvas: Canvas) -> None:
        draw_table(canvas, rows, widths=[150, 150], top=790, style=[GRID])

    def second(canvas: Canvas) -> None:
        part = [["Drug", "Dose"], ["Beta", "3 mg"], ["Gamma", "4 mg"]]
        draw_table(canvas, part, widths=[150, 150], top=780, style=[GRID])

    note = fixtures.at(690 if goes_on else 770, "* 25 mg over 65 years.")
    text = fixtures.at(600, *[PLAIN] * 5)
    pages = [first, fixtures.together(*([second] if goes_on else []), note, text)]
    document = fixtures.read_pdf(tmp_path, *pages)
    assert "* 25 mg over 65 years." in of("Alpha", said_in(document))
    assert not [doubt for page in document.pages for doubt in page.doubts
                if doubt.code == "table_note_missing"]  # fmt: skip


@pytest.mark.parametrize(
    ("doses", "below"),
    [
        (("50 mg*", "20 mg"), ("* Ask the ward.", "* Write it down.")),  # bullets
        (("50 mg", "20 mg"), ("* Ask the ward.",)),
        (("50 mg¹", "20 mg"), ("1) Ask the ward.", "2) Write it down.")),  # a list
        (("5 m²", "20 mg/m²"), ("2) Ask the ward.",)),
        (("a large dose", "20 mg"), ("a small amount is left in the vial.",)),
    ],
)
def test_what_follows_a_table_by_itself_stays_text(
    tmp_path: Path, doses: Notes, below: tuple[str, ...]
) -> None:
    page = by_pdf(tmp_path, rows_of(doses), *below).pages[0]
    assert "footnote" not in {kind for kind, _ in fixtures.block_texts(page)}
    if not below[0].startswith("*"):  # nobody types a star at the beginning of Word's lists
        page = by_word(tmp_path, rows_of(doses), *below).pages[0]
        assert "footnote" not in {kind for kind, _ in fixtures.block_texts(page)}


@pytest.mark.parametrize("read", [by_pdf, by_html, by_word])
@pytest.mark.parametrize(
    ("dose", "is_doubted"),
    [
        ("50 mg*", True), ("50 mg †", True), ("50 mg‡ daily", True),
        ("50 mg (not at night)*", True), ("50 mg #", False),
        ("A*", False), ("***", False), ("2 * 5 mg", False), ("HLA-B*57:01", False),
        ("20 mg *** never in shock ***", False),
        ("* 50 mg", False), ("50 mg¹", False), ("5 mg/m²", False),
    ],
)  # fmt: skip
def test_a_sign_that_nothing_explains_is_a_doubt_on_its_row(
    tmp_path: Path, read: type, dose: str, is_doubted: bool
) -> None:
    page = read(tmp_path, rows_of((dose, "20 mg"))).pages[0]
    doubts = [doubt for doubt in page.doubts if doubt.code == "table_note_missing"]
    assert bool(doubts) is is_doubted
    assert all("Alpha" in page.text[doubt.start : doubt.end] for doubt in doubts)
