"""Begin a conversation before anything is asked in it, as programs do."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from chat.audit import log as audit
from chat.errors import QuestionError
from chat.models import Conversation
from chat.question.identifiers.guard import question_guarded
from corpus.parsing.clean import clean_line

MAX_TITLE_CHARS = 200


def conversation_create(user: User, *, title: str = "") -> Conversation:
    """Store an empty conversation, and that it was begun. Without a title its first question is it.

    What identifies a patient is dealt with as in a question: raises `QuestionError` under `block`.
    """
    guarded = question_guarded(clean_line(title), settings.IDENTIFIERS)
    if guarded.is_blocked:
        raise QuestionError(
            f"The title seems to identify a patient ({', '.join(guarded.kinds)}).",
            hint="Nothing was stored. Please leave it out.",
        )
    with transaction.atomic():
        made = Conversation.objects.create(user=user, title=guarded.text[:MAX_TITLE_CHARS])
        subject = f"conversation:{made.pk}"
        audit.record("conversation.created", actor=user, subject=subject, payload={})
    return made
