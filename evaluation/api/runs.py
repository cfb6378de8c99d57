"""List, read and start question runs over the API, by the rights of the administration."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.fields import Strict, Whole, Words, YesNo
from chat.api.guarded import BODY, NOT_FOUND, problems, record_read, user_of, valid
from chat.api.pages import PageRequest
from evaluation.api.guarded import CONFLICT, EXAMPLES, Latest, OfEvaluations, Refused, history_begin
from evaluation.measures.measure import MEASURES
from evaluation.models import QuestionRun, QuestionSet
from evaluation.question_runs.freezing import Budget, RunOrder
from evaluation.question_runs.selectors import card_shown, question_runs_listed
from evaluation.question_runs.services import RunError, question_run_create

MAX_WHOLE = 2**31 - 1
MAX_BUDGET_S = 1e7


class StartRequest(Strict):
    question_set = Whole(min_value=1, max_value=MAX_WHOLE, help_text="`id` of the set.")
    name = Words(required=False, max_length=200, help_text="By default that of the set.")
    limit = Whole(
        default=100,
        min_value=0,
        max_value=MAX_WHOLE,
        help_text="Number of questions, sampled by the seed; 0 for all.",
    )
    seed = Whole(default=0, min_value=0, max_value=MAX_WHOLE)
    measures = serializers.ListField(
        child=serializers.ChoiceField(choices=[(name, name) for name in MEASURES]),
        required=False,
        max_length=len(MEASURES),
        help_text="In addition to those that every run has; by default all.",
    )
    budget_s = serializers.FloatField(
        default=0.0,
        min_value=0,
        max_value=MAX_BUDGET_S,
        help_text="Most seconds of answering; 0 for no limit.",
    )
    model_alone = YesNo(
        default=False, help_text="Also ask the model the labelled questions, without evidence."
    )

    def validate_question_set(self, pk: int) -> QuestionSet:
        if question_set := QuestionSet.objects.filter(pk=pk).first():
            return question_set
        raise serializers.ValidationError("There is no such question set.")

    def order(self) -> RunOrder:
        """Return the order of a valid request."""
        fields: dict[str, Any] = self.validated_data
        return RunOrder(
            name=fields.get("name", ""),
            limit=fields["limit"],
            seed=fields["seed"],
            measures=tuple(dict.fromkeys(fields.get("measures", MEASURES))),
            budget=Budget(seconds=fields["budget_s"]),
            model_alone=fields["model_alone"],
        )


class RunListed(serializers.ModelSerializer[QuestionRun]):
    question_set = serializers.StringRelatedField[Any]()
    question_set_digest = serializers.CharField(source="question_set.digest", read_only=True)
    state = serializers.CharField(
        help_text="`pending`, `running`, `done`, `cancelled` or `failed`."
    )
    items = serializers.IntegerField(help_text="Number of questions.")
    ended = serializers.IntegerField(help_text="Number of questions that were asked or failed.")
    asker = serializers.CharField(
        source="asker.username",
        default=None,
        allow_null=True,
        help_text="Account whose rights apply to the search.",
    )
    by = serializers.CharField(source="by.username", default=None, allow_null=True)

    class Meta:
        model = QuestionRun
        fields = (
            "id", "name", "question_set", "question_set_digest", "state", "note", "items", "ended",
            "asker", "by", "created_at", "started_at", "finished_at",
        )  # fmt: skip


class IntervalResponse(serializers.Serializer[Any]):
    mean = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    n = serializers.IntegerField(help_text="Number of questions with a value.")


class CardResponse(serializers.Serializer[Any]):
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="Number of questions by state."
    )
    outcomes = serializers.DictField(child=serializers.IntegerField())
    measures = serializers.DictField(child=IntervalResponse(), help_text="Mean and 95 % interval.")
    latency_ms = serializers.DictField(child=serializers.FloatField(), help_text="p50 and p95.")
    tokens = serializers.DictField(child=serializers.FloatField())
    not_run = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="For each measure, why it has no value and for how many questions.",
    )
    selective = serializers.DictField(help_text="Measures of refusals.")
    judged_by = serializers.ListField(child=serializers.DictField())


class RunDetails(RunListed):
    started_with = serializers.DictField(
        source="frozen", help_text="Configuration, models, prompts, corpus, seed and budget."
    )
    card = serializers.SerializerMethodField(
        help_text="The result card; null for an unfinished run with many questions."
    )

    class Meta(RunListed.Meta):
        fields = (*RunListed.Meta.fields, "started_with", "card")  # type: ignore[assignment]

    @extend_schema_field(CardResponse(allow_null=True))
    def get_card(self, run: QuestionRun) -> dict[str, Any] | None:
        card = card_shown(run)
        return card.as_json() if card else None


class OfRuns(OfEvaluations):
    right_to_read = "evaluation.view_questionrun"
    right_to_write = "evaluation.add_questionrun"


class EvaluationsView(OfRuns, GenericAPIView[QuestionRun]):
    serializer_class = RunListed
    pagination_class = Latest

    @extend_schema(
        operation_id="evaluations",
        summary="List question runs",
        description="The latest first, for users who may view question runs in the administration.",
        parameters=[PageRequest],
        responses={200: RunListed(many=True), **problems(400, *NOT_FOUND)},
        examples=[*EXAMPLES["RUNS"], *examples.of("FORBIDDEN", "PROBLEMS")],
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        valid(PageRequest(data=request.query_params.dict()))
        page = self.paginate_queryset(question_runs_listed())
        record_read(user, "evaluations", subject=f"user:{user.pk}")
        return self.get_paginated_response(RunListed(page or [], many=True).data)

    @extend_schema(
        operation_id="evaluation_start",
        summary="Start a question run",
        description="Queues a run, which a worker executes with what is open to all. `Location` "
        "is its address: read it until `state` is `done`.",
        request=StartRequest,
        responses={202: RunListed, **problems(*BODY, *CONFLICT)},
        examples=[*EXAMPLES["RUN_START"], *examples.of("FORBIDDEN", "PROBLEMS")],
    )
    def post(self, request: Request) -> Response:
        user, start = user_of(request), StartRequest(data=request.data)
        fields = valid(start)
        try:
            run = question_run_create(fields["question_set"], start.order(), by=user)
        except RunError as error:
            raise Refused(error.sentence, HTTPStatus.CONFLICT) from error
        history_begin(run, by=user)
        address = request.build_absolute_uri(reverse("evaluation_api:evaluation", args=[run.pk]))
        shown = RunListed(question_runs_listed().get(pk=run.pk)).data
        return Response(shown, HTTPStatus.ACCEPTED, headers={"Location": address})


class EvaluationView(OfRuns):
    @extend_schema(
        operation_id="evaluation",
        summary="Read a question run with its result card",
        description="Figures only; questions and answers are shown in the administration.",
        responses={200: RunDetails, **problems(*NOT_FOUND)},
        examples=[*EXAMPLES["RUN"], *examples.of("FORBIDDEN", "NOT_FOUND", "PROBLEMS")],
    )
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(question_runs_listed(), pk=pk)
        record_read(user_of(request), "evaluation", subject=f"question_run:{run.pk}")
        return Response(RunDetails(run).data)
