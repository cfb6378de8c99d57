"""List and import question sets over the API."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.fields import AnyFile, Strict, Words, each_once
from chat.api.guarded import BODY, NOT_FOUND, problems, record_read, user_of, valid
from chat.api.pages import PageRequest
from chat.api.problems import BodyTooLarge
from evaluation.api.guarded import (
    CONFLICT,
    EXAMPLES,
    UNREADABLE,
    Latest,
    OfEvaluations,
    Refused,
    history_begin,
)
from evaluation.datasets.types import DatasetError
from evaluation.models import QuestionSet
from evaluation.question_set_services import (
    DuplicateQuestionSet,
    SetFacts,
    question_set_upload,
)
from evaluation.question_sets import FORMS
from evaluation.selectors import question_sets_listed


class ImportRequest(Strict):
    """A form as `multipart/form-data`: the file, and facts that it does not state."""

    file = AnyFile(help_text="As it was published, also compressed by gzip; MedQuAD as a tar.")
    form = serializers.ChoiceField(choices=[(name, name) for name in FORMS])
    name = Words(required=False, max_length=200, help_text="By default that of the file.")
    version = Words(required=False, max_length=50)
    source = Words(required=False, max_length=500)  # type: ignore[assignment]  # a field
    licence = Words(required=False, max_length=200)
    split = Words(
        required=False, max_length=50, help_text="Split of all questions; empty: as the file says."
    )


class SetResponse(serializers.ModelSerializer[QuestionSet]):
    questions = serializers.IntegerField(source="how_many", help_text="Number of questions.")
    left_out = serializers.IntegerField(help_text="Records of the file that can't be used.")
    by = serializers.CharField(source="by.username", default=None, allow_null=True)

    class Meta:
        model = QuestionSet
        fields = (
            "id", "name", "version", "form", "source", "licence", "digest", "questions",
            "left_out", "by", "created_at",
        )  # fmt: skip


class QuestionSetsView(OfEvaluations, GenericAPIView[QuestionSet]):
    right_to_read = "evaluation.view_questionset"
    right_to_write = "evaluation.add_questionset"
    serializer_class = SetResponse
    pagination_class = Latest
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="question_sets",
        summary="List question sets",
        description="The latest first, for users who may view them in the administration.",
        parameters=[PageRequest],
        responses={200: SetResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=[*EXAMPLES["SETS"], *examples.of("FORBIDDEN", "PROBLEMS")],
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        valid(PageRequest(data=request.query_params.dict()))
        page = self.paginate_queryset(question_sets_listed()) or []
        record_read(user, "question_sets", subject=f"user:{user.pk}")
        return self.get_paginated_response(SetResponse(page, many=True).data)

    @extend_schema(
        operation_id="question_set_import",
        summary="Import a question set",
        description="Stores the questions of a file. Records that can't be used are left out and "
        "counted; the administration shows why.",
        request={"multipart/form-data": ImportRequest},
        responses={201: SetResponse, **problems(*BODY, *CONFLICT, *UNREADABLE)},
        examples=[*EXAMPLES["SET_IMPORT"], *examples.of("FORBIDDEN", "PROBLEMS")],
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        fields = valid(ImportRequest(data=each_once(request.data)))
        upload, form, split = fields.pop("file"), fields.pop("form"), fields.pop("split", "")
        if (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            raise BodyTooLarge(
                f"Nothing was stored: the file is larger than {settings.UPLOAD_MAX_BYTES >> 20} "
                "MB. Import it with manage.py evaluate import."
            )
        facts = SetFacts(**{"name": ""} | fields)
        try:
            made = question_set_upload(upload, facts, form=form, split=split, by=user)
        except DuplicateQuestionSet as error:
            raise Refused(error.sentence, HTTPStatus.CONFLICT) from error
        except DatasetError as error:
            raise Refused(error.sentence, HTTPStatus.UNPROCESSABLE_ENTITY) from error
        history_begin(made, by=user)
        return Response(
            SetResponse(question_sets_listed().get(pk=made.pk)).data, HTTPStatus.CREATED
        )
