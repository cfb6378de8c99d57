"""Question sets: whoever may add them uploads one, and nobody changes one that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.options import ShowFacets
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from chat.admin import ReadOnly, pretty
from core.errors import MedragError
from evaluation.admin.collecting import CollectForm
from evaluation.admin.uploads import QuestionSetForm, question_set_uploaded
from evaluation.collecting import question_set_collect
from evaluation.models import Question, QuestionSet
from evaluation.selectors import question_sets_listed

if TYPE_CHECKING:
    QuestionSetModelAdmin = admin.ModelAdmin[QuestionSet]
    QuestionModelAdmin = admin.ModelAdmin[Question]
else:
    QuestionSetModelAdmin = QuestionModelAdmin = admin.ModelAdmin


@admin.register(QuestionSet)
class QuestionSetAdmin(ReadOnly, QuestionSetModelAdmin):
    list_display = ("__str__", "form", "how_many", "left_out", "licence", "created_at", "by")
    list_filter = ("form",)
    search_fields = ("name", "version", "source", "digest")
    exclude = ("notes",)
    readonly_fields = ("questions_link", "left_out_named")

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionSet]:
        return question_sets_listed()

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

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
        """Return the form, with errors of the file beside it; what was stored is shown."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = QuestionSetForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            try:
                question_set = question_set_uploaded(form, by=request.user)
            except MedragError as error:
                form.add_error("upload", error.sentence)
            else:
                return self._stored(request, question_set)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": "Upload a question set",
            "opts": QuestionSet._meta,
            "form": form,
        }
        return TemplateResponse(request, "admin/evaluation/questionset/upload.html", context)

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
        """Return who may add sets and read everybody's questions."""
        return self.has_add_permission(request) and request.user.has_perm("chat.view_turn")

    def collect(self, request: HttpRequest) -> HttpResponse:
        """Return the form that makes a set of what was asked here."""
        if not self._may_collect(request):
            raise PermissionDenied
        form = CollectForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            by = request.user if isinstance(request.user, User) else None
            try:
                question_set = question_set_collect(form.wanted(), by=by)
            except MedragError as error:
                form.add_error(None, error.sentence)
            else:
                return self._stored(request, question_set)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": "Collect from questions asked here",
            "opts": QuestionSet._meta,
            "form": form,
        }
        return TemplateResponse(request, "admin/evaluation/questionset/collect.html", context)

    def _stored(self, request: HttpRequest, question_set: QuestionSet) -> HttpResponse:
        self.log_addition(request, question_set, [{"added": {}}])
        count = question_set.questions.count()
        messages.success(request, f"{question_set} is stored. Questions: {count}.")
        if question_set.left_out:
            text = f"Records left out: {question_set.left_out}; the reasons are below."
            messages.warning(request, text)
        if self.has_view_permission(request):
            return redirect("admin:evaluation_questionset_change", question_set.pk)
        return redirect("admin:index")


@admin.register(Question)
class QuestionAdmin(ReadOnly, QuestionModelAdmin):
    list_display = ("key", "question_start", "kind", "split", "category", "question_set")
    list_display_links = ("key", "question_start")
    list_filter = ("kind", "split", "question_set")
    list_select_related = ("question_set",)
    list_per_page = 50
    search_fields = ("=key", "question", "gold_answer")
    show_full_result_count = False
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
