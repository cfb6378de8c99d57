"""Link events to the pages of their subjects, and turns to their events."""

from __future__ import annotations

import uuid
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

# Kinds of subjects (`turn:…`) that have a page of their own, and the page's URL name.
_PAGES = {
    "turn": "admin:chat_turn_change",
    "document": "admin:corpus_document_change",
    "collection": "admin:corpus_collection_change",
    "lexicon": "admin:retrieval_lexiconentry_change",
    "user": "admin:auth_user_change",
}


def subject_link(subject: str) -> SafeString | str:
    """Return a link to the page of a subject `kind:id`; its text if there is no such page.

    For a conversation, the list of its turns.
    """
    kind, _, rest = subject.partition(":")
    pk = rest.partition(":")[0]
    if not (pk.isdecimal() or as_uuid(pk)):
        return subject or "-"
    if kind == "conversation":
        address = searched("admin:chat_turn_changelist", pk)
    elif kind in _PAGES:
        address = reverse(_PAGES[kind], args=[pk])
    else:
        return subject
    return format_html('<a href="{}">{}</a>', address, subject)


def searched(name: str, words: object) -> str:
    """Return the address of a list searched for `words`."""
    return f"{reverse(name)}?{urlencode({'q': str(words)})}"


def as_uuid(text: str) -> uuid.UUID | None:
    """Return the UUID in a text; None if it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
