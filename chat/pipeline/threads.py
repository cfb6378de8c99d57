"""Choose between two readings of a question: by itself, or about what its thread is about.

`How often do I recheck K+?` stands by itself; after a question on hyperkalaemia it is about that.
Both readings are searched and read. The thread's counts where its best statement stands in a
document that the thread has shown, unless by itself another document answers with more certainty.
"""

from __future__ import annotations

from enum import StrEnum

from chat.models import Citation, Conversation, TurnStatus
from chat.pipeline.run import AnswerRun
from core.language.en.threads.words import MAX_NOTE_WORDS
from core.language.words import words

REMEMBERED = 4  # turns whose documents count


def documents_of_thread(conversation: Conversation | None) -> frozenset[str]:
    """Return the SHA-256 of what the latest turns quoted, or showed first. Runs two queries."""
    if conversation is None:
        return frozenset()
    turns = conversation.turns.filter(text_removed_at=None).order_by("-created_at", "-pk")
    latest = list(turns.only("status", "nearest", "conversation")[:REMEMBERED])
    cited = Citation.objects.filter(claim__turn__in=[turn.pk for turn in latest])
    first = (
        turn.nearest[0] for turn in latest if turn.status != TurnStatus.ANSWERED and turn.nearest
    )
    return frozenset({*cited.values_list("sha256", flat=True), *(hit["sha256"] for hit in first)})


class Reading(StrEnum):
    """Which of two readings of a question is answered."""

    IN_THREAD = "in_thread"
    ALONE = "alone"
    EITHER = "either"  # neither: they differ, and the asker has to say which is meant


def reading_of(inside: AnswerRun, alone: AnswerRun, shown: frozenset[str]) -> Reading:
    """Return which of two readings that were decided on counts.

    A question that names what its thread is about, without an answer there, is not answered from
    another document as if the thread had never been.
    """
    found, by_itself = inside.decision, alone.decision
    if found is None or by_itself is None:
        return Reading.ALONE  # a search failed
    is_near = _stands_in(inside, shown)
    if by_itself.reason is not None:
        is_short = len(words(alone.query.text)) <= MAX_NOTE_WORDS
        is_meant = found.reason is None or is_short or alone.understood.shares_topic
        return Reading.IN_THREAD if is_near and is_meant else Reading.ALONE
    stays = _stands_in(alone, shown)
    is_likelier = found.reason is None and (stays or found.probability >= by_itself.probability)
    if is_near and is_likelier:
        return Reading.IN_THREAD
    is_apart = alone.understood.shares_topic and not stays
    return Reading.EITHER if is_apart else Reading.ALONE


def _stands_in(run: AnswerRun, shown: frozenset[str]) -> bool:
    """Tell whether the best statement of a reading is in a document that the thread has shown."""
    statements = run.decided.reading.statements
    return bool(statements) and statements[0].unit.hit.sha256 in shown
