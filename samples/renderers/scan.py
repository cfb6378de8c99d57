"""A scan: pages at 200 dpi, slightly askew and speckled, as JPEG in a PDF without a text layer."""

import io
import random

import pypdfium2
from PIL import Image, ImageFilter
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from samples.renderers import pdf
from samples.renderers.source import Guideline

DPI = 200
SKEW_DEGREES = 0.5
SPECKS_PER_PAGE = 350
BODY_SIZE = 13.0
JPEG_QUALITY = 38


def render(guideline: Guideline) -> bytes:
    """Return the bytes of the scanned PDF, the same for the same source and library versions."""
    printed = pypdfium2.PdfDocument(pdf.render(guideline, body_size=BODY_SIZE))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.setTitle(guideline.meta.title)
    for number, page in enumerate(printed):
        image = page.render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
        canvas.drawImage(ImageReader(_photocopied(image, seed=number)), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _photocopied(image: Image.Image, *, seed: int) -> io.BytesIO:
    tilt = SKEW_DEGREES if seed % 2 == 0 else -SKEW_DEGREES
    paper = image.rotate(tilt, resample=Image.Resampling.BICUBIC, fillcolor=255)
    paper = paper.filter(ImageFilter.GaussianBlur(0.5)).point(lambda level: int(18 + level * 0.91))
    dice = random.Random(seed)
    for _ in range(SPECKS_PER_PAGE):
        spot = dice.randrange(paper.width), dice.randrange(paper.height)
        paper.putpixel(spot, dice.randrange(90, 190))
    buffer = io.BytesIO()
    paper.save(buffer, "JPEG", quality=JPEG_QUALITY, dpi=(DPI, DPI))
    buffer.seek(0)
    return buffer
