"""Check, approve, compare with another version, and recall."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from core.errors import MedragError
from core.exports import harmless
from corpus.access import may_publish
from corpus.admin.forms import ApproveForm, ReplaceForm
from corpus.admin.pages import StaffRequest, address, guarded, page
from corpus.indexing.rows import pages_of
from corpus.models import Correction, Document, JobState, Lifecycle
from corpus.review.corrections import corrections_unseen
from corpus.review.front_matter import front_matter
from corpus.review.versions import compare
from corpus.selectors import answers_citing, predecessors_suggested
from corpus.services.history import history_add, history_published
from corpus.services.lifecycle import document_approve, document_supersede
from corpus.services.metadata import document_edit
from corpus.staff_selectors import (
    Right,
    access_document_of_staff,
    documents_published_like,
    documents_replaceable,
    may_change,
    page_checks,
    pages_doubtful,
    pages_unseen,
)

SURE = 0.75  # a suggestion from here on is chosen beforehand; the person can choose otherwise
FOUND = 20
WAITING = (Lifecycle.DRAFT, Lifecycle.REVIEW)  # for publication


@dataclass(frozen=True)
class Candidate:
    """A published document that may be the other version, and why it is suggested."""

    document: Document
    why: str
    is_chosen: bool


@guarded(Right.SEE)
def approve(request: StaffRequest, document: Document) -> HttpResponseBase:
    """Show all that an approver has to check on one page, with the buttons to decide."""
    checks = page_checks(document)
    to_look_at = pages_unseen(checks)
    looked_at = len(pages_doubtful(checks)) - len(to_look_at)
    choices = documents_replaceable(request.user, other_than=document)
    answered = request.POST if request.method == "POST" else None
    is_queue = "queue" in (answered or request.GET)
    corrections = list(corrections_unseen(document))
    to_compare = [correction.pk for correction in corrections]
    form = ApproveForm(answered, choices=choices, to_look_at=to_look_at, to_compare=to_compare)
    if request.method == "POST":
        access_document_of_staff(request.user, Right.PUBLISH, pk=document.pk)
        if form.is_valid() and _published(request, document, form):
            return redirect(address("doubted") if is_queue else address("change", document.pk))
    candidates = _candidates(request, document, chosen=request.POST.get("other"))
    return page(
        request,
        "approve.html",
        title="Check and publish",
        document=document,
        checks=checks,
        to_look_at=to_look_at,
        looked_at=looked_at,
        shows_pages=bool(to_look_at or not looked_at or "pages" in request.GET),
        is_queue=is_queue,
        front=front_matter(document),
        is_any_chosen=any(candidate.is_chosen for candidate in candidates),
        taken=request.POST.getlist("take"),
        ticked={int(n) for n in request.POST.getlist("looked") if n.isdecimal()},
        corrections=corrections,
        compared={int(n) for n in request.POST.getlist("compared") if n.isdecimal()},
        form=form,
        words=request.GET.get("q", ""),
        candidates=candidates,
        obstacle=_obstacle(request, document, corrections),
        is_waiting=document.lifecycle in WAITING,
        may_publish=may_publish(request.user, document),
        may_change=may_change(document),
        two_person=settings.TWO_PERSON_PUBLISH,
    )


@require_POST
@guarded(Right.CHANGE)
def take_offers(request: StaffRequest, document: Document) -> HttpResponseBase:
    """Write the ticked suggestions, found again in the document's pages."""
    try:
        if not _taken(request, document):
            messages.warning(request, "Nothing was changed. Tick the lines that are right first.")
    except MedragError as error:
        messages.error(request, error.sentence)
    return redirect(address("approve", document.pk))


@guarded(Right.PUBLISH)
def supersede(request: StaffRequest, document: Document) -> HttpResponseBase:
    """Choose the published document that supersedes a published one."""
    choices = documents_replaceable(request.user, other_than=document)
    answered = request.POST if request.method == "POST" else None
    form = ReplaceForm(answered, choices=choices, required=True)
    if form.is_valid():
        try:
            document_supersede(document, by=request.user, successor=form.cleaned_data["other"])
        except MedragError as error:
            messages.error(request, error.sentence)
        else:
            _say_superseded(request, document, form.cleaned_data["other"], "Superseded")
        return redirect(address("change", document.pk))
    return page(
        request,
        "supersede.html",
        title="Mark as superseded",
        document=document,
        form=form,
        words=request.GET.get("q", ""),
        candidates=_candidates(request, document, chosen=request.POST.get("other", "")),
    )


@guarded(Right.SEE)
def compare_versions(request: StaffRequest, document: Document, other: int) -> HttpResponseBase:
    """Show the differences from an older document, section by section."""
    old = access_document_of_staff(request.user, pk=other)
    changes = compare(pages_of(old), pages_of(document))
    return page(
        request,
        "compare.html",
        title=f"Compared with {old}",
        document=document,
        old=old,
        changes=[change for change in changes if change.kind != "same"],
        same=sum(change.kind == "same" for change in changes),
        may_publish=may_publish(request.user, document),
    )


@guarded(Right.SEE)
def recall(request: StaffRequest, document: Document) -> HttpResponseBase:
    """Show the past answers that cited a document: whom a withdrawal concerns."""
    if not may_recall(request.user, document):
        raise PermissionDenied
    answers = answers_citing(document, reader=request.user)
    return page(request, "recall.html", title="Recall list", document=document, cited_by=answers)


@guarded(Right.SEE)
def recall_csv(request: StaffRequest, document: Document) -> HttpResponseBase:
    """Export the recall list, with questions for those who may read them on the page."""
    if not may_recall(request.user, document):
        raise PermissionDenied
    name = f"recall-{document.sha256[:12]}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    response = HttpResponse(content_type="text/csv; charset=utf-8", headers=headers)
    rows = csv.writer(response)
    reads_questions = request.user.has_perm("chat.view_turn")
    question = ["question"] if reads_questions else []
    rows.writerow(["answer", "asked at", "asked by", *question, "statements", "address"])
    for answer in answers_citing(document, reader=request.user):
        may_open = answer.url and reads_questions
        link = request.build_absolute_uri(answer.url) if may_open else ""
        asked_at = answer.asked_at.isoformat(timespec="seconds")
        question = [answer.question] if reads_questions else []
        statements = "\n".join(answer.statements)
        cells = [answer.reference, asked_at, answer.asked_by, *question, statements, link]
        rows.writerow([harmless(cell) for cell in cells])
    return response


def is_plain(request: StaffRequest, document: Document) -> bool:
    """Tell whether nothing but the pages is to be decided before this person publishes it."""
    corrections = list(corrections_unseen(document))
    return not (
        corrections
        or _obstacle(request, document, corrections)
        or front_matter(document).offers
        or _candidates(request, document, chosen=None)
    )


def publish_plainly(request: StaffRequest, document: Document) -> bool:
    """Publish a document of which nothing else is to be decided; tell whether it was."""
    if not is_plain(request, document):
        return False
    try:
        document_approve(document, by=request.user, today=timezone.localdate())
    except MedragError as error:
        messages.error(request, error.sentence)
        return False
    looked = pages_doubtful(page_checks(document))
    history_published(document, by=request.user, looked=looked, compared=0)
    messages.success(request, f"Published: {document}.")
    return True


def may_recall(user: User, document: Document) -> bool:
    """Tell whether the user may see who asked: publishers and auditors may."""
    return may_publish(user, document) or user.has_perm("chat.view_turn")


def _taken(request: StaffRequest, document: Document) -> bool:
    """Write the ticked suggestions; tell whether there were any.

    Raises `MedragError` where the document can't be edited.
    """
    ticked = set(request.POST.getlist("take"))
    offered = [offer for offer in front_matter(document).offers if offer.field in ticked]
    changes = {offer.field: offer.value for offer in offered}
    fields = document_edit(document, by=request.user, changes=changes)
    if not fields:
        return False
    named = ", ".join(offer.label for offer in offered if offer.field in fields)
    history_add(document, by=request.user, line=f"Taken from the document: {named}.")
    messages.success(request, f"Taken from the document: {named}.")
    return True


def _published(request: StaffRequest, document: Document, form: ApproveForm) -> bool:
    replaced = form.cleaned_data["other"]
    try:
        if request.POST.getlist("take") and may_change(document):
            _taken(request, document)
        document_approve(
            document,
            by=request.user,
            today=timezone.localdate(),
            supersedes=replaced,
            looked=form.cleaned_data["looked"],
            compared=form.cleaned_data["compared"],
        )
    except MedragError as error:
        messages.error(request, error.sentence)
        return False
    looked = pages_doubtful(page_checks(document))
    history_published(document, by=request.user, looked=looked, compared=len(form.to_compare))
    messages.success(request, f"Published: {document}.")
    if replaced is not None:
        _say_superseded(request, replaced, document, "Superseded at the same time")
    return True


def _say_superseded(request: StaffRequest, old: Document, successor: Document, done: str) -> None:
    """Say and write in its history that a document ended, or that it will with the indexing.

    And what the successor inherited. The history's lines are without titles, which may be closed to
    their readers.
    """
    if successor.inherited:
        named = f"Inherited from the version that it replaces: {', '.join(successor.inherited)}."
        history_add(successor, by=request.user, line=named)
        messages.success(request, f"{named} To change it, open {successor}.")
    if old.lifecycle == Lifecycle.SUPERSEDED:
        history_add(old, by=request.user, line=f"Superseded by document {successor.pk}.")
        messages.success(request, f"{done}: {old}.")
        return
    line = f"Will be superseded by document {successor.pk} when that is indexed."
    history_add(old, by=request.user, line=line)
    messages.success(request, f"In force until the new version is indexed: {old}.")


def _candidates(
    request: StaffRequest, document: Document, *, chosen: str | None
) -> Sequence[Candidate]:
    """Return likely other versions, then matches of the title search. `chosen` None: not asked."""
    suggested = predecessors_suggested(document)
    likely = {suggestion.document.pk: suggestion for suggestion in suggested}
    permitted = documents_replaceable(request.user, other_than=document).filter(pk__in=likely)
    by_pk = {each.pk: each for each in permitted}
    candidates: list[Candidate] = []
    for suggestion in (likely[pk] for pk in likely if pk in by_pk):
        is_first = not candidates and suggestion.score >= SURE
        pk = suggestion.document.pk
        is_chosen = is_first if chosen is None else chosen == str(pk)
        candidates.append(Candidate(by_pk[pk], suggestion.why, is_chosen))
    words = request.GET.get("q", "")
    matches = documents_published_like(request.user, words, other_than=document, limit=FOUND)
    for other in matches:
        if other.pk not in by_pk:
            candidates.append(Candidate(other, "found by its title", chosen == str(other.pk)))
    return candidates


def _obstacle(request: StaffRequest, document: Document, corrections: Sequence[Correction]) -> str:
    """Return why this person can't publish it now; empty if they can."""
    if document.lifecycle not in WAITING:
        state = document.get_lifecycle_display().lower()
        return f"The document is {state}, so there is nothing to publish."
    if document.job.state == JobState.FAILED:
        may_pass = document.job.may_be_repeated
        what = "Press Read again, or upload it again." if may_pass else document.job.last_error
        return f"The document could not be read, so it can't be published. {what}"
    if not document.pages.exists():
        return (
            "The document has not been read yet, so there is nothing to check. Wait until it has "
            "been read."
        )
    if not may_publish(request.user, document):
        return "You have no right to publish in this collection. Send the document to review."
    if settings.TWO_PERSON_PUBLISH and document.uploaded_by_id == request.user.pk:
        return (
            "Publishing needs a second person: you uploaded this document. Ask a colleague "
            "with the right to publish in this collection."
        )
    if settings.TWO_PERSON_PUBLISH and request.user.pk in {c.made_by_id for c in corrections}:
        return (
            "Publishing needs a second person: you corrected this document. Ask a colleague "
            "with the right to publish in this collection."
        )
    return ""
