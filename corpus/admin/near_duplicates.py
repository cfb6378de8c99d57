"""List near-duplicate passages across documents, and documents to read or cut again."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect

from core.errors import MedragError
from corpus.admin.pages import StaffRequest, address, page
from corpus.models import Stage
from corpus.services.documents import document_reindex
from corpus.services.history import history_add
from corpus.staff_selectors import (
    documents_to_read_again,
    refuse_others_than_staff,
    twin_groups,
    twin_keys,
)

QUEUED_AT_ONCE = 500  # one press of the button; a request has to end
SHOWN = 50
GROUPS_PER_PAGE = 25


def stale(request: StaffRequest) -> HttpResponse:
    """Show what would be read or cut differently today, and queue it on request."""
    if not request.user.has_perm("corpus.change_document"):
        raise PermissionDenied
    due = documents_to_read_again(request.user)
    if request.method == "POST":
        queued = 0
        for document in due[:QUEUED_AT_ONCE]:
            try:
                stage = Stage.STORED if document.must_be_read else Stage.PARSED
                document_reindex(document, by=request.user, stage=stage)
            except MedragError as error:
                messages.error(request, f"{document}: {error.sentence}")
            else:
                history_add(document, by=request.user, line="Queued to be read again.")
                queued += 1
        messages.success(request, f"Queued to be read again: {queued}.")
        return redirect(address("changelist"))
    context = {"count": due.count(), "documents": due[:SHOWN], "at_once": QUEUED_AT_ONCE}
    return page(request, "stale.html", title="To be read or cut again", **context)


def near_duplicates(request: StaffRequest) -> HttpResponse:
    """Show passages that occur in several places; `?q=` restricts to one document or group."""
    refuse_others_than_staff(request.user)
    words = request.GET.get("q", "").strip()
    paginator = Paginator(twin_keys(request.user, words=words), GROUPS_PER_PAGE)
    shown = paginator.get_page(request.GET.get("page"))
    return page(
        request,
        "twins.html",
        title="Near-duplicates",
        shown=shown,
        groups=twin_groups(request.user, list(shown)),
        words=words,
    )
