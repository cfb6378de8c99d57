"""Test that no annotation of a PDF vanishes, and that no word struck through or covered is read."""

from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as raw
import pytest

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.doubts.grades import Grade, grade_of
from corpus.parsing.pdf.annotations import CARE
from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.pdf.annotated import WHITE, annotated, shown

# ISO 32000-2, table 171.
SUBTYPES = (
    "Text Link FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly Caret "
    "StrikeOut Stamp Ink Popup FileAttachment Sound Movie Screen Widget PrinterMark TrapNet "
    "Watermark 3D Redact Projection RichMedia"
).split()
EMPTY = {"Link", "Popup", "PrinterMark", "TrapNet"}
WHOLE = "Give tobramycin 7 mg/kg once daily."
AFTER = "Measure a level before the second dose."
LINES = ((780, 18, "Tobramycin"), (740, 11, WHOLE), (720, 11, AFTER))
DOSE = (154.0, 737.0, 194.0, 750.0)  # around `7 mg/kg`, in user space
SAID = "Now give 5 mg/kg"
NOT_READ, STRUCK = "annotation_unread", "words_struck"


def read(folder: Path, kind: str = "", more: str = "", paint: str = "", **made: Any) -> Page:
    """Read the page of `annotated`, whose last line no annotation touches."""
    path = annotated(folder / "a.pdf", LINES, kind, more, paint, **made)
    (found,) = fixtures.parse(path, folder / "out").pages
    assert AFTER in found.text
    return found


def codes(page: Page) -> set[str]:
    return {doubt.code for doubt in page.doubts}


@pytest.mark.parametrize("kind", [*SUBTYPES, "NobodyKnows"])
def test_the_words_of_each_kind_of_annotation_are_read_or_doubted(
    tmp_path: Path, kind: str
) -> None:
    said = f"/Contents ({SAID})"
    page = read(tmp_path, kind, f"{said} /FT /Tx /V ({SAID})", shown(SAID))
    assert (SAID in page.text) == (kind in ("FreeText", "Widget"))
    assert (NOT_READ in codes(page)) == (kind not in {"FreeText", "Widget", *EMPTY})
    unpainted = read(tmp_path, kind, said)
    assert (NOT_READ in codes(unpainted)) == (kind not in EMPTY)


def test_every_kind_that_the_reader_of_pdfs_knows_is_decided_about() -> None:
    kinds = {name for name in dir(raw) if name.startswith("FPDF_ANNOT_")}
    known = {getattr(raw, name) for name in kinds if not name.startswith("FPDF_ANNOT_FLAG")}
    numbers = {kind for kind in known if isinstance(kind, int)}
    assert numbers - set(CARE) == {raw.FPDF_ANNOT_UNKNOWN}
    assert {grade_of(code) for code in (NOT_READ, STRUCK)} == {Grade.VALUE}


QUADS = "/QuadPoints [154 750 194 750 154 737 194 737]"
STRIKES = {
    "strikeout": ("StrikeOut", QUADS, "1 0 0 RG 1 w 0 6 m 39 6 l S", ""),
    "strikeout without quads": ("StrikeOut", "", "", ""),
    "redaction to be applied": ("Redact", QUADS, "", ""),
    "by hand": ("Ink", "/InkList [[154 743 165 745 180 743 194 744]]", "", ""),
    "white box": ("Square", "", WHITE, ""),
    "white box by its colour": ("Square", "/IC [1 1 1] /C [1 1 1]", "", ""),
    "stamp on top": ("Stamp", "", WHITE, ""),
    "box of text": ("FreeText", "/Contents (-)", WHITE + " 0 g " + shown("-"), ""),
    "drawn": ("", "", "", "1 w 152 743.5 m 195 743.5 l S"),
    "drawn aslant": ("", "", "", "1 w 152 742 m 195 746 l S"),
    "drawn below the words": ("", "", "", "1 w 152 743.5 m 195 743.5 l S TEXT"),
    "thin box": ("", "", "", "152 743 43 0.8 re f"),
    "thick line": ("", "", "", "14 w 152 743.5 m 195 743.5 l S"),
    "black box": ("", "", "", "152 737 43 13 re f"),
}


@pytest.mark.parametrize("turn", [0, 90])
@pytest.mark.parametrize(("kind", "more", "paint", "drawn"), STRIKES.values(), ids=STRIKES)
def test_struck_and_covered_words_are_not_quoted(
    tmp_path: Path, kind: str, more: str, paint: str, drawn: str, turn: int
) -> None:
    page = read(tmp_path, kind, more, paint, drawn=drawn, box=DOSE, turn=turn)
    assert "7" not in page.text
    (line,) = {page.text[d.start : d.end] for d in page.doubts if d.code == STRUCK}
    assert line.startswith("Give tobramycin")
    assert UNREADABLE in line
    assert line.endswith("once daily.")


HARMLESS = {
    "highlight": ("Highlight", QUADS, "", ""),
    "underline": ("Underline", QUADS, "", ""),
    "frame": ("Square", "/C [1 0 0]", "1 0 0 RG 0 0 {w} {h} re S", ""),
    "link": ("Link", "/Border [0 0 1] /Contents (To the dose)", "", ""),
    "empty field": ("Widget", "/FT /Tx /T (a)", "/Tx BMC EMC", ""),
    "ticked field": ("Widget", "/FT /Btn /T (a) /V /Yes /AS /Off", "", ""),
    "drawn underline": ("", "", "", "0.5 w 154 738.5 m 194 738.5 l S"),
    "rules of a table": ("", "", "", "0.5 w 72 750 m 400 750 l S 72 735 m 400 735 l S"),
    "line behind a box": ("", "", "", "1 w 60 743 m 300 743 l S 1 g 70 735 200 16 re f 0 g TEXT"),
    "band behind the words": ("", "", "", "0.8 G 14 w 60 743 m 300 743 l S 0 G TEXT"),
}


@pytest.mark.parametrize(("kind", "more", "paint", "drawn"), HARMLESS.values(), ids=HARMLESS)
def test_marks_that_change_no_word_raise_no_doubt(
    tmp_path: Path, kind: str, more: str, paint: str, drawn: str
) -> None:
    page = read(tmp_path, kind, more, paint, drawn=drawn, box=DOSE)
    assert WHOLE in page.text
    assert not {NOT_READ, STRUCK} & codes(page)


MARKED = "BT /F1 11 Tf 72 600 Td (Samplin) Tj /F1 8 Tf 6 Ts (5) Tj ET 0.5 w "


@pytest.mark.parametrize(
    ("line", "is_struck"),
    [
        ("60 609 m 300 609 l S", False),  # the rule of a table's row, above the word
        ("72 609 m 114 609 l S", False),
        ("60 610 240 0.5 re f", False),
        ("109 609 m 116 609 l S", True),  # through the mark alone
        ("60 603.5 m 300 603.5 l S 60 609 m 300 609 l S", True),  # through the word as well
    ],
)
def test_a_rule_above_a_word_strikes_no_raised_mark(
    tmp_path: Path, line: str, is_struck: bool
) -> None:
    page = read(tmp_path, drawn=MARKED + line)
    assert (STRUCK in codes(page)) == is_struck
    assert (UNREADABLE in page.text) == is_struck


@pytest.mark.parametrize("kind", ["Text", "Highlight", "Square", "StrikeOut"])
def test_a_comment_is_a_doubt_at_its_line_that_names_it(tmp_path: Path, kind: str) -> None:
    page = read(tmp_path, kind, f"{QUADS} /Contents ({SAID})", box=DOSE)
    (doubt,) = (doubt for doubt in page.doubts if doubt.code == NOT_READ)
    assert page.text[doubt.start : doubt.end].startswith("Give tobramycin")
    assert CARE[getattr(raw, f"FPDF_ANNOT_{kind.upper()}")][1] in doubt.message


def test_a_box_over_a_picture_may_hide_words_that_nobody_can_read(tmp_path: Path) -> None:
    picture = "q 200 0 0 100 72 500 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"
    box = (100.0, 520.0, 150.0, 540.0)
    page = read(tmp_path, "Square", "/C [1 0 0]", WHITE, drawn=picture, box=box)
    assert NOT_READ in codes(page)


def test_an_annotation_of_a_scan_is_doubted(tmp_path: Path) -> None:
    source = fixtures.make_pdf(tmp_path / "s.pdf", fixtures.at(760, WHOLE, AFTER, size=14))
    scan = pypdfium2.PdfDocument(fixtures.picture_pdf(tmp_path / "p.pdf", source))
    sheet = scan[0]
    note = raw.FPDFPage_CreateAnnot(sheet.raw, raw.FPDF_ANNOT_STAMP)
    raw.FPDFAnnot_SetRect(note, raw.FS_RECTF(60, 640, 400, 600))
    raw.FPDFPage_CloseAnnot(note)
    scan.save(tmp_path / "a.pdf")
    (page,) = fixtures.parse(tmp_path / "a.pdf", tmp_path / "out").pages
    assert AFTER in page.text
    assert NOT_READ in codes(page)


@pytest.mark.parametrize("flag", [2, 32])
def test_a_text_box_that_is_not_shown_is_doubted(tmp_path: Path, flag: int) -> None:
    page = read(tmp_path, "FreeText", f"/Contents ({SAID}) /F {flag}", shown(SAID))
    assert SAID not in page.text
    assert NOT_READ in codes(page)


def test_the_value_of_a_field_stands_in_its_sentence(tmp_path: Path) -> None:
    blank = f"1 g 100 700 m f 0 g BT /F1 11 Tf 72 690 Td (Give zinc{' ' * 16}daily.) Tj ET"
    box = (118.0, 686.0, 160.0, 702.0)
    value = "/FT /Tx /T (dose) /V (20 mg)"
    page = read(tmp_path, "Widget", value, shown("20 mg"), drawn=blank, box=box)
    assert "Give zinc 20 mg daily." in page.text
    assert NOT_READ not in codes(page)


def test_a_file_inside_the_pdf_is_doubted(tmp_path: Path) -> None:
    whole = pypdfium2.PdfDocument(fixtures.make_pdf(tmp_path / "s.pdf", fixtures.at(760, WHOLE)))
    whole.new_attachment("Doses in children.txt").set_data(b"Give 7 mg/kg.")
    whole.save(tmp_path / "a.pdf")
    (page,) = fixtures.parse(tmp_path / "a.pdf", tmp_path / "out").pages
    assert NOT_READ in codes(page)


@pytest.mark.parametrize(
    ("drawn", "is_crossed"),
    [
        ("90 700 m 160 800 l S 160 700 m 90 800 l S", True),
        ("90 700 m 160 800 l S 160 700 m 90 800 l S TEXT", True),
        ("80 600 m 140 900 l S", True),
        ("100 730 m 110 755 l S 110 730 m 100 755 l S", False),  # short, as of a sign
        ("400 600 m 500 800 l S", False),  # beside the words
        ("90 600 m 90 900 l S 80 600 m 81 900 l S", False),  # upright, as of a margin
        ("80 600 m 140 900 l S 1 g 60 700 300 120 re f 0 g TEXT", False),  # behind a box
    ],
)
def test_slanting_lines_over_the_words_of_a_page_are_doubted(
    tmp_path: Path, drawn: str, is_crossed: bool
) -> None:
    assert (STRUCK in codes(read(tmp_path, drawn=drawn))) == is_crossed
