import datetime

from django import template
from django.utils.safestring import SafeString

from chat.caveats.notices import Notice, document_notices
from chat.models import Citation
from chat.web import marking
from chat.web.painting import Corrected, corrections_of
from corpus.models import Document
from corpus.positions import below_title
from corpus.types import OCR_CONFIDENT

register = template.Library()


@register.filter
def below(section: str, title: str) -> str:
    """Return `{{ citation.section|below:citation.title }}`: the section path without the title."""
    return below_title(section, title)


@register.filter
def marked(text: str, question: str) -> SafeString:
    """Return `{{ text|marked:turn.question }}`: the words of the question, marked."""
    return marking.marked(text, question)


@register.filter
def scanned(confidence: float | None) -> str:
    """Return `{{ citation.ocr_confidence|scanned }}`: that a page is a scan, and how badly it was
    read.
    """
    if confidence is None:
        return ""
    if confidence >= OCR_CONFIDENT:
        return "read by OCR"
    return f"read by OCR, confidence {int(confidence * 100)} %"


@register.filter
def corrections(citation: Citation) -> tuple[Corrected, ...]:
    """Return `{% for one in citation|corrections %}`: what staff corrected of the cited words."""
    return corrections_of(citation)


@register.filter
def percent(share: float) -> str:
    """Return `{{ row.share|percent }}`: `12.5 %`"""
    return f"{share * 100:.1f} %"


@register.filter
def notices(document: Document, on: datetime.date) -> tuple[Notice, ...]:
    """Return `{% for notice in document|notices:today %}`"""
    return document_notices(document, on=on)
