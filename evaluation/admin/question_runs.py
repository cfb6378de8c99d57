"""Let evaluators start, cancel and resume question runs, and show them to all with the right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from chat.admin.read_only import only_post, pretty
from core.errors import MedragError
from core.exports import FORMS, JSON_LINES, exported
from evaluation.admin.filters import measure_column, measure_filter
from evaluation.admin.frame import AddedByForm
from evaluation.admin.question_results import items_by
from evaluation.choices import accuracy
from evaluation.measures.configured import judging_endpoint
from evaluation.measures.measure import MEASURES
from evaluation.measures.ragas_judge import RAGAS_STANDARD
from evaluation.models import QuestionRun, QuestionSet, RunState
from evaluation.question_runs.card_words import (
    SEMANTICS,
    card_sentence,
    cost_lines,
    in_words,
    judge_lines,
    measure_rows,
    selective_rows,
    without_lines,
)
from evaluation.question_runs.comparing import SAME_SETTINGS, runs_of_questions_compared
from evaluation.question_runs.comparing import SEMANTICS as SEMANTICS_OF_COMPARISON
from evaluation.question_runs.export import item_rows, run_rows
from evaluation.question_runs.freezing import Budget, RunOrder
from evaluation.question_runs.measuring import judged_measures
from evaluation.question_runs.plots import plots_svg, trend_svg
from evaluation.question_runs.result_card import Card
from evaluation.question_runs.selectors import (
    LISTED_MEASURES,
    card_read,
    card_shown,
    has_unjudged,
    may_read_answers,
    question_runs_listed,
    rows_of,
    run_progress,
    trend_of,
)
from evaluation.question_runs.services import (
    question_run_cancel,
    question_run_create,
    question_run_measure_again,
    question_run_resume,
)
from evaluation.tables import comparison_rows

ACTIVE = (RunState.PENDING, RunState.RUNNING)
MAX_MOVED = 200  # items named in a comparison
STEER = "evaluation.change_questionrun"


class QuestionRunForm(forms.Form):
    """What to ask, how many questions, and what to measure."""

    question_set = forms.ModelChoiceField(QuestionSet.objects.all())
    name = forms.CharField(
        max_length=200, required=False, help_text="If empty, the name of the set"
    )
    limit = forms.IntegerField(
        min_value=0, initial=100, help_text="Number of questions, sampled by the seed; 0 for all"
    )
    seed = forms.IntegerField(initial=0)
    model_alone = forms.BooleanField(
        label="Also ask the model alone",
        required=False,
        help_text="Ask the language model that writes answers the labelled questions, without "
        "evidence",
    )
    budget_s = forms.FloatField(
        label="Budget in seconds",
        min_value=0,
        initial=0,
        help_text="Most seconds of answering; 0 for no limit",
    )
    measures = forms.MultipleChoiceField(
        required=False,
        choices=[(name, in_words(name)) for name in MEASURES],
        initial=MEASURES,
        widget=forms.CheckboxSelectMultiple,
        help_text="In addition to those that every run has. RAGAS measures need [judge] in "
        "MEDRAG_MODELS",
    )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        judge = judging_endpoint()
        sentence = f"Judge: {judge.model}" if judge else "No judge is configured"
        measures = self.fields["measures"]
        measures.help_text = f"{measures.help_text}. {sentence}"

    def order(self) -> RunOrder:
        given: dict[str, Any] = self.cleaned_data
        return RunOrder(
            name=given["name"],
            limit=given["limit"],
            seed=given["seed"],
            measures=tuple(given["measures"]),
            budget=Budget(seconds=given["budget_s"]),
            model_alone=given["model_alone"],
        )


# By the last part of its address: what is done to a run, and the message about it.
_STEERING: dict[str, tuple[Callable[[QuestionRun], None], str]] = {
    "cancel": (question_run_cancel, "The run ends after the present question."),
    "resume": (question_run_resume, "It goes on."),
    "measure_again": (
        question_run_measure_again,
        "The missing measures are computed. No question is asked again.",
    ),
    "judge_again": (
        partial(question_run_measure_again, is_all=True),
        "All measures are judged again. No question is asked again.",
    ),
}


@admin.register(QuestionRun)
class QuestionRunAdmin(AddedByForm[QuestionRun]):
    list_display = (
        "number",
        "name",
        "question_set",
        "state",
        "progress",
        "answered",
        *map(measure_column, RAGAS_STANDARD),
        "created_at",
        "by",
    )
    list_display_links = ("number", "name")
    list_filter = ("state", "question_set", *map(measure_filter, RAGAS_STANDARD))
    search_fields = ("name", "question_set__name")
    actions = ("compare_two",)
    fields = ("name", "question_set", "state", "note", "progress", "items_link", "card", "asker",
              "by", "created_at", "started_at", "finished_at", "started_with")  # fmt: skip
    readonly_fields = ("progress", "items_link", "card", "started_with")

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionRun]:
        return question_runs_listed()

    @admin.display(description="number", ordering="pk")
    def number(self, run: QuestionRun) -> int:
        return run.pk

    @admin.display(description="items")
    def progress(self, run: QuestionRun) -> str:
        counted = run_progress(run)
        sentence = f"{counted.ended} of {counted.items} ({counted.percent} %)"
        if run.state in ACTIVE and counted.rest_s is not None:
            minutes, seconds = divmod(round(counted.rest_s), 60)
            return f"{sentence}, about {minutes}:{seconds:02d} left"
        return sentence

    @admin.display(description="answered")
    def answered(self, run: QuestionRun) -> str:
        share = run.metrics.get("measures", {}).get("answered")
        return f"{share['mean']:.1%}" if share else "-"

    @admin.display(description="each item")
    def items_link(self, run: QuestionRun) -> SafeString:
        """Link to the items, the worst first by each measure that the run has."""
        measures = run.metrics.get("measures", {})
        by = [name for name in LISTED_MEASURES if name in measures]
        links = [(items_by(run), "Items, the worst first")]
        links += [(items_by(run, name), f"by {in_words(name)}") for name in by]
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    @admin.display(description="result card")
    def card(self, run: QuestionRun) -> SafeString | str:
        card = card_shown(run)
        if card is None:
            return "The result card is created when the run ends."
        context = _card_context(card) | {"run": run}
        return render_to_string("admin/evaluation/questionrun/_card.html", context)

    @admin.display(description="started with")
    def started_with(self, run: QuestionRun) -> SafeString:
        return pretty(run.frozen)

    @admin.action(description="Compare the two chosen", permissions=["view"])
    def compare_two(
        self, request: HttpRequest, chosen: QuerySet[QuestionRun]
    ) -> HttpResponse | None:
        pks = sorted(chosen.order_by().values_list("pk", flat=True))
        if len(pks) != 2:
            messages.error(request, "Choose exactly two runs to compare.")
            return None
        return redirect("admin:evaluation_questionrun_compare", *pks)

    def compare(self, request: HttpRequest, first: int, second: int) -> HttpResponse:
        """Show the second run less the first, over the items that both asked."""
        runs = [self.row_viewed(request, pk) for pk in (first, second)]
        try:
            compared = runs_of_questions_compared(*runs)
        except MedragError as error:
            messages.error(request, error.sentence)
            return redirect("admin:evaluation_questionrun_changelist")
        return self.page(
            request,
            "compare",
            title="Two runs compared",
            first=runs[0],
            second=runs[1],
            found=compared,
            rows=[(in_words(name), *row) for name, *row in comparison_rows(compared.differences)],
            left_out=[
                f"Left out, {why}: {', '.join(map(in_words, names))}."
                for why, names in compared.left_out.items()
            ],
            moved=compared.moved[:MAX_MOVED],
            same_settings=SAME_SETTINGS,
            semantics=SEMANTICS_OF_COMPARISON,
        )

    def plots(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the diagrams of a run, as SVG."""
        run = self.row_viewed(request, pk)
        picture = plots_svg(card_read(run), list(rows_of(run)))
        return HttpResponse(picture, content_type="image/svg+xml")

    def trend(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the standard measures over the runs of the same set, as SVG."""
        picture = trend_svg(trend_of(self.row_viewed(request, pk)))
        return HttpResponse(picture, content_type="image/svg+xml")

    def export(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Return the run and each item as JSON lines, and log the export in the run's history.

        With `items` posted, only the items, so that RAGAS can read the file.
        """
        if request.method != "POST":
            return only_post()
        run = self.row_viewed(request, pk)
        if not may_read_answers(run, request.user):
            raise PermissionDenied
        self.log_change(request, run, "Exported.")
        name, rows = (
            ("items", item_rows(run)) if "items" in request.POST else ("run", run_rows(run))
        )
        headers = {"Content-Disposition": f'attachment; filename="{name}-{run.pk}.jsonl"'}
        lines = exported(rows, JSON_LINES)
        return StreamingHttpResponse(lines, content_type=FORMS[JSON_LINES], headers=headers)

    def get_urls(self) -> list[URLPattern]:
        views: dict[str, Callable[..., HttpResponseBase]] = {
            "plots": self.plots,
            "trend": self.trend,
            "export": self.export,
        }
        for name, (service, done) in _STEERING.items():
            views[name] = partial(self.steered, right=STEER, service=service, done=done)
        compare = path(
            "compare/<int:first>/<int:second>/",
            self.admin_site.admin_view(self.compare),
            name="evaluation_questionrun_compare",
        )
        own = [
            path(
                f"<int:pk>/{name}/",
                self.admin_site.admin_view(view),
                name=f"evaluation_questionrun_{name}",
            )
            for name, view in views.items()
        ]
        return [compare, *own, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, which reloads itself while a run is active."""
        is_active = QuestionRun.objects.filter(state__in=ACTIVE).exists()
        return super().changelist_view(request, {**(extra_context or {}), "is_active": is_active})

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **named: Any
    ) -> HttpResponse:
        run: QuestionRun = context["original"]
        context["is_active"] = run.state in ACTIVE
        context["may_export"] = may_read_answers(run, request.user)
        may_steer = request.user.has_perm(STEER)
        is_done = run.state == RunState.DONE
        context["may_steer"] = may_steer and not is_done
        context["may_judge_again"] = (
            may_steer and is_done and bool(judged_measures(run.frozen["measures"]))
        )
        context["may_measure_again"] = may_steer and is_done and has_unjudged(run)
        return super().render_change_form(request, context, *arguments, **named)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form, with its errors, or the run that it started."""
        initial = {"question_set": request.GET.get("question_set", "")}
        form = QuestionRunForm(request.POST or None, initial=initial)

        def started(by: User) -> QuestionRun:
            given: QuestionSet = form.cleaned_data["question_set"]
            return question_run_create(given, form.order(), by=by)

        return self.by_form(request, "start", "Start a run", form, started)

    def announce(self, request: HttpRequest, added: QuestionRun) -> None:
        messages.success(request, f"Run {added} is started. Questions: {added.frozen['items']}.")


def _card_context(card: Card) -> dict[str, Any]:
    return {
        "has_trend": any(name in card.measures for name in RAGAS_STANDARD),
        "sentence": card_sentence(card),
        "rows": list(measure_rows(card)),
        "costs": list(cost_lines(card)),
        "without": without_lines(card),
        "selective": selective_rows(card.selective),
        "judged_by": list(judge_lines(card.judged_by)),
        "accuracies": [each.cells for each in card.accuracies],
        "accuracies_head": accuracy.HEAD,
        "accuracies_semantics": accuracy.SEMANTICS,
        "semantics": SEMANTICS,
    }
