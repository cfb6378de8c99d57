"""Refuse PDFs whose pages only ask the reader to wait for Adobe Reader: forms in XFA."""

from __future__ import annotations

from contextlib import closing, suppress

import pypdfium2.raw as raw
from pypdfium2 import PdfiumError

from corpus.parsing.pdf.render import Renderer
from corpus.parsing.types import ParseError

_STATEMENT = "if this message is not eventually replaced by the proper contents of the document"
_MAX_WORDS = 200  # of a placeholder, in whatever language; Adobe's English one has 80


def refuse_forms(renderer: Renderer) -> None:
    """Raise ParseError (`pdf_xfa`) for a form whose content is not on its pages.

    Such a form is made by a program when it is opened (XFA 3.3, dynamic forms), and its one page
    names the program that is needed. Static forms, which have their content on pages, are read.
    """
    kind = renderer.form_type()
    is_form = kind in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND)
    if renderer.page_count != 1:
        return
    text = " ".join(_text(renderer).lower().split())
    short = len(text.split()) <= _MAX_WORDS
    if (short and _STATEMENT in text) or (is_form and short and "adobe" in text):
        raise ParseError(
            "The PDF is a form in Adobe's XFA format: its page holds only the request to wait, "
            "and its content is made when it is opened in Adobe Reader.",
            code="pdf_xfa",
            hint="Open it in Adobe Reader, print it to PDF, and upload that.",
        )


def _text(renderer: Renderer) -> str:
    """Return the text of the first page; empty for a damaged one, which its reader will refuse."""
    with suppress(ParseError, PdfiumError), closing(renderer.page(1).get_textpage()) as page:
        return str(page.get_text_range())
    return ""
