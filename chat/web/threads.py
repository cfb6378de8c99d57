"""List, search, rename, share and delete conversations; deletion only where a site allows it."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from chat.conversations import (
    NotDeletable,
    conversation_delete,
    conversation_read,
    conversation_rename,
    conversation_share,
    conversation_unshare,
)
from chat.errors import QuestionError
from chat.selectors import (
    access_conversation,
    access_shared_conversation,
    conversations_of,
    questions_holding,
    turns_of,
    with_recalls,
)
from chat.web.http import SignedInRequest, changes, reads, words_of
from chat.web.presentation import shown_turns
from corpus.access import readable_ids

A_PAGE = 50


@reads
def conversations(request: SignedInRequest) -> HttpResponseBase:
    return _listed(request)


@changes
def rename(request: SignedInRequest, pk: uuid.UUID) -> HttpResponseBase:
    thread = access_conversation(request.user, pk=pk)
    title = request.POST.get("title", "")
    try:
        conversation_rename(thread, title=title, by=request.user)
    except QuestionError as error:
        return _listed(request, wrong={"pk": thread.pk, "title": title, "why": error.sentence})
    return redirect("chat:conversations")


@changes
def delete(request: SignedInRequest, pk: uuid.UUID) -> HttpResponseBase:
    try:
        conversation_delete(access_conversation(request.user, pk=pk), by=request.user)
    except NotDeletable as error:
        raise Http404 from error
    return redirect("chat:conversations")


@changes
def share(request: SignedInRequest, pk: uuid.UUID) -> HttpResponseBase:
    """Share a conversation with colleagues, or stop sharing."""
    thread = access_conversation(request.user, pk=pk)
    change = conversation_share if request.POST.get("shared") == "yes" else conversation_unshare
    change(thread, by=request.user)
    return redirect(f"{reverse('chat:conversation', args=[pk])}#sharing")


@reads
def shared(request: SignedInRequest, pk: uuid.UUID) -> HttpResponseBase:
    """Show a shared conversation to a colleague, read only."""
    thread = access_shared_conversation(request.user, pk=pk)
    if thread.user_id != request.user.pk:
        conversation_read(thread, by=request.user)
    turns = shown_turns(
        turns_of(thread),
        on=timezone.localdate(),
        readable=readable_ids(request.user),
        reader=request.user.pk,
    )
    context = {"conversation": thread, "turns": turns, "read_only": True}
    return render(request, "chat/shared.html", context)


def _listed(request: SignedInRequest, *, wrong: dict[str, Any] | None = None) -> HttpResponse:
    """Show the list of conversations, with an error at the one whose new title was invalid."""
    words = words_of(request)
    conversations = with_recalls(conversations_of(request.user, words=words))
    page = Paginator(conversations, A_PAGE).get_page(request.GET.get("page"))
    held = questions_holding(words, conversations=page) if words else {}
    context = {
        "page": page,
        "threads": [(conversation, held.get(conversation.pk, ())) for conversation in page],
        "words": words,
        "wrong": wrong,
        "may_delete": settings.CONVERSATIONS_DELETABLE,
    }
    return render(request, "chat/conversations.html", context)
