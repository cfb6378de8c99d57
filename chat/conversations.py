"""Create, rename, share and delete conversations, and note that a recall in them was seen."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from chat.audit import log as audit
from chat.errors import QuestionError
from chat.models import Conversation
from chat.question.guard import question_guarded
from core.errors import MedragError
from corpus.parsing.clean import clean_line

MAX_TITLE_CHARS = 200


class NotDeletable(MedragError):
    """The site does not let people delete conversations. Nothing was changed."""


def conversation_create(user: User, *, title: str = "") -> Conversation:
    """Store an empty conversation and log it; without a title its first question becomes it.

    Raises `QuestionError` as `_title` does.
    """
    checked = _title(title)
    with transaction.atomic():
        made = Conversation.objects.create(user=user, title=checked)
        _record("created", made, by=user)
    return made


def conversation_rename(conversation: Conversation, *, title: str, by: User) -> None:
    """Change the title and log it; the position in the list stays.

    Raises `QuestionError` for an empty title, and as `_title` does.
    """
    checked = _title(title)
    if not checked:
        raise QuestionError(
            gettext("The title is empty."),
            hint=gettext("Nothing was changed. Write a few words."),
        )
    with transaction.atomic():
        conversation.title = checked
        conversation.save(update_fields=["title"])
        _record("renamed", conversation, by=by)


def conversation_delete(conversation: Conversation, *, by: User) -> None:
    """Hide a conversation from its owner and log it. No turn is deleted.

    Raises NotDeletable where the site forbids it.
    """
    if not settings.CONVERSATIONS_DELETABLE:
        raise NotDeletable(
            "This site keeps all conversations.",
            hint="Nothing was deleted. An administrator can allow it.",
        )
    with transaction.atomic():
        conversation.deleted_at = timezone.now()
        conversation.save(update_fields=["deleted_at"])
        _record("deleted", conversation, by=by)


def conversation_share(conversation: Conversation, *, by: User) -> None:
    """Let colleagues read a conversation by its link, and log it."""
    _shared_since(conversation, timezone.now(), "shared", by=by)


def conversation_unshare(conversation: Conversation, *, by: User) -> None:
    """Close a conversation's link at once, and log it."""
    _shared_since(conversation, None, "unshared", by=by)


def conversation_read(conversation: Conversation, *, by: User) -> None:
    """Log that a colleague read a conversation."""
    with transaction.atomic():
        _record("read", conversation, by=by)


def conversation_recalls_seen(conversation: Conversation, *, by: User) -> None:
    """Store and log that the owner saw which of its answers are recalled; its place stays."""
    with transaction.atomic():
        Conversation.objects.filter(pk=conversation.pk).update(recalls_seen_at=Now())
        _record("recalls_seen", conversation, by=by)


def _shared_since(
    conversation: Conversation, at: datetime.datetime | None, what: str, *, by: User
) -> None:
    """Change and log the time of sharing, unless it is that already."""
    is_shared = Conversation.objects.filter(pk=conversation.pk, shared_at__isnull=False)
    with transaction.atomic():
        if is_shared.exists() == (at is not None):
            return
        conversation.shared_at = at
        conversation.save(update_fields=["shared_at"])
        _record(what, conversation, by=by)


def _title(words: str) -> str:
    """Clean a title and treat patient identifiers in it as in a question.

    Raises `QuestionError` where identifiers are forbidden.
    """
    guarded = question_guarded(clean_line(words), settings.IDENTIFIERS)
    if guarded.is_blocked:
        raise QuestionError(
            gettext("The title seems to identify a patient (%(kinds)s).")
            % {"kinds": ", ".join(map(gettext, guarded.kinds))},
            hint=gettext("Nothing was stored. Please remove those words."),
        )
    return guarded.text[:MAX_TITLE_CHARS].strip()


def _record(what: str, conversation: Conversation, *, by: User) -> None:
    subject = f"conversation:{conversation.pk}"
    audit.record(f"conversation.{what}", actor=by, subject=subject, payload={})
