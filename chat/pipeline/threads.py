"""Choose between two readings of a question: by itself, or about what its thread is about.

`How often do I recheck K+?` stands by itself; after a question on hyperkalaemia it is about that.
Both readings are searched and read, the thread's in the documents that the thread has shown. It
counts where its gate opens, unless by itself another document answers with clearly more certainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from chat.models import Citation, Conversation, TurnStatus
from chat.pipeline.run import AnswerRun
from core.language.en.threads.words import MAX_NOTE_WORDS
from core.language.words import words

REMEMBERED = 4  # turns whose documents count
AHEAD = 0.15  # probability by which another document's answer leaves the thread


@dataclass(frozen=True)
class ThreadDocuments:
    """The SHA-256 of documents of a thread: quoted in answers, and shown with refusals."""

    quoted: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(sorted(self.quoted | self.shown))


def documents_of_thread(conversation: Conversation | None) -> ThreadDocuments:
    """Return the documents of the latest turns. Runs two queries."""
    if conversation is None:
        return ThreadDocuments()
    turns = conversation.turns.filter(text_removed_at=None).order_by("-created_at", "-pk")
    latest = list(turns.only("status", "nearest", "conversation")[:REMEMBERED])
    cited = Citation.objects.filter(claim__turn__in=[turn.pk for turn in latest])
    refused = (turn for turn in latest if turn.status != TurnStatus.ANSWERED)
    shown = frozenset(passage["sha256"] for turn in refused for passage in turn.nearest)
    return ThreadDocuments(frozenset(cited.values_list("sha256", flat=True)), shown)


class Reading(StrEnum):
    """Which of two readings of a question is answered."""

    IN_THREAD = "in_thread"
    ALONE = "alone"
    EITHER = "either"  # neither: they differ, and the asker has to say which is meant


def reading_of(inside: AnswerRun, alone: AnswerRun, thread: ThreadDocuments) -> Reading:
    """Return which of two readings that were decided on counts.

    A question that names what its thread is about, without an answer there, is not answered from
    another document as if the thread had never been.
    """
    found, by_itself = inside.decision, alone.decision
    if by_itself is None:
        return Reading.ALONE  # it is refused: its search failed, or answering is stopped
    if found is None:
        return Reading.IN_THREAD  # its search failed: not answered as if there were no thread
    if not inside.query.documents:  # about the thread's patient
        return Reading.ALONE if found.reason else Reading.IN_THREAD
    is_alone_open, stays = by_itself.reason is None, _stands_in(alone, thread.quoted)
    if found.reason is None:
        ahead = by_itself.probability - found.probability
        is_likelier = is_alone_open and not stays and ahead > AHEAD
        return Reading.ALONE if is_likelier else Reading.IN_THREAD
    is_about = alone.understood.is_about
    if is_alone_open:
        return Reading.EITHER if is_about and not stays else Reading.ALONE
    is_short = len(words(alone.query.text)) <= MAX_NOTE_WORDS
    return Reading.IN_THREAD if is_about or is_short else Reading.ALONE


def _stands_in(run: AnswerRun, documents: frozenset[str]) -> bool:
    """Tell whether the best statement of a reading is in one of the documents."""
    statements = run.decided.reading.statements
    return bool(statements) and statements[0].unit.hit.sha256 in documents
