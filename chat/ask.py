"""Answer a question, from the typed text to the stored turn.

`turn_ask` guards, understands, answers and stores; `answer` is the middle part, which replays and
measurements run too.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace

from django.contrib.auth.models import User
from django.utils import timezone

from chat.caveats.cautions import unknown_word_cautions
from chat.caveats.earlier import forgotten
from chat.config import answer_config
from chat.errors import BudgetExceeded
from chat.experiments.arms import Assignment, assignment_of
from chat.gate.records import gate_in_use
from chat.generation.finding import with_found
from chat.generation.options import option_is_supported
from chat.generation.types import Task
from chat.models import Channel, Conversation, Reason, Turn
from chat.pipeline.admission import admitted
from chat.pipeline.caveats import add_caveats
from chat.pipeline.confidence import weigh
from chat.pipeline.corpus_snapshot import corpus_snapshot
from chat.pipeline.events import Begun, Checked, Found, Judged, Tell, ignore_event
from chat.pipeline.parts import site_parts
from chat.pipeline.refusals import explained, failed, refusal
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import decide_on, find
from chat.question.clean import guarded_with_options, narrowing_check, question_clean
from chat.question.multiple_choice import is_exception
from chat.question.understand import questions_before, understand
from chat.services import Asker, turn_store
from chat.types import Abstained, Answered, DraftClaim, Option, Outcome
from chat.verification.texts import normalised
from chat.verification.verify import verify
from core.timing import timed
from retrieval.types import NO_FILTERS, Filters, Query


@admitted
def turn_ask(
    question: str,
    *,
    user: User | None,
    channel: Channel,
    conversation: Conversation | None = None,
    earlier: tuple[str, ...] = (),
    follows: bool = True,
    collections: tuple[str, ...] = (),
    filters: Filters = NO_FILTERS,
    mode: str = "",
    options: tuple[Option, ...] = (),
    key: uuid.UUID | None = None,
    request: str = "",
    tell: Tell = ignore_event,
) -> Turn:
    """Answer or refuse, and store the turn with its audit event in one transaction.

    A question asked on the page without a conversation starts one. A follow-up is understood from
    the conversation's turns or from the questions `earlier`, which are not stored; with `follows`
    false it is read alone. Patient identifiers are dealt with before anything is stored or sent.
    Without `mode` the site's applies, or that of the conversation's arm while an experiment runs.
    `options` are the choices of a multiple-choice question whose text has none; options are never
    searched for. `key` becomes the turn's primary key, by which an interrupted caller finds the
    turn, and `request` is kept in its trace. `tell` is called at each step and may raise
    `AskerLeft` to end the question before anything is stored.

    A failure of a part is a refusal; if the turn can't be stored there is no answer. Raises `Busy`
    and `QuestionError` before anything is stored, IntegrityError for a used `key`.
    """
    tell(Begun())
    parts = site_parts()  # the first call of a process loads models, on nobody's time
    began = time.perf_counter()
    config = answer_config(mode)
    narrowing_check(filters, collections, config.identifiers)
    if channel == Channel.PAGE and user and conversation is None:
        conversation = Conversation(user=user)  # stored with the turn that begins it
    is_tried = not mode and channel != Channel.EVALUATION
    assignment = assignment_of(config, conversation) if is_tried else Assignment(config)
    config = assignment.config
    asker = Asker(user, channel, conversation, key, assignment, request)

    guarded, options = guarded_with_options(question_clean(question), options, config.identifiers)
    query = Query(
        text=guarded.text,
        on=timezone.localdate(),
        collections=collections,
        reader=user.pk if user else None,
        filters=filters,
    )
    run = AnswerRun(query, config, *parts, began=began, tell=tell)
    if guarded.is_blocked:
        return turn_store(run, Abstained(Reason.IDENTIFIERS_IN_QUESTION), guarded, asker)

    before = questions_before(conversation, earlier, config, reader=user) if follows else []
    run.understood = understand(query, options, before, config)
    run.query = replace(query, text=run.understood.text)
    run.forgotten = forgotten(run.query.text, [turn.standalone or turn.question for turn in before])
    return turn_store(run, answer(run), guarded, asker)


def answer(run: AnswerRun) -> Outcome:
    """Return an answer whose every claim was verified, or a refusal. Stores nothing.

    Each step reads and fills the run, and returns a refusal or None. A step that fails, or finishes
    too late after the gate, becomes a refusal with its own reason. Raises nothing but `AskerLeft`,
    which the listener `run.tell` may raise.
    """
    for name, step, broken in STEPS:
        try:
            with timed(run.timings_ms, name):
                refused = step(run)
            if refused is None and run.decision is not None and not run.left_s:
                raise BudgetExceeded("The question took longer than is allowed.")
        except Exception as error:  # noqa: BLE001 - fail closed
            refused = failed(run, broken, error)
        if refused is not None:
            return refused
    return Answered(run.claims, run.confidence)


def choose_gate(run: AnswerRun) -> None:
    """Set the gate: the active calibration of the encoder that will be searched."""
    run.searches.gate = gate_in_use(run.searches.config)


def search(run: AnswerRun) -> None:
    """Find passages in the documents in force on the day, and record which those are."""
    run.snapshot = corpus_snapshot(run.query.on)
    run.evidence = find(run.query, run.searches)
    titles = dict.fromkeys(hit.title for hit in run.evidence.hits)
    run.tell(Found(len(run.evidence.hits), tuple(titles)))


def read_and_decide(run: AnswerRun) -> Abstained | None:
    """Read the passages; refuse if the gate judges them insufficient."""
    if run.searches.gate is None or run.evidence is None:
        raise LookupError("There is nothing to decide on.")
    decision = decide_on(run.query, run.evidence, run.searches.gate, run.searches)
    run.decision = decision
    run.cautions += unknown_word_cautions(decision.not_found)
    reason = Reason.UNCLEAR_QUESTION if run.understood.is_unclear else decision.reason
    run.tell(Judged(decision.probability, decision.threshold, str(reason or "")))
    if run.understood.is_unclear:
        return refusal(run, Reason.UNCLEAR_QUESTION)
    return explained(run) if decision.reason else None


def write(run: AnswerRun) -> Abstained | None:
    """Write claims with quotes, or have a language model write them; refuse without any.

    Of equal claims only the first is kept: copies of a true claim must not outvote a false one.
    """
    task = replace(_task(run), deadline_s=run.left_s)
    if run.stored is None:
        run.generation = run.generator.generate(task)
    else:
        run.generation = run.generator.again(task, run.stored)
    first: dict[str, DraftClaim] = {}
    for claim in run.generation.claims:
        first.setdefault(normalised(claim.text).casefold(), claim)
    run.drafts = tuple(first.values())
    return None if run.drafts else explained(run)


def check(run: AnswerRun) -> Abstained | None:
    """Keep the claims that pass verification; no other claim is ever shown, in any mode.

    A language model's claim that fails may rest on another statement that was read. For a
    multiple-choice question the claims must say the chosen option; where it asks for the exception
    all of them must pass.
    """
    of = len(run.drafts)
    run.tell(Checked(0, of))
    run.verdicts = verify(
        run.drafts,
        question=run.query.text,
        verifier=run.verifier,
        timeout_s=run.left_s,
        checked=lambda done: run.tell(Checked(done, of)),
    )
    if run.generation and run.generation.raw:  # a language model wrote them
        run.verdicts = with_found(
            run.verdicts,
            run.decided.reading.statements,
            question=run.query.text,
            verifier=run.verifier,
            timeout_s=run.left_s / 2,  # what is left is for the steps after this
        )
    run.supported = tuple(verdict.claim for verdict in run.verdicts if verdict.supported)
    if not run.supported:
        return refusal(run, Reason.UNSUPPORTED_CLAIMS)
    if run.understood.options:
        is_whole = len(run.supported) == of or not is_exception(run.query.text)
        if not (is_whole and option_is_supported(run.option, _task(run), run.supported)):
            return refusal(run, Reason.WEAK_EVIDENCE)
    return None


def _task(run: AnswerRun) -> Task:
    decision, options = run.decided, run.understood.options
    return Task(run.query.text, decision.passages, options, decision.reading.statements)


# Each with the name under which its time is kept, and the reason to refuse where it breaks.
STEPS: tuple[tuple[str, Callable[[AnswerRun], Abstained | None], Reason], ...] = (
    ("search", choose_gate, Reason.GATE_UNAVAILABLE),
    ("search", search, Reason.SEARCH_UNAVAILABLE),
    ("search", read_and_decide, Reason.SEARCH_UNAVAILABLE),
    ("generation", write, Reason.GENERATOR_UNAVAILABLE),
    ("verification", check, Reason.VERIFIER_UNAVAILABLE),
    ("confidence", weigh, Reason.VERIFIER_UNAVAILABLE),
    ("beside", add_caveats, Reason.VERIFIER_UNAVAILABLE),
)
