"""Index the sample guidelines and ask sample questions of a site with a real model.

Runs in the database of this process, through the same function as a clinician's question.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from bench.answers.asking import finish_what_was_cut_off, own_files
from bench.real_model.asked import RealAsked, RealTask
from bench.runs import databases
from chat.ask import turn_ask
from chat.models import Channel, ClaimKind, Turn
from chat.types import AskedQuestion
from core.progress import Progress
from corpus.encoders.registry import get_embedder
from corpus.models import Document
from corpus.services.indexing import document_index
from evaluation.folders import write_lines
from evaluation.measures.configured import judging_endpoint
from evaluation.measures.ragas_judge import (
    NO_JUDGE,
    RAGAS_STANDARD,
    RagasConfig,
    RagasJudge,
)
from evaluation.models import Question
from evaluation.question_runs.items import item_of
from evaluation.question_runs.measuring import answered_item
from medrag_site.demo import MANIFEST

Say = Callable[[str], None]
QUESTIONS = MANIFEST.parent / "questions.json"
# A slow server answers one call at a time, each within minutes.
PATIENT = RagasConfig(
    concurrency=1, call_timeout_s=1800.0, measure_timeout_s=7200.0, retries=0, max_tokens=1024
)


class Samples:
    """The sample guidelines, described by their manifest."""

    @cached_property
    def documents_digest(self) -> str:
        files = sorted((MANIFEST.parent / "guidelines").iterdir())
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (MANIFEST, *files)]
        return hashlib.sha256("".join(digests).encode()).hexdigest()


def real_model_run(task: RealTask, say: Say) -> None:
    """Index the guidelines unless that is done, ask, judge, and write what is known at each step.

    Raises NoSuchDatabase before anything is written where this process does not work on a database
    of the evaluation.
    """
    databases.refuse_users_database()
    own_files()
    with databases.filling(lambda: say("another evaluation is indexing here: waiting for it")):
        call_command("migrate", verbosity=0)
        _fill(say)
    turns: list[tuple[RealAsked, Turn]] = []
    for asked, turn in asked_of_model(task.questions):
        turns.append((asked, turn))
        _write(task, turns)
        state = asked.reason or f"{len(asked.shown)} statements"
        say(f"question {asked.number}: {state}, {asked.seconds:.0f} s")
    answered = [place for place, (asked, _) in enumerate(turns) if not asked.reason]
    for place in answered[: task.judged]:
        asked, turn = turns[place]
        turns[place] = judged(asked, turn), turn
        _write(task, turns)
        say(f"question {asked.number} is judged, {turns[place][0].judged_seconds:.0f} s")


def _write(task: RealTask, turns: Sequence[tuple[RealAsked, Turn]]) -> None:
    rows = [json.dumps(asdict(asked), ensure_ascii=False) for asked, _ in turns]
    write_lines(Path(task.out), rows)


def _fill(say: Say) -> None:
    samples = Samples()
    if databases.note_of_this().get("complete") == samples.documents_digest:
        return
    note = {"documents_digest": samples.documents_digest, "name": "sample guidelines"}
    databases.note_kept(note)
    settings.TWO_PERSON_PUBLISH = False  # the system publishes the documents itself
    call_command("ingest", manifest=MANIFEST, despite_doubts=True, stdout=StringIO())
    documents = Document.objects.order_by("filename")
    with Progress("  Indexing", documents.count(), "documents") as progress:
        for document in documents:
            document_index(document.pk)
            progress.step()
    finish_what_was_cut_off()
    databases.note_kept({**note, "complete": samples.documents_digest})
    say(f"{documents.count()} documents indexed")


def asked_of_model(count: int) -> Iterator[tuple[RealAsked, Turn]]:
    """Ask the first sample questions, each with its turn."""
    rows = json.loads(QUESTIONS.read_text(encoding="utf-8"))[:count]
    for number, row in enumerate(rows, start=1):
        turn = turn_ask(AskedQuestion(row["question"], user=None, channel=Channel.COMMAND))
        yield _told(number, row, turn), turn


def _told(number: int, row: dict[str, str], turn: Turn) -> RealAsked:
    trace = turn.trace
    verdicts, usage = trace.get("verdicts") or (), trace.get("usage") or {}
    generation = trace.get("generation") or {}
    notes = [*(generation.get("notes") or ()), *(trace.get("notes") or ())]
    return RealAsked(
        number=number,
        question=row["question"],
        expected=row["expected_answer"],
        reason=turn.reason,
        why=tuple(filter(None, (trace.get("failure"), *notes))),
        shown=tuple(turn.claims.filter(kind=ClaimKind.ANSWER).values_list("text", flat=True)),
        found=sum("found" in verdict for verdict in verdicts),
        withheld=tuple((v["failed"], v["detail"], v["text"]) for v in verdicts if v["failed"]),
        passages=len(generation.get("keys") or ()),
        calls=int(usage.get("calls", 0)),
        prompt_tokens=int(usage.get("prompt_tokens", 0)),
        completion_tokens=int(usage.get("completion_tokens", 0)),
        seconds=round(turn.duration_ms / 1000, 1),
    )


def judged(asked: RealAsked, turn: Turn) -> RealAsked:
    """Return the result with RAGAS's measures by [judge] of MEDRAG_MODELS."""
    began = time.monotonic()
    question = Question(question=asked.question, kind="answerable", gold_answer=asked.expected)
    endpoint = judging_endpoint()
    measures: dict[str, Any] = dict.fromkeys(RAGAS_STANDARD, NO_JUDGE)
    if endpoint is not None:
        judge = RagasJudge(endpoint, get_embedder(), PATIENT)
        scores = judge.scores(answered_item(item_of(question, turn)), RAGAS_STANDARD)
        measures = {
            name: each.reason if each.value is None else each.value for name, each in scores.items()
        }
    return replace(asked, measures=measures, judged_seconds=round(time.monotonic() - began, 1))
