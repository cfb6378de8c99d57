"""Show on the administration's start page what waits for its reader, as links with counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import pluralize
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.text import slugify

from chat.selectors import turns_refused_in_collections_of, turns_unhelpful_citing_collections_of
from chat.sign_in.second_factor import has_passed
from corpus.staff_selectors import (
    collections_changeable,
    documents_waiting_counted,
    pages_queued,
    sources_noted,
)
from corpus.stops import stops_held
from evaluation.models import RetractionAlert
from evaluation.monitoring.quality import may_see_quality
from medrag_site.assurance.hazards import hazards

# By the names of `WAITING`, which the list's filter uses too.
LABELS = {
    "check": "to check",
    "publish": "to publish",
    "failed": "failed",
    "reading": "being read or waiting for it",
    "missing": "published, and found by no question yet",
    "doubt": "in doubt, not published yet",
    "due": "past the review date, or within 30 days of it",
    "gone": "gone at its source",
    "moved": "moved or renamed at its source",
}
# By who needs the pages, and in each by how often they are opened; all others are technical.
GROUPS = {
    "Guidelines": (
        "Document", "Collection", "Source", "AnsweringStop", "LexiconEntry", "RetractionAlert",
        "RetractionCheck",
    ),
    "Answers and audit": ("Turn", "Review", "Feedback", "AuditEvent"),
    "Evaluation of this site": (
        "QuestionSet", "Question", "QuestionRun", "QuestionResult", "Experiment",
        "CalibrationRecord", "DayFigures", "DriftAlert",
    ),
    "Accounts": ("User", "Group", "TokenGrant", "AccessAttempt"),
}  # fmt: skip
TECHNICAL = "Technical"


@dataclass(frozen=True)
class Waiting:
    """A kind of waiting item, how many there are, and the page that lists them."""

    count: int
    label: str
    url: str


class AdministrationSite(AdminSite):
    """Django's administration, with a start page for the people who keep the guidelines."""

    enable_nav_sidebar = False  # it narrows lists and repeats the start page

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether the user may enter: not without a second factor that the site demands."""
        return super().has_permission(request) and has_passed(request)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return all pages in the groups of `GROUPS`, or one app as Django has it."""
        listed: list[Any] = super().get_app_list(request, app_label)
        if app_label:
            return listed
        places = {name: (group, at) for group in GROUPS for at, name in enumerate(GROUPS[group])}
        grouped: dict[str, list[Any]] = {group: [] for group in (*GROUPS, TECHNICAL)}
        for model in (model for app in listed for model in app["models"]):
            grouped[places.get(model["object_name"], (TECHNICAL, 0))[0]].append(model)
        for models in grouped.values():
            models.sort(key=lambda model: places.get(model["object_name"], (TECHNICAL, 0))[1])
        return [
            {"name": group, "app_label": slugify(group), "models": models}
            for group, models in grouped.items()
            if models
        ]

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Add the hazard log, which everybody who may enter reads."""
        view = self.admin_view(self.hazard_log)
        return [path("hazards/", view, name="hazards"), *super().get_urls()]

    def hazard_log(self, request: HttpRequest) -> HttpResponse:
        """Render the hazard log, with the controls of each hazard."""
        context = {**self.each_context(request), "title": "Hazard log", "hazards": hazards()}
        return TemplateResponse(request, "admin/hazards.html", context)

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Add the counts of what waits for this user. Runs a fixed number of queries.

        Questions are counted only for a user who may change some collection.
        """
        user = request.user
        if not isinstance(user, User):
            return super().index(request, extra_context)
        context = {
            "waiting_documents": _documents(user) if user.has_perm("corpus.view_document") else [],
            "waiting_questions": _questions(user) if collections_changeable(user).exists() else [],
            "may_stop": user.has_perm("corpus.add_answeringstop"),
            "may_upload": user.has_perm("corpus.add_document"),
            "may_see_quality": may_see_quality(user),
            "stops": stops_held().held,
            "sources": sources_noted(user) if settings.SOURCES else [],
        }
        return super().index(request, {**context, **(extra_context or {})})


def _documents(user: User) -> list[Waiting]:
    counts = documents_waiting_counted(user)
    url = reverse("admin:corpus_document_changelist")
    waiting = [
        Waiting(counts[name], label, f"{url}?attention={name}")
        for name, label in LABELS.items()
        if name not in ("gone", "moved") or settings.SOURCES
    ]
    return [*waiting, *_pages_in_doubt(user), *_retracted(user)]


def _pages_in_doubt(user: User) -> list[Waiting]:
    """Count the pages that the user may tick; empty without the right to publish, or pages."""
    if not user.has_perm("corpus.publish_document"):
        return []
    count, url = len(pages_queued(user).waiting), reverse("admin:corpus_document_doubted")
    return [Waiting(count, f"page{pluralize(count)} in doubt to compare", url)] if count else []


def _retracted(user: User) -> list[Waiting]:
    """Count the documents that a list of retractions names; empty without a list or documents."""
    if not settings.RETRACTIONS_FILE or not user.has_perm("evaluation.view_retractionalert"):
        return []
    count = RetractionAlert.objects.filter(ended_on=None).count()
    url = f"{reverse('admin:evaluation_retractionalert_changelist')}?ended_on__isempty=1"
    return [Waiting(count, "on the list of retractions", url)] if count else []


def _questions(user: User) -> list[Waiting]:
    gaps = turns_refused_in_collections_of(user)
    unhelpful = turns_unhelpful_citing_collections_of(user)
    waiting = []
    for turns, label, page in (
        (gaps, "question{} without an answer", "gaps"),
        (unhelpful, "answer{} said to be not helpful", "unhelpful"),
    ):
        count, url = turns.count(), reverse(f"admin:chat_feedback_{page}")
        waiting.append(Waiting(count, label.format(pluralize(count)), url))
    return waiting
