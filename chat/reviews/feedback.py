"""The one writer of Feedback."""

from django.conf import settings
from django.db import transaction

from chat.audit import log as audit
from chat.models import WANT_OF_EVIDENCE, Feedback, Turn
from chat.question.identifiers.guard import question_guarded
from chat.signals import gap_reported
from corpus.parsing.clean import clean_line

MAX_COMMENT_CHARS = 2000


def feedback_save(turn: Turn, *, helpful: bool, comment: str = "") -> Feedback:
    """Keep what the asker says of a turn, and that they did; a later word replaces the earlier one.

    What identifies a patient is taken out of it as out of a question; a comment is never refused.
    A refusal for want of evidence that was not helpful is a gap, announced when it is first said.
    """
    policy = "warn" if settings.IDENTIFIERS == "warn" else "redact"
    comment = question_guarded(clean_line(comment), policy).text
    is_gap = not helpful and turn.reason in WANT_OF_EVIDENCE
    with transaction.atomic():
        is_known = is_gap and Feedback.objects.filter(turn=turn, helpful=False).exists()
        feedback, _ = Feedback.objects.update_or_create(
            turn=turn, defaults={"helpful": helpful, "comment": comment}
        )
        payload = {"comment": bool(comment), "helpful": helpful}
        audit.record("feedback", actor=turn.user, subject=f"turn:{turn.pk}", payload=payload)
        if is_gap and not is_known:
            gap_reported.send(Turn, turn=turn)
    return feedback
