"""Read the items of a question run over the API, with what each score is made of."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.guarded import NOT_FOUND, problems, record_read, user_of, valid
from chat.api.pages import ByNumber, PageRequest
from evaluation.api.guarded import EXAMPLES, OfEvaluations
from evaluation.measures.ragas_judge import RAGAS_STANDARD
from evaluation.models import QuestionResult, QuestionRun, ResultOutcome, ResultState
from evaluation.question_runs.export import ragas_columns
from evaluation.question_runs.selectors import may_read_answers


class ContextResponse(serializers.Serializer[Any]):
    key = serializers.CharField()
    place = serializers.CharField(help_text="Title and page.")
    cosine = serializers.FloatField(allow_null=True, help_text="To the question.")
    text = serializers.CharField(help_text="As the index held it when the question was asked.")


class PartResponse(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="What was judged.")
    verdict = serializers.CharField()
    reason = serializers.CharField(help_text="In the judge's words, or by which text.")


class ItemResponse(serializers.ModelSerializer[QuestionResult]):
    """An item; `answer`, `contexts`, `verdicts` and `turn` only for readers of the answers."""

    key = serializers.CharField(source="question.key")
    question = serializers.CharField(source="question.question")
    reference = serializers.SerializerMethodField(help_text="The expected answer; may be empty.")
    state = serializers.ChoiceField(choices=ResultState.choices)
    outcome = serializers.ChoiceField(
        choices=ResultOutcome.choices, allow_blank=True, help_text="Empty before it was asked."
    )
    scores = serializers.SerializerMethodField(
        help_text="Value of each measure. RAGAS's four are always named, null without a value."
    )
    not_run = serializers.SerializerMethodField(help_text="Why a measure has no value.")
    answer = serializers.SerializerMethodField(help_text="Empty after a refusal.")
    contexts = serializers.SerializerMethodField(help_text="The retrieved passages, best first.")
    verdicts = serializers.SerializerMethodField(help_text="What was judged, by measure.")
    judged_by = serializers.SerializerMethodField()
    turn = serializers.SerializerMethodField(help_text="The stored turn.")

    class Meta:
        model = QuestionResult
        fields = (
            "place", "key", "question", "reference", "state", "outcome", "scores", "not_run",
            "answer", "contexts", "verdicts", "judged_by", "turn", "failure",
        )  # fmt: skip

    @property
    def _is_open(self) -> bool:
        return bool(self.context["is_open"])

    def get_reference(self, result: QuestionResult) -> str:
        return ragas_columns(result)["reference"] or ""

    @extend_schema_field(serializers.DictField(child=serializers.FloatField(allow_null=True)))
    def get_scores(self, result: QuestionResult) -> dict[str, float | None]:
        return {**dict.fromkeys(RAGAS_STANDARD), **result.scores}

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_not_run(self, result: QuestionResult) -> dict[str, str]:
        return result.detail.get("not_run") or {}

    def get_answer(self, result: QuestionResult) -> str | None:
        return (ragas_columns(result)["response"] or "") if self._is_open else None

    @extend_schema_field(ContextResponse(many=True, allow_null=True))
    def get_contexts(self, result: QuestionResult) -> list[dict[str, Any]] | None:
        return (result.detail.get("retrieved") or []) if self._is_open else None

    @extend_schema_field(serializers.DictField(child=PartResponse(many=True), allow_null=True))
    def get_verdicts(self, result: QuestionResult) -> dict[str, Any] | None:
        return (result.detail.get("parts") or {}) if self._is_open else None

    @extend_schema_field(serializers.ListField(child=serializers.DictField()))
    def get_judged_by(self, result: QuestionResult) -> list[dict[str, Any]]:
        return result.detail.get("judged_by") or []

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_turn(self, result: QuestionResult) -> str | None:
        return str(result.turn_id) if result.turn_id and self._is_open else None


class InOrderOfSet(ByNumber):
    ordering: Any = ("place",)


class ItemsView(OfEvaluations, GenericAPIView[QuestionResult]):
    right_to_read = "evaluation.view_questionresult"
    serializer_class = ItemResponse
    pagination_class = InOrderOfSet

    @extend_schema(
        operation_id="evaluation_items",
        summary="List the items of a question run",
        description="In the order of the set, each with its scores, the retrieved passages and "
        "what was judged. `answer`, `contexts`, `verdicts` and `turn` are null for users other "
        "than the run's asker and auditors, if the run had the rights of an asker.",
        parameters=[PageRequest],
        responses={200: ItemResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=[*EXAMPLES["ITEMS"], *examples.of("FORBIDDEN", "NOT_FOUND", "PROBLEMS")],
    )
    def get(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        valid(PageRequest(data=request.query_params.dict()))
        run = get_object_or_404(QuestionRun, pk=pk)
        page = self.paginate_queryset(run.results.select_related("question")) or []
        record_read(user, "evaluation_items", subject=f"question_run:{run.pk}")
        context = {"is_open": may_read_answers(run, user)}
        return self.get_paginated_response(ItemResponse(page, many=True, context=context).data)
