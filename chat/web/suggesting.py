"""Suggestions while a question is typed, and what a word of one was meant to be."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from chat.models import Turn
from chat.selectors import answered_before, headings_in_force
from chat.web.http import SignedInRequest
from chat.web.marking import counts
from chat.web.narrowing import collections_asked, filters_asked
from core.text.words import words
from retrieval.filters import filters_from
from retrieval.spelling import spelling_offered
from retrieval.types import Query

LEAST_CHARS, MOST_CHARS = 3, 120
MOST_WORDS = 6  # of a heading; who has typed more is writing a question
MOST_OF_A_KIND = 4


@require_POST
@never_cache
def suggest(request: SignedInRequest) -> HttpResponseBase:
    """Return titles, sections and own questions that hold what is typed. By POST, which no log
    keeps.

    Who is not signed in any more is told so when they ask, and keeps what they typed.
    """
    typed = request.POST.get("question", "").strip()
    if not request.user.is_authenticated:
        return HttpResponse(status=204)
    looked_for = [word for word in words(typed) if counts(word)]
    if not LEAST_CHARS <= len(typed) <= MOST_CHARS or not looked_for:
        return HttpResponse()
    context = {
        "before": answered_before(request.user, words=looked_for, most=MOST_OF_A_KIND),
        "headings": headings_in_force(
            timezone.localdate(), user=request.user, words=looked_for, most=MOST_OF_A_KIND
        )
        if len(looked_for) <= MOST_WORDS
        else [],
    }
    return render(request, "chat/turn/_suggestions.html", context)


@dataclass(frozen=True)
class Respelled:
    """Words that no guideline holds with those that are offered, and the question with these."""

    turn: Turn
    words: dict[str, str]
    question: str


def respelled(turn: Turn) -> Respelled | None:
    """Return what may be asked instead of a turn's question, where a word of it is held by nothing
    that was searched as it stands today. Two queries at most.
    """
    asked = turn.standalone or turn.question
    query = Query(
        text=asked,
        on=timezone.localdate(),
        collections=collections_asked(turn),
        reader=turn.user_id,
        filters=filters_from(filters_asked(turn)),
    )
    offered = spelling_offered(query)
    for typed, meant in offered.items():
        asked = re.sub(rf"\b{re.escape(typed)}\b", meant, asked, flags=re.IGNORECASE)
    return Respelled(turn, offered, asked) if offered else None
