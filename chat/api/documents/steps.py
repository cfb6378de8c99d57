"""Steps in a document's life, each a button of the administration."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.documents import examples as own_examples
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
from chat.api.guarded import BODY, NOT_FOUND, problems, user_of, valid
from corpus.models import Document
from corpus.review.words_found import PagesNotReviewed
from corpus.services.documents import document_reindex, document_retry
from corpus.services.history import history_add
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
)

_NO = problems(*BODY, *FORBIDDEN, *NOT_FOUND, *CONFLICT)
_GOOD_TO_KNOW = [*examples.FORBIDDEN, *examples.NOT_FOUND, *examples.PROBLEMS]
NAMED = 20  # pages in a sentence


class SubmitView(OfDocuments):
    @extend_schema(
        operation_id="document_submit",
        summary="Send a draft to review",
        description="Somebody with the right to publish then publishes it or sends it back.",
        request=NothingRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_SUBMIT, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.CHANGE, sha256=sha256)
        valid(NothingRequest(data=request.data))
        document_submit(document, by=user)
        history_add(document, by=user, line="Sent to review.")
        return _now(document, user)


class ReturnView(OfDocuments):
    @extend_schema(
        operation_id="document_return",
        summary="Send back what is in review",
        description="It is a draft again; its uploader reads why.",
        request=ReasonRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_RETURN, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        asked = valid(ReasonRequest(data=request.data))
        document_return(document, by=user, reason=asked["reason"])
        history_add(document, by=user, line=f"{SENT_BACK}{asked['reason']}")
        return _now(document, user)


class PublishView(OfDocuments):
    @extend_schema(
        operation_id="document_publish",
        summary="Publish a document",
        description="From now on clinicians get answers from it. Where the site wants two persons, "
        "its uploader may not.",
        request=PublishRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_PUBLISH, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        asked = valid(PublishRequest(data=request.data))
        _publish(document, by=user, looked=asked["looked"])
        return _now(document, user)


class ReplaceView(OfDocuments):
    @extend_schema(
        operation_id="document_replace",
        summary="Publish a new version in a document's place",
        description="The new version is published and this one superseded in the same moment, so "
        "that never both and never neither are in force.",
        request=ReplaceRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_REPLACE, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        others = {"others": documents_for_staff(user).exclude(pk=document.pk)}
        asked = valid(ReplaceRequest(data=request.data, context=others))
        _publish(asked["successor"], by=user, looked=asked["looked"], supersedes=document)
        return _now(document, user)


class SupersedeView(OfDocuments):
    @extend_schema(
        operation_id="document_supersede",
        summary="Say which published document takes the place of this one",
        description="From now on answers come from that one.",
        request=SupersedeRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_SUPERSEDE, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        others = {"others": documents_replaceable(user, other_than=document)}
        asked = valid(SupersedeRequest(data=request.data, context=others))
        document_supersede(document, by=user, successor=asked["successor"])
        history_add(document, by=user, line="Superseded.")
        return _now(document, user)


class WithdrawView(OfDocuments):
    @extend_schema(
        operation_id="document_withdraw",
        summary="Withdraw a document",
        description="The very next question is answered without it.",
        request=WithdrawRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_WITHDRAW, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        asked = valid(WithdrawRequest(data=request.data))
        document_withdraw(document, by=user, reason=asked["reason"])
        history_add(document, by=user, line="Withdrawn.")
        return _now(document, user)


class ReinstateView(OfDocuments):
    @extend_schema(
        operation_id="document_reinstate",
        summary="Undo a withdrawal that was an error",
        description="It is in force again. Its history keeps why it was withdrawn.",
        request=ReasonRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_REINSTATE, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        asked = valid(ReasonRequest(data=request.data))
        withdrawn = f"Withdrawn until now: {document.withdrawn_reason}"
        document_reinstate(document, by=user, reason=asked["reason"])
        for line in (withdrawn, f"Withdrawal undone: {asked['reason']}"):
            history_add(document, by=user, line=line)
        return _now(document, user)


class RetryView(OfDocuments):
    @extend_schema(
        operation_id="document_retry",
        summary="Try again to read what failed",
        description="With all its attempts, from the step that is finished.",
        request=NothingRequest,
        responses={202: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_READ_AGAIN, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.CHANGE, sha256=sha256)
        valid(NothingRequest(data=request.data))
        document_retry(document, by=user)
        history_add(document, by=user, line="Queued again.")
        return _now(document, user, status=HTTPStatus.ACCEPTED)


class ReindexView(OfDocuments):
    @extend_schema(
        operation_id="document_reindex",
        summary="Read a document again from its file",
        description="Nothing of it is found from when it is cut anew until it is indexed.",
        request=NothingRequest,
        responses={202: DocumentDetails, **_NO},
        examples=[*own_examples.DOCUMENT_READ_AGAIN, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.CHANGE, sha256=sha256)
        valid(NothingRequest(data=request.data))
        document_reindex(document, by=user)
        history_add(document, by=user, line="Queued to be read again.")
        return _now(document, user, status=HTTPStatus.ACCEPTED)


def _publish(document: Document, *, by: User, looked: list[int], **more: Any) -> None:
    """Publish what somebody has looked at. Raises as `document_approve`."""
    doubtful = pages_doubtful(page_checks(document))
    if missing := [str(number) for number in doubtful if number not in looked]:
        pages = ", ".join(missing[:NAMED]) + (" and more" if len(missing) > NAMED else "")
        raise PagesNotReviewed(
            f"Nobody has looked at page {pages}. It was not published.",
            hint="Compare each with its picture, and name it in `looked`.",
        )
    document_approve(document, by=by, today=timezone.localdate(), looked=looked, **more)
    after = f" after a look at page {', '.join(map(str, doubtful))}" if doubtful else ""
    history_add(document, by=by, line=f"Published{after}.")


def _now(document: Document, user: User, *, status: int = HTTPStatus.OK) -> Response:
    return Response(details(access_document_of_staff(user, pk=document.pk), user), status)
