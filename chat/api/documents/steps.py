"""Steps in a document's life, each a button of the administration."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.documents.guarded import OfDocuments
from chat.api.documents.serializers import (
    DocumentDetails,
    PublishRequest,
    ReplaceRequest,
    SupersedeRequest,
    WithdrawRequest,
)
from chat.api.documents.views import CONFLICT, FORBIDDEN, details
from chat.api.guarded import BODY, NOT_FOUND, problems, user_of, valid
from corpus.models import Document
from corpus.review.words_found import PagesNotReviewed
from corpus.services.history import history_add
from corpus.services.lifecycle import document_approve, document_supersede, document_withdraw
from corpus.staff_selectors import (
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


class PublishView(OfDocuments):
    @extend_schema(
        operation_id="document_publish",
        summary="Publish a document",
        description="From now on clinicians get answers from it. Where the site wants two persons, "
        "its uploader may not.",
        request=PublishRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*examples.DOCUMENT_PUBLISH, *_GOOD_TO_KNOW],
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
        examples=[*examples.DOCUMENT_REPLACE, *_GOOD_TO_KNOW],
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
        request=SupersedeRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*examples.DOCUMENT_SUPERSEDE, *_GOOD_TO_KNOW],
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
        description="The very next question is answered without it. This can't be undone.",
        request=WithdrawRequest,
        responses={200: DocumentDetails, **_NO},
        examples=[*examples.DOCUMENT_WITHDRAW, *_GOOD_TO_KNOW],
    )
    def post(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.PUBLISH, sha256=sha256)
        asked = valid(WithdrawRequest(data=request.data))
        document_withdraw(document, by=user, reason=asked["reason"])
        history_add(document, by=user, line="Withdrawn.")
        return _now(document, user)


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


def _now(document: Document, user: User) -> Response:
    return Response(details(access_document_of_staff(user, pk=document.pk), user))
