"""Go through the pages in doubt, one after another, and tick those that were read right."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from core.errors import MedragError
from corpus.access import refuse_without
from corpus.admin.pages import StaffRequest, address, guarded, page
from corpus.admin.reading.passages import ShownPage, reading_of
from corpus.admin.review import is_plain, publish_plainly
from corpus.models import Document, Lifecycle
from corpus.parsing.doubts.grades import Grade
from corpus.review.queue import QueuedPage, pages_queued, reading_key
from corpus.services.corrections import correctable
from corpus.services.passages import page_look, page_look_take_back, refuse_to_tick
from corpus.staff_selectors import Right, may_change, refuse_others_than_staff


@require_safe
def doubted(request: StaffRequest) -> HttpResponseBase:
    """Open the first page that waits; say so where none does."""
    refuse_others_than_staff(request.user)
    refuse_without(request.user, "corpus.publish_document")
    waiting = pages_queued(request.user).waiting
    if waiting:
        return _open(waiting[0])
    return page(request, "queue.html", title="Pages in doubt")


@require_safe
@guarded(Right.PUBLISH)
def doubted_page(request: StaffRequest, document: Document, number: int) -> HttpResponseBase:
    """Show a page in doubt with what was doubted painted, and the ways on."""
    queue = pages_queued(request.user)
    position = queue.position(document.pk, number)
    if position is None:
        return _elsewhere(request, document, number)
    reading = reading_of(document, number, user=request.user)
    here, left = queue.pages[position], queue.waiting_in(document.pk)
    is_last = left == (here,) and document.lifecycle != Lifecycle.PUBLISHED
    return page(
        request,
        "queue.html",
        title=f"Page {number} in doubt",
        document=document,
        reading=replace(reading, painted=_doubted_values(reading)),
        seen=reading_key(reading.page),
        queue=queue,
        here=here,
        left_here=len(left),
        after=queue.after(position),
        before=queue.before(position),
        may_publish_at_once=is_last and is_plain(request, document),
        may_correct=may_change(document) and correctable(document),
        is_ticking=True,
    )


@require_POST
@guarded(Right.PUBLISH)
def look(request: StaffRequest, document: Document, number: int) -> HttpResponseBase:
    """Tick a page and open the next; after a document's last one offer to publish it.

    With `publish`, publish it at once if nothing else is to be decided.
    """
    queue = pages_queued(request.user)
    position = queue.position(document.pk, number)
    try:
        page_look(document, number, by=request.user, seen=request.POST.get("seen", ""))
    except MedragError as error:
        messages.error(request, error.sentence)
        return redirect(address("doubted_page", document.pk, number))
    others = [each for each in queue.waiting_in(document.pk) if each.number != number]
    if not others and document.lifecycle != Lifecycle.PUBLISHED:
        if "publish" in request.POST and publish_plainly(request, document):
            return redirect(address("doubted"))
        return redirect(f"{address('approve', document.pk)}?queue=1")
    after = None if position is None else queue.after(position)
    return _open(after) if after else redirect(address("doubted"))


@require_POST
@guarded(Right.PUBLISH)
def look_again(request: StaffRequest, document: Document, number: int) -> HttpResponseBase:
    """Take a tick back."""
    try:
        page_look_take_back(document, number, by=request.user)
    except MedragError as error:
        messages.error(request, error.sentence)
    return redirect(address("doubted_page", document.pk, number))


def _elsewhere(request: StaffRequest, document: Document, number: int) -> HttpResponseRedirect:
    """Say why this person has nothing to tick on a page, and open the next that waits."""
    try:
        refuse_to_tick(document, by=request.user)
    except MedragError as error:
        messages.error(request, error.sentence)
    else:
        messages.info(request, f"Nothing is to be looked at on page {number} of {document} now.")
    return redirect(address("doubted"))


def _doubted_values(reading: ShownPage) -> frozenset[str]:
    return frozenset(doubt.key for doubt in reading.read.doubts if doubt.grade == Grade.VALUE)


def _open(queued: QueuedPage) -> HttpResponseRedirect:
    return redirect(address("doubted_page", queued.document, queued.number))
