"""Write lines of a document's history, which colleagues read in the administration."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import User

from corpus.models import Document


def history_add(document: Document, *, by: User, line: str) -> None:
    """Add a line on what somebody did with a document; the audit log has its own row."""
    LogEntry.objects.log_actions(by.pk, [document], CHANGE, change_message=line, single_object=True)


def history_ended(document: Document) -> str:
    """Return the line that says how a document ended, for when it is put back in force.

    A successor is not named, since its title may be closed to readers of the history.
    """
    if document.superseded_by_id:
        return f"Superseded until now by document {document.superseded_by_id}."
    return f"Withdrawn until now: {document.withdrawn_reason}"


def history_published(
    document: Document, *, by: User, looked: Sequence[int], compared: int
) -> None:
    """Add a line on who published a document, after checking which pages and corrections."""
    after = f" after a look at page {', '.join(map(str, looked))}" if looked else ""
    after += f", {compared} correction{'s' if compared > 1 else ''} compared" if compared else ""
    history_add(document, by=by, line=f"Published{after}.")


def history_begin(document: Document, *, by: User) -> None:
    """Add a line on who uploaded the document."""
    LogEntry.objects.log_actions(
        by.pk, [document], ADDITION, change_message=[{"added": {}}], single_object=True
    )
