"""Show question sets, and add them as a file or from questions that were asked."""

from __future__ import annotations

import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.options import ShowFacets
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from chat.admin.read_only import pretty
from evaluation.admin.frame import AddedByForm, EvaluationAdmin
from evaluation.collecting import MAX_ITEMS, Collected, Which, question_set_collect
from evaluation.models import Question, QuestionSet
from evaluation.question_set_services import SetFacts, question_set_upload
from evaluation.question_sets import FORMS
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


def _month_ago() -> datetime.date:
    return timezone.localdate() - datetime.timedelta(days=30)


class CollectForm(forms.Form):
    """Which questions to collect, from which days."""

    name = forms.CharField(max_length=200)
    which = forms.ChoiceField(
        choices=[(each.value, each.value.capitalize()) for each in Which],
        help_text="Select questions by feedback or by outcome",
    )
    first = forms.DateField(
        label="From", initial=_month_ago, widget=forms.DateInput({"type": "date"})
    )
    last = forms.DateField(
        label="To", initial=timezone.localdate, widget=forms.DateInput({"type": "date"})
    )
    limit = forms.IntegerField(
        min_value=1, max_value=MAX_ITEMS, initial=100, help_text="Most questions, the latest first"
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if {"first", "last"} <= given.keys() and given["first"] > given["last"]:
            self.add_error("last", "The last day is before the first day.")
        return given

    def wanted(self) -> Collected:
        given: dict[str, Any] = self.cleaned_data
        return Collected(**given | {"which": Which(given["which"])})


class QuestionSetForm(forms.Form):
    """A file, its form, and facts that the file does not state."""

    upload = forms.FileField(
        label="File",
        help_text="A file as it was published, also compressed by gzip; MedQuAD as a tar.",
        error_messages={"required": "Choose a file."},
    )
    form = forms.ChoiceField(
        choices=[(name, name) for name in FORMS],
        initial="plain",
        help_text="plain: a JSON list of question and expected_answer. guidelines: also with "
        "the document and page that hold the answer. The others are published sets",
    )
    name = forms.CharField(
        max_length=200, required=False, help_text="If empty, the name of the file"
    )
    version = forms.CharField(max_length=50, required=False)
    source = forms.CharField(
        max_length=500, required=False, help_text="Where the set is from, such as an address"
    )
    licence = forms.CharField(max_length=200, required=False)
    split = forms.CharField(
        max_length=50,
        required=False,
        help_text="Split of all questions, such as dev or test; if empty, as the file says",
    )

    def clean_upload(self) -> UploadedFile[bytes]:
        upload: UploadedFile[bytes] = self.cleaned_data["upload"]
        if (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            most = settings.UPLOAD_MAX_BYTES // 1024**2
            raise forms.ValidationError(
                f"Nothing was stored: the file is larger than {most} MB. "
                "Import it with manage.py evaluate import.",
                code="too_large",
            )
        return upload


def question_set_uploaded(form: QuestionSetForm, by: User) -> QuestionSet:
    """Store the question set of a valid form. Raises DatasetError, DuplicateQuestionSet."""
    given: dict[str, Any] = form.cleaned_data
    facts = SetFacts(given["name"], given["version"], given["source"], given["licence"])
    return question_set_upload(
        given["upload"], facts, form=given["form"], split=given["split"], by=by
    )
