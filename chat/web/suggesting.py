"""Suggest questions and headings while a question is typed, and other spellings afterwards."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.postgres.search import SearchQuery
from django.db.models import Case, Func, Max, Q, TextField, Value, When
from django.db.models.functions import Cast, Concat
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from chat.models import Turn, TurnStatus
from chat.selectors import documents_in_force
from chat.web.http import SignedInRequest
from chat.web.marking import counts
from chat.web.narrowing import collections_asked, filters_asked
from chat.web.presentation import ShownTurn
from core.language.words import words
from core.replica import read_from_replica
from corpus.models import Chunk
from corpus.positions import SECTIONS, below_title
from retrieval.asked.spelling import spelling_offered
from retrieval.filters import filters_from
from retrieval.types import Query

LEAST_CHARS, MOST_CHARS = 3, 120
MOST_WORDS = 6  # more are a question, not a heading
MOST_OF_A_KIND = 4
_BEGINNING = 4  # letters of a word that its stem in the index keeps


@require_POST
@never_cache
def suggest(request: SignedInRequest) -> HttpResponseBase:
    """Return titles, sections and own earlier questions that have the typed words.

    By POST, so that no access log has the text. A user whose session has ended gets an empty
    response and keeps the typed text; the sign-in page comes when the question is sent.
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


def answered_before(user: User, *, words: Sequence[str], most: int) -> list[str]:
    """Return the user's own answered questions that have all words, latest first. One query.

    Questions of deleted conversations are left out.
    """
    own = Turn.objects.filter(user=user, status=TurnStatus.ANSWERED)
    own = own.filter(Q(conversation=None) | Q(conversation__deleted_at=None))
    for word in words:
        own = own.filter(question__icontains=word)
    latest = own.order_by().values("question").annotate(at=Max("created_at"))
    return list(latest.order_by("-at").values_list("question", flat=True)[:most])


def headings_in_force(
    on: datetime.date, *, user: User, words: Sequence[str], most: int
) -> list[str]:
    """Return headings that have all words: titles, then `title › section`. One query.

    Only of documents that the user may search; from a replica, if there is one, with one more
    query to confirm that. Uses the index of passages, whose search text includes title and
    sections.
    """
    in_force = documents_in_force(on, user=user).order_by()
    beginnings = " & ".join(f"""'{word[:_BEGINNING].replace("'", "")}':*""" for word in words)
    passages = Chunk.objects.filter(
        document__in=in_force.values("pk"),
        search_vector=SearchQuery(beginnings, config="simple", search_type="raw"),
        disabled_at=None,
    )
    path = Func(
        "section_path", Value(SECTIONS), function="array_to_string", output_field=TextField()
    )
    heading = Concat("document__title", Value(SECTIONS), path, output_field=TextField())
    in_title = Q(*(Q(document__title__icontains=word) for word in words))
    headings = passages.annotate(
        heading=heading,
        place=Case(When(in_title, then=0), default=1),
        shown=Case(When(in_title, then=Cast("document__title", TextField())), default=heading),
    ).filter(*(Q(heading__icontains=word) for word in words))
    rows = headings.order_by("place", "shown").values_list("document__title", "shown", "place")
    first = rows.distinct()[:most]

    def are_in_force(found: list[tuple[str, str, int]]) -> bool:
        titles = {title for title, *_ in found}
        return titles == set(in_force.filter(title__in=titles).values_list("title", flat=True))

    found = read_from_replica(lambda: list(first.all()), still_holds=are_in_force)
    return [  # without the title, which most documents repeat as first section
        title
        if place == 0
        else SECTIONS.join((title, below_title(shown.removeprefix(title + SECTIONS), title)))
        for title, shown, place in found
    ]


@dataclass(frozen=True)
class Respelled:
    """Words that no searched guideline has, by suggested spelling, and the respelled question."""

    turn: Turn
    words: dict[str, str]
    question: str


def respelled(shown: ShownTurn) -> Respelled | None:
    """Suggest another spelling of a turn's question, if no guideline searched today has a word.

    None without a suggestion. At most two queries.
    """
    turn, question = shown.turn, shown.again
    query = Query(
        text=question,
        on=timezone.localdate(),
        collections=collections_asked(turn),
        reader=turn.user_id,
        filters=filters_from(filters_asked(turn)),
    )
    offered = spelling_offered(query)
    for typed, meant in offered.items():
        question = re.sub(rf"\b{re.escape(typed)}\b", meant, question, flags=re.IGNORECASE)
    return Respelled(turn, offered, question) if offered else None
