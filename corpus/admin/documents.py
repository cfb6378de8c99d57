"""Administer documents: upload, watch, check, publish, withdraw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import ForeignKey, Q, QuerySet
from django.forms import ModelChoiceField, ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.errors import MedragError
from corpus.access import documents_visible, may_publish
from corpus.admin import decisions, review
from corpus.admin import upload as uploads
from corpus.admin.collections import CollectionAdmin
from corpus.admin.filters import (
    AttentionFilter,
    CollectionFilter,
    DoubtFilter,
    JobStateFilter,
    ReviewFilter,
)
from corpus.admin.forms import population_choices
from corpus.admin.pages import address
from corpus.admin.progress import JobCell
from corpus.admin.urls import document_urls
from corpus.encoders import vectors
from corpus.models import Collection, Document, Encoder, EncoderState
from corpus.parsing.registry import reader_name
from corpus.parsing.types import DOCUMENT_ENOUGH
from corpus.review.doubted import documents_with_doubts
from corpus.review.queue import pages_queued
from corpus.review.quotable import quotable_words
from corpus.review.words_found import documents_with_words
from corpus.selectors import worker_faults, worker_is_alive
from corpus.services.metadata import INDEXED, document_edit
from corpus.staff_selectors import (
    collections_changeable,
    documents_for_staff,
    documents_saying,
    documents_to_read_again_counted,
    may_change,
    page_checks,
    places_of,
    sent_back,
    twins_of,
)
from corpus.statements.share import quotable_line

if TYPE_CHECKING:
    DocumentModelAdmin = admin.ModelAdmin[Document]
    DocumentForm = ModelForm[Document]
else:
    DocumentModelAdmin, DocumentForm = admin.ModelAdmin, ModelForm

INHERITED_HELP = "Inherited from the version that it replaces. Change it if that is wrong."
PREVIEWED = 25  # pages and passages on the page of a document

_LABELS = {
    "effective_from": "In force from",
    "source_url": "Web address",
    "indexed_at": "Last indexed",
    "media_type": "Type",
    "size_bytes": "Size in bytes",
}


_ACTIONS = {
    "Publish…": decisions.PUBLISH,
    "Withdraw…": decisions.WITHDRAW,
    "Send to review": decisions.SUBMIT,
    "Set the review date…": decisions.REVIEW_DATE,
    "Read again": decisions.READ_AGAIN,
}


def _action(label: str, decision: decisions.Decision) -> Callable[..., HttpResponse | None]:
    """Return the list action that takes this step."""

    def act(
        model_admin: Any, request: HttpRequest, chosen: QuerySet[Document]
    ) -> HttpResponse | None:
        return decisions.decide_many(request, chosen, decision)

    act.__name__ = decision.action
    return admin.action(act, description=label, permissions=[decision.right.value])


@admin.register(Document)
class DocumentAdmin(DocumentModelAdmin):
    change_list_template = "admin/corpus/document/list.html"
    change_form_template = "admin/corpus/document/change.html"
    list_display = (
        "titled",
        "collection",
        "lifecycle_cell",
        "job_cell",
        "pages",
        "words",
        "doubts",
        "review",
        "origin",
    )
    list_filter = (
        AttentionFilter,
        DoubtFilter,
        ReviewFilter,
        "lifecycle",
        CollectionFilter,
        "source_type",
        ("job__state", JobStateFilter),
    )
    list_per_page = 100
    search_fields = ("title", "filename", "issuer", "journal", "sha256")
    show_full_result_count = False
    actions = tuple(_action(label, decision) for label, decision in _ACTIONS.items())
    fieldsets = (
        (None, {"fields": ("title", "collection", "version", "issuer", "authority")}),
        ("In force", {"fields": ("lifecycle_text", "effective_from", "review_by")}),
        (
            "About",
            {
                "fields": (
                    "source_type",
                    "journal",
                    "year",
                    "population",
                    "specialty",
                    "language",
                    "source_url",
                    "licence",
                )
            },
        ),
        ("Reading and indexing", {"fields": ("job_cell", "attempts", "indexed_at", "read_by")}),
        ("What was read", {"fields": ("pages_preview", "passages_preview", "quotable")}),
        ("File", {"fields": ("file_link", "media_type", "size_bytes", "sha256", "origin")}),
    )
    readonly_fields = (
        "lifecycle_text", "job_cell", "attempts", "indexed_at", "read_by", "pages_preview",
        "passages_preview", "quotable", "file_link", "media_type", "size_bytes", "sha256", "origin",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        seen = documents_for_staff(decisions.signed_in_user(request))
        return documents_with_doubts(documents_with_words(seen))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Document], search_term: str
    ) -> tuple[QuerySet[Document], bool]:
        """Search the fields, and the text of passages through its full-text index."""
        matches, may_repeat = super().get_search_results(request, queryset, search_term)
        if search_term.strip():
            saying = documents_saying(search_term).values("pk")
            matches = queryset.filter(Q(pk__in=matches.order_by().values("pk")) | Q(pk__in=saying))
        return matches, may_repeat

    def get_urls(self) -> list[URLPattern]:
        return [*document_urls(self.admin_site.admin_view), *super().get_urls()]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return uploads.upload(request)  # type: ignore[arg-type]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        user = decisions.signed_in_user(request)
        context = {
            "worker_is_alive": worker_is_alive(),
            "worker_faults": worker_faults(),
            "pages_waiting": len(pages_queued(user).waiting),
            **documents_to_read_again_counted(user),
            "is_active": True,  # the page's first question shows whether one is at work
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        try:
            return super().changeform_view(request, object_id, *args, **kwargs)
        except MedragError as error:  # of `save_model`: what it wrote is undone by now
            self.message_user(request, f"Not saved. {error.sentence}", messages.ERROR)
            return redirect(request.path)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        document: Document | None = kwargs.get("obj")
        if document is not None:
            user = decisions.signed_in_user(request)
            context |= {
                "transitions": decisions.transitions(
                    document,
                    may_change=may_change(document),
                    may_publish=may_publish(user, document),
                ),
                "docling_fault": decisions.docling_fault(document),
                "worker_is_alive": worker_is_alive(),
                "is_active": JobCell.of(document).is_active,
                "may_recall": review.may_recall(user, document),
                "sent_back": sent_back(document),
                "replaced": documents_visible(user).filter(superseded_by=document),
                "places": places_of(user, document),
                "also_in": twins_of(user, document, limit=10),
            }
        return super().render_change_form(request, context, *args, **kwargs)

    def get_form(
        self,
        request: HttpRequest,
        obj: Document | None = None,
        change: bool = False,
        **kwargs: Any,
    ) -> type[DocumentForm]:
        form = super().get_form(request, obj, change, labels=_LABELS, **kwargs)
        if "population" in form.base_fields:
            choices = population_choices(obj.population if obj else "")
            form.base_fields["population"] = forms.ChoiceField(
                choices=choices, required=False, help_text="Patients that it applies to"
            )
        for name in obj.inherited if obj else ():
            if name in form.base_fields:
                form.base_fields[name].help_text = INHERITED_HELP
        return form

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "collection":
            user = decisions.signed_in_user(request)
            kwargs["queryset"] = collections_changeable(user).order_by("name")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or may_change(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        return False  # answers cite it: it is withdrawn instead

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("corpus.publish_document")

    def save_model(
        self, request: HttpRequest, obj: Document, form: DocumentForm, change: bool
    ) -> None:
        """Write the edited fields only: a worker may be writing others."""
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        document_edit(obj, by=decisions.signed_in_user(request), changes=changes)
        if INDEXED & set(changes):
            text = (
                "The document is now indexed again with this change, and is not found until that "
                "is done."
            )
            self.message_user(request, text)

    # Cells and fields

    @admin.display(description="lifecycle", ordering="lifecycle")
    def lifecycle_cell(self, document: Document) -> str:
        state = document.lifecycle
        return format_html(
            '<span class="state {}">{}</span>', state.lower(), document.get_lifecycle_display()
        )

    @admin.display(description="job")
    def job_cell(self, document: Document) -> SafeString:
        return _rendered("parts/_job.html", cell=JobCell.of(document))

    @admin.display(description="title", ordering="title")
    def titled(self, document: Document) -> str:
        return str(document)

    @admin.display(description="pages", ordering="page_count")
    def pages(self, document: Document) -> SafeString:
        return _rendered("reading/_pages_cell.html", document=document)

    @admin.display(description="words found again", ordering="words_share")
    def words(self, document: Document) -> SafeString:
        return _rendered("reading/_words_cell.html", document=document, enough=DOCUMENT_ENOUGH)

    @admin.display(description="doubts", ordering="doubts_of_value")
    def doubts(self, document: Document) -> SafeString:
        return _rendered("reading/_doubts_cell.html", document=document)

    @admin.display(description="review by", ordering="review_by")
    def review(self, document: Document) -> str:
        if document.review_by is None:
            return "-"
        due = document.is_review_due(timezone.localdate())
        day = date_format(document.review_by, "j M Y")
        return format_html('<span class="{}">{}</span>', "due" if due else "", day)

    @admin.display(description="lifecycle")
    def lifecycle_text(self, document: Document) -> SafeString:
        return _rendered("parts/_lifecycle.html", document=document)

    @admin.display(description="attempts")
    def attempts(self, document: Document) -> int:
        return document.job.attempts

    @admin.display(description="read by")
    def read_by(self, document: Document) -> str:
        return reader_name(document.engine, document.media_type)

    @admin.display(description="uploaded", ordering="uploaded_at")
    def origin(self, document: Document) -> SafeString:
        return _rendered("parts/_origin.html", document=document)

    @admin.display(description="original")
    def file_link(self, document: Document) -> str:
        return format_html(
            '<a href="{}">{}</a>', address("original", document.pk), document.filename
        )

    @admin.display(description="pages")
    def pages_preview(self, document: Document) -> SafeString:
        """Return the pages to check first; the others follow by links from page to page."""
        checks = page_checks(document)
        first = sorted(checks, key=lambda check: (not check.is_doubtful, check.number))
        shown = sorted(first[:PREVIEWED], key=lambda check: check.number)
        return _rendered("reading/_pages.html", document=document, checks=shown, count=len(checks))

    @admin.display(description="passages")
    def passages_preview(self, document: Document) -> SafeString:
        chunks = document.chunks.defer("search_vector")
        count, first = chunks.count(), chunks[:PREVIEWED]
        disabled = chunks.filter(disabled_at__isnull=False)[:PREVIEWED]
        return _rendered(
            "reading/_passages.html",
            document=document,
            chunks=first,
            count=count,
            disabled=disabled,
        )

    @admin.display(description="can be quoted")
    def quotable(self, document: Document) -> SafeString:
        """Return the share of words that an answer can quote, and the first texts without one."""
        words = quotable_words(document)
        return _rendered(
            "parts/_quotable.html",
            document=document,
            line=quotable_line(words),
            without=words.without[:PREVIEWED],
            more=max(0, len(words.without) - PREVIEWED),
        )


admin.site.register(Collection, CollectionAdmin)


def _rendered(template: str, **context: Any) -> SafeString:
    return render_to_string(f"admin/corpus/document/{template}", context)


if TYPE_CHECKING:
    EncoderModelAdmin = admin.ModelAdmin[Encoder]
else:
    EncoderModelAdmin = admin.ModelAdmin


@admin.register(Encoder)
class EncoderAdmin(EncoderModelAdmin):
    """Read-only: a file lists the encoders, and `migrate` creates them."""

    list_display = ("name", "state", "made", "dimensions", "storage", "activated_at")
    list_display_links = None
    ordering = ("state", "position", "pk")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Encoder | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Encoder | None = None) -> bool:
        return False

    @admin.display(description="vectors")
    def made(self, encoder: Encoder) -> str:
        if encoder.state == EncoderState.RETIRED:
            return "not kept up"
        done, total = vectors.progress(encoder)
        return f"{done:,} of {total:,}"
