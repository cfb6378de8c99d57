"""The clinician's pages. Each works without JavaScript; htmx only saves the reload."""

from __future__ import annotations

import datetime
import logging
import uuid
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget

from chat.ask import turn_ask
from chat.caveats.notices import document_notices
from chat.conversations import conversation_recalls_seen
from chat.models import Channel, Conversation, Turn
from chat.pipeline.events import Tell, ignore_event
from chat.reviews.feedback import feedback_save
from chat.selectors import (
    access_conversation,
    access_turn,
    collections_in_force,
    conversations_of,
    documents_in_force,
    narrowing_choices,
    recalls_unseen,
    turns_of,
    with_recalls,
)
from chat.streams import MEDIA_TYPE, EventStream, Frame, QuestionStream, TooManyStreams
from chat.types import AskedQuestion
from chat.web.forms import AskForm, FeedbackForm
from chat.web.http import SignedInRequest, changes, reads, render_part, wants_fragment, words_of
from chat.web.patients import LaunchedPatient
from chat.web.presentation import ShownTurn, shown_turns
from chat.web.suggesting import respelled
from core.errors import MedragError
from corpus.access import readable_ids
from corpus.models import AnsweringStop, Collection
from corpus.stops import stops_held

SIDEBAR = 30
CHOSEN = "chosen"  # key in the session of the last choices that narrow a search

logger = logging.getLogger(__name__)


@reads
def home(request: SignedInRequest) -> HttpResponseBase:
    """Begin a new question, of everything again."""
    request.session.pop(CHOSEN, None)
    return render(request, "chat/home.html", page_context(request, None))


@reads
def conversation(request: SignedInRequest, pk: uuid.UUID) -> HttpResponseBase:
    thread = access_conversation(request.user, pk=pk)
    context = page_context(request, thread)
    if request.method == "GET" and any(t.conversation_id == thread.pk for t in context["recalls"]):
        conversation_recalls_seen(thread, by=request.user)
    return render(request, "chat/conversation.html", context)


@require_safe
@never_cache
def widget(request: SignedInRequest, pk: uuid.UUID | None = None) -> HttpResponseBase:
    """Show the box for questions, or a conversation, in a small frame of the hospital's own pages.

    Who is not signed in gets a link that opens a window to sign in.
    """
    if not settings.FRAME_ANCESTORS:
        raise Http404
    if not request.user.is_authenticated:
        shown = {"there": reverse("login"), "is_widget": True}
        return render(request, "accounts/window_of_its_own.html", shown)
    thread = access_conversation(request.user, pk=pk) if pk else None
    if thread is None:
        request.session.pop(CHOSEN, None)
    return render(request, "chat/widget.html", page_context(request, thread))


@reads
def guidelines(request: SignedInRequest) -> HttpResponseBase:
    """List the documents in force today, which are those that a question searches."""
    words, slug = words_of(request), request.GET.get("collection", "")
    documents = documents_in_force(_today(), user=request.user, collection=slug, words=words)
    page, stops = Paginator(documents, 100).get_page(request.GET.get("page")), stops_held()
    context = {
        "page": page,
        "listed": [(each, document_notices(each, on=_today(), stops=stops)) for each in page],
        "words": words,
        "slug": slug,
    }
    return render(request, "chat/guidelines.html", context)


@changes
def ask(request: SignedInRequest, pk: uuid.UUID | None = None) -> HttpResponseBase:
    """Ask in a conversation, or in a new one. The answer is stored before it is shown."""
    thread = access_conversation(request.user, pk=pk) if pk else None
    return question_sent(request, thread)


def question_sent(
    request: SignedInRequest,
    thread: Conversation | None,
    *,
    patient: LaunchedPatient | None = None,
    refusal: str = "",
) -> HttpResponseBase:
    """Answer the form that was sent, about a launched patient if there is one.

    With `refusal` nothing is asked, and the form comes back with that sentence.
    """
    form = _form(request, request.POST, patient=patient)
    if refusal:
        form.add_error("question", refusal)
    if wants_fragment(request) and request.headers.get("Accept") == MEDIA_TYPE:
        with suppress(TooManyStreams):  # answered without a stream
            return _streamed(request, form, thread)
    return _answered(request, form, thread)


def _answered(
    request: SignedInRequest,
    form: AskForm,
    thread: Conversation | None,
    *,
    tell: Tell = ignore_event,
) -> HttpResponse:
    turn = _asked(request, form, thread, tell)
    if turn is None:
        return _ask_again(request, form, thread)
    if thread is not None and wants_fragment(request):
        return _turn_and_empty_form(request, turn, thread)
    page = "chat:widget_conversation" if _is_widget(request) else "chat:conversation"
    address = f"{reverse(page, args=[turn.conversation_id])}#turn-{turn.pk}"
    return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)


def _streamed(request: SignedInRequest, form: AskForm, thread: Conversation | None) -> EventStream:
    """Stream the steps of a question, then the response as an event."""

    language = translation.get_language()

    def work(tell: Tell) -> list[Frame]:
        with translation.override(language):  # in a thread of its own
            response = _answered(request, form, thread, tell=tell)
        page = {
            "html": response.content.decode(),
            "location": response.headers.get("HX-Redirect"),
            "retarget": response.headers.get("HX-Retarget"),
            "reswap": response.headers.get("HX-Reswap"),
        }
        return [Frame("page", page)]

    stream = QuestionStream(work, user=request.user, problem=_failed)
    return EventStream(stream.begun())


def _failed(error: Exception) -> dict[str, Any]:
    """Log the kind of an error; return nothing, since the page has a text of its own."""
    logger.error("A question of the page failed: %s", type(error).__name__)
    return {}


@changes
def feedback(request: SignedInRequest, pk: uuid.UUID) -> HttpResponseBase:
    turn = access_turn(request.user, pk=pk)
    if turn.conversation_id is None:  # asked over the API or in a terminal: no page shows it
        raise Http404
    form = FeedbackForm(request.POST)
    if form.is_valid():
        feedback_save(turn, **form.cleaned_data)
        if not wants_fragment(request):
            return redirect("chat:conversation", pk=turn.conversation_id)
        turn = access_turn(request.user, pk=pk)
    if wants_fragment(request):
        return render(request, "chat/turn/_feedback.html", {"turn": turn, "sent": form})
    return _feedback_again(request, turn, form)


def _asked(
    request: SignedInRequest, form: AskForm, thread: Conversation | None, tell: Tell
) -> Turn | None:
    """Return the stored turn, or None with the reason among the form's errors."""
    if not form.is_valid():
        return None
    if request.session.get(CHOSEN, {}) != form.chosen:
        request.session[CHOSEN] = form.chosen
    try:
        return turn_ask(
            AskedQuestion(
                form.text,
                user=request.user,
                channel=Channel.PAGE,
                conversation=thread,
                collections=form.slugs,
                filters=form.filters,
                follows=not form.cleaned_data["whole"],
                as_typed=form.cleaned_data["as_typed"],
            ),
            tell=tell,
        )
    except MedragError as error:
        form.add_error("question", error.sentence)
        return None


def _ask_again(
    request: SignedInRequest, form: AskForm, thread: Conversation | None
) -> HttpResponse:
    """Show the form with the typed text and the error, with status 200, as htmx requires."""
    page = "chat/conversation.html" if thread else "chat/home.html"
    response = render_part(
        request,
        page="chat/widget.html" if _is_widget(request) else page,
        fragment="chat/turn/_ask.html",
        context=page_context(request, thread, form=form),
    )
    if wants_fragment(request):
        reswap(retarget(response, "#ask"), "outerHTML")
    return response


def _feedback_again(request: SignedInRequest, turn: Turn, form: FeedbackForm) -> HttpResponse:
    """Show the conversation with the typed comment and the error at its turn."""
    context = page_context(request, turn.conversation) | {"sent": form, "sent_of": turn.pk}
    return render(request, "chat/conversation.html", context)


def _turn_and_empty_form(
    request: SignedInRequest, turn: Turn, thread: Conversation
) -> HttpResponse:
    (shown,) = _shown(request, turns_of(thread).filter(pk=turn.pk))
    context = {"shown": shown, "conversation": thread, "form": _form(request), "swap": True}
    context["is_widget"] = _is_widget(request)
    context["respelled"] = respelled(shown)
    return render(request, "chat/turn/_asked.html", context)


def page_context(
    request: SignedInRequest,
    thread: Conversation | None,
    *,
    form: AskForm | None = None,
    question: str = "",
    patient: LaunchedPatient | None = None,
) -> dict[str, Any]:
    """Return what the page of a question or a conversation shows; `question` is filled in."""
    collections = _collections(request)
    turns = _shown(request, turns_of(thread)) if thread else []
    return {
        "conversation": thread,
        "turns": turns,
        "link": _link(request, thread),
        "respelled": respelled(turns[-1]) if turns else None,
        "form": form or _form(request, collections=collections, question=question, patient=patient),
        "collections": collections,
        "in_force": sum(getattr(collection, "in_force", 0) for collection in collections),
        "history": with_recalls(conversations_of(request.user))[:SIDEBAR],
        "recalls": recalls_unseen(request.user),
        "stops": _stops(request),
        "is_widget": _is_widget(request),
    }


def _is_widget(request: SignedInRequest) -> bool:
    """Tell whether the request came from the page in a small frame, or its form."""
    return bool(request.resolver_match and "widget" in (request.resolver_match.url_name or ""))


def _stops(request: SignedInRequest) -> list[AnsweringStop]:
    """Return the stops of answering that this reader is told of. One query, two while one holds."""
    held = stops_held()
    return held.readable(readable_ids(request.user)) if held.held else []


def _link(request: SignedInRequest, thread: Conversation | None) -> str:
    """Return the address for colleagues; empty if the conversation is not shared."""
    if not (thread and thread.shared_at):
        return ""
    return request.build_absolute_uri(reverse("chat:shared", args=[thread.pk]))


def _form(
    request: SignedInRequest,
    sent: QueryDict | None = None,
    *,
    collections: list[Collection] | None = None,
    question: str = "",
    patient: LaunchedPatient | None = None,
) -> AskForm:
    return AskForm(
        sent,
        patient=patient,
        initial={**request.session.get(CHOSEN, {}), "question": question},
        collections=_collections(request) if collections is None else collections,
        narrowing=narrowing_choices(_today(), user=request.user),
    )


def _collections(request: SignedInRequest) -> list[Collection]:
    return collections_in_force(_today(), user=request.user)


def _shown(request: SignedInRequest, turns: Iterable[Turn]) -> list[ShownTurn]:
    readable = readable_ids(request.user)
    return shown_turns(turns, on=_today(), readable=readable, reader=request.user.pk)


def _today() -> datetime.date:
    return timezone.localdate()
