"""Where corpus staff work: upload, watch, check, publish, withdraw."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus import admin_decisions as decisions
from corpus.admin_progress import JobCell
from corpus.admin_upload import upload
from corpus.models import Collection, Document, Page
from corpus.parsing.types import BlockKind
from corpus.selectors import documents_for_list, worker_is_alive

if TYPE_CHECKING:
    DocumentModelAdmin = admin.ModelAdmin[Document]
    CollectionModelAdmin = admin.ModelAdmin[Collection]
    DocumentForm = ModelForm[Document]
else:
    DocumentModelAdmin = CollectionModelAdmin = admin.ModelAdmin
    DocumentForm = ModelForm

PREVIEWED = 25  # pages and passages on the page of a document
IN_CONTEXT = {"title", "population"}  # indexed with every passage


class ReviewDueFilter(admin.SimpleListFilter):
    title = "review"
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("due", "Past its review date"), ("soon", "Due within 90 days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> QuerySet[Document]:
        today = timezone.localdate()
        if self.value() == "due":
            return queryset.filter(review_by__lt=today)
        if self.value() == "soon":
            soon = today + datetime.timedelta(days=90)
            return queryset.filter(review_by__range=(today, soon))
        return queryset


@admin.register(Document)
class DocumentAdmin(DocumentModelAdmin):
    change_list_template = "admin/corpus/document/list.html"
    list_display = (
        "titled",
        "collection",
        "lifecycle_cell",
        "job_cell",
        "pages",
        "review",
        "origin",
    )
    list_filter = ("lifecycle", "job__state", "collection", ReviewDueFilter)
    list_per_page = 100
    search_fields = ("title", "filename", "issuer", "sha256")
    show_full_result_count = False
    actions = ("publish", "supersede", "withdraw", "submit", "retry", "reindex")
    fieldsets = (
        (None, {"fields": ("title", "collection", "version", "issuer", "authority")}),
        ("In force", {"fields": ("lifecycle_text", "effective_from", "review_by")}),
        ("About", {"fields": ("population", "specialty", "language", "source_url", "licence")}),
        ("Reading and indexing", {"fields": ("job_cell", "attempts", "indexed_at", "engine")}),
        ("What was read", {"fields": ("pages_preview", "passages_preview")}),
        ("File", {"fields": ("file_link", "media_type", "size_bytes", "sha256", "origin")}),
    )
    readonly_fields = (
        "lifecycle_text", "job_cell", "attempts", "indexed_at", "engine", "pages_preview",
        "passages_preview", "file_link", "media_type", "size_bytes", "sha256", "origin",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        return documents_for_list().select_related("superseded_by", "published_by")

    def get_urls(self) -> list[URLPattern]:
        guarded = self.admin_site.admin_view(self.progress_view)
        return [path("progress/", guarded, name="corpus_document_progress"), *super().get_urls()]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        return upload(self, request)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"worker_is_alive": worker_is_alive(), **(extra_context or {})}
        return super().changelist_view(request, context)

    def progress_view(self, request: HttpRequest) -> HttpResponse:
        """The states of `?pk=...` as fragments; it asks to be called again while one is at work."""
        wanted = [pk for pk in request.GET.getlist("pk")[:200] if pk.isdecimal()]
        cells = [JobCell.of(document) for document in documents_for_list().filter(pk__in=wanted)]
        active = [cell.document for cell in cells if cell.is_active]
        context = {"cells": cells, "active": active}
        return render(request, "admin/corpus/document/_progress.html", context)

    def has_delete_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        return False  # answers cite it: it is withdrawn instead

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("corpus.publish_document")

    def save_model(
        self, request: HttpRequest, obj: Document, form: DocumentForm, change: bool
    ) -> None:
        """Write what was edited and nothing else: a worker may be writing the rest."""
        obj.save(update_fields=form.changed_data)
        if IN_CONTEXT & set(form.changed_data):
            text = "Search still knows the old title or population until it is read again."
            self.message_user(request, text, messages.WARNING)

    @admin.action(description="Publish…", permissions=["publish"])
    def publish(
        self, request: HttpRequest, queryset: QuerySet[Document]
    ) -> TemplateResponse | None:
        return decisions.decide(self, request, queryset, decisions.PUBLISH)

    @admin.action(description="Mark as superseded…", permissions=["publish"])
    def supersede(
        self, request: HttpRequest, queryset: QuerySet[Document]
    ) -> TemplateResponse | None:
        return decisions.decide(self, request, queryset, decisions.SUPERSEDE)

    @admin.action(description="Withdraw…", permissions=["publish"])
    def withdraw(
        self, request: HttpRequest, queryset: QuerySet[Document]
    ) -> TemplateResponse | None:
        return decisions.decide(self, request, queryset, decisions.WITHDRAW)

    @admin.action(description="Send to review", permissions=["change"])
    def submit(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        decisions.take_step(self, request, list(queryset), decisions.SUBMIT, {})

    @admin.action(description="Retry what failed", permissions=["change"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        decisions.take_step(self, request, list(queryset), decisions.RETRY, {})

    @admin.action(description="Read again from the file", permissions=["change"])
    def reindex(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        decisions.take_step(self, request, list(queryset), decisions.REINDEX, {})

    # Cells and fields

    @admin.display(description="lifecycle", ordering="lifecycle")
    def lifecycle_cell(self, document: Document) -> str:
        state = document.lifecycle
        return format_html(
            '<span class="state {}">{}</span>', state.lower(), document.get_lifecycle_display()
        )

    @admin.display(description="job")
    def job_cell(self, document: Document) -> SafeString:
        return _rendered("_job.html", cell=JobCell.of(document))

    @admin.display(description="title", ordering="title")
    def titled(self, document: Document) -> str:
        return str(document)

    @admin.display(description="pages", ordering="page_count")
    def pages(self, document: Document) -> int:
        return document.page_count

    @admin.display(description="review by", ordering="review_by")
    def review(self, document: Document) -> str:
        if document.review_by is None:
            return "-"
        due = document.is_review_due(timezone.localdate())
        day = date_format(document.review_by, "j M Y")
        return format_html('<span class="{}">{}</span>', "due" if due else "", day)

    @admin.display(description="lifecycle")
    def lifecycle_text(self, document: Document) -> SafeString:
        return _rendered("_lifecycle.html", document=document)

    @admin.display(description="attempts")
    def attempts(self, document: Document) -> int:
        return document.job.attempts

    @admin.display(description="uploaded", ordering="uploaded_at")
    def origin(self, document: Document) -> SafeString:
        return _rendered("_origin.html", document=document)

    @admin.display(description="original")
    def file_link(self, document: Document) -> str:
        address = reverse("chat:original", args=[document.sha256])
        return format_html('<a href="{}">{}</a>', address, document.filename)

    @admin.display(description="pages")
    def pages_preview(self, document: Document) -> SafeString:
        pages = [(page, _tables_on(page)) for page in document.pages.all()[:PREVIEWED]]
        return _rendered("_pages.html", document=document, pages=pages, count=document.page_count)

    @admin.display(description="passages")
    def passages_preview(self, document: Document) -> SafeString:
        chunks = document.chunks.defer("embedding", "search_vector")
        count, first = chunks.count(), chunks[:PREVIEWED]
        return _rendered("_passages.html", document=document, chunks=first, count=count)


@admin.register(Collection)
class CollectionAdmin(CollectionModelAdmin):
    list_display = ("name", "slug", "documents_in_it", "owner_name", "owner_contact")
    search_fields = ("name", "slug", "owner_name")
    prepopulated_fields = {"slug": ("name",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Collection]:
        return super().get_queryset(request).annotate(size=Count("documents"))

    @admin.display(description="documents", ordering="size")
    def documents_in_it(self, collection: Collection) -> int:
        return int(getattr(collection, "size", 0))


def _tables_on(page: Page) -> int:
    return sum(block["kind"] == BlockKind.TABLE for block in page.blocks)


def _rendered(template: str, **context: Any) -> SafeString:
    return render_to_string(f"admin/corpus/document/{template}", context)
