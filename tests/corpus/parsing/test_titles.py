"""Test what documents are called that print a title in twenty ways."""

from collections.abc import Sequence
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.parsing_fixtures import at

BODY = ("Give oxygen to everybody who needs it, and do not wait for the result of a test.",) * 5
BOLD = "Helvetica-Bold"
Print = tuple[float, float, str]  # y, size, text in bold


def _pdf(folder: Path, prints: Sequence[Print], *, named: str = "", pages: int = 1) -> str:
    def first(canvas: Canvas) -> None:
        canvas.setTitle(named)
        for y, size, text in prints:
            fixtures.write_lines(canvas, [text], y=y, size=size, font=BOLD)
        fixtures.write_lines(canvas, BODY, y=500)

    def other(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, [prints[0][2]], y=800, size=8)
        fixtures.write_lines(canvas, BODY, y=700)

    return fixtures.read_pdf(folder, first, *[other] * (pages - 1)).title


@pytest.mark.parametrize(
    ("prints", "title"),
    [
        # two lines of a title, the second larger or smaller than the first
        (
            [(740, 20, "Acute agitation"), (712, 22, "Guidance on Recognition and Management")],
            "Acute agitation Guidance on Recognition and Management",
        ),
        (
            [(740, 24, "Status epilepticus"), (712, 16, "in children and young people")],
            "Status epilepticus in children and young people",
        ),
        (
            [(740, 24, "Burns in children"), (710, 24, "The first day in hospital")],
            "Burns in children The first day in hospital",
        ),
        # a series, an issue of a journal, an issuer, a kind of document
        (
            [(770, 24, "CLINICAL PRACTICE GUIDELINES"), (700, 18, "Croup in infants")],
            "Croup in infants",
        ),
        (
            [(770, 20, "March 2014 Volume 31 Supplement 1"), (700, 16, "Oxygen for adults")],
            "Oxygen for adults",
        ),
        (
            [(770, 22, "Northfield Royal Hospital"), (720, 16, "Snake bite: first hours")],
            "Snake bite: first hours",
        ),
        (
            [
                (770, 16, "The Northfield College of Nursing Best Practice Guideline"),
                (700, 14, "SNAKE BITE IN CHILDREN"),
            ],
            "SNAKE BITE IN CHILDREN",
        ),
        (
            [(740, 14, "SPLINTING WRISTS OF CHILDREN IN THE EMERGENCY DEPARTMENT")],
            "SPLINTING WRISTS OF CHILDREN IN THE EMERGENCY DEPARTMENT",
        ),
        (
            [(770, 22, "STANDARD OPERATING PROCEDURE"), (720, 14, "Massive haemorrhage")],
            "Massive haemorrhage",
        ),
        # a number of a footnote, a sign of a font, one word, the section below
        ([(740, 18, "Migraine pathway (adults) 1")], "Migraine pathway (adults)"),
        ([(740, 20, "Bronchiolitis"), (540, 14, "Definition")], "Bronchiolitis"),
        ([(740, 20, "Bronchiolitis"), (520, 14, "Oxygen at home")], "Bronchiolitis"),
        ([(740, 20, "Contents"), (600, 14, "Sepsis in adults")], "Sepsis in adults"),
        (
            [(740, 20, "Hyperkalaemia in adults"), (718, 12, "www.northfield.example")],
            "Hyperkalaemia in adults",
        ),
    ],
)
def test_the_largest_lines_of_a_pdf_together_are_its_title(
    tmp_path: Path, prints: Sequence[Print], title: str
) -> None:
    assert _pdf(tmp_path, prints) == title


@pytest.mark.parametrize(
    "named", ["PowerPoint Presentation", "Untitled", "Clinical practice guideline", "Layout 1"]
)
def test_the_default_name_of_a_program_is_no_title(tmp_path: Path, named: str) -> None:
    assert _pdf(tmp_path, [(740, 10, "Tetanus after injury")], named=named) != named
    assert _pdf(tmp_path, [(740, 16, "Tetanus after injury")], named=named) == (
        "Tetanus after injury"
    )


@pytest.mark.parametrize(("y", "size"), [(740, 16), (740, 12)])
def test_prose_in_larger_letters_is_no_title(tmp_path: Path, y: float, size: float) -> None:
    dose = (y, size, "Give 5 mg/kg once daily. Check it after two days.")
    assert _pdf(tmp_path, [dose, (700, 12, "Gentamicin in adults")]) == "Gentamicin in adults"


def test_a_line_that_runs_over_all_pages_is_no_title(tmp_path: Path) -> None:
    prints = [(800, 8, "Northfield formulary, for staff"), (740, 16, "Doses in renal failure")]
    assert _pdf(tmp_path, prints, pages=4) == "Doses in renal failure"


def test_lines_that_are_one_title_are_one_heading(tmp_path: Path) -> None:
    page = fixtures.read_page(
        tmp_path,
        at(740, "Acute agitation", size=20, font=BOLD),
        at(716, "in the emergency department", size=16, font=BOLD),
        at(600, *BODY),
    )
    headings = [text for kind, text in fixtures.block_texts(page) if kind == "heading"]
    assert headings == ["Acute agitation in the emergency department"]


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "# :material-ambulance: Major trauma\n\nCall.\n", "Major trauma"),
        ("a.md", "# ❗️Anaphylaxis ⚠\n\nCall.\n", "Anaphylaxis"),
        ("a.md", "## Clinical guidelines\n\n# Head injury {#head}\n\nCall.\n", "Head injury"),
        (
            "a.html",
            "<title>Clinical Practice Guidelines : Gout | Northfield Hospital</title>"
            "<h1>Clinical Practice Guidelines</h1><h2>Key points</h2><p>Rest.</p>",
            "Gout",
        ),
        (
            "a.html",
            "<title>Home</title><h1>Northfield Hospital</h1><h2>Iron in pregnancy</h2><p>Give.</p>",
            "Home",
        ),
        ("a.html", "<p>Iron in pregnancy</p><p>Give iron by mouth.</p>", "Iron in pregnancy"),
        ("a.html", "<p>Give iron by mouth.</p><p>Iron is black.</p>", ""),
    ],
)
def test_a_title_of_markup_names_a_subject_and_has_no_icon(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    assert fixtures.read_text(tmp_path, text, name).title == title


@pytest.mark.parametrize(
    ("above", "title"),
    [("Clinical guideline", "Hip fracture"), ("Northfield NHS Trust", "Hip fracture")],
)
def test_a_title_of_word_is_no_series_and_no_issuer(tmp_path: Path, above: str, title: str) -> None:
    file = docx.Document()
    file.add_heading(above, 1)
    file.add_heading("Hip fracture", 1)
    file.add_paragraph("Give a nerve block at once.")
    assert fixtures.read_saved(tmp_path, file).title == title


def test_a_first_line_of_word_is_a_title_without_any_heading(tmp_path: Path) -> None:
    file = docx.Document()
    file.add_paragraph("Hip fracture in the first hour")
    file.add_paragraph("Give a nerve block at once.")
    assert fixtures.read_saved(tmp_path, file).title == "Hip fracture in the first hour"
    coded = docx.Document()
    coded.add_paragraph("NHFX")
    coded.add_paragraph("Give a nerve block at once.")
    assert fixtures.read_saved(tmp_path, coded).title == ""
