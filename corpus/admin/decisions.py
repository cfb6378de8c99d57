"""Take lifecycle steps: for many documents as list actions, for one on its own page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django_htmx.http import trigger_client_event

from core.errors import MedragError
from corpus.access import collections_publishable
from corpus.admin.forms import (
    DecisionForm,
    PublishForm,
    ReasonForm,
    ReinstateForm,
    ReviewDateForm,
    WithdrawForm,
)
from corpus.admin.pages import StaffRequest, address, page
from corpus.admin.progress import JobCell
from corpus.models import Document, JobState, Lifecycle, ReadWith
from corpus.parsing.engines import is_for_models, models_fault
from corpus.parsing.sniff import PDF
from corpus.selectors import answers_citing
from corpus.services.documents import document_discard, document_read_again, document_reindex
from corpus.services.history import history_add, history_ended
from corpus.services.lifecycle import (
    document_approve,
    document_reinstate,
    document_return,
    document_submit,
    document_withdraw,
)
from corpus.services.metadata import document_edit
from corpus.staff_selectors import SENT_BACK, Right, access_document_of_staff, may_change

TOLD_BY_NAME = 5  # more documents that were changed become a number


@dataclass(frozen=True)
class Decision:
    """A step with the words that ask for it and those for the history.

    Without a question it is taken at once. `step` takes the document, `by` whom, and the form's
    fields by name.
    """

    action: str  # the name that the list sends
    right: Right
    done: str
    step: Callable[..., object]
    question: str = ""
    button: str = ""
    form: type[DecisionForm] = DecisionForm


def _publish(document: Document, *, by: User, looked: bool = True) -> None:
    """Publish one of many documents, without a list of checked pages."""
    document_approve(document, by=by, today=timezone.localdate())


def _reinstate(document: Document, *, by: User, reason: str) -> None:
    """Put a document back in force and record in its history how it had ended."""
    ended = history_ended(document)
    document_reinstate(document, by=by, reason=reason)
    history_add(document, by=by, line=ended)


def _discard(document: Document, *, by: User) -> None:
    document_discard(document, by=by)
    history_add(document, by=by, line="Discarded.")


def _edit(document: Document, *, by: User, **changes: Any) -> None:
    document_edit(document, by=by, changes=changes)


PUBLISH = Decision(
    action="publish",
    right=Right.PUBLISH,
    question="Publish? Clinicians get answers from these documents as soon as they are indexed.",
    button="Publish",
    done="Published",
    form=PublishForm,
    step=_publish,
)
WITHDRAW = Decision(
    action="withdraw",
    right=Right.PUBLISH,
    question="Withdraw these documents? No answer uses them from now on.",
    button="Withdraw",
    done="Withdrawn",
    form=WithdrawForm,
    step=document_withdraw,
)
RETURN = Decision(
    action="return",
    right=Right.PUBLISH,
    question="Send these back? They become drafts again.",
    button="Send back",
    done="Sent back",
    form=ReasonForm,
    step=document_return,
)
REVIEW_DATE = Decision(
    action="set_review_date",
    right=Right.CHANGE,
    question="When must these be reviewed?",
    button="Set the review date",
    done="Review date set",
    form=ReviewDateForm,
    step=_edit,
)
REINSTATE = Decision(
    action="reinstate",
    right=Right.PUBLISH,
    question="Put these back in force? Answers use them at once.",
    button="Put back in force",
    done="Put back in force",
    form=ReinstateForm,
    step=_reinstate,
)
DISCARD = Decision(
    action="discard",
    right=Right.CHANGE,
    question="Discard these failed uploads? The uploads and their files are deleted. They can "
    "be uploaded again.",
    button="Discard",
    done="Discarded",
    step=_discard,
)
SUBMIT = Decision("submit", Right.CHANGE, "Sent to review", document_submit)
READ_AGAIN = Decision("read_again", Right.CHANGE, "Queued to be read again", document_read_again)
DOCLING = Decision(
    "docling",
    Right.CHANGE,
    "Queued to be read again with docling",
    partial(document_reindex, read_with=ReadWith.MODELS),
)
STANDARD = Decision(
    "standard",
    Right.CHANGE,
    "Queued to be read again with the standard reader",
    partial(document_reindex, read_with=ReadWith.GEOMETRY),
)

ON_A_PAGE = {
    decision.action: decision
    for decision in (
        *(SUBMIT, READ_AGAIN, DOCLING, STANDARD),
        *(WITHDRAW, REINSTATE, DISCARD, RETURN),
    )
}
TOLD = (WITHDRAW, REINSTATE)  # of them the answers that cited the document are shown


@dataclass(frozen=True)
class Transition:
    """A possible step. `is_step`: a button that takes it at once; else a link to a page."""

    label: str
    url: str
    is_step: bool = False
    is_main: bool = False


def transitions(document: Document, *, may_change: bool, may_publish: bool) -> list[Transition]:
    """Return the steps that are possible now, those of the lifecycle first."""
    state, pk = document.lifecycle, document.pk
    steps: list[Transition] = []
    has_failed = document.job.state == JobState.FAILED
    if state == Lifecycle.DRAFT and may_change and not has_failed:
        steps.append(Transition("Send to review", address("step", pk, "submit"), is_step=True))
    unpublished = state in (Lifecycle.DRAFT, Lifecycle.REVIEW)
    if unpublished and not has_failed:
        label = "Check and publish…" if may_publish else "Check…"
        steps.append(Transition(label, address("approve", pk), is_main=True))
    if state == Lifecycle.REVIEW and may_publish:
        steps.append(Transition("Send back…", address("step", pk, "return")))
    if state == Lifecycle.PUBLISHED and may_publish:
        steps.append(Transition("Mark as superseded…", address("supersede", pk)))
        steps.append(Transition("Withdraw…", address("step", pk, "withdraw")))
    if state in (Lifecycle.WITHDRAWN, Lifecycle.SUPERSEDED) and may_publish:
        steps.append(Transition("Put back in force…", address("step", pk, "reinstate")))
    if may_change and has_failed and unpublished:
        steps.append(Transition("Discard…", address("step", pk, "discard")))
    if may_change and document.job.may_be_repeated:
        steps.append(Transition("Read again", address("step", pk, "read_again"), is_step=True))
        steps += _other_reader(document)
    return steps


def _other_reader(document: Document) -> Iterator[Transition]:
    """Yield the step that has a PDF read by the other of the two readers, if that is there."""
    if document.media_type != PDF:
        return
    if is_for_models(document.read_with):
        label, decision = "Read again with the standard reader", STANDARD
    elif not models_fault():
        label, decision = "Read again with docling", DOCLING
    else:
        return
    yield Transition(label, address("step", document.pk, decision.action), is_step=True)


def docling_fault(document: Document) -> str:
    """Return why docling's models, which are set up, can't be chosen for a PDF; empty if they can.

    Empty, too, where they are the choice, for another type, and on a site without them.
    """
    is_choice = document.media_type == PDF and not is_for_models(document.read_with)
    return models_fault() if is_choice and settings.DOCLING_ARTIFACTS_PATH else ""


def decide_many(
    request: HttpRequest, queryset: QuerySet[Document], decision: Decision
) -> HttpResponse | None:
    """Ask, then take the step for each document; None returns to the list.

    Documents that the person may not change are left out, with a message.
    """
    by = signed_in_user(request)
    documents = _permitted(request, list(queryset), by, decision.right)
    if not documents:
        return None
    answered = request.POST if "confirmed" in request.POST or not decision.question else None
    form = decision.form(answered, documents=documents)
    if form.is_valid():
        _take_steps(request, documents, decision, by, form.cleaned_data)
        return None
    if decision is PUBLISH and len(documents) == 1:
        return redirect(address("approve", documents[0].pk))
    return page(
        request,
        "decide.html",
        title=decision.button,
        decision=decision,
        documents=documents,
        form=form,
        checkbox_name=ACTION_CHECKBOX_NAME,
    )


def step(request: StaffRequest, pk: int, action: str) -> HttpResponseBase:
    """Take one step for one document, after asking on a page if it needs an answer."""
    decision = ON_A_PAGE.get(action)
    if decision is None:
        raise Http404
    document = access_document_of_staff(request.user, decision.right, pk=pk)
    if request.method != "POST" and not decision.question:
        return HttpResponseNotAllowed(["POST"])
    answered = request.POST if request.method == "POST" else None
    form = decision.form(answered, documents=[document])
    if form.is_valid():
        return _taken(request, document, decision, form.cleaned_data)
    return page(
        request,
        "decide.html",
        title=decision.button,
        decision=decision,
        document=document,
        documents=[document],
        form=form,
        cited_by=answers_citing(document, reader=request.user) if decision in TOLD else None,
    )


def _taken(
    request: StaffRequest, document: Document, decision: Decision, answers: dict[str, Any]
) -> HttpResponse:
    """Take the step; return the job's new cell to htmx, a redirect to a browser."""
    try:
        decision.step(document, by=request.user, **answers)
    except MedragError as error:
        if not request.htmx:
            messages.error(request, error.sentence)
            return redirect(address("change", document.pk))
    else:
        if decision is DISCARD:
            messages.success(
                request, f"Discarded: {document}. The upload and its file were deleted."
            )
            return redirect(address("changelist"))
        history_add(document, by=request.user, line=_line(decision, answers))
        if not request.htmx:
            messages.success(request, f"{decision.done}: {document}.")
    if request.htmx:
        cell = JobCell.of(access_document_of_staff(request.user, pk=document.pk))
        cell_html = render(request, "admin/corpus/document/parts/_job.html", {"cell": cell})
        return trigger_client_event(cell_html, "stored", after="settle")
    return redirect(address("recall" if decision in TOLD else "change", document.pk))


def _line(decision: Decision, answers: dict[str, Any]) -> str:
    """Return the history line, where the uploader reads why a document came back or ended."""
    if decision is RETURN:
        return f"{SENT_BACK}{answers['reason']}"
    return f"{decision.done}: {answers['reason']}" if "reason" in answers else f"{decision.done}."


def signed_in_user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise TypeError("Sign in to use the administration.")
    return request.user


def _permitted(
    request: HttpRequest, documents: list[Document], by: User, right: Right
) -> list[Document]:
    if right is Right.CHANGE:
        permitted = [document for document in documents if may_change(document)]
    else:
        collections = set(collections_publishable(by).values_list("pk", flat=True))
        permitted = [document for document in documents if document.collection_id in collections]
    if left_out := [document for document in documents if document not in permitted]:
        why = "You have no right to do this in its collection."
        for document in left_out:
            messages.warning(request, f"Not changed: “{document}”. {why}")
    return permitted


def _take_steps(
    request: HttpRequest,
    documents: Sequence[Document],
    decision: Decision,
    by: User,
    answers: dict[str, Any],
) -> None:
    """Take the step for each document; a failure stops no other, and is told with its name."""
    done: list[Document] = []
    refused: list[str] = []
    for document in documents:
        try:
            decision.step(document, by=by, **answers)
        except MedragError as error:
            is_named = str(document) in error.sentence
            refused.append(error.sentence if is_named else f"“{document}”: {error.sentence}")
        else:
            history_add(document, by=by, line=_line(decision, answers))
            done.append(document)
    for sentence in refused:
        messages.error(request, sentence)
    if len(done) > TOLD_BY_NAME:
        messages.success(request, f"{decision.done}: {_counted(len(done))}.")
    for document in done if len(done) <= TOLD_BY_NAME else ():
        messages.success(request, f"{decision.done}: {document}.")


def _counted(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"
