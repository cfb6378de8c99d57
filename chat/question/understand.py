"""Turn a typed question into what is searched: follow-ups completed, spelling corrected."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chat.config import AnswerConfig
from chat.errors import QuestionError
from chat.models import Turn, TurnStatus
from chat.question.clean import question_clean
from chat.question.follow_ups import Asked, Standalone, standalone
from chat.question.guard import question_guarded
from chat.question.multiple_choice import set_apart, written_out
from chat.rights import standalone_open
from chat.types import AskedQuestion, Option
from corpus.access import readable_ids
from retrieval.analysis import plain_words
from retrieval.asked.clipped import words_completed
from retrieval.asked.short_forms import Meaning, as_defined, meanings
from retrieval.asked.spelling import spelling_corrected
from retrieval.types import Query

logger = logging.getLogger(__name__)

REMEMBERED = 4  # turns of a conversation that a follow-up may refer to


@dataclass(frozen=True)
class Understood:
    """The question to search for, and how it was derived from the typed one."""

    text: str = ""  # a self-contained question, without its options
    options: tuple[Option, ...] = ()  # of a multiple-choice question
    plain: str = ""  # the text in plain words, where it differs
    is_unclear: bool = False  # unresolved follow-up: the text has the questions before
    standalone: str = ""  # the whole question, if it differs from the typed one
    by: str = ""  # what completed a follow-up: `rules`, or `llm:` and the model
    notes: tuple[str, ...] = ()  # why a follow-up was left as it is
    # Corrections by misspelt word, and short forms with what the documents say they stand for.
    spelling: Mapping[str, str] = field(default_factory=dict)
    ambiguous: Mapping[str, tuple[Meaning, ...]] = field(default_factory=dict)  # by short form
    is_unread: bool = False  # its short forms could not be looked up: it must not be answered
    in_thread: str = ""  # of a question that stands by itself: as its thread would have it read
    is_within: bool = False  # whether that is searched in the documents of the thread only
    is_about: bool = False  # whether it may be meant about the thread: not to be answered elsewhere
    is_alone: bool = False  # it was read by itself, though a thread goes before it
    is_either: bool = False  # by itself it has another answer than in the thread: the asker chooses

    def read_in_thread(self) -> Understood:
        """Return the reading about what the thread is about."""
        return replace(
            self,
            text=self.in_thread,
            plain=_plain(self.in_thread) or "",
            standalone=self.in_thread if self.in_thread != self.text else self.standalone,
            by=self.by or "rules",
            in_thread="",
            is_alone=False,
        )

    def undecided(self) -> Understood:
        """Return the reading in the thread as unclear: by itself it says something else."""
        return replace(self, by="", standalone="", is_unclear=True, is_either=True)


def understand(
    query: Query,
    options: tuple[Option, ...],
    before: Sequence[Asked],
    config: AnswerConfig,
    *,
    as_typed: bool = False,
) -> Understood:
    """Complete a typed question from the turns `before`, correct its spelling, split off options.

    With `as_typed` no spelling is corrected and no short form read. Otherwise a short form that the
    documents in scope define is read as they say. Never raises for a failing language model or
    lookup. Runs three queries, for the spelling and the short forms.
    """
    stem = query.text.removesuffix(written_out("", options))
    wording = _standalone(stem, before, config)
    spelling = {} if as_typed else _spelling(replace(query, text=wording.searched))
    wording = wording.spelled(spelling)
    read = _short_forms(replace(query, text=wording.searched), as_typed=as_typed)
    meant, defined = read or ({}, {})
    wording = wording.spelled(defined)
    choice = set_apart(wording.searched, options)
    text = choice.stem if choice else wording.searched
    plain = text if as_typed or read is None else _plain(text)
    return Understood(
        text=text,
        plain=plain if plain and plain != text else "",
        options=choice.options if choice else (),
        is_unclear=wording.is_unclear,
        standalone=wording.text if wording.text != stem else "",
        by=wording.by,
        notes=wording.notes,
        spelling=spelling | defined,
        ambiguous={word: every for word, every in meant.items() if len(every) > 1},
        is_unread=read is None or plain is None,
        in_thread="" if choice else wording.in_thread,
        is_within=wording.is_within,
        is_about=wording.is_about,
        is_alone=bool(before) and not wording.is_follow_up,
    )


def questions_before(question: AskedQuestion, config: AnswerConfig) -> list[Asked]:
    """Return the latest turns of the conversation, else the questions `earlier`, oldest first.

    Empty if follow-ups are off. A wording that the asker may not be shown today counts as it was
    typed. Runs at most four queries if there is a conversation.
    """
    if config.follow_ups == "off":
        return []
    latest: Sequence[Turn] = ()
    worded: Mapping[uuid.UUID, str] = {}
    if question.conversation is not None:
        turns = question.conversation.turns.filter(text_removed_at=None).order_by(
            "-created_at", "-pk"
        )
        latest = tuple(turns.only("question", "standalone", "status", "conversation")[:REMEMBERED])
        worded = standalone_open(latest, readable_ids(question.user))
    before = [
        Asked(turn.question, worded[turn.pk], turn.status == TurnStatus.ANSWERED)
        for turn in reversed(latest)
    ]
    return before or _typed_before(question.earlier, config)


def _typed_before(questions: Sequence[str], config: AnswerConfig) -> list[Asked]:
    """Return earlier questions that were not stored, completed by rules; none counts as answered.

    An invalid question is left out, and one with patient identifiers under the policy `block`.
    """
    before: list[Asked] = []
    for question in questions[-REMEMBERED:]:
        try:
            guarded = question_guarded(question_clean(question), config.identifiers)
        except QuestionError:
            continue
        if not guarded.is_blocked:
            wording = standalone(guarded.text, before, by="rules", timeout_s=0.0)
            before.append(Asked(guarded.text, wording.text, was_answered=False))
    return before


def _standalone(question: str, before: Sequence[Asked], config: AnswerConfig) -> Standalone:
    wording = standalone(question, before, by=config.follow_ups, timeout_s=config.timeout_s / 3)
    # A model may have invented a name.
    invented = config.identifiers != "warn" and question_guarded(wording.text, "block").is_blocked
    return replace(wording, text=question, by="", before="") if invented else wording


def _spelling(query: Query) -> dict[str, str]:
    """Return corrections and completions by typed word; empty if they can't be looked up."""
    try:
        corrected = spelling_corrected(query)
        return corrected | {w: c for w, c in words_completed(query).items() if w not in corrected}
    except Exception as error:  # noqa: BLE001 - the search fails with a refusal
        logger.error("A question's spelling was not looked at: %s", type(error).__name__)
        return {}


def _short_forms(
    query: Query, *, as_typed: bool
) -> tuple[dict[str, tuple[Meaning, ...]], dict[str, str]] | None:
    """Return the meanings of short forms, and those to be read with their words.

    None if they can't be looked up.
    """
    try:
        meant = meanings(query)
        return meant, {} if as_typed else as_defined(query.text, meant)
    except Exception as error:  # noqa: BLE001 - fail closed: `is_unread`
        logger.error("A question's short forms were not looked at: %s", type(error).__name__)
        return None


def _plain(text: str) -> str | None:
    """Return the text in plain words; None if the lexicon can't be looked up."""
    try:
        return plain_words(text)
    except Exception as error:  # noqa: BLE001 - fail closed: `is_unread`
        logger.error("A question was not read in plain words: %s", type(error).__name__)
        return None
