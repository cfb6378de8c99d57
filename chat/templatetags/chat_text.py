import datetime

from django import template

from chat.notices import Notice, document_notices
from chat.presentation import below_title
from corpus.models import Document

register = template.Library()


@register.filter
def below(section: str, title: str) -> str:
    """`{{ citation.section|below:citation.title }}`: the section path without the title."""
    return below_title(section, title)


@register.filter
def notices(document: Document, on: datetime.date) -> tuple[Notice, ...]:
    """`{% for notice in document|notices:today %}`"""
    return document_notices(document, on=on)
