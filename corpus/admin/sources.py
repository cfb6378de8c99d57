"""Show watched sources: when each was looked at, what went wrong, and what is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from core.errors import MedragError
from corpus.admin.decisions import signed_in_user
from corpus.models import Source
from corpus.sources.looking import may_want, source_want
from corpus.sources.settling import may_settle, source_answer, source_file_settle
from corpus.staff_selectors import source_notes, sources_visible

if TYPE_CHECKING:
    SourceModelAdmin = admin.ModelAdmin[Source]
else:
    SourceModelAdmin = admin.ModelAdmin

_SHOWN = 500  # files with a fault, or gone, on the page of a source


@admin.register(Source)
class SourceAdmin(SourceModelAdmin):
    """Read-only: a file names the sources, and the worker looks at them."""

    list_display = ("name", "collection", "looked_at", "fault", "files_of_it", "faults", "gone")
    list_select_related = ("collection",)
    fields = readonly_fields = ("name", "collection", "looked_at", "fault", "files_of_it")
    change_list_template = "admin/corpus/source/change_list.html"
    change_form_template = "admin/corpus/source/change.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Source]:
        present = Q(files__gone_at=None)
        return sources_visible(signed_in_user(request)).annotate(
            present=Count("files", filter=present),
            faulty=Count("files", filter=present & ~Q(files__fault="")),
            missing=Count("files", filter=~present & Q(files__let_go_at=None)),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Source | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Source | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        look = self.admin_site.admin_view(self.look_now)
        answer = self.admin_site.admin_view(self.answer)
        settle = self.admin_site.admin_view(self.settle)
        return [
            path("<int:pk>/look/", look, name="corpus_source_look"),
            path("<int:pk>/answer/", answer, name="corpus_source_answer"),
            path("<int:pk>/files/<int:file_pk>/settle/", settle, name="corpus_source_settle"),
            *super().get_urls(),
        ]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        source: Source = kwargs["obj"]
        user = signed_in_user(request)
        settled = Q(fault="", moved_from="") & (Q(gone_at=None) | Q(let_go_at__isnull=False))
        context |= {
            "files": source.files.exclude(settled)[:_SHOWN],
            "notes": source_notes(source),
            "may_look": may_want(user, source),
            "may_settle": may_settle(user, source),
        }
        return super().render_change_form(request, context, *args, **kwargs)

    def look_now(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Have the worker look at the source now."""
        source = self._posted_to(request, pk)
        source_want(source, by=signed_in_user(request))
        messages.success(request, f"{source} is looked at as soon as a worker is free.")
        return HttpResponseRedirect(reverse("admin:corpus_source_change", args=[pk]))

    def answer(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Withdraw what is gone from the source, or keep it in force."""
        source = self._posted_to(request, pk)
        withdraw, asked = bool(request.POST.get("withdraw")), request.POST.get("asked", "")
        user = signed_in_user(request)
        try:
            count = source_answer(source, by=user, asked=asked, withdraw=withdraw)
            told = f"{count} withdrawn." if withdraw else "What is gone stays in force."
            messages.success(request, told)
        except MedragError as error:
            messages.error(request, error.sentence)
        return HttpResponseRedirect(reverse("admin:corpus_source_change", args=[pk]))

    def settle(self, request: HttpRequest, pk: int, file_pk: int) -> HttpResponse:
        """Tell no more that a file is gone or moved."""
        file = get_object_or_404(self._posted_to(request, pk).files, pk=file_pk)
        try:
            source_file_settle(file, by=signed_in_user(request))
            messages.success(request, f"{file} is told no more, until it changes.")
        except MedragError as error:
            messages.error(request, error.sentence)
        return HttpResponseRedirect(reverse("admin:corpus_source_change", args=[pk]))

    def _posted_to(self, request: HttpRequest, pk: int) -> Source:
        if request.method != "POST":
            raise PermissionDenied
        return get_object_or_404(sources_visible(signed_in_user(request)), pk=pk)

    @admin.display(description="files", ordering="present")
    def files_of_it(self, source: Source) -> int:
        return int(getattr(source, "present", 0))

    @admin.display(description="not taken in", ordering="faulty")
    def faults(self, source: Source) -> int:
        return int(getattr(source, "faulty", 0))

    @admin.display(description="gone at their source", ordering="missing")
    def gone(self, source: Source) -> int:
        return int(getattr(source, "missing", 0))
