"""Lines in a document's history, which its colleagues read in the administration."""

from __future__ import annotations

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import User

from corpus.models import Document


def history_add(document: Document, *, by: User, line: str) -> None:
    """Say what somebody did with a document; the audit log has its own row."""
    LogEntry.objects.log_actions(by.pk, [document], CHANGE, change_message=line, single_object=True)


def history_begin(document: Document, *, by: User) -> None:
    """Say who added the document."""
    LogEntry.objects.log_actions(
        by.pk, [document], ADDITION, change_message=[{"added": {}}], single_object=True
    )
