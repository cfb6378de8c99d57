"""Show the result of each question of a run, the worst first."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.options import ShowFacets
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F, QuerySet
from django.db.models.expressions import OrderBy
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from chat.models import Reason
from evaluation.admin.filters import measure_column, measure_filter, two_places
from evaluation.admin.frame import EvaluationAdmin
from evaluation.measures.measure import FORMULAS, MEASURES
from evaluation.models import QuestionResult, QuestionRun
from evaluation.question_runs.card_words import in_words, judge_lines
from evaluation.question_runs.items import option_words
from evaluation.question_runs.selectors import (
    LISTED_MEASURES,
    may_read_answers,
    results_listed,
    shown_claims,
)

SIDES = "admin/evaluation/questionresult/_sides.html"
RETRIEVED = "admin/evaluation/questionresult/_retrieved.html"
PARTS = "admin/evaluation/questionresult/_parts.html"


def items_by(run: QuestionRun, measure: str = "") -> str:
    """Return the address of a run's items, the worst first by a measure, or by all of them."""
    query = {"run__id__exact": run.pk}
    if measure:
        names = [getattr(each, "__name__", each) for each in QuestionResultAdmin.list_display]
        query["o"] = names.index(measure)
    return f"{reverse('admin:evaluation_questionresult_changelist')}?{urlencode(query)}"


@admin.register(QuestionResult)
class QuestionResultAdmin(EvaluationAdmin[QuestionResult]):
    list_display = ("item", "question_start", "outcome", *map(measure_column, LISTED_MEASURES),
                    "state", "confidence", "seconds", "run")  # fmt: skip
    list_display_links = ("item", "question_start")
    list_filter = ("outcome", "state", "question__kind", "run",
                   *map(measure_filter, LISTED_MEASURES))  # fmt: skip
    search_fields = ("=question__key", "question__question")
    show_facets = ShowFacets.NEVER  # a run may have 200,000 items
    fields = ("run", "item", "asked", "state", "outcome", "failure", "sides", "retrieved",
              "explained", "scored", "not_run", "judges", "attempts", "duration_ms", "judged_ms",
              "tokens")  # fmt: skip
    readonly_fields = ("item", "asked", "sides", "retrieved", "explained", "scored", "not_run",
                       "judges")  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionResult]:
        return results_listed()

    def get_ordering(self, request: HttpRequest) -> tuple[str | OrderBy, ...]:
        """Order by faults shown by patterns or label, then by the lowest measure of an item.

        The columns of the measures order by any one of them.
        """
        return ("badness", F("lowest").asc(nulls_last=True), "-run", "place")

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add a link to the turn for users who may view turns."""
        may_view = request.user.has_perm("chat.view_turn")
        return (*self.list_display, "turn_link") if may_view else self.list_display

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **named: Any
    ) -> HttpResponse:
        """Remember the viewer, who may not be permitted the passages that the run's asker saw."""
        context["original"].viewer = request.user
        return super().render_change_form(request, context, *arguments, **named)

    @admin.display(description="item", ordering="place")
    def item(self, result: QuestionResult) -> str:
        return result.question.key

    @admin.display(description="question")
    def question_start(self, result: QuestionResult) -> str:
        return Truncator(result.question.question).chars(90)

    @admin.display(description="confidence")
    def confidence(self, result: QuestionResult) -> str:
        return two_places(result.scores.get("confidence"))

    @admin.display(description="seconds", ordering="duration_ms")
    def seconds(self, result: QuestionResult) -> str:
        return "-" if result.duration_ms is None else f"{result.duration_ms / 1000:.2f}"

    @admin.display(description="answer")
    def turn_link(self, result: QuestionResult) -> SafeString | str:
        if result.turn_id is None:
            return "-"
        address = reverse("admin:chat_turn_change", args=[result.turn_id])
        return format_html('<a href="{}">Stored turn</a>', address)

    @admin.display(description="question")
    def asked(self, result: QuestionResult) -> SafeString:
        question = result.question
        texts = [*question.before, question.question, *question.options]
        return format_html_join("", "<p>{}</p>", ((text,) for text in texts))

    @admin.display(description="side by side")
    def sides(self, result: QuestionResult) -> SafeString:
        viewer = _viewer(result)
        is_open = may_read_answers(result.run, viewer)
        question, alone = result.question, result.detail.get("alone")
        context: dict[str, Any] = {"question": question, "is_closed": not is_open}
        if not is_open:
            return render_to_string(SIDES, {**context, "asker": result.run.asker})
        reason = result.detail.get("reason")
        context |= {
            "reason": str(Reason(reason).label) if reason else "",
            "option": option_words(question, result.detail.get("option", "")),
            "alone": alone and {**alone, "option": option_words(question, alone["option"])},
            "claims": shown_claims(result),
            "excerpts": result.detail.get("excerpts", []),
        }
        if result.turn_id and viewer.has_perm("chat.view_turn"):
            context["address"] = reverse("admin:chat_turn_change", args=[result.turn_id])
        return render_to_string(SIDES, context)

    @admin.display(description="retrieved passages")
    def retrieved(self, result: QuestionResult) -> SafeString | str:
        passages = result.detail.get("retrieved")
        if not passages or not may_read_answers(result.run, _viewer(result)):
            return "-"
        return render_to_string(RETRIEVED, {"passages": passages})

    @admin.display(description="what each score is made of")
    def explained(self, result: QuestionResult) -> SafeString | str:
        parts = result.detail.get("parts")
        if not parts or not may_read_answers(result.run, _viewer(result)):
            return "-"
        measures = [
            (in_words(name), two_places(result.scores.get(name)), FORMULAS[name], parts[name])
            for name in MEASURES
            if name in parts
        ]
        return render_to_string(PARTS, {"measures": measures})

    @admin.display(description="scores")
    def scored(self, result: QuestionResult) -> SafeString | str:
        rows = format_html_join(
            "",
            '<tr><th scope="row">{}</th><td>{}</td></tr>',
            ((in_words(name), f"{value:.4f}") for name, value in sorted(result.scores.items())),
        )
        return format_html("<table>{}</table>", rows) if result.scores else "-"

    @admin.display(description="judged by")
    def judges(self, result: QuestionResult) -> SafeString | str:
        lines = judge_lines(result.detail.get("judged_by") or ())
        return format_html_join("", "<p>{}</p>", ((line,) for line in lines)) or "-"

    @admin.display(description="no value")
    def not_run(self, result: QuestionResult) -> SafeString | str:
        reasons = result.detail.get("not_run") or {}
        rows = ((in_words(name), why) for name, why in reasons.items())
        return format_html_join("", "<p>{}: {}</p>", rows) if reasons else "-"


def _viewer(result: QuestionResult) -> User | AnonymousUser:
    viewer: User | AnonymousUser = getattr(result, "viewer", AnonymousUser())
    return viewer
