"""What can be done with a document now, as buttons and links."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.admin.pages import address
from corpus.models import Document, JobState, Lifecycle


@dataclass(frozen=True)
class Arrow:
    """A way on from here. `is_step`: a button that does it at once; else a page that asks."""

    label: str
    url: str
    is_step: bool = False
    is_main: bool = False


def arrows(document: Document, *, may_change: bool, may_publish: bool) -> list[Arrow]:
    """Return the arrows of the lifecycle that are possible now, then those of the reading."""
    state, pk = document.lifecycle, document.pk
    found: list[Arrow] = []
    has_failed = document.job.state == JobState.FAILED
    if state == Lifecycle.DRAFT and may_change and not has_failed:
        found.append(Arrow("Send to review", address("step", pk, "submit"), is_step=True))
    unpublished = state in (Lifecycle.DRAFT, Lifecycle.REVIEW)
    if unpublished and not has_failed:
        label = "Check and publish…" if may_publish else "Check…"
        found.append(Arrow(label, address("approve", pk), is_main=True))
    if state == Lifecycle.REVIEW and may_publish:
        found.append(Arrow("Send back…", address("step", pk, "return")))
    if state == Lifecycle.PUBLISHED and may_publish:
        found.append(Arrow("Mark as superseded…", address("supersede", pk)))
        found.append(Arrow("Withdraw…", address("step", pk, "withdraw")))
    if state == Lifecycle.WITHDRAWN and may_publish:
        found.append(Arrow("Undo the withdrawal…", address("step", pk, "reinstate")))
    if may_change and has_failed and unpublished:
        found.append(Arrow("Discard…", address("step", pk, "discard")))
    if may_change and has_failed:
        found.append(Arrow("Retry", address("step", pk, "retry"), is_step=True))
    if may_change and document.job.state in (JobState.DONE, JobState.FAILED):
        found.append(Arrow("Read again", address("step", pk, "reindex"), is_step=True))
    return found
