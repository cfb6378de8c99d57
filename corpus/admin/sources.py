"""Show watched sources: when each was looked at, what went wrong, and what is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from corpus.admin.decisions import signed_in_user
from corpus.models import Source
from corpus.sources.looking import may_want, source_want
from corpus.staff_selectors import sources_visible

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
            missing=Count("files", filter=~present),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Source | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Source | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        look = self.admin_site.admin_view(self.look_now)
        return [path("<int:pk>/look/", look, name="corpus_source_look"), *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        source: Source = kwargs["obj"]
        files = source.files.exclude(fault="", gone_at=None)[:_SHOWN]
        context |= {"files": files, "may_look": may_want(signed_in_user(request), source)}
        return super().render_change_form(request, context, *args, **kwargs)

    def look_now(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Have the worker look at the source now."""
        if request.method != "POST":
            raise PermissionDenied
        user = signed_in_user(request)
        source = get_object_or_404(sources_visible(user), pk=pk)
        source_want(source, by=user)
        messages.success(request, f"{source} is looked at as soon as a worker is free.")
        return HttpResponseRedirect(reverse("admin:corpus_source_change", args=[pk]))

    @admin.display(description="files", ordering="present")
    def files_of_it(self, source: Source) -> int:
        return int(getattr(source, "present", 0))

    @admin.display(description="not taken in", ordering="faulty")
    def faults(self, source: Source) -> int:
        return int(getattr(source, "faulty", 0))

    @admin.display(description="gone at their source", ordering="missing")
    def gone(self, source: Source) -> int:
        return int(getattr(source, "missing", 0))
