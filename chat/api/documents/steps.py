"""Steps in a document's life over the API, each of them a button in the administration."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.documents.guarded import OfDocuments
from chat.api.documents.serializers import (
    DocumentDetails,
    NothingRequest,
    PublishRequest,
    ReasonRequest,
    ReplaceRequest,
    SupersedeRequest,
    WithdrawRequest,
)
from chat.api.documents.views import CONFLICT, FORBIDDEN, details
from chat.api.fields import Strict
from chat.api.guarded import BODY, NOT_FOUND, problems, user_of, valid
from corpus.models import Document, Lifecycle
from corpus.review.corrections import corrections_unseen
from corpus.review.words_found import PagesNotReviewed
from corpus.services.documents import document_reindex, document_retry
from corpus.services.history import history_add, history_ended, history_published
from corpus.services.lifecycle import (
    document_approve,
    document_reinstate,
    document_return,
    document_submit,
    document_supersede,
    document_withdraw,
)
from corpus.staff_selectors import (
    SENT_BACK,
    Right,
    access_document_of_staff,
    documents_for_staff,
    documents_replaceable,
    page_checks,
    pages_doubtful,
    pages_unseen,
)

NAMED = 20  # pages in a sentence
_NO = problems(*BODY, *FORBIDDEN, *NOT_FOUND, *CONFLICT)
_NOES = examples.of("FORBIDDEN", "NOT_FOUND", "PROBLEMS")
_Take = Callable[[Document, User, dict[str, Any]], list[str]]
_Others = Callable[[User, Document], QuerySet[Document]]


def _step(
    name: str,
    summary: str,
    description: str,
    *,
    asks: type[Strict] = NothingRequest,
    right: Right = Right.PUBLISH,
    others: _Others | None = None,
    status: HTTPStatus = HTTPStatus.OK,
    example: str = "",
) -> Callable[[_Take], type[OfDocuments]]:
    """Make a view of a function that takes a step and returns lines for the document's history.

    `asks` is the serializer of the request, `others` the documents that a request may name too.
    """
    shown = examples.of(example or f"DOCUMENT_{name.upper()}")

    def view_of(take: _Take) -> type[OfDocuments]:
        class StepView(OfDocuments):
            @extend_schema(
                operation_id=f"document_{name}",
                summary=summary,
                description=description,
                request=asks,
                responses={int(status): DocumentDetails, **_NO},
                examples=[*shown, *_NOES],
            )
            def post(self, request: Request, sha256: str) -> Response:
                user = user_of(request)
                document = access_document_of_staff(user, right, sha256=sha256)
                context = {"others": others(user, document)} if others else {}
                fields = valid(asks(data=request.data, context=context))
                for line in take(document, user, fields):
                    history_add(document, by=user, line=line)
                now = access_document_of_staff(user, pk=document.pk)
                return Response(details(now, user), status)

        return StepView

    return view_of


@_step(
    "submit",
    "Send a draft to review",
    "Somebody with the right to publish then publishes it or sends it back.",
    right=Right.CHANGE,
)
def submit(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    document_submit(document, by=user)
    return ["Sent to review."]


@_step(
    "return",
    "Send a document in review back",
    "It becomes a draft again, and its uploader sees the reason.",
    asks=ReasonRequest,
)
def send_back(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    document_return(document, by=user, reason=fields["reason"])
    return [f"{SENT_BACK}{fields['reason']}"]


@_step(
    "publish",
    "Publish a document",
    "Clinicians get answers from it from now on. If the site requires two persons, the "
    "uploader may not publish it, nor may a person whose corrections nobody else has compared "
    "since.",
    asks=PublishRequest,
)
def publish(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    _publish(document, by=user, fields=fields)
    return []


@_step(
    "replace",
    "Publish a new version in place of a document",
    "Publishes the new version and supersedes this one in the same transaction, or in that which "
    "ends the new version's indexing, so that exactly one of them is always in force.",
    asks=ReplaceRequest,
    others=lambda user, document: documents_for_staff(user).exclude(pk=document.pk),
)
def replace(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    _publish(fields["successor"], by=user, fields=fields, supersedes=document)
    return []  # the new version's history has it


@_step(
    "supersede",
    "Mark a document as superseded by another",
    "Answers come from the other published document from now on, or as soon as it is indexed.",
    asks=SupersedeRequest,
    others=lambda user, document: documents_replaceable(user, other_than=document),
)
def supersede(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    document_supersede(document, by=user, successor=fields["successor"])
    is_done = document.lifecycle == Lifecycle.SUPERSEDED
    return ["Superseded." if is_done else "Will be superseded when its successor is indexed."]


@_step(
    "withdraw",
    "Withdraw a document",
    "The next question is answered without it.",
    asks=WithdrawRequest,
)
def withdraw(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    document_withdraw(document, by=user, reason=fields["reason"])
    return [f"Withdrawn: {fields['reason']}"]


@_step(
    "reinstate",
    "Put a withdrawn or superseded document back in force",
    "For a document that was ended in error, or an older version whose successor was "
    "withdrawn. A successor in force stays in force. The history keeps the earlier end.",
    asks=ReasonRequest,
)
def reinstate(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    ended = history_ended(document)
    document_reinstate(document, by=user, reason=fields["reason"])
    return [ended, f"Put back in force: {fields['reason']}"]


@_step(
    "retry",
    "Read a failed document again, from where it failed",
    "Starts after the last finished step, with a new set of attempts.",
    right=Right.CHANGE,
    status=HTTPStatus.ACCEPTED,
    example="DOCUMENT_READ_AGAIN",
)
def retry(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    document_retry(document, by=user)
    return ["Queued to be read again."]


@_step(
    "reindex",
    "Read a document again from its file",
    "It is not found between the new cutting of its text and the end of the indexing.",
    right=Right.CHANGE,
    status=HTTPStatus.ACCEPTED,
    example="DOCUMENT_READ_AGAIN",
)
def reindex(document: Document, user: User, fields: dict[str, Any]) -> list[str]:
    document_reindex(document, by=user)
    return ["Queued to be read again."]


def _publish(
    document: Document, *, by: User, fields: dict[str, Any], supersedes: Document | None = None
) -> None:
    """Publish a document whose doubtful pages and corrections have been checked.

    Raises PagesNotReviewed for a page that is neither ticked nor in `looked`, and what
    `document_approve` raises.
    """
    looked, compared = fields["looked"], fields["compared"]
    checks = page_checks(document)
    if missing := [str(number) for number in pages_unseen(checks) if number not in looked]:
        pages = ", ".join(missing[:NAMED]) + (" and more" if len(missing) > NAMED else "")
        raise PagesNotReviewed(
            f"Not published: nobody has checked page {pages}.",
            hint="Compare each page with its picture, and list it in `looked`.",
        )
    unseen = corrections_unseen(document).count()
    document_approve(
        document,
        by=by,
        today=timezone.localdate(),
        supersedes=supersedes,
        looked=looked,
        compared=compared,
    )
    history_published(document, by=by, looked=pages_doubtful(checks), compared=unseen)
