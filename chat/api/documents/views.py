"""Documents over the API: upload, list, read, change metadata."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.documents.guarded import OfDocuments
from chat.api.documents.serializers import (
    DocumentDetails,
    DocumentResponse,
    DocumentsRequest,
    MetadataRequest,
    UploadRequest,
)
from chat.api.fields import each_once
from chat.api.guarded import BODY, NOT_FOUND, problems, record_read, user_of, valid
from chat.api.pages import Listed, Uploaded
from chat.api.repeats import KEY_HEADER, KEY_SCHEMA, key_of
from corpus.access import collections_uploadable, readable_ids, refuse_without
from corpus.filenames import clean_filename
from corpus.models import Document
from corpus.review.corrections import corrections_unseen
from corpus.services.documents import document_discard, document_ingest
from corpus.services.history import history_add, history_begin
from corpus.services.metadata import document_edit
from corpus.services.uploads import document_ingest_once
from corpus.staff_selectors import (
    Right,
    access_document_of_staff,
    collections_changeable,
    documents_for_staff,
    page_checks,
    refuse_others_than_staff,
)

FORBIDDEN, CONFLICT, UNREADABLE = (403,), (409,), (422,)
_KEY = OpenApiParameter(
    KEY_HEADER,
    KEY_SCHEMA,
    OpenApiParameter.HEADER,
    description="Your own name for this upload. Sent again with the same file and fields, it "
    "returns the existing document; with others it is refused.",
)


class DocumentsView(OfDocuments, Listed):
    asks = DocumentsRequest
    serializer_class = DocumentResponse
    pagination_class = Uploaded
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="documents",
        summary="List documents",
        description="Documents that you can work with, including drafts, the latest first; "
        "for staff.",
        parameters=[DocumentsRequest],
        responses={200: DocumentResponse(many=True), **problems(400, *FORBIDDEN, *NOT_FOUND)},
        examples=examples.of("DOCUMENTS", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        refuse_others_than_staff(user)
        given = self.asked()
        documents, words = documents_for_staff(user), given.get("words", "")
        listed = _narrowed(documents, given)
        return self.paged(listed, "documents", words=words, readable=readable_ids(user))

    @extend_schema(
        operation_id="document_upload",
        summary="Upload a document",
        description="Stores the document as a draft and queues its ingestion. It is not "
        "searched before it is published.",
        parameters=[_KEY],
        request={"multipart/form-data": UploadRequest},
        responses={
            202: DocumentDetails,
            **problems(*BODY, *FORBIDDEN, *CONFLICT, *UNREADABLE),
        },
        examples=examples.of("DOCUMENT_UPLOAD", "FORBIDDEN", "PROBLEMS"),
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        refuse_others_than_staff(user)
        refuse_without(user, "corpus.add_document")
        key = key_of(request)
        context = {"collections": collections_uploadable(user)}
        fields = valid(UploadRequest(data=each_once(request.data), context=context))
        upload = fields.pop("file")
        filename, document = clean_filename(upload.name or ""), Document(**fields)
        if key:
            sha256 = document_ingest_once(
                document, upload=upload, uploaded_by=user, filename=filename, key=key
            )
        else:
            document_ingest(document, upload=upload, uploaded_by=user, filename=filename)
            sha256 = document.sha256
        if document.pk:  # else an earlier request with this key stored it
            history_begin(document, by=user)
        stored = access_document_of_staff(user, sha256=sha256)
        address = request.build_absolute_uri(reverse("api:document", args=[sha256]))
        return Response(details(stored, user), HTTPStatus.ACCEPTED, headers={"Location": address})


class DocumentView(OfDocuments):
    @extend_schema(
        operation_id="document",
        summary="Read the state of a document",
        description="Its ingestion job, its metadata, and what must be checked before publishing.",
        responses={200: DocumentDetails, **problems(*FORBIDDEN, *NOT_FOUND)},
        examples=examples.of("DOCUMENT", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, sha256=sha256)
        record_read(user, "document", subject=f"document:{document.pk}")
        return Response(details(document, user))

    @extend_schema(
        operation_id="document_edit",
        summary="Change the metadata of a document",
        description="A new title or population takes effect in the search when the document "
        "has been indexed again.",
        request=MetadataRequest,
        responses={200: DocumentDetails, **problems(*BODY, *FORBIDDEN, *NOT_FOUND)},
        examples=examples.of("DOCUMENT_EDIT", "FORBIDDEN", "PROBLEMS"),
    )
    def patch(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.CHANGE, sha256=sha256)
        context = {"collections": collections_changeable(user)}
        changes = valid(MetadataRequest(data=request.data, context=context))
        if fields := document_edit(document, by=user, changes=changes):
            history_add(document, by=user, line=f"Changed {', '.join(fields)}.")
        return Response(details(access_document_of_staff(user, pk=document.pk), user))

    @extend_schema(
        operation_id="document_discard",
        summary="Discard a failed upload",
        description="Deletes the document and its file, so that it can be uploaded again. "
        "Only for documents that failed and were never published or indexed.",
        responses={
            204: OpenApiResponse(description="The document was deleted."),
            **problems(*FORBIDDEN, *NOT_FOUND, *CONFLICT),
        },
        examples=examples.of("FORBIDDEN", "PROBLEMS"),
    )
    def delete(self, request: Request, sha256: str) -> Response:
        user = user_of(request)
        document = access_document_of_staff(user, Right.CHANGE, sha256=sha256)
        document_discard(document, by=user)
        history_add(document, by=user, line="Discarded.")
        return Response(status=HTTPStatus.NO_CONTENT)


def details(document: Document, user: User) -> dict[str, Any]:
    """Return a document with doubts, corrections and notices.

    Three queries, and one more if the document was not loaded for its user.
    """
    doubtful = [check for check in page_checks(document) if check.is_doubtful or check.doubts]
    context = {
        "readable": readable_ids(user),
        "doubts": doubtful,
        "corrections": corrections_unseen(document),
    }
    return dict(DocumentDetails(document, context=context).data)


def _narrowed(documents: QuerySet[Document], given: dict[str, Any]) -> QuerySet[Document]:
    if slug := given.get("collection"):
        documents = documents.filter(collection__slug=slug)
    if lifecycle := given.get("lifecycle"):
        documents = documents.filter(lifecycle=lifecycle)
    if state := given.get("job"):
        documents = documents.filter(job__state=state)
    if words := given.get("words"):
        named = Q()
        for field in ("title", "filename", "issuer", "journal", "sha256"):
            named |= Q(**{f"{field}__icontains": words})
        documents = documents.filter(named)
    return documents
