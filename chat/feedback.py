"""The one writer of Feedback."""

from chat.models import Feedback, Turn


def feedback_save(turn: Turn, *, helpful: bool, comment: str = "") -> Feedback:
    """Keep what the asker says of a turn; a later word replaces the earlier one."""
    feedback, _ = Feedback.objects.update_or_create(
        turn=turn, defaults={"helpful": helpful, "comment": comment}
    )
    return feedback
