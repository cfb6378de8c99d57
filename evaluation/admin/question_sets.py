"""Show and upload question sets. A stored set can't be changed."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.options import ShowFacets
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from chat.admin.read_only import pretty
from evaluation.admin.collecting import CollectForm
from evaluation.admin.frame import AddedByForm, EvaluationAdmin
from evaluation.admin.uploads import QuestionSetForm, question_set_uploaded
from evaluation.collecting import question_set_collect
from evaluation.models import Question, QuestionSet
from evaluation.selectors import question_sets_listed


@admin.register(QuestionSet)
class QuestionSetAdmin(AddedByForm[QuestionSet]):
    list_per_page = 100
    show_full_result_count = True
    list_display = ("__str__", "form", "how_many", "left_out", "licence", "created_at", "by")
    list_filter = ("form",)
    search_fields = ("name", "version", "source", "digest")
    exclude = ("notes",)
    readonly_fields = ("questions_link", "left_out_named")

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionSet]:
        return question_sets_listed()

    @admin.display(description="questions")
    def how_many(self, question_set: QuestionSet) -> int:
        return int(getattr(question_set, "how_many", 0))

    @admin.display(description="questions")
    def questions_link(self, question_set: QuestionSet) -> SafeString:
        address = reverse("admin:evaluation_question_changelist")
        query = urlencode({"question_set__id__exact": question_set.pk})
        return format_html('<a href="{}?{}">{}</a>', address, query, self.how_many(question_set))

    @admin.display(description="records left out")
    def left_out_named(self, question_set: QuestionSet) -> SafeString | str:
        rows = format_html_join("", "<li>{}</li>", ((note,) for note in question_set.notes))
        return format_html("<ul>{}</ul>", rows) if question_set.notes else "None"

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form, with errors of the file, or the set that it stored."""
        form = QuestionSetForm(request.POST or None, request.FILES or None)
        title = "Upload a question set"
        add = partial(question_set_uploaded, form)
        return self.by_form(request, "upload", title, form, add, field="upload")

    def get_urls(self) -> list[URLPattern]:
        collect = self.admin_site.admin_view(self.collect)
        own = path("collect/", collect, name="evaluation_questionset_collect")
        return [own, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        more = {"may_collect": self._may_collect(request)}
        return super().changelist_view(request, {**(extra_context or {}), **more})

    def _may_collect(self, request: HttpRequest) -> bool:
        """Tell whether the user may add sets and read everybody's questions."""
        return self.has_add_permission(request) and request.user.has_perm("chat.view_turn")

    def collect(self, request: HttpRequest) -> HttpResponse:
        """Show the form that collects a set from questions asked here, or the stored set."""
        if not self._may_collect(request):
            raise PermissionDenied
        form = CollectForm(request.POST or None)
        title = "Collect from questions asked here"
        return self.by_form(
            request, "collect", title, form, lambda by: question_set_collect(form.wanted(), by=by)
        )

    def announce(self, request: HttpRequest, added: QuestionSet) -> None:
        messages.success(request, f"{added} is stored. Questions: {added.questions.count()}.")
        if added.left_out:
            text = f"Records left out: {added.left_out}. The reasons are listed below."
            messages.warning(request, text)


@admin.register(Question)
class QuestionAdmin(EvaluationAdmin[Question]):
    list_display = ("key", "question_start", "kind", "split", "category", "question_set")
    list_display_links = ("key", "question_start")
    list_filter = ("kind", "split", "question_set")
    list_select_related = ("question_set",)
    search_fields = ("=key", "question", "gold_answer")
    show_facets = ShowFacets.NEVER  # a set may hold 200,000 questions
    fields = ("question_set", "key", "question", "kind", "category", "split", "known")
    readonly_fields = ("known",)

    @admin.display(description="question")
    def question_start(self, question: Question) -> str:
        return Truncator(question.question).chars(100)

    @admin.display(description="what is known of the answer")
    def known(self, question: Question) -> SafeString:
        return pretty({name: value for name in KNOWN if (value := getattr(question, name))})


KNOWN = (
    "gold_answer",
    "other_answers",
    "gold_claims",
    "options",
    "gold_label",
    "relevant",
    "page",
    "before",
    "patterns",
)
