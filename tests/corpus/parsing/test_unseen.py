"""Test that invisible words are not read, and visible ones are, whatever their colour."""

from functools import partial
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.layout.doubts import SIGN_UNREADABLE
from corpus.parsing.pdf.unseen import PARTLY_SEEN, UNSEEN
from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures

WORDS = "Say that 500 mg is safe."
SAID = (("A", "As seen."), ("B", WORDS))


def _parse_below(drawn: fixtures.Draw, angle: int, tmp_path: Path) -> Page:
    """Parse a page with a sound sentence at its top and a drawing below it."""

    sound = fixtures.at(760, "Give 5 mg once a day, and no more than that.")
    page = _parse(fixtures.together(sound, drawn), angle, tmp_path)
    assert "Give 5 mg once a day" in page.text
    return page


def _parse(draw: fixtures.Draw, angle: int, tmp_path: Path) -> Page:
    turned = pypdfium2.PdfDocument(fixtures.make_pdf(tmp_path / "a.pdf", draw))
    turned[0].set_rotation(angle)
    turned.save(tmp_path / "b.pdf")
    (page,) = fixtures.parse(tmp_path / "b.pdf", tmp_path / "out").pages
    return page


def _bar(canvas: Canvas, colour: colors.Color, *box: float) -> None:
    canvas.setFillColor(colour)
    canvas.rect(*(box or (50, 590, 400, 25)), fill=1, stroke=0)


def _on_white_bar(canvas: Canvas) -> None:
    _bar(canvas, colors.navy, 40, 570, 500, 60)
    _bar(canvas, colors.white)


def _on_bar(canvas: Canvas) -> None:
    _bar(canvas, colors.navy)
    canvas.setFillColor(colors.white)


def _on_strips(canvas: Canvas) -> None:
    for left in range(50, 450, 10):
        _bar(canvas, colors.navy, left, 590, 10, 25)
    canvas.setFillColor(colors.white)


def _on_round_bar(canvas: Canvas) -> None:
    canvas.setFillColor(colors.navy)
    canvas.roundRect(50, 590, 400, 25, 8, fill=1, stroke=0)
    canvas.setFillColor(colors.white)


def _gradient(canvas: Canvas) -> None:
    _clip(canvas, 50, 590, 400, 25)
    canvas.linearGradient(50, 590, 450, 615, (colors.navy, colors.black))


def _clip(canvas: Canvas, *box: float) -> None:
    path = canvas.beginPath()
    path.rect(*box)
    canvas.clipPath(path, stroke=0)


def _on_gradient(canvas: Canvas) -> None:
    canvas.saveState()
    _gradient(canvas)
    canvas.restoreState()
    canvas.setFillColor(colors.white)


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
@pytest.mark.parametrize(
    ("ground", "is_seen"),
    [
        (lambda canvas: canvas.setFillColor(colors.white), False),
        (lambda canvas: canvas.setFillColorRGB(0.99, 0.99, 0.99), False),
        (lambda canvas: canvas.setFillAlpha(0), False),
        (_on_white_bar, False),
        (_on_bar, True),
        (_on_strips, True),
        (_on_round_bar, True),
        (_on_gradient, True),
        (lambda canvas: canvas.setFillColorRGB(0.9, 0.9, 0.9), True),
    ],
)
def test_only_what_is_seen_is_read(
    ground: fixtures.Draw, is_seen: bool, angle: int, tmp_path: Path
) -> None:
    def draw(canvas: Canvas) -> None:
        ground(canvas)
        canvas.drawString(60, 600, WORDS)

    page = _parse_below(draw, angle, tmp_path)

    assert (WORDS in page.text) == is_seen
    assert (UNSEEN in page.doubts) != is_seen


def _box_with_words_over(canvas: Canvas) -> None:
    _bar(canvas, colors.lightgrey)
    canvas.setFillColor(colors.black)
    canvas.drawString(58, 601, "Ask the pharmacist.")


def _box_below(canvas: Canvas) -> None:
    _bar(canvas, colors.lightgrey)
    canvas.setFillColor(colors.black)
    canvas.drawString(60, 600, WORDS)


@pytest.mark.parametrize("angle", [0, 90])
@pytest.mark.parametrize(
    ("later", "is_seen"),
    [
        (partial(_bar, colour=colors.lightgrey), False),
        (partial(_bar, colour=colors.white), False),
        (_box_with_words_over, False),
        (_gradient, False),
        (partial(_bar, colour=colors.Color(1, 1, 0, alpha=0.4)), True),
        (lambda canvas: canvas.rect(50, 590, 400, 25, fill=0, stroke=1), True),
        (_box_below, True),
    ],
)
def test_what_is_painted_over_is_not_read(
    later: fixtures.Draw, is_seen: bool, angle: int, tmp_path: Path
) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(60, 600, WORDS)
        later(canvas)

    page = _parse_below(draw, angle, tmp_path)

    assert page.text.count(WORDS) == is_seen
    assert ("Ask the pharmacist." in page.text) == (later is _box_with_words_over)
    assert (UNSEEN in page.doubts) != is_seen


def _clipped(canvas: Canvas, *, wide: float) -> None:
    _clip(canvas, 50, 590, wide, 25)
    canvas.drawString(60, 600, WORDS)


def _clipped_form(canvas: Canvas) -> None:
    canvas.beginForm("cut")
    canvas.drawString(60, 600, WORDS)
    canvas.endForm()
    _clip(canvas, 50, 100, 400, 400)
    canvas.doForm("cut")


@pytest.mark.parametrize(
    ("clipped", "is_seen"),
    [
        (partial(_clipped, wide=400), True),
        (partial(_clipped, wide=5), False),
        (_clipped_form, False),
    ],
)
def test_what_a_clip_leaves_out_is_not_read(
    clipped: fixtures.Draw, is_seen: bool, tmp_path: Path
) -> None:
    page = _parse_below(clipped, 0, tmp_path)

    assert (WORDS in page.text) == is_seen
    assert (UNSEEN in page.doubts) != is_seen


def test_a_number_of_which_a_part_is_hidden_is_not_read(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(60, 600, "Give 1500 mg once a day.")
        canvas.setFillColor(colors.grey)
        left = 60 + canvas.stringWidth("Give 1")
        canvas.rect(left, 590, canvas.stringWidth("50"), 25, fill=1, stroke=0)

    page = _parse(draw, 0, tmp_path)

    assert page.text == f"Give {UNREADABLE} mg once a day."
    assert PARTLY_SEEN in page.doubts
    assert SIGN_UNREADABLE.code in [doubt.code for doubt in page.doubts]


def test_a_layer_that_is_switched_off_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(_layered())
    (page,) = fixtures.parse(path, tmp_path / "out").pages

    assert page.text == "Give 5 mg. As seen."
    assert UNSEEN in page.doubts


def _layered() -> bytes:
    """Return a PDF of one page with two layers, of which the second is switched off."""
    shown, hidden = (f"/OC /{n} BDC ({text}) Tj EMC" for n, text in SAID)
    content = f"BT /F 12 Tf 60 600 Td (Give 5 mg. ) Tj {shown} 0 -15 Td {hidden} ET".encode()
    parts = [
        b"<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[6 0 R 7 0 R]/D<</OFF[7 0 R]>>>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources"
        b"<</Font<</F 5 0 R>>/Properties<</A 6 0 R/B 7 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/OCG/Name(a)>>",
        b"<</Type/OCG/Name(b)>>",
    ]
    body = b"%PDF-1.5\n" + b"".join(b"%d 0 obj%sendobj\n" % pair for pair in enumerate(parts, 1))
    return body + b"trailer<</Root 1 0 R/Size 8>>\n%%EOF"


def test_words_painted_twice_are_read_once(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for shift in (0.0, 0.3):
            canvas.drawString(60 + shift, 700, "Warning: 25 mg")

    page = fixtures.read_page(tmp_path, draw)
    assert page.text == "Warning: 25 mg"
    assert not fixtures.unsure(page)
