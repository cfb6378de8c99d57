"""Index the documents of a test set and ask its questions, in the database of this process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from bench.answers.asked import ASK, CHECKS, MATERIAL, AnswersTask, Asked
from bench.answers.checks import worth_of
from bench.answers.locating import Places, rank_of
from bench.answers.material import material_of
from bench.answers.model_asking import ModelOrder, model_asked
from bench.answers.questions import QuestionSet, read_questions
from bench.answers.stages import stages_of
from bench.runs import databases
from chat.ask import turn_ask
from chat.models import Channel, Claim, ClaimKind, Conversation, Turn
from chat.types import AskedQuestion
from core.progress import Progress
from corpus.indexing.jobs import sweep
from corpus.models import Chunk, Document, Job, JobState, Lifecycle
from corpus.review.words_found import lost_words
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish
from evaluation.measures.patterns import judged
from evaluation.question_sets.patterned import Question

Say = Callable[[str], None]
SWEEP_EVERY_S = 2.0


def run_answers(task: AnswersTask, say: Say) -> None:
    """Migrate, index missing documents, ask, and write one line of JSON for each question.

    Raises NoSuchDatabase before anything is written where this process does not work on a database
    of the evaluation, and DatasetError.
    """
    databases.refuse_users_database()
    found = read_questions(Path(task.testset), Path(task.documents), limit=task.limit)
    own_files()
    with databases.filling(lambda: say("another evaluation is indexing here: waiting for it")):
        call_command("migrate", verbosity=0)
        _fill(found, say)
    with Path(task.out).open("w", encoding="utf-8") as out:
        for row in _rows(found, task):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def own_files() -> None:
    """Keep files and the audit log's heads with this process's database, apart from the site's."""
    own = databases.folder_of_this()
    settings.FILES_DIR = own / "files"
    settings.AUDIT_HEADS_FILE = own / "heads.jsonl"
    settings.FILES_DIR.mkdir(parents=True, exist_ok=True)


def _rows(found: QuestionSet, task: AnswersTask) -> Iterator[dict[str, Any]]:
    if task.model:
        asked = model_asked(found.questions, ModelOrder(**task.model))
        return (asdict(each) for each in asked)
    if task.kind == ASK:
        return (asked.as_dict() for asked in _ask_all(found))
    if task.kind == CHECKS:
        places = Places()
        return _read_all(found, lambda each: worth_of(each, lambda q: _asked(q, places).verdict))
    return _read_all(found, material_of if task.kind == MATERIAL else stages_of)


def _fill(found: QuestionSet, say: Say) -> None:
    """Index the documents as an upload would, unless the database's note says they all are."""
    if dict(databases.note_of_this()).get("complete") == found.documents_digest:
        _publish_doubted()
        say(f"{Document.objects.count()} documents are indexed already")
        return
    note = {"documents_digest": found.documents_digest, "name": found.name}
    databases.note_kept(note)
    settings.TWO_PERSON_PUBLISH = False  # the system publishes the documents itself
    with suppress(SystemExit):  # raised for refused files: the others are measured
        call_command("ingest", *map(str, found.documents), "--publish")
    with Progress("  Indexing", len(found.documents), "documents") as progress:
        for document in Document.objects.order_by("filename"):
            document_index(document.pk)
            progress.step()
    finish_what_was_cut_off()
    for job in Job.objects.filter(state=JobState.FAILED).select_related("document"):
        say(f"{job.document.filename} could not be read: {job.last_error}")
    _publish_doubted()
    for document in Document.objects.order_by("filename"):
        if document.lifecycle != Lifecycle.PUBLISHED:
            say(f"{document.filename} is held back: too few of its words were found")
    databases.tidy()
    held = {"documents": Document.objects.count(), "passages": Chunk.objects.count()}
    databases.note_kept({**note, **held, "complete": found.documents_digest})
    say(f"{held['documents']} documents, {held['passages']} passages indexed")


def _publish_doubted() -> None:
    """Publish documents held back for doubts, as if somebody had ticked their pages."""
    for document in Document.objects.filter(lifecycle=Lifecycle.REVIEW).order_by("filename"):
        if lost_words(document) is None:
            pages = document.pages.values_list("number", flat=True)
            document_publish(document, by=None, today=timezone.localdate(), looked=list(pages))


def finish_what_was_cut_off() -> None:
    """Index documents whose jobs a killed run had leased: the leases end within a minute."""
    ended = (JobState.DONE, JobState.FAILED)
    while left := list(Job.objects.exclude(state__in=ended).order_by("pk")):
        time.sleep(SWEEP_EVERY_S)
        sweep()
        for job in left:
            document_index(job.document_id)


def _ask_all(found: QuestionSet) -> Iterator[Asked]:
    places = Places()
    with Progress("  Asking", len(found.questions), "questions") as progress:
        for question in found.questions:
            yield _asked(question, places)
            progress.step()


def _read_all(
    found: QuestionSet, row_of: Callable[[Question], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each question that stands alone."""
    alone = [question for question in found.questions if not question.before]
    with Progress("  Reading", len(alone), "questions") as progress:
        for question in alone:
            yield row_of(question)
            progress.step()


def _asked(question: Question, places: Places) -> Asked:
    turn = _turn(question)
    claims = list(turn.claims.order_by("index").prefetch_related("citations"))
    answers = [claim for claim in claims if claim.kind == ClaimKind.ANSWER]
    excerpts = [text for passage in turn.nearest for text in passage["excerpt"]]
    beside = [claim.text for claim in claims if claim.kind != ClaimKind.ANSWER]
    told = [warning["text"] for warning in turn.warnings]
    shown = [_shown_and_cited(claim) for claim in answers]
    verdict = judged(question, shown, beside=[*beside, *told], excerpts=excerpts)
    rank = rank_of(places.passages_with(question), turn.trace) if question.is_answerable else None
    return Asked(
        id=question.id,
        verdict=verdict,
        rank=rank,
        reason=turn.reason,
        confidence=turn.confidence,
        duration_ms=turn.duration_ms,
        statements=tuple(claim.text for claim in answers),
        beside=tuple(beside),
        excerpts=tuple(excerpts),
        fingerprint=turn.fingerprint,
        timings_ms=turn.trace.get("timings_ms") or {},
        gate=_gate(turn.trace.get("gate")),
    )


def _gate(told: Mapping[str, Any] | None) -> str:
    return f"{told['scale']['version']}, {told['threshold']:g}" if told else ""


def _shown_and_cited(claim: Claim) -> str:
    """Return the statement and its quotes.

    A table row is shown with labels between its cells, which patterns made from the page do not
    match.
    """
    return "\n".join([claim.text, *(citation.quote for citation in claim.citations.all())])


def _turn(question: Question) -> Turn:
    """Ask a question as the system; a follow-up as a user, after the conversation before it."""
    if not question.before:
        return turn_ask(AskedQuestion(question.text, user=None, channel=Channel.COMMAND))
    user, _ = User.objects.get_or_create(username="evaluation", defaults={"is_superuser": True})
    conversation = Conversation.objects.create(user=user, title=question.id)
    for text in question.before:
        turn_ask(AskedQuestion(text, user=user, channel=Channel.COMMAND, conversation=conversation))
    return turn_ask(
        AskedQuestion(question.text, user=user, channel=Channel.COMMAND, conversation=conversation)
    )
