"""Test that cells of a head row that hold what their columns say are quoted, and label nothing."""

from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement

from corpus.parsing.tables.printed import header_rows
from corpus.parsing.types import Cell
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.said import said_in

MILD = "<p>Give oxygen to keep the saturation above 94%.</p><p>Do not give morphine.</p>"
SEVERE = "<ul><li>Give 5 mg of salbutamol.</li><li>Repeat it after 20 minutes.</li></ul>"
LONG = ("Call the registrar when the saturation is below 90% in spite of oxygen, when the "
        "patient is drowsy or when the potassium is below 3")  # fmt: skip


def html(head: str, *rows: str) -> str:
    return f"<h1>T</h1><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def row(*cells: str, tag: str = "th") -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


@pytest.mark.parametrize(
    "text",
    [
        html(row(MILD, SEVERE)),
        html(row(MILD, SEVERE), row("", "", tag="td")),
        html(row(MILD, SEVERE), row("Review daily", "Review hourly", tag="td")),
        html(row(LONG, "Ward"), row("Review", "Once", tag="td")),
        html(row(MILD, SEVERE, "Ward"), row("Review daily", "", "", tag="td")),
    ],
)
def test_a_head_row_of_texts_is_quoted(tmp_path: Path, text: str) -> None:
    document = fixtures.read_text(tmp_path, text)
    (table,) = [block.table for block in document.pages[0].blocks if block.table]
    assert table.header == ()
    rows = said_in(document)
    assert any("Do not give morphine." in said or LONG in said for said in rows)
    assert all(("morphine" in said or LONG in said) != ("Review" in said) for said in rows)


def test_labels_above_a_row_of_texts_label_it(tmp_path: Path) -> None:
    text = html(row("Mild", "Severe") + row(MILD, SEVERE))
    (said,) = said_in(fixtures.read_text(tmp_path, text))
    assert said.startswith("Mild: Give oxygen") and "Severe: Give 5 mg" in said


def test_a_head_row_of_texts_in_word_is_quoted(tmp_path: Path) -> None:
    file = docx.Document()
    table = file.add_table(rows=2, cols=2)
    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    table.cell(0, 0).text = "Give oxygen at once.\nDo not give morphine for it."
    table.cell(0, 1).text = "Give 5 mg of salbutamol.\nRepeat it after 20 minutes."
    table.cell(1, 0).text, table.cell(1, 1).text = "Daily", "Hourly"
    said = said_in(fixtures.read_saved(tmp_path, file))
    assert len(said) == 2 and "Do not give morphine for it." in said[0]


@pytest.mark.parametrize(
    ("head", "below"),
    [
        (("Dose", "Comment"), ("5 mg", "Give it slowly. Watch the heart rate.")),
        (("Loading dose. Over an hour.", "Then"), ("Give 1 g. Do not go above 2 g a day.",) * 2),
        (("Weight (kg)", "Dose in mg for each kg of weight"), ("50", "5")),
        (
            ("Number of patients who were given it in each group of one of the trials so far", "n"),
            ("5", "6"),
        ),
    ],
)  # fmt: skip
def test_labels_stay_labels(head: tuple[str, ...], below: tuple[str, ...]) -> None:
    cells = [Cell(0, at, text, is_header=True) for at, text in enumerate(head)]
    cells += [Cell(1, at, text) for at, text in enumerate(below)]
    assert header_rows(cells) == 1
