"""A lost comparison sign is doubted in every format, and keeps its document back until a tick."""

import datetime
import re
from pathlib import Path

import pytest
from docx import Document as Word
from openpyxl import Workbook
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.models import Document, Lifecycle, Page
from corpus.parsing.types import ParsedDocument
from corpus.review.words_found import PagesNotReviewed
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_approve, document_publish, document_submit
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures

TODAY = datetime.date(2026, 3, 1)
LOST = [
    'CrCl "e 30: give the full dose.',
    "CrCl “d30 mL/min: halve the dose.",
    "Adults ³ 65 years: halve the dose.",
    "Platelets ²50: stop it.",
    "CrCl £ 30: halve the dose.",
    "Age £65 years: full dose.",
    "Give it if (£ 2 mg/L) is measured.",
    "CrCl â‰¥ 30: full dose.",
    "CrCl ? 30: full dose.",
    "CrCl \ue0b3 30: full dose.",
    "CrCl \uf0b3 30: full dose.",
    "CrCl \ufffd 30: full dose.",
]
HONEST = [
    "A course costs £30, or £ 2.50 a day, of £5 m in all.",
    "It was called “d4T” and later stavudine.",
    "Give 3³ tablets to 200 cells/mm³ 30 days later.",
    "Is 30 mg enough? 20 mg is not.",
    "He said “30 mg” and “eat 30 g”.",
    "Area 4 cm² 3 times.",
    "Give 3 × 10⁶ units, 2 x 100 mg, 2 x 10 mg and 2 × 10–20 mg.",
    "More than 10⁵ CFU/mL or 10³–10⁴ copies; dilute it to 10⁻³ mol/L.",
]


def _doubts(document: ParsedDocument) -> list[tuple[str, str]]:
    return [
        (doubt.code, page.text[doubt.start : doubt.end])
        for page in document.pages
        for doubt in page.doubts
        if doubt.code in ("sign_misread", "power_unsure")
    ]


@pytest.mark.parametrize("line", LOST)
@pytest.mark.parametrize("name", ["a.md", "a.html", "a.txt"])
def test_a_lost_bound_is_doubted_in_text_formats(tmp_path: Path, name: str, line: str) -> None:
    body = f"<p>Enoxaparin.</p><p>{line}</p>" if name == "a.html" else f"Enoxaparin.\n\n{line}\n"
    read = re.sub("[\ue0b3\uf0b3\ufffd]", "[…]", line)
    assert _doubts(fixtures.read_text(tmp_path, body, name)) == [("sign_misread", read)]


@pytest.mark.parametrize(
    "line",
    [
        "Dilute it to 5 × 10-3 mol/L.",
        "Stop below 2 x 109/L.",
        "Give 2 x 106 cells/kg.",
        "Give 10⁴ units once.",
        "Give 10² IU once.",
    ],
)
def test_a_power_that_may_be_none_or_may_be_lost_is_doubted(tmp_path: Path, line: str) -> None:
    document = fixtures.read_text(tmp_path, f"<p>Heparin.</p><p>{line}</p>")
    assert _doubts(document) == [("power_unsure", line)]


@pytest.mark.parametrize("line", HONEST)
def test_prices_units_and_quotes_are_not(tmp_path: Path, line: str) -> None:
    assert _doubts(fixtures.read_text(tmp_path, f"# Costs\n\n{line}\n", "a.md")) == []


def test_a_note_that_is_referred_to_is_no_bound(tmp_path: Path) -> None:
    note = "<p>Give 5 mg<sup>3</sup> daily.</p><p><sup>3</sup> 30 mg in the obese.</p>"
    assert _doubts(fixtures.read_text(tmp_path, note)) == []
    none = "<p>Give 5 mg daily.</p><p><sup>3</sup> 30 mL/min: 2 mg.</p>"
    found = _doubts(fixtures.read_text(tmp_path, none))
    assert found == [("sign_misread", "³ 30 mL/min: 2 mg.")]


def test_word_sheets_and_pdfs_are_doubted_by_paragraph_row_and_line(tmp_path: Path) -> None:
    word, book = Word(), Workbook()
    word.add_paragraph('CrCl "e 30: full dose.')
    for row in (("CrCl", "Dose"), ("£ 30", "1 mg"), ("40", "2 mg")):
        book.active.append(row)
    lines = fixtures.at(700, "Give the drug daily.", 'CrCl "d 30: halve it.')
    for document, doubted in (
        (fixtures.read_saved(tmp_path, word), 'CrCl "e 30: full dose.'),
        (fixtures.read_saved(tmp_path, book, "a.xlsx"), "£ 30 | 1 mg"),
        (fixtures.read_pdf(tmp_path, lines), 'CrCl "d 30: halve it.'),
    ):
        assert _doubts(document) == [("sign_misread", doubted)]


def _state(document: Document) -> str:
    return Document.objects.values_list("lifecycle", flat=True).get(pk=document.pk)


def _indexed(text: str, *, published: bool) -> Document:
    document = ingest(text)
    if published:
        document_submit(document, by=None)
        document_publish(document, by=None, today=TODAY)
    while document_index(document.pk):
        pass
    document.refresh_from_db()
    return document


TEXT = '# Enoxaparin\n\nCrCl "e 30: give 1 mg/kg twice daily.\n'


@pytest.mark.django_db
def test_what_was_published_unread_waits_until_its_page_is_ticked() -> None:
    document = _indexed(TEXT, published=True)
    assert _state(document) == Lifecycle.REVIEW
    with pytest.raises(PagesNotReviewed, match="page 1"):
        document_approve(document, by=None, today=TODAY)
    document_approve(document, by=None, today=TODAY, looked=[1])
    assert _state(document) == Lifecycle.PUBLISHED


@pytest.mark.django_db
def test_an_honest_document_is_published_unread() -> None:
    document = _indexed(TEXT.replace('"e', "≥"), published=True)
    assert _state(document) == Lifecycle.PUBLISHED


@pytest.mark.django_db
def test_read_again_it_stays_in_force_unless_a_doubt_is_new() -> None:
    document = _indexed(TEXT, published=False)
    document_approve(document, by=None, today=TODAY, looked=[1])
    document_reindex(document, by=None)
    while document_index(document.pk):
        pass
    assert _state(document) == Lifecycle.PUBLISHED
    Page.objects.filter(document=document).update(doubts=[])  # as read before there was the doubt
    document_reindex(document, by=None)
    while document_index(document.pk):
        pass
    assert _state(document) == Lifecycle.REVIEW


@pytest.mark.django_db
def test_each_page_with_the_same_doubted_line_has_to_be_looked_at(tmp_path: Path) -> None:
    pages = [fixtures.at(500, "Zinc heals wounds.", LOST[4]) for _ in range(3)]
    fixtures.make_pdf(tmp_path / "a.pdf", *pages)
    document = ingest((tmp_path / "a.pdf").read_bytes(), "a.pdf")
    document_index(document.pk)
    document_submit(document, by=None)
    with pytest.raises(PagesNotReviewed, match="pages 1, 2, 3"):
        document_publish(document, by=None, today=TODAY, looked=[])
    with pytest.raises(PagesNotReviewed, match="page 1 "):
        document_publish(document, by=None, today=TODAY, looked=[2, 3])
    document_publish(document, by=None, today=TODAY, looked=[1, 2, 3])


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [
        ("a.md", "---\nstatus: superseded\n---\n# Zinc\n\nGive 5 mg.", ["standing_unsure"]),
        ("a.md", "---\ndraft: false\nstatus: current\n---\n# Zinc\n\nGive 5 mg.", []),
        ("a.md", "# Zinc\n\n**SUPERSEDED**\n\nGive 5 mg.", ["standing_unsure"]),
        ("a.md", "# Zinc\n\nIf it is withdrawn, give 5 mg. Do not use it twice.", []),
        ("a.html", "<meta name=status content=Withdrawn><p>Give 5 mg.</p>", ["standing_unsure"]),
        ("a.html", "<title>Draft: zinc</title><p>Give 5 mg.</p>", ["standing_unsure"]),
        ("a.txt", "Zinc\n\nGive 9\u03360\u0336 5 mg.", ["words_struck"]),
    ],
)
def test_a_text_that_is_not_in_force_or_struck_by_its_signs_is_doubted(
    tmp_path: Path, name: str, text: str, codes: list[str]
) -> None:
    (page,) = fixtures.read_text(tmp_path, text, name).pages
    assert [doubt.code for doubt in page.doubts] == codes


def test_a_header_and_a_stamp_that_say_draft_are_doubted_on_their_page(tmp_path: Path) -> None:
    word = Word()
    word.add_paragraph("Give 5 mg.")
    word.sections[0].header.paragraphs[0].text = "Superseded, do not use"
    (page,) = fixtures.read_saved(tmp_path, word).pages
    assert [doubt.code for doubt in page.doubts] == ["standing_unsure"]

    def stamped(canvas: Canvas) -> None:
        stamp = Image.new("RGB", (600, 120), "white")
        ImageDraw.Draw(stamp).text((30, 20), "WITHDRAWN", "black", ImageFont.load_default(64))
        canvas.drawImage(ImageReader(stamp), 60, 400, 480, 96)

    def listed(canvas: Canvas) -> None:
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Archived: zinc", "a")

    plain = fixtures.at(700, "Give 5 mg once daily, and look at the patient again.")
    (page,) = fixtures.read_pdf(tmp_path, fixtures.together(plain, listed)).pages
    assert "standing_unsure" in {doubt.code for doubt in page.doubts}
    document = fixtures.read_pdf(tmp_path, plain, fixtures.together(plain, stamped))
    held = ["standing_unsure" in {doubt.code for doubt in page.doubts} for page in document.pages]
    assert held == [False, True]
