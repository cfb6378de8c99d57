"""Steps in a document's life as actions of the list: a page that asks, then a service call each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from corpus.errors import MedragError
from corpus.forms import DecisionForm, PublishForm, SupersedeForm, WithdrawForm
from corpus.models import Document, Lifecycle
from corpus.services.documents import document_reindex, document_retry
from corpus.services.lifecycle import (
    document_publish,
    document_submit,
    document_supersede,
    document_withdraw,
)

if TYPE_CHECKING:
    DocumentModelAdmin = admin.ModelAdmin[Document]
else:
    DocumentModelAdmin = admin.ModelAdmin

Step = Callable[[Document, User, dict[str, Any]], None]


@dataclass(frozen=True)
class Decision:
    """A step, the words that ask for it, and the words for the log."""

    action: str  # the name that the list sends
    question: str
    button: str
    done: str
    form: type[DecisionForm]
    step: Step


def _publish(document: Document, by: User, answers: dict[str, Any]) -> None:
    """A draft goes through review in the same moment: publishing is the review's yes."""
    with transaction.atomic():
        if document.lifecycle == Lifecycle.DRAFT:
            document_submit(document, by=by)
        today, replaced = timezone.localdate(), answers.get("replaces")
        document_publish(document, by=by, today=today, supersedes=replaced)


def _supersede(document: Document, by: User, answers: dict[str, Any]) -> None:
    document_supersede(document, by=by, successor=answers["successor"])


def _withdraw(document: Document, by: User, answers: dict[str, Any]) -> None:
    document_withdraw(document, by=by, reason=answers["reason"])


PUBLISH = Decision(
    action="publish",
    question="Publish? Clinicians get answers from these documents as soon as they are indexed.",
    button="Publish",
    done="Published",
    form=PublishForm,
    step=_publish,
)
SUPERSEDE = Decision(
    action="supersede",
    question="Which published document takes the place of these?",
    button="Mark as superseded",
    done="Superseded",
    form=SupersedeForm,
    step=_supersede,
)
WITHDRAW = Decision(
    action="withdraw",
    question="Withdraw? From now on no answer uses these documents. This can't be undone.",
    button="Withdraw",
    done="Withdrawn",
    form=WithdrawForm,
    step=_withdraw,
)


def decide(
    model_admin: DocumentModelAdmin,
    request: HttpRequest,
    queryset: QuerySet[Document],
    decision: Decision,
) -> TemplateResponse | None:
    """Ask, and after the answer take the step for each document; None goes back to the list."""
    documents = list(queryset)
    answered = request.POST if "confirmed" in request.POST else None
    form = decision.form(answered, documents=documents)
    if form.is_valid():
        take_step(model_admin, request, documents, decision, form.cleaned_data)
        return None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": decision.button,
        "decision": decision,
        "documents": documents,
        "form": form,
        "opts": model_admin.opts,
        "checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/corpus/document/decide.html", context)


def take_step(
    model_admin: DocumentModelAdmin,
    request: HttpRequest,
    documents: list[Document],
    decision: Decision,
    answers: dict[str, Any],
) -> None:
    """One document that can't take the step stops none of the others; each gets its sentence."""
    for document in documents:
        try:
            decision.step(document, signed_in_user(request), answers)
        except MedragError as error:
            model_admin.message_user(request, error.sentence, messages.ERROR)
            continue
        model_admin.log_change(request, document, f"{decision.done}.")
        model_admin.message_user(request, f"{decision.done}: {document}.", messages.SUCCESS)


def signed_in_user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise TypeError("The administration is for people who are signed in.")
    return request.user


def _submit(document: Document, by: User, answers: dict[str, Any]) -> None:
    document_submit(document, by=by)


def _retry(document: Document, by: User, answers: dict[str, Any]) -> None:
    document_retry(document, by=by)


def _reindex(document: Document, by: User, answers: dict[str, Any]) -> None:
    document_reindex(document, by=by)


SUBMIT = Decision("submit", "", "", "Sent to review", DecisionForm, _submit)
RETRY = Decision("retry", "", "", "Queued again", DecisionForm, _retry)
REINDEX = Decision("reindex", "", "", "Queued to be read again", DecisionForm, _reindex)
