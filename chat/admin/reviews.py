"""The queue of answers and refusals to review, and finished reviews."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from chat.admin.filters import AssigneeFilter, DaysFilter, FlagFilter
from chat.admin.read_only import ModelAdmin, ReadOnly, download, export_asked, only_post, user_of
from chat.admin.review_forms import AssignForm, DecideForm, FillForm, LabelForm
from chat.models import Review, ReviewState, SupportLabel
from chat.reviews.counting import reviewers_compared, verdicts_counted
from chat.reviews.export import review_rows
from chat.reviews.labelling import claims_label, labelling_of
from chat.reviews.selectors import REVIEWS, reviews_readable
from chat.reviews.services import (
    Filled,
    review_assign,
    review_decide,
    reviews_export_record,
    reviews_flag_by_rules,
    reviews_sample,
)
from chat.selectors import audited_turns, may_read_every_turn, turn_readable_ids
from chat.web.presentation import shown_turns
from core.errors import MedragError


class AskedFilter(DaysFilter):
    title, field = "day asked", "turn__created_at"


@admin.register(Review)
class ReviewAdmin(ReadOnly, ModelAdmin[Review]):
    """Lists reviews, except those of the user's own questions, also for superusers."""

    list_display = ("question_start", "became", "why_text", "state", "verdict", "assignee",
                    "created_at", "done_by")  # fmt: skip
    list_filter = ("state", FlagFilter, AssigneeFilter, "verdict", AskedFilter)
    list_per_page = 50
    search_fields = ("turn__question", "turn__pk")
    search_help_text = "Words of the question, or the id of an answer"
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    actions = ("take",)
    change_list_template = "admin/chat/review/queue.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Review]:
        return reviews_readable(user_of(request))

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """Leave out the reasons of refusals for who may not read every answer."""
        is_free = may_read_every_turn(user_of(request))
        of_answers = () if is_free else ("became", "why_text")
        return tuple(name for name in self.list_display if name not in of_answers)

    def has_review_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REVIEWS)

    @admin.display(description="question")
    def question_start(self, review: Review) -> str:
        question = review.turn.question
        return question[:90] + ("…" if len(question) > 90 else "")

    @admin.display(description="outcome")
    def became(self, review: Review) -> str:
        return str(review.turn.get_reason_display() or review.turn.get_status_display())

    @admin.display(description="why")
    def why_text(self, review: Review) -> str:
        return review.why

    @admin.action(description="Assign these to me", permissions=["review"])
    def take(self, request: HttpRequest, chosen: QuerySet[Review]) -> None:
        by, taken = user_of(request), 0
        for review in chosen:
            try:
                review_assign(review, to=by, by=by)
                taken += 1
            except MedragError as error:
                self.message_user(request, f"{review}: {error.sentence}", messages.ERROR)
        self.message_user(request, f"{taken} assigned to you.", messages.SUCCESS)

    def get_urls(self) -> list[URLPattern]:
        views: dict[str, Callable[..., HttpResponseBase]] = {
            "fill/": self.fill,
            "verdicts/": self.verdicts,
            "agreement/": self.agreement,
            "export/": self.export,
            "<int:pk>/assign/": self.assign,
            "<int:pk>/label/": self.label,
        }
        own = [
            path(route, self.admin_site.admin_view(view), name=f"chat_review_{view.__name__}")
            for route, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        rights = {
            "may_fill": request.user.has_perm("chat.add_review"),
            "may_export": request.user.has_perm("chat.export_review"),
        }
        return super().changelist_view(request, {**(extra_context or {}), **rights})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a review with its turn and, while it is open, the form for the verdict."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        review = self._review(request, object_id)
        form = DecideForm(request.POST or None, review=review)
        if request.method == "POST":
            if not self.has_review_permission(request):
                raise PermissionDenied
            if form.is_valid() and self._decided(request, review, form):
                return redirect("admin:chat_review_changelist")
        turn = audited_turns().get(pk=review.turn_id)
        user = user_of(request)
        readable = turn_readable_ids(user)
        (shown,) = shown_turns([turn], on=timezone.localdate(), readable=readable, reader=user.pk)
        is_open = review.state == ReviewState.OPEN and self.has_review_permission(request)
        initial = {"assignee": str(review.assignee_id or "")}
        context = {
            "title": f"Review {review.pk}",
            "review": review,
            "shown": shown,
            "form": form if is_open else None,
            "assign_form": AssignForm(review=review, initial=initial) if is_open else None,
            "labelling": (labelling := labelling_of(review, user)),
            "label_form": LabelForm(due=labelling.due)
            if labelling.place and not shown.hidden and self.has_review_permission(request)
            else None,
        }
        return self._page(request, "decide.html", context)

    def _decided(self, request: HttpRequest, review: Review, form: DecideForm) -> bool:
        verdict, note = form.decided
        try:
            review_decide(review, verdict=verdict, note=note, by=user_of(request))
        except MedragError as error:
            form.add_error(None, error.sentence)
            return False
        messages.success(request, f"{str(review).capitalize()}: {verdict.label.lower()}.")
        return True

    def assign(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Assign the review to somebody."""

        def change(review: Review, by: User) -> str:
            form = AssignForm(request.POST, review=review)
            if not form.is_valid():
                raise MedragError("Nothing was changed: this person may not review it.")
            review_assign(review, to=form.to, by=by)
            return f"Assigned to {form.to or 'nobody'}."

        return self._changed(request, pk, change)

    def label(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Store a reviewer's label for each statement."""

        def change(review: Review, by: User) -> str:
            form = LabelForm(request.POST, due=labelling_of(review, by).due)
            if not form.is_valid():
                raise MedragError(
                    "Nothing was changed: a statement has no label. Label every statement."
                )
            claims_label(review, form.labels, by=by)
            return "Your labels were stored."

        return self._changed(request, pk, change)

    def _changed(
        self, request: HttpRequest, pk: int, change: Callable[[Review, User], str]
    ) -> HttpResponse:
        """Change a review by POST, and show on its page what was done or why not."""
        if request.method != "POST":
            return only_post()
        if not self.has_review_permission(request):
            raise PermissionDenied
        review = self._review(request, pk)
        try:
            messages.success(request, change(review, user_of(request)))
        except MedragError as error:
            messages.error(request, error.sentence)
        return redirect("admin:chat_review_change", review.pk)

    def agreement(self, request: HttpRequest) -> HttpResponse:
        """Show how far reviewers agree with each other and with the checker."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        compared = {"found": reviewers_compared(), "labels": SupportLabel.labels}
        return self._page(request, "agreement.html", {"title": "Agreement", **compared})

    def fill(self, request: HttpRequest) -> HttpResponse:
        """Add turns that match rules, and a random sample, to the queue."""
        if not request.user.has_perm("chat.add_review"):
            raise PermissionDenied
        today = timezone.localdate()
        initial = {"first": today.replace(day=1), "last": today}
        form = FillForm(request.POST or None, initial=initial)
        if request.method == "POST" and form.is_valid():
            for sentence in self._filled(request, form):
                messages.success(request, sentence)
            return redirect("admin:chat_review_changelist")
        return self._page(request, "fill.html", {"title": "Fill the queue", "form": form})

    def _filled(self, request: HttpRequest, form: FillForm) -> list[str]:
        sentences, by = [], user_of(request)
        if rules := form.chosen_rules:
            below = form.cleaned_data["below"]
            filled = reviews_flag_by_rules(form.period, rules, below=below, by=by)
            sentences.append(_sentence("By rules", filled))
        if sample := form.sample:
            sentences.append(_sentence("By chance", reviews_sample(form.period, sample, by=by)))
        return sentences

    def verdicts(self, request: HttpRequest) -> HttpResponse:
        """Show counts of verdicts by month, separately for sampled and flagged turns."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        reviews = Review.objects.all()
        context = {
            "title": "Verdicts",
            "tables": [
                ("Drawn by chance", verdicts_counted(reviews, sampled=True)),
                ("Flagged", verdicts_counted(reviews, sampled=False)),
            ],
        }
        return self._page(request, "verdicts.html", context)

    def export(self, request: HttpRequest) -> HttpResponseBase:
        """Export the filtered list, with or without texts. Recorded in the log."""
        if request.method != "POST":
            return only_post()
        if not request.user.has_perm("chat.export_review"):
            raise PermissionDenied
        reviews, how = export_asked(request, self)
        reviews_export_record(rows=reviews.count(), **how, by=user_of(request))
        return download(
            review_rows(reviews, texts=how["texts"], by=user_of(request)), "reviews", how["form"]
        )

    def _review(self, request: HttpRequest, pk: object) -> Review:
        """Return a review. Raises Http404 for an unknown one and for the user's own question."""
        if not str(pk).isascii() or not str(pk).isdecimal() or len(str(pk)) > 18:
            pk = 0
        return get_object_or_404(self.get_queryset(request), pk=pk)

    def _page(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": Review._meta}
        return TemplateResponse(request, f"admin/chat/review/{name}", {**shared, **context})


def _sentence(how: str, filled: Filled) -> str:
    return f"{how}: {filled.meant} of {filled.of} questions, {filled.added} new in the queue."
