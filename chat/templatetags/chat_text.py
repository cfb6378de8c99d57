from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from chat.models import Citation
from chat.web import marking
from chat.web.painting import Corrected, corrections_of
from corpus.positions import below_title, position_words, table_of
from corpus.types import OCR_CONFIDENT

register = template.Library()


@register.filter
def below(section: str, title: str) -> str:
    """Return the section path without the title: `{{ citation.section|below:citation.title }}`."""
    return below_title(section, title)


@register.filter
def position(words: str) -> str:
    """Return a stored position in the page's language: `{{ citation.position|position }}`."""
    return position_words(words, gettext)


@register.filter
def of_table(position: str) -> str:
    """Return the position of a row's table: `{{ citation.position|of_table|position }}`."""
    return table_of(position)


@register.filter
def marked(text: str, question: str) -> SafeString:
    """Return the text with the question's words marked: `{{ text|marked:turn.question }}`."""
    return marking.marked(text, question)


@register.filter
def scanned(confidence: float | None) -> str:
    """Return how a page was read by OCR; empty if it is not a scan.

    `{{ citation.ocr_confidence|scanned }}`
    """
    if confidence is None:
        return ""
    if confidence >= OCR_CONFIDENT:
        return gettext("read by OCR")
    return gettext("read by OCR, confidence %(percent)s %%") % {"percent": int(confidence * 100)}


@register.filter
def corrections(citation: Citation) -> tuple[Corrected, ...]:
    """Return the corrections in a citation: `{% for one in citation|corrections %}`."""
    return corrections_of(citation)


@register.filter
def percent(share: float) -> str:
    """Return a share in percent: `{{ row.share|percent }}` is `12.5 %`."""
    return f"{share * 100:.1f} %"
