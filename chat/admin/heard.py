"""What was asked and not answered well, for the corpus staff who could mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from chat.models import Citation, Turn
from chat.question.identifiers.guard import question_guarded
from chat.selectors import (
    may_read_every_turn,
    pages_cited_in_collections_of,
    turns_refused_in_collections_of,
    turns_unhelpful_citing_collections_of,
)
from corpus.staff_selectors import collections_changeable

SHOWN = 100


@dataclass(frozen=True)
class Heard:
    """A question, without what would identify a patient, and what it cited of one's own."""

    turn: Turn
    question: str
    cited: tuple[Citation, ...]


@require_safe
def gaps(request: HttpRequest) -> HttpResponse:
    """Return questions that no guideline in force answered."""
    return _page(request, "Questions without an answer", turns_refused_in_collections_of)


@require_safe
def unhelpful(request: HttpRequest) -> HttpResponse:
    """Return answers that their askers called not helpful."""
    return _page(request, "Answers said to be not helpful", turns_unhelpful_citing_collections_of)


def _page(
    request: HttpRequest, title: str, turns_of: Callable[[User], QuerySet[Turn]]
) -> HttpResponse:
    user = cast(User, request.user)
    if not collections_changeable(user).exists():
        raise PermissionDenied
    found = turns_of(user)
    turns = list(found[:SHOWN])
    cited = pages_cited_in_collections_of(user, turns)
    context = {
        **admin.site.each_context(request),
        "title": title,
        "heard": [
            Heard(
                turn,
                question_guarded(turn.question, "redact").text,
                tuple(cited.get(turn.pk, ())),
            )
            for turn in turns
        ],
        "count": found.count(),
        "may_read_turns": may_read_every_turn(user),
    }
    return TemplateResponse(request, "admin/chat/feedback/heard.html", context)
