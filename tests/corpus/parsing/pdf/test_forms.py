"""Test that forms in XFA whose pages only ask the reader to wait are refused with their reason."""

from pathlib import Path

import pytest

from corpus.parsing.types import ParseError
from tests.corpus.parsing import parsing_fixtures as fixtures

WAIT = (
    "Please wait...",
    "If this message is not eventually replaced by the proper contents of the document, your",
    "PDF viewer may not be able to display it.",
)
WARTEN = ("Bitte warten...", "Sie brauchen eine neuere Version von Adobe Reader.")
DOSE = "Give adrenaline 500 micrograms."


def form(path: Path, lines: tuple[str, ...], *, xfa: bool) -> Path:
    """Write a PDF of one page by hand, with a form in XFA if wanted."""
    shown = "".join(f"BT /F1 10 Tf 60 {780 - 15 * n} Td ({t}) Tj ET\n" for n, t in enumerate(lines))
    template = "<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template/></xdp:xdp>"
    catalog = "/AcroForm << /Fields [] /XFA 6 0 R >>" if xfa else ""
    objects = (
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R "
        "/Resources << /Font << /F1 4 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}endstream",
        f"<< /Length {len(template)} >>\nstream\n{template}\nendstream",
    )
    return fixtures.written_pdf(path, *objects)


@pytest.mark.parametrize(("lines", "xfa"), [(WAIT, True), (WARTEN, True), (WAIT, False)])
def test_a_form_that_asks_to_wait_is_refused_with_what_to_do(
    tmp_path: Path, lines: tuple[str, ...], xfa: bool
) -> None:
    with pytest.raises(ParseError) as caught:
        fixtures.parse(form(tmp_path / "a.pdf", lines, xfa=xfa), tmp_path / "out")
    assert caught.value.code == "pdf_xfa"
    assert "XFA" in str(caught.value)
    assert "print it to PDF" in caught.value.hint


def test_a_form_with_its_content_on_the_page_is_read(tmp_path: Path) -> None:
    document = fixtures.parse(form(tmp_path / "a.pdf", (DOSE,), xfa=True), tmp_path / "out")
    assert [page.text for page in document.pages] == [DOSE]
