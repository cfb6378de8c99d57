"""Test tables without inner rules, told by their columns, and pages that only look like them."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.doubts.grades import Grade
from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.tree_notation import table_rows
from tests.corpus.parsing.tables.unruled import aligned, as_printed

DOSES = (
    ("Weight", "Amoxicillin", "Gentamicin"),
    ("Under 10 kg", "125 mg", "2.5 mg/kg"),
    ("10 to 40 kg", "250 mg", "5 mg/kg"),
    ("Over 40 kg", "500 mg", "7 mg/kg"),
)
BULLETS = (
    ("Drug", "Child", "Adult"),
    ("• Morphine", "1 mg", "5 mg"),
    ("• Fentanyl", "20 mg", "50 mg"),
    ("• Ketamine", "10 mg", "20 mg"),
)
WRAPPED = (
    ("Severity", "Site", "Preferred treatment", "Alternative"),
    (
        "Low severity\n(CURB65 0 to 1,\nmortality under 3%)",
        "Home",
        "Amoxicillin 500 mg three\ntimes a day by mouth",
        "Doxycycline 200 mg, then\n100 mg once a day by mouth",
    ),
    (
        "Moderate severity\n(CURB65 2)",
        "Hospital",
        "Amoxicillin 1 g three\ntimes a day with\nclarithromycin 500 mg\ntwice a day by mouth",
        "Levofloxacin 500 mg once\na day by mouth",
    ),
    *(
        (
            f"Group {number}\nwith a second line",
            f"Ward {number}",
            f"Placebin {number} mg by mouth\ntwice a day with food\nfor {number} days and then",
            f"Samplin {number}0 mg by vein\nonce a day, slowly",
        )
        for number in range(3, 12)
    ),
)
GROUPS = (
    ("Lipids in two kinds of effusion", ""),
    ("Chylothorax:", ""),
    ("• Triglycerides", "– high >1.24 mmol/L"),
    ("• Cholesterol", "– low"),
    ("Pseudochylothorax:", ""),
    ("• Triglycerides", "– low"),
    ("• Cholesterol", "– high >5.18 mmol/L"),
)
PLACES = {2: (60, 300), 3: (60, 220, 380), 4: (60, 165, 230, 390)}
LEAD = fixtures.at(760, "Call for help and give examplol at once, then keep the patient flat.")
SENTENCES = (
    "The patient should be watched for an hour after examplol was given, since the blood pressure "
    "may fall. Samplin is kept for those who had 500 mg of it before, and who were well. Doctors "
    "and nurses agree on the plan at each round, write it down, and tell the family what comes "
    "next. Fluids are given slowly at 20 mL/kg, and a second bolus needs a senior's opinion. "
)


def _tables(page: Page) -> list[str]:
    return [table_rows(block.table.cells) for block in page.blocks if block.table]


def _codes(page: Page) -> set[str]:
    return {doubt.code for doubt in page.doubts}


@pytest.mark.parametrize("apart", [6, 12])
@pytest.mark.parametrize("rules", ["", "f", "o", "ol"])
@pytest.mark.parametrize("rows", [DOSES, BULLETS, WRAPPED])
def test_cells_are_told_by_their_columns(
    rows: Sequence[Sequence[str]], rules: str, apart: float, tmp_path: Path
) -> None:
    draw = aligned(rows, PLACES[len(rows[0])], rules=rules, apart=apart)

    page = fixtures.read_page(tmp_path, LEAD, draw)

    assert _tables(page) == [as_printed(rows)]
    assert ("table_by_alignment" in _codes(page)) is (rules == "")


def test_tables_below_each_other_between_rules_are_two(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for top in (700, 500):
            aligned(DOSES, PLACES[3], rules="ol", top=top)(canvas)
        fixtures.at(540, "Table 2", font="Helvetica-Bold")(canvas)

    page = fixtures.read_page(tmp_path, LEAD, draw)

    assert _tables(page) == [as_printed(DOSES)] * 2


def test_rows_stay_in_groups_of_bulleted_labels_and_bullets_in_their_cells(tmp_path: Path) -> None:
    page = fixtures.read_page(tmp_path, LEAD, aligned(GROUPS, PLACES[2], rules="ol"))

    (rows,) = _tables(page)
    assert rows == (
        "  = Lipids in two kinds of effusion | <\n"
        "  | Chylothorax: | <\n"
        "  | • Triglycerides | – high >1.24 mmol/L\n"
        "  | • Cholesterol | – low\n"
        "  | Pseudochylothorax: | <\n"
        "  | • Triglycerides | – low\n"
        "  | • Cholesterol | – high >5.18 mmol/L"
    )
    assert "Pseudochylothorax: | • Triglycerides | – low" in page.text


def test_labels_read_apart_from_their_values_are_a_doubt(tmp_path: Path) -> None:
    rows = [row for row in GROUPS for _ in range(2)][2:]  # long enough to look like columns

    page = fixtures.read_page(tmp_path, LEAD, aligned(rows, PLACES[2], bold=0))

    assert _tables(page) == []
    doubted = " ".join(
        page.text[doubt.start : doubt.end]
        for doubt in page.doubts
        if doubt.code == "text_in_columns"
    )
    assert "Triglycerides" in doubted
    assert "high >5.18 mmol/L" in doubted


NARROW = (
    ("Patient", "Site", "Treatment"),
    ("Adult", "Home", "Amoxicillin 500 mg three\ntimes a day by mouth"),
    ("Child", "Ward", "Amoxicillin 250 mg three\ntimes a day by mouth"),
    ("Infant", "Ward", "Amoxicillin 125 mg three\ntimes a day by mouth"),
)
TWO_LINED = (
    ("Patient", "Treatment"),
    ("Adult with a good\nkidney and liver", "Give examplol 500 mg now\nand once a day by mouth"),
    ("Child with a good\nkidney and liver", "Give examplol 250 mg now\nand once a day by mouth"),
)


@pytest.mark.parametrize("rules", ["f", "o", "ol"])
@pytest.mark.parametrize("rows", [NARROW, TWO_LINED])
def test_a_line_that_goes_on_in_a_cell_is_no_row(
    rows: Sequence[Sequence[str]], rules: str, tmp_path: Path
) -> None:
    draw = aligned(rows, PLACES[len(rows[0])], rules=rules, apart=1)

    page = fixtures.read_page(tmp_path, LEAD, draw)

    assert _tables(page) == [as_printed(rows)]
    assert "table_rows_unsure" not in _codes(page)


def test_a_row_that_may_be_cut_is_a_value_in_doubt(tmp_path: Path) -> None:
    """The first word of its second line had room on the first: it may be a row of its own."""
    rows = [
        ("Patient", "Site", "Treatment"),
        ("Adult", "Home", "Amoxicillin 500 mg\nor samplin 20 mg by mouth"),
        ("Old\nadult", "Ward", "Amoxicillin 250 mg\nor samplin 10 mg by mouth"),
    ]

    page = fixtures.read_page(tmp_path, LEAD, aligned(rows, PLACES[3], rules="ol", apart=1))

    (grade,) = [doubt.grade for doubt in page.doubts if doubt.code == "table_rows_unsure"]
    assert grade is Grade.VALUE


def _wrapped(text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        lines = (
            [*lines[:-1], longer] if stringWidth(longer, "Helvetica", 9) < width else [*lines, word]
        )
    return lines


def _prose(columns: int, *, lines: int, rules: str, labelled: bool) -> fixtures.Draw:
    """Draw columns of text on common baselines, perhaps between rules or in a frame."""
    wide = 480 / columns - 18
    text = _wrapped(SENTENCES * 20, wide)
    rows = [text[at : at + lines * columns : lines] for at in range(lines)]
    labels = [[f"Part {number}" for number in range(columns)]] if labelled else []
    xs = [60 + number * 480 / columns for number in range(columns)]
    return aligned([*labels, *rows], xs, rules=rules, bold=len(labels), apart=0)


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("rules", ["", "f", "o"])
@pytest.mark.parametrize(("columns", "lines"), [(2, 8), (2, 16), (2, 45), (3, 8), (3, 16)])
def test_prose_in_columns_is_no_table(
    columns: int, lines: int, rules: str, *, labelled: bool, tmp_path: Path
) -> None:
    draw = _prose(columns, lines=lines, rules=rules, labelled=labelled)

    page = fixtures.read_page(tmp_path, LEAD, draw)

    assert _tables(page) == []


def _references(canvas: Canvas) -> None:
    """Draw numbered references in two columns."""
    for column, x in enumerate((60, 310)):
        y = 700.0
        for number in range(1 + column * 12, 13 + column * 12):
            source = (
                f"Author A{number}, Writer B. Examplol in {number} adults. Thorax 2019;{number}:1"
            )
            fixtures.at(y, f"{number}.", x=x, size=9)(canvas)
            lines = _wrapped(source, 200)
            fixtures.write_lines(canvas, lines, x=x + 18, y=y, size=9)
            y -= 36


def _form(canvas: Canvas) -> None:
    labels = [("Name:", "Date of birth:"), ("Ward:", "Consultant:"), ("Allergies:", "Weight (kg):")]
    for at, pair in enumerate(labels):
        y = 700 - 28 * at
        for x, label in zip((60, 300), pair, strict=True):
            fixtures.at(y, label, x=x)(canvas)
            canvas.line(x + 80, y - 2, x + 220, y - 2)


def _two_lists(canvas: Canvas) -> None:
    for at in range(6):
        fixtures.at(700 - 15 * at, "• Give examplol and then wait")(canvas)
        fixtures.at(700 - 15 * at, "• Call the senior on the ward", x=300)(canvas)


@pytest.mark.parametrize("draw", [_references, _form, _two_lists])
def test_what_stands_in_columns_for_other_reasons_is_no_table(
    draw: fixtures.Draw, tmp_path: Path
) -> None:
    page = fixtures.read_page(tmp_path, LEAD, draw)

    assert _tables(page) == []
    assert "text_in_columns" not in _codes(page)


def test_a_list_of_contents_gives_no_statements(tmp_path: Path) -> None:
    def contents(canvas: Canvas) -> None:
        fixtures.write_heading(canvas, "Contents", y=740)
        for at in range(12):
            fixtures.at(710 - 16 * at, f"Chapter about part {at + 1} of the plan")(canvas)
            canvas.drawRightString(530, 710 - 16 * at, str(2 + at))

    page = fixtures.read_page(tmp_path, contents)

    assert {block.kind.value for block in page.blocks} <= {"heading", "contents"}
