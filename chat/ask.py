"""Answer a question, from the typed text to the stored turn.

`turn_ask` guards, understands, answers and stores; `answer` is the middle part, which replays and
measurements run too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from django.conf import settings
from django.utils import timezone

from chat.caveats.cautions import (
    ambiguity_cautions,
    stop_caution,
    unknown_word_cautions,
)
from chat.caveats.earlier import forgotten
from chat.caveats.languages import other_language_caution
from chat.config import answer_config
from chat.errors import BudgetExceeded
from chat.evidence.texts import normalised
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
from chat.pipeline.rereading import settled
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import decide_on, find
from chat.pipeline.threads import (
    Reading,
    ThreadDocuments,
    documents_of_thread,
    reading_of,
)
from chat.pipeline.told import NOTHING_TOLD, told_before
from chat.question.clean import guarded_with_options, narrowing_check, question_clean
from chat.question.multiple_choice import is_exception
from chat.question.understand import Understood, questions_before, understand
from chat.services import turn_store
from chat.types import Abstained, Answered, AskedQuestion, DraftClaim, Outcome
from chat.verification.verify import verify
from core.language.gloss import spoken_in
from core.timing import timed
from corpus.stops import stops_held
from retrieval.types import Query


@admitted
def turn_ask(question: AskedQuestion, *, tell: Tell = ignore_event) -> Turn:
    """Answer or refuse, and store the turn with its audit event in one transaction.

    Patient identifiers are dealt with before anything is stored or sent. `tell` is called at each
    step and may raise `AskerLeft` to end the question before anything is stored.

    A failure of a part is a refusal; if the turn can't be stored there is no answer. Raises `Busy`
    and `QuestionError` before anything is stored, IntegrityError for a used `key`.
    """
    tell(Begun())
    parts = site_parts()  # the first call of a process loads models, on nobody's time
    began = time.perf_counter()
    config = answer_config(question.mode)
    narrowing_check(question.filters, question.collections, config.identifiers)
    question = _in_conversation(question)
    is_tried = not question.mode and question.channel != Channel.EVALUATION
    assignment = Assignment(config)
    if is_tried:
        assignment = assignment_of(config, question.conversation)
    config = assignment.config

    text = question_clean(question.text)
    guarded, options = guarded_with_options(text, question.options, config.identifiers)
    query = Query(
        text=guarded.text,
        on=timezone.localdate(),
        collections=question.collections,
        reader=question.user.pk if question.user else None,
        filters=question.filters,
    )
    run = AnswerRun(query, config, *parts, began=began, tell=tell)
    if guarded.is_blocked:
        refused = Abstained(Reason.IDENTIFIERS_IN_QUESTION)
        return turn_store(run, refused, guarded, question, assignment)

    before = questions_before(question, config) if question.follows else []
    earlier = [turn.standalone or turn.question for turn in before]
    understood = understand(query, options, before, config, as_typed=question.as_typed)
    _prepare(run, understood, earlier)
    told = told_before(guarded.text, earlier, question.conversation) if earlier else NOTHING_TOLD
    run.told = told if understood.by else NOTHING_TOLD
    thread = documents_of_thread(question.conversation) if understood.in_thread else None
    if thread and thread.all:
        within = thread.all if understood.is_within else ()
        inside = AnswerRun(replace(query, documents=within), config, *parts, began=began)
        _prepare(inside, understood.read_in_thread(), earlier)
        inside.told = told
        alone = run
        run, outcome = settled((alone, inside), lambda: _of_two(alone, inside, thread))
    else:
        outcome = answer(run)
    return turn_store(run, outcome, guarded, question, assignment)


def _prepare(run: AnswerRun, understood: Understood, earlier: Sequence[str]) -> None:
    run.understood = understood
    run.query = replace(run.query, text=understood.text, plain=understood.plain)
    run.cautions += ambiguity_cautions(understood.ambiguous)
    run.forgotten = forgotten(run.query.text, earlier)


def _of_two(
    alone: AnswerRun, inside: AnswerRun, thread: ThreadDocuments
) -> tuple[AnswerRun, Outcome]:
    """Search and read by itself and in the thread, and answer the reading that counts."""
    refused, by_itself = _taken(inside, FINDING), _taken(alone, FINDING)
    reading = reading_of(inside, alone, thread)
    if reading is Reading.EITHER:
        inside.understood = inside.understood.undecided()
        del inside.searches.taken[1:]  # how a refusal of the thread's reading was explained
        return inside, refusal(inside, Reason.UNCLEAR_QUESTION)
    run, refused = (inside, refused) if reading is Reading.IN_THREAD else (alone, by_itself)
    run.tell = alone.tell
    return run, refused or _taken(run, WRITING) or Answered(run.claims, run.confidence)


def _in_conversation(question: AskedQuestion) -> AskedQuestion:
    """Return a question of the page with its conversation, stored with the turn that begins it."""
    if question.channel == Channel.PAGE and question.user and question.conversation is None:
        return replace(question, conversation=Conversation(user=question.user))
    return question


def answer(run: AnswerRun) -> Outcome:
    """Return an answer whose every claim was verified, or a refusal. Stores nothing.

    Each step reads and fills the run, and returns a refusal or None. A step that fails, or finishes
    too late after the gate, becomes a refusal with its own reason. Raises nothing but `AskerLeft`,
    which the listener `run.tell` may raise.
    """
    _, outcome = settled([run], lambda: (run, _answered(run)))
    return outcome


def _answered(run: AnswerRun) -> Outcome:
    return _taken(run, (*FINDING, *WRITING)) or Answered(run.claims, run.confidence)


def _taken(run: AnswerRun, steps: Sequence[Step]) -> Abstained | None:
    """Take steps in order; return the first refusal, or None."""
    for name, step, broken in steps:
        try:
            with timed(run.timings_ms, name):
                refused = step(run)
            if refused is None and run.decision is not None and not run.left_s:
                raise BudgetExceeded("The question took longer than is allowed.")
        except Exception as error:  # noqa: BLE001 - fail closed
            refused = failed(run, broken, error)
        if refused is not None:
            return refused
    return None


def heed_stops(run: AnswerRun) -> Abstained | None:
    """Learn what answering is stopped from; refuse where it is stopped altogether."""
    run.searches.stops = stops_held()
    if stop := run.searches.stops.of_site:
        run.cautions.append(stop_caution(stop))
        return Abstained(Reason.STOPPED, stop=stop)
    return None


def choose_gate(run: AnswerRun) -> None:
    """Set the gate: the calibration in use, else the gate as learned."""
    run.searches.gate = gate_in_use()


def search(run: AnswerRun) -> None:
    """Find passages in the documents in force on the day, and record which those are."""
    if run.understood.is_unread:
        raise LookupError("What the question's short forms stand for is not known.")
    run.snapshot = corpus_snapshot(run.query.on)
    run.evidence = find(run.query, run.searches)
    run.cautions += [stop_caution(*met) for _, met in sorted(run.searches.met.items())]
    titles = dict.fromkeys(hit.title for hit in run.evidence.hits)
    run.tell(Found(len(run.evidence.hits), tuple(titles)))


def read_and_decide(run: AnswerRun) -> Abstained | None:
    """Read the passages; refuse if the gate judges them insufficient."""
    if run.searches.gate is None or run.evidence is None:
        raise LookupError("There is nothing to decide on.")
    decision = decide_on(run.query, run.evidence, run.searches.gate, run.searches, told=run.told)
    run.decision = decision
    run.cautions += unknown_word_cautions(decision.not_found)
    unread = _unread(run)
    reason = unread or decision.reason
    run.tell(Judged(decision.probability, decision.threshold, str(reason or "")))
    if unread is Reason.OTHER_LANGUAGE:
        spoken, answered = spoken_in(run.query.text), settings.ANSWER_LANGUAGES
        run.cautions.append(other_language_caution(spoken, answered))
    if unread:
        return refusal(run, unread)
    if decision.reason and run.searches.met:  # what is left is not what would have answered
        stop, _ = min(run.searches.met.items())[1]
        return Abstained(Reason.STOPPED, confidence=decision.probability, stop=stop)
    return explained(run) if decision.reason else None


def _unread(run: AnswerRun) -> Reason | None:
    """Return why a question must not be answered whatever was found; None for no such reason."""
    if spoken_in(run.query.text) not in settings.ANSWER_LANGUAGES:
        return Reason.OTHER_LANGUAGE
    return Reason.UNCLEAR_QUESTION if run.understood.is_unclear else None


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
Step = tuple[str, Callable[[AnswerRun], Abstained | None], Reason]
FINDING: tuple[Step, ...] = (
    ("search", heed_stops, Reason.SEARCH_UNAVAILABLE),
    ("search", choose_gate, Reason.GATE_UNAVAILABLE),
    ("search", search, Reason.SEARCH_UNAVAILABLE),
    ("search", read_and_decide, Reason.SEARCH_UNAVAILABLE),
)
WRITING: tuple[Step, ...] = (
    ("generation", write, Reason.GENERATOR_UNAVAILABLE),
    ("verification", check, Reason.VERIFIER_UNAVAILABLE),
    ("confidence", weigh, Reason.VERIFIER_UNAVAILABLE),
    ("beside", add_caveats, Reason.VERIFIER_UNAVAILABLE),
)
