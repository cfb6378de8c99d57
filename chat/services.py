"""A question in, a stored turn out. The only writer of turns."""

from __future__ import annotations

import itertools
import logging
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat.audit import log as audit
from chat.caveats.cautions import IDENTIFIERS, Caution
from chat.config import AnswerConfig, answer_config
from chat.errors import QuestionError
from chat.experiments.arms import Placed, placed_in_arm
from chat.generation.configured import site_generator
from chat.generation.types import Generation, Generator, Task
from chat.models import Channel, Citation, Claim, Conversation, Reason, Turn, TurnStatus
from chat.pipeline.admission import admitted
from chat.pipeline.answer import answer
from chat.pipeline.events import Begun, Tell, untold
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import SearchLog
from chat.pipeline.trace import fingerprint_of, trace_of
from chat.question.clean import question_clean
from chat.question.follow_ups import Asked, Standalone, standalone
from chat.question.identifiers.guard import Guarded, question_guarded
from chat.question.multiple_choice import set_apart, written_out
from chat.types import Abstained, Answered, DraftClaim, Option, Outcome, Quote, Unit
from chat.verification.entailment.configured import site_verifier
from chat.verification.entailment.types import Verifier
from chat.verification.types import Judgement, Pair
from core.llm.usage import Usage
from corpus.boxes import Blocks
from corpus.parsing.clean import clean_line
from corpus.positions import positions_of
from corpus.selectors import blocks_without_pages
from retrieval.configured import site_config
from retrieval.spelling import spelling_corrected
from retrieval.types import NO_FILTERS, Filters, Hit, Query

logger = logging.getLogger(__name__)

OWNER_ABOVE = 0.05  # the gate's probability below which no topic is recognised, nor its owner
REMEMBERED = 4  # turns of a conversation that a follow-up may refer to


@dataclass(frozen=True)
class Asker:
    """Who asks, by which way, in which conversation, and the turn's key where it has one."""

    user: User | None
    channel: Channel
    conversation: Conversation | None = None
    key: uuid.UUID | None = None
    earlier: tuple[str, ...] = ()  # what was asked before in a client's own conversation
    follows: bool = True  # whether the question may go on from what was asked before
    begins: uuid.UUID | None = None  # the key of the conversation that the question begins
    placed: Placed | None = None  # None: in no arm, whatever runs


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
    tell: Tell = untold,
) -> Turn:
    """Answer or refuse, and store the turn with its audit event in one transaction.

    A question of the page without a conversation begins one; a follow-up is understood from the
    turns before it, or from the questions `earlier`, which are not stored; without `follows` it
    goes on from none of them. What identifies a patient is dealt with before anything is stored or
    sent. Without `mode` the site's counts, or in a conversation that of its arm where an experiment
    runs. `options` are those of a multiple-choice question that names none itself; in neither case
    are they searched. Raises `Busy` and `QuestionError` before anything is stored. A failure of a
    part is a refusal; if the turn can't be stored there is no answer. `tell` hears of each step,
    and ends it before anything is stored where it raises `AskerLeft`.

    `key` becomes the turn's primary key: who was interrupted finds by it what was stored. Raises
    IntegrityError where there is one already.
    """
    tell(Begun())
    parts = _parts()  # a first call loads what must not cost time below
    began = time.perf_counter()
    config = answer_config(mode)
    filters_check(filters, collections, config)
    begins = uuid.uuid4() if channel == Channel.PAGE and user and conversation is None else None
    asker = Asker(user, channel, conversation, key, earlier, follows, begins)
    if not mode:
        asker = replace(asker, placed=_placed(config, asker))
        config = asker.placed.config if asker.placed else config
    guarded, options = _guarded(question_clean(question), options, config)
    if guarded.is_blocked:
        return _store(_blocked_turn(guarded, asker, config, began), begins)
    stem = guarded.text.removesuffix(written_out("", options))
    said = _standalone(stem, asker, config)
    scope = Query(
        text=said.searched,
        on=timezone.localdate(),
        collections=collections,
        reader=user.pk if user else None,
        filters=filters,
    )
    spelling = _spelling(scope)
    said = said.spelled(spelling)
    choice = set_apart(said.searched, options)
    query = replace(scope, text=choice.stem if choice else said.searched)
    inquiry = _inquiry(query, config, parts, began)
    inquiry.options = choice.options if choice else ()
    inquiry.is_unclear = said.is_unclear
    inquiry.tell = tell
    outcome = answer(inquiry)
    turn = _draft_turn(guarded.text, asker, config, outcome)
    turn.standalone = said.text if said.text != stem else ""
    turn.option = inquiry.option if isinstance(outcome, Answered) else ""
    cautions = [*_identified(guarded, config), *inquiry.cautions_of(outcome)]
    turn.warnings = [caution.as_dict() for caution in cautions]
    turn.fingerprint = fingerprint_of(inquiry)
    turn.trace = trace_of(inquiry) | {
        "identifiers": list(guarded.kinds),
        "follow_up": {"by": said.by, "notes": list(said.notes)},
        "spelling": spelling,
    }
    turn.duration_ms = _since_ms(began)
    return _store(turn, begins, outcome)


def _spelling(query: Query) -> dict[str, str]:
    """Return the slips to put right; none where that fails: it is searched as it was typed."""
    try:
        return spelling_corrected(query)
    except Exception as error:  # noqa: BLE001 - what fails again in the search is a refusal there
        logger.error("A question's spelling was not looked at: %s", type(error).__name__)
        return {}


def _placed(site: AnswerConfig, asker: Asker) -> Placed | None:
    """In which arm the conversation is, also one that the question begins. One query, or none."""
    conversation = asker.conversation
    if asker.channel == Channel.EVALUATION:
        return None
    if conversation is not None:
        return placed_in_arm(site, conversation.pk, began_at=conversation.created_at)
    return placed_in_arm(site, asker.begins, began_at=timezone.now()) if asker.begins else None


def _guarded(
    question: str, options: Sequence[Option], config: AnswerConfig
) -> tuple[Guarded, tuple[Option, ...]]:
    """Return what of a question, its options behind it, and of these may be stored and searched."""
    policy = config.identifiers
    stem = question_guarded(question, policy)
    if not options:
        return stem, ()
    texts = [question_guarded(clean_line(option.text), policy) for option in options]
    kept = tuple(replace(o, text=t.text) for o, t in zip(options, texts, strict=True))
    kinds = dict.fromkeys(kind for part in (stem, *texts) for kind in part.kinds)
    is_blocked = any(part.is_blocked for part in (stem, *texts))
    return Guarded(written_out(stem.text, kept), tuple(kinds), is_blocked), kept


def filters_check(filters: Filters, collections: Sequence[str], config: AnswerConfig) -> None:
    """Refuse words to narrow a search by that identify a patient: they are stored as they are."""
    if config.identifiers == "warn":
        return
    lists = (value for value in vars(filters).values() if isinstance(value, tuple))
    for word in (*itertools.chain.from_iterable(lists), *collections):
        if kinds := question_guarded(clean_line(word), "block").kinds:
            raise QuestionError(
                f"What the search is narrowed to seems to identify a patient ({', '.join(kinds)}).",
                hint="Nothing was stored, searched or sent. Please leave it out.",
            )


def site_inquiry(query: Query, config: AnswerConfig) -> AnswerRun:
    """Return a question on its way through the parts that this site is set to."""
    return _inquiry(query, config, _parts(), time.perf_counter())


@dataclass(frozen=True)
class UnavailablePart:
    """In the place of a part that can't be made: it refuses where that would have worked."""

    error: Exception
    name = "unavailable"
    usage = Usage()
    said = ()

    @property
    def fingerprint(self) -> str:
        return f"unavailable:{type(self.error).__name__}"

    def generate(self, task: Task) -> Generation:
        raise self.error

    def again(self, task: Task, stored: Generation) -> Generation:
        raise self.error

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        raise self.error


def _parts() -> tuple[Generator, Verifier]:
    try:
        generator = site_generator()
    except Exception as error:  # noqa: BLE001 - fail closed: it refuses when it is asked
        generator = UnavailablePart(error)
    try:
        return generator, site_verifier()
    except Exception as error:  # noqa: BLE001 - as above
        return generator, UnavailablePart(error)


def _inquiry(
    query: Query, config: AnswerConfig, parts: tuple[Generator, Verifier], began: float
) -> AnswerRun:
    generator, verifier = parts
    return AnswerRun(query, config, SearchLog(site_config()), generator, verifier, began=began)


def _standalone(question: str, asker: Asker, config: AnswerConfig) -> Standalone:
    if config.follow_ups == "off":
        return Standalone(question)
    latest: Iterable[Turn] = ()
    if asker.conversation is not None and asker.follows:
        turns = asker.conversation.turns.filter(text_removed_at=None).only(
            "question", "standalone", "status"
        )
        latest = turns.order_by("-created_at", "-pk")[:REMEMBERED]
    before = [
        Asked(turn.question, turn.standalone or turn.question, turn.status == TurnStatus.ANSWERED)
        for turn in reversed(tuple(latest))
    ] or _typed_before(asker.earlier if asker.follows else (), config)
    said = standalone(question, before, by=config.follow_ups, timeout_s=config.timeout_s / 3)
    # A model may have made a name of its own.
    invented = config.identifiers != "warn" and question_guarded(said.text, "block").is_blocked
    return replace(said, text=question, by="", before="") if invented else said


def _typed_before(questions: Sequence[str], config: AnswerConfig) -> list[Asked]:
    """Return questions that no turn is stored of, understood by rules; none counts as answered.

    One that can't be asked here, or that identifies a patient where that forbids it, is left out.
    """
    before: list[Asked] = []
    by = "off" if config.follow_ups == "off" else "rules"
    for question in questions[-REMEMBERED:]:
        try:
            guarded = question_guarded(question_clean(question), config.identifiers)
        except QuestionError:
            continue
        if not guarded.is_blocked:
            said = standalone(guarded.text, before, by=by, timeout_s=0.0)
            before.append(Asked(guarded.text, said.text, was_answered=False))
    return before


def _blocked_turn(guarded: Guarded, asker: Asker, config: AnswerConfig, began: float) -> Turn:
    """Return a turn for which nothing was searched or sent, with what may be kept of it."""
    refusal = Abstained(Reason.IDENTIFIERS_IN_QUESTION)
    turn = _draft_turn(guarded.text, asker, config, refusal)
    turn.warnings = [caution.as_dict() for caution in _identified(guarded, config)]
    turn.fingerprint = ""
    turn.trace = {"identifiers": list(guarded.kinds)}
    turn.duration_ms = _since_ms(began)
    return turn


def _identified(guarded: Guarded, config: AnswerConfig) -> list[Caution]:
    """Return what was done about identifiers, for who asked."""
    if not guarded.kinds:
        return []
    kinds = ", ".join(guarded.kinds)
    done = {
        "warn": "It was stored as it was typed. Please leave such details out.",
        "redact": "It was taken out before the question was stored or searched.",
        "block": "Nothing was searched or sent, and it was not stored.",
    }[config.identifiers]
    return [Caution(IDENTIFIERS, f"The question seems to identify a patient ({kinds}). {done}")]


def _since_ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


def _draft_turn(question: str, asker: Asker, config: AnswerConfig, outcome: Outcome) -> Turn:
    turn = Turn(
        conversation=asker.conversation,
        user=asker.user,
        channel=asker.channel,
        question=question,
        mode=config.mode,
        created_at=timezone.now(),
        confidence=round(outcome.confidence, 4),
        experiment=asker.placed.experiment if asker.placed else None,
        arm=asker.placed.arm if asker.placed else "",
        **({"pk": asker.key} if asker.key else {}),
    )
    if isinstance(outcome, Answered):
        turn.status = TurnStatus.ANSWERED
        return turn
    turn.status = TurnStatus.ABSTAINED
    turn.reason = outcome.reason
    turn.nearest = [_nearest(hit, outcome.excerpts.get(hit.key, ())) for hit in outcome.nearest]
    if outcome.reason == Reason.ONLY_OUT_OF_DATE or outcome.confidence >= OWNER_ABOVE:
        turn.owner = _owner(outcome.nearest)
    return turn


def _nearest(hit: Hit, excerpt: Sequence[Unit]) -> dict[str, Any]:
    return {
        "document": hit.title,
        "version": hit.version,
        "sha256": hit.sha256,
        "lifecycle": hit.lifecycle,
        "page": hit.page,
        "position": hit.position,
        "section": hit.section,
        "section_path": list(hit.section_path),
        "text": hit.text,
        "excerpt": [unit.text for unit in excerpt],
        "chunk": hit.key,
    }


def _owner(hits: Sequence[Hit]) -> dict[str, str]:
    for hit in hits:
        if hit.owner_name or hit.owner_contact:
            return {"name": hit.owner_name, "contact": hit.owner_contact}
    return {}


def _store(turn: Turn, begins: uuid.UUID | None, outcome: Outcome | None = None) -> Turn:
    with transaction.atomic():
        if begins is not None:
            turn.conversation = Conversation.objects.create(
                pk=begins, user=turn.user, title=turn.question[:200]
            )
        turn.save(force_insert=True)
        if isinstance(outcome, Answered):
            _store_claims(turn, outcome.claims)
        if turn.conversation is not None:
            turn.conversation.title = turn.conversation.title or turn.question[:200]
            turn.conversation.save(update_fields=["title", "updated_at"])
        audit.record_turn(turn)
    return turn


def _position(blocks: Mapping[int, Blocks], quote: Quote) -> str:
    """Return where a quote stands in its section; empty in a document with pages."""
    found = blocks.get(quote.hit.document_id, ())
    return positions_of(found, [(quote.start, quote.end)])[0]


def _store_claims(turn: Turn, drafts: Sequence[DraftClaim]) -> None:
    """Write claims and citations; one query for the documents without pages, where there are."""
    hits = [quote.hit for draft in drafts for quote in draft.quotes]
    without_pages = {hit.document_id for hit in hits if hit.position}
    blocks = blocks_without_pages(without_pages) if without_pages else {}
    numbers: dict[str, int] = {}  # the passage's number in the turn, by first appearance
    for index, draft in enumerate(drafts, start=1):
        population = draft.quotes[0].hit.population
        claim = Claim.objects.create(
            turn=turn, index=index, text=draft.text, kind=draft.kind, population=population
        )
        # What two citations share, such as the header of a table, is stored once.
        quotes = {(quote.hit.key, quote.page, quote.start): quote for quote in draft.quotes}
        Citation.objects.bulk_create(
            Citation(
                claim=claim,
                index=numbers.setdefault(quote.hit.key, len(numbers) + 1),
                document_id=quote.hit.document_id,
                chunk_key=quote.hit.key,
                sha256=quote.hit.sha256,
                title=quote.hit.title,
                version=quote.hit.version,
                page=quote.page,
                section=quote.hit.section,
                position=_position(blocks, quote),
                start=quote.start,
                end=quote.end,
                quote=quote.text,
            )
            for quote in quotes.values()
        )
