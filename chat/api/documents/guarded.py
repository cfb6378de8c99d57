"""Shared by the operations on documents: the HTTP status of each refusal."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from rest_framework.exceptions import APIException
from rest_framework.response import Response

from chat.api.guarded import Guarded
from chat.models import Scope
from core.errors import MedragError
from corpus.access import NotPermitted
from corpus.files import FileTooLarge
from corpus.parsing.types import ParseError
from corpus.review.corrections import CorrectionsNotSeen
from corpus.review.pictures import NoPicture
from corpus.review.words_found import PagesNotReviewed
from corpus.scanning import Infected
from corpus.services.documents import DuplicateDocument, NotNow
from corpus.services.lifecycle import BadSuccessor, ReasonNeeded, SecondPersonNeeded
from corpus.services.metadata import BadValue
from corpus.services.uploads import KeyReused

_STATUS: Mapping[type[MedragError], HTTPStatus] = {
    NotPermitted: HTTPStatus.FORBIDDEN,
    SecondPersonNeeded: HTTPStatus.FORBIDDEN,
    DuplicateDocument: HTTPStatus.CONFLICT,
    NotNow: HTTPStatus.CONFLICT,
    PagesNotReviewed: HTTPStatus.CONFLICT,
    CorrectionsNotSeen: HTTPStatus.CONFLICT,
    BadSuccessor: HTTPStatus.CONFLICT,
    KeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    Infected: HTTPStatus.UNPROCESSABLE_ENTITY,
    ParseError: HTTPStatus.UNPROCESSABLE_ENTITY,
    BadValue: HTTPStatus.BAD_REQUEST,
    ReasonNeeded: HTTPStatus.BAD_REQUEST,
    FileTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    NoPicture: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Refused(APIException):
    """A refusal of a service, in its own words."""

    def __init__(self, sentence: str, status: HTTPStatus) -> None:
        super().__init__(sentence)
        self.status_code = status


class OfDocuments(Guarded):
    """Turns refusals of services into problems."""

    scope_to_read = scope_to_write = str(Scope.DOCUMENTS)

    def handle_exception(self, exc: Exception) -> Response:
        status = _STATUS.get(type(exc)) if isinstance(exc, MedragError) else None
        if isinstance(exc, DuplicateDocument) and not exc.may_be_named:
            status = HTTPStatus.UNPROCESSABLE_ENTITY  # 409 would say that the bytes are here
        if isinstance(exc, MedragError) and status is not None and not exc.retryable:
            return super().handle_exception(Refused(exc.sentence, status))
        return super().handle_exception(exc)
