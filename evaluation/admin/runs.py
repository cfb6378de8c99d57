"""Show benchmark runs to all with the right. Only `manage.py evaluate` writes them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from chat.admin.read_only import pretty
from evaluation.admin.frame import EvaluationAdmin
from evaluation.models import ItemScore, Run, TestSet
from evaluation.selectors import (
    main_measure,
    queries_that_differ,
    run_scores,
    runs_compared,
    runs_listed,
)
from evaluation.tables import comparison_rows

SHOWN = 20  # queries that moved most, in a comparison


@admin.register(TestSet)
class TestSetAdmin(EvaluationAdmin[TestSet]):
    list_per_page = 100
    show_full_result_count = True
    list_display = ("name", "form", "documents", "queries", "judgements", "digest_start")
    list_filter = ("form",)
    search_fields = ("name", "digest")

    @admin.display(description="digest")
    def digest_start(self, test_set: TestSet) -> str:
        return test_set.digest[:16]


@admin.register(Run)
class RunAdmin(EvaluationAdmin[Run]):
    list_display = ("name", "test_set", "main", "recall_100", "p95_ms", "recipe", "finished_at")
    list_filter = ("kind", "test_set", "finished_at")
    search_fields = ("name", "configuration", "test_set__name")
    actions = ("compare_two",)
    exclude = ("metrics", "latency_ms", "index", "fingerprints", "notes")
    readonly_fields = ("measures", "durations", "sizes", "prints", "not_as_configured")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return runs_listed()

    @admin.display(description="main measure")
    def main(self, run: Run) -> str:
        name = main_measure(run)
        return f"{name}: {_spread(run.metrics.get(name))}"

    @admin.display(description="Recall@100")
    def recall_100(self, run: Run) -> str:
        return _spread(run.metrics.get("Recall@100"))

    @admin.display(description="whole search, p95 ms")
    def p95_ms(self, run: Run) -> str:
        whole = run.latency_ms.get("whole")
        return f"{whole['p95']:.1f}" if whole else "-"

    @admin.display(description="measures")
    def measures(self, run: Run) -> SafeString:
        return pretty({name: _spread(found) for name, found in run.metrics.items()})

    @admin.display(description="durations in ms")
    def durations(self, run: Run) -> SafeString:
        return pretty(run.latency_ms)

    @admin.display(description="index")
    def sizes(self, run: Run) -> SafeString:
        return pretty(run.index)

    @admin.display(description="fingerprints")
    def prints(self, run: Run) -> SafeString:
        return pretty(run.fingerprints)

    @admin.display(description="not as configured, queries")
    def not_as_configured(self, run: Run) -> SafeString:
        return pretty(run.notes)

    @admin.action(description="Compare the two chosen", permissions=["view"])
    def compare_two(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse | None:
        chosen = list(queryset.order_by("finished_at", "pk").values_list("pk", flat=True)[:3])
        if len(chosen) != 2:
            messages.error(request, "Choose exactly two runs to compare.")
            return None
        query = urlencode({"first": chosen[0], "second": chosen[1]})
        return HttpResponseRedirect(f"{reverse('admin:evaluation_run_compare')}?{query}")

    def get_urls(self) -> list[URLPattern]:
        own = self.admin_site.admin_view(self.compare)
        return [path("compare/", own, name="evaluation_run_compare"), *super().get_urls()]

    def compare(self, request: HttpRequest) -> HttpResponse:
        """Show the second run less the first by measure, and the queries that moved most."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        first, second = (_run_named(request, name) for name in ("first", "second"))
        try:
            differences = runs_compared(first, second)
        except ValueError as error:
            messages.error(request, f"{error} They can't be compared.")
            return redirect("admin:evaluation_run_changelist")
        measure = main_measure(second)
        moved = queries_that_differ(run_scores(first), run_scores(second), measure=measure)[:SHOWN]
        return self.page(
            request,
            "compare",
            title="Two runs compared",
            first=first,
            second=second,
            rows=list(comparison_rows(differences)),
            moved=[(query, f"{a:.4f}", f"{b:.4f}", f"{b - a:+.4f}") for query, a, b in moved],
            measure=measure,
        )


@admin.register(ItemScore)
class ItemScoreAdmin(EvaluationAdmin[ItemScore]):
    list_display = ("query", "run", "main", "lost")
    readonly_fields = ("shown",)
    exclude = ("detail",)
    list_select_related = ("run",)
    list_per_page = 100
    search_fields = ("=query", "run__name")

    @admin.display(description="main measure")
    def main(self, item: ItemScore) -> str:
        value = item.scores.get(main_measure(item.run))
        return "-" if value is None else f"{value:.4f}"

    @admin.display(description="lost at")
    def lost(self, item: ItemScore) -> str:
        return str(item.detail.get("lost", "")) or "-"

    @admin.display(description="what was shown")
    def shown(self, item: ItemScore) -> SafeString:
        return pretty(item.detail)


def _run_named(request: HttpRequest, parameter: str) -> Run:
    raw = request.GET.get(parameter, "")
    return get_object_or_404(runs_listed(), pk=int(raw) if raw.isdecimal() and len(raw) < 19 else 0)


def _spread(found: dict[str, Any] | None) -> str:
    if not found or not found["n"]:
        return "-"
    return f"{found['mean']:.4f} ({found['low']:.4f} to {found['high']:.4f}, n = {found['n']})"
