"""Store feedback, as the only writer of Feedback."""

from django.conf import settings
from django.db import transaction

from chat.audit import log as audit
from chat.models import WANT_OF_EVIDENCE, Feedback, Turn
from chat.question.guard import question_guarded
from chat.signals import gap_reported
from corpus.parsing.clean import clean_line

MAX_COMMENT_CHARS = 2000


def feedback_save(turn: Turn, *, helpful: bool, comment: str = "") -> Feedback:
    """Store the asker's feedback on a turn, replacing earlier feedback. Audited.

    Patient identifiers are replaced in the comment as in a question; a comment is never rejected.
    Negative feedback on a refusal for lack of evidence is a gap, announced the first time.
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
