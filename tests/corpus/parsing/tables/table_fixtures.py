"""Draw pages with tables that are hard to read, each with its expected rows.

Each expected table is written by hand, in the notation of `tree_notation`.
"""

from collections.abc import Sequence
from typing import Any

from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from tests.corpus.parsing import parsing_fixtures as fixtures

BOLD = "Helvetica-Bold"
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
Rows = Sequence[Sequence[str]]


def draw_table(
    canvas: Canvas,
    rows: Rows,
    *,
    widths: Sequence[float],
    top: float,
    left: float = 60,
    style: Sequence[Any] = (),
    labels: int = 1,
) -> None:
    """Draw rows below `top` (points from the bottom); the first `labels` of them are bold."""
    table = Table([list(row) for row in rows], colWidths=list(widths))
    bold = [("FONT", (0, 0), (-1, labels - 1), BOLD, 9)] if labels else []
    table.setStyle([("FONT", (0, 0), (-1, -1), "Helvetica", 9), *bold, *style])
    _, height = table.wrapOn(canvas, 500, 700)
    table.drawOn(canvas, left, top - height)


def caption(canvas: Canvas, text: str, *, y: float, x: float = 60) -> None:
    canvas.setFont(BOLD, 9)
    canvas.drawString(x, y, text)


def spans_both_ways(canvas: Canvas) -> None:
    """Draw labels in two rows, groups over three rows, wrapped and empty cells, all ruled."""
    fixtures.write_heading(canvas, "1 Dose", y=760)
    caption(canvas, "Table 1. Dose of examplol", y=730)
    rows = [
        ["Group", "Weight (kg)", "Dose", "", "Comment"],
        ["", "", "mg/kg", "Maximum", ""],
        ["Adults", "Under 50", "2", "80 mg", "Infuse slowly through\na large vein"],
        ["", "50 to 99", "3", "240 mg", ""],
        ["", "100 or more", "3", "300 mg*", "Call the pharmacist"],
        ["Children", "10 to 30", "Avoid", "", "-"],
    ]
    spans = [(0, 0, 0, 1), (1, 0, 1, 1), (2, 0, 3, 0), (4, 0, 4, 1), (0, 2, 0, 4), (2, 5, 3, 5)]
    style = [GRID, *(("SPAN", (a, b), (c, d)) for a, b, c, d in spans)]
    style.append(("VALIGN", (0, 0), (-1, -1), "MIDDLE"))
    draw_table(canvas, rows, widths=[70, 80, 60, 70, 130], top=720, style=style, labels=2)
    fixtures.write_lines(canvas, ["* Never more in one day."], y=560, size=8)


SPANS_BOTH_WAYS = """\
  = Group | Weight (kg) | Dose | < | Comment
  = ^ | ^ | mg/kg | Maximum | ^
  | Adults | Under 50 | 2 | 80 mg | Infuse slowly through a large vein
  | ^ | 50 to 99 | 3 | 240 mg |
  | ^ | 100 or more | 3 | 300 mg* | Call the pharmacist
  | Children | 10 to 30 | Avoid | < | -"""


def groups_over_the_width(canvas: Canvas) -> None:
    """Draw rows that are one label, and a note in the last row."""
    caption(canvas, "Table 2. Loading dose", y=730)
    rows = [
        ["Weight", "Dose"],
        ["Adults", ""],
        ["Under 50 kg", "1 g"],
        ["50 kg and over", "2 g"],
        ["Children", ""],
        ["Under 20 kg", "15 mg/kg"],
        ["Round each dose to the nearest 50 mg, and give it with food.", ""],
    ]
    style = [GRID, *(("SPAN", (0, row), (1, row)) for row in (1, 4, 6))]
    draw_table(canvas, rows, widths=[200, 120], top=720, style=style)


GROUPS_OVER_THE_WIDTH = """\
  = Weight | Dose
  | Adults | <
  | Under 50 kg | 1 g
  | 50 kg and over | 2 g
  | Children | <
  | Under 20 kg | 15 mg/kg
  | Round each dose to the nearest 50 mg, and give it with food. | <"""


def sections_from_the_top(canvas: Canvas) -> None:
    """Draw regimens one below the other, each with a bar and labels; the first bar is bold."""
    rows = [
        ["A. Daily examplol for six months", ""],
        ["Weight", "Tablets of 50 mg"],
        ["Under 50 kg", "1"],
        ["50 kg and over", "2"],
        ["B. Weekly samplin for three months", ""],
        ["Product", "Tablets"],
        ["Samplin 150 mg", "6"],
    ]
    style = [GRID, ("SPAN", (0, 0), (1, 0)), ("SPAN", (0, 4), (1, 4))]
    draw_table(canvas, rows, widths=[200, 120], top=720, style=style)


SECTIONS_FROM_THE_TOP = """\
  | A. Daily examplol for six months | <
  | Weight | Tablets of 50 mg
  | Under 50 kg | 1
  | 50 kg and over | 2
  | B. Weekly samplin for three months | <
  | Product | Tablets
  | Samplin 150 mg | 6"""


def journal_rules(canvas: Canvas) -> None:
    """Draw horizontal rules only, one below a label over two columns, and a group."""
    caption(canvas, "Table 3. Response by arm", y=730)
    rows = [
        ["", "Improved (%)", "", "Died"],
        ["Arm", "Week 2", "Week 4", "(%)"],
        ["Early", "41", "58", "2"],
        ["", "44", "61", "3"],
        ["Late", "22", "35", "5"],
        ["", "19", "31", "6"],
    ]
    style: list[Any] = [
        ("SPAN", (1, 0), (2, 0)),
        ("ALIGN", (1, 0), (2, 0), "CENTER"),
        ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
        ("LINEBELOW", (1, 0), (2, 0), 0.5, colors.black),
        ("LINEBELOW", (0, 1), (-1, 1), 0.5, colors.black),
        ("LINEBELOW", (0, 3), (-1, 3), 0.5, colors.black),
        ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
    ]
    draw_table(canvas, rows, widths=[90, 90, 90, 60], top=720, style=style, labels=0)


JOURNAL_RULES = """\
  = Arm | Improved (%) | < | Died (%)
  = ^ | Week 2 | Week 4 | ^
  | Early | 41 | 58 | 2
  | ^ | 44 | 61 | 3
  | Late | 22 | 35 | 5
  | ^ | 19 | 31 | 6"""


def words_without_rules(canvas: Canvas) -> None:
    """Draw bold labels above aligned words, without rules, caption or figures."""
    fixtures.write_heading(canvas, "2 Whom to call", y=760)
    fixtures.write_lines(canvas, ["The first name is called by day and by night."], y=735)
    rows = [
        ["Problem", "First", "Second"],
        ["Bleeding", "Haematologist", "Surgeon on call"],
        ["Fever", "Microbiologist", "Ward doctor"],
        ["Rash after the first dose", "Ward doctor", "Dermatologist"],
    ]
    draw_table(canvas, rows, widths=[160, 120, 120], top=715)
    fixtures.write_lines(canvas, ["Write each call into the notes of the patient."], y=610)


WORDS_WITHOUT_RULES = """\
  = Problem | First | Second
  | Bleeding | Haematologist | Surgeon on call
  | Fever | Microbiologist | Ward doctor
  | Rash after the first dose | Ward doctor | Dermatologist"""


def groups_without_rules(canvas: Canvas) -> None:
    """Draw a label over two columns, wrapped cells, and groups shown only by empty cells."""
    caption(canvas, "Table 4. Maintenance dose", y=730)
    rows = [
        ["", "", "Dose by route", ""],
        ["Group", "Age", "Mouth", "Vein"],
        ["Adults", "Under 65 years", "500 mg twice daily\nwith food", "250 mg"],
        ["", "65 years and over", "250 mg twice daily", "125 mg"],
        ["Children", "Under 12 years", "5 mg/kg", "2.5 mg/kg"],
        ["", "12 years and over", "250 mg", "125 mg"],
    ]
    style = [
        ("SPAN", (2, 0), (3, 0)),
        ("ALIGN", (2, 0), (3, 0), "CENTER"),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    draw_table(canvas, rows, widths=[80, 120, 130, 90], top=720, style=style, labels=2)


GROUPS_WITHOUT_RULES = """\
  = Group | Age | Dose by route | <
  = ^ | ^ | Mouth | Vein
  | Adults | Under 65 years | 500 mg twice daily with food | 250 mg
  | ^ | 65 years and over | 250 mg twice daily | 125 mg
  | Children | Under 12 years | 5 mg/kg | 2.5 mg/kg
  | ^ | 12 years and over | 250 mg | 125 mg"""


def table_in_a_column(canvas: Canvas) -> None:
    """Draw two columns of text, the right one with a small ruled table."""
    fixtures.write_heading(canvas, "A title that spans both columns of the page", y=760, size=18)
    fixtures.write_lines(canvas, fixtures.LEFT * 3, size=8)
    fixtures.write_lines(canvas, fixtures.RIGHT, x=320, y=703, size=8)
    caption(canvas, "Table 5. Onset", x=320, y=630)
    rows = [["Drug", "Onset"], ["Examplol", "3 minutes"], ["Placebin\nslow release", "2 hours"]]
    draw_table(canvas, rows, widths=[110, 90], left=320, top=622, style=[GRID])
    fixtures.write_lines(canvas, fixtures.RIGHT, x=320, y=530, size=8)


TABLE_IN_A_COLUMN = """\
  = Drug | Onset
  | Examplol | 3 minutes
  | Placebin slow release | 2 hours"""

LONG = tuple((f"{low} to {low + 9} kg", f"{low * 2} mg", f"Every {low // 10 + 3} hours")
             for low in range(10, 70, 10))  # fmt: skip
LONG_LABELS = ("Weight", "Dose", "Interval")


def over_a_break(
    *, repeated: bool, ruled: bool, named: str = "", apart: bool = False
) -> tuple[fixtures.Draw, fixtures.Draw]:
    """Draw a table over a page break; if `repeated`, with its labels on both pages.

    `named` is the caption of the second part; if `apart`, a cell of the first holds two values.
    """

    def first(canvas: Canvas) -> None:
        fixtures.write_heading(canvas, "1 Dose", y=760)
        fixtures.write_lines(canvas, ["Text above the table."] * 38, y=735)
        caption(canvas, "Table 1. Dose by weight", y=260)
        rows = [LONG_LABELS, *LONG[: 2 if apart else 3]]
        rows += [("30 to 39 kg", "60 mg", "20 mg          40 mg")] if apart else []
        draw_table(canvas, rows, widths=[150, 120, 120], top=250,
                   style=[GRID] if ruled else [])  # fmt: skip

    def second(canvas: Canvas) -> None:
        caption(canvas, named, y=790)
        rows = [LONG_LABELS, *LONG[3:]] if repeated else list(LONG[3:])
        draw_table(canvas, rows, widths=[150, 120, 120], top=780,
                   style=[GRID] if ruled else [], labels=int(repeated))  # fmt: skip
        fixtures.write_lines(canvas, ["* Never more."], y=640, size=8)
        fixtures.write_lines(canvas, ["Text below the table."], y=600)

    return first, second


def sections_over_a_break(canvas: Canvas) -> None:
    """Draw a second page for `over_a_break` that begins with a section's bar."""
    rows = [
        ["A. Daily examplol", "", ""],
        ["Product", "Tablets", "Times"],
        ["Examplol 5 mg", "2", "4"],
        ["B. Weekly samplin", "", ""],
        ["Product", "Tablets", "Weeks"],
        ["Samplin 150 mg", "6", "12"],
    ]
    style = [GRID, ("SPAN", (0, 0), (2, 0)), ("SPAN", (0, 3), (2, 3))]
    draw_table(canvas, rows, widths=[150, 120, 120], top=780, style=style, labels=0)


PROSE = (
    "Keep the drug in the fridge of the ward",
    "and write the date on it when opened.",
    "Throw it away after four weeks, also",
    "where some of it is left in the vial.",
)


def short_columns(canvas: Canvas) -> None:
    """Draw two columns of prose, too short to be recognised by their gutter."""
    fixtures.write_heading(canvas, "3 Storage", y=760)
    fixtures.write_lines(canvas, PROSE[:3], y=735)
    fixtures.write_lines(canvas, PROSE[1:], x=320, y=735)


def references(canvas: Canvas) -> None:
    """Draw a list of references, its numbers to the left of the text."""
    fixtures.write_heading(canvas, "References", y=760)
    for at, line in enumerate(("A. Author. A trial of examplol. 2019.",
                               "B. Writer. Doses in 120 patients. 2020.",
                               "C. Penner. 45 years of placebin. 2021.")):  # fmt: skip
        fixtures.write_lines(canvas, [f"[{at + 1}]"], y=735 - 14 * at)
        fixtures.write_lines(canvas, [line], x=90, y=735 - 14 * at)


def names_beside_names(canvas: Canvas) -> None:
    """Draw words in two columns that may or may not be a table."""
    fixtures.write_heading(canvas, "4 Who helps", y=760)
    names = ("Ward nurse", "Site manager", "Porter"), ("Bleep holder", "Deputy", "Switchboard")
    fixtures.write_lines(canvas, names[0], y=735)
    fixtures.write_lines(canvas, names[1], x=250, y=735)


def figures_at_the_top(canvas: Canvas) -> None:
    """Draw a ruled table at the page's upper edge, with a row that is one figure."""
    rows = [["Day", "Dose (mg)"], ["First", "40"], ["", "10"], ["Third", "5"]]
    draw_table(canvas, rows, widths=[150, 120], top=815, style=[GRID])


FIGURES_AT_THE_TOP = """\
  = Day | Dose (mg)
  | First | 40
  |  | 10
  | Third | 5"""
