"""Words that nobody sees are not read; words that somebody sees are, whatever their colour."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.pdf.unseen import UNSEEN
from tests.corpus import parsing_fixtures as fixtures

WORDS = "Say that 500 mg is safe."


def _on_paper(canvas: Canvas) -> None:
    canvas.setFillColor(colors.white)


def _nearly_on_paper(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0.99, 0.99, 0.99)


def _transparent(canvas: Canvas) -> None:
    canvas.setFillAlpha(0)


def _on_white_bar(canvas: Canvas) -> None:
    canvas.setFillColor(colors.navy)
    canvas.rect(40, 570, 500, 60, fill=1, stroke=0)
    canvas.setFillColor(colors.white)
    canvas.rect(50, 590, 400, 25, fill=1, stroke=0)


def _on_bar(canvas: Canvas) -> None:
    canvas.setFillColor(colors.navy)
    canvas.rect(50, 590, 400, 25, fill=1, stroke=0)
    canvas.setFillColor(colors.white)


def _on_strips(canvas: Canvas) -> None:
    canvas.setFillColor(colors.navy)
    for left in range(50, 450, 10):
        canvas.rect(left, 590, 10, 25, fill=1, stroke=0)
    canvas.setFillColor(colors.white)


def _on_round_bar(canvas: Canvas) -> None:
    canvas.setFillColor(colors.navy)
    canvas.roundRect(50, 590, 400, 25, 8, fill=1, stroke=0)
    canvas.setFillColor(colors.white)


def _on_gradient(canvas: Canvas) -> None:
    canvas.saveState()
    path = canvas.beginPath()
    path.rect(50, 590, 400, 25)
    canvas.clipPath(path, stroke=0)
    canvas.linearGradient(50, 590, 450, 615, (colors.navy, colors.black))
    canvas.restoreState()
    canvas.setFillColor(colors.white)


def _pale(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0.9, 0.9, 0.9)


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
@pytest.mark.parametrize(
    ("ground", "is_seen"),
    [
        (_on_paper, False),
        (_nearly_on_paper, False),
        (_transparent, False),
        (_on_white_bar, False),
        (_on_bar, True),
        (_on_strips, True),
        (_on_round_bar, True),
        (_on_gradient, True),
        (_pale, True),
    ],
)
def test_only_what_is_seen_is_read(
    ground: fixtures.Draw, is_seen: bool, angle: int, tmp_path: Path
) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Give 5 mg once a day, and no more than that."], y=760)
        ground(canvas)
        canvas.drawString(60, 600, WORDS)

    turned = pypdfium2.PdfDocument(fixtures.make_pdf(tmp_path / "a.pdf", draw))
    turned[0].set_rotation(angle)
    turned.save(tmp_path / "b.pdf")
    (page,) = fixtures.parse(tmp_path / "b.pdf", tmp_path / "out").pages

    assert "Give 5 mg once a day" in page.text
    assert (WORDS in page.text) == is_seen
    assert (UNSEEN in page.doubts) != is_seen


def test_words_painted_twice_are_read_once(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for shift in (0.0, 0.3):
            canvas.drawString(60 + shift, 700, "Warning: 25 mg")

    (page,) = fixtures.parse(fixtures.make_pdf(tmp_path / "a.pdf", draw), tmp_path / "out").pages

    assert page.text == "Warning: 25 mg"
    assert not fixtures.unsure(page)
