"""Replay a stored turn: a verdict on its answer, then everything that comes out differently.

Search, gate, verification and caveats run again, for the day of the question and with the asker's
rights. What language models wrote and judged is taken from the turn, unless it is to be generated
again; a verifier that is a language model is called again. Only the fact of the replay is stored.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import override

from chat.ask import answer
from chat.audit import log as audit
from chat.config import AnswerConfig
from chat.generation.types import Generation
from chat.models import Citation, Mode, Reason, Turn
from chat.pipeline.parts import site_parts
from chat.pipeline.run import AnswerRun
from chat.pipeline.told import Told
from chat.pipeline.trace import fingerprint_of, trace_of
from chat.question.multiple_choice import set_apart
from chat.question.understand import Understood
from chat.replays.comparison import Difference, Group, Sameness, differences, sameness
from chat.replays.corpus_changes import NOT_OPEN, changed_documents, corpus_movement
from chat.selectors import documents_by_sha256, every_collection, turn_readable_ids
from chat.types import IDENTIFIERS, Abstained, Answered, DraftClaim, Option, Outcome
from chat.verification.answer_judge import AnswerJudgement
from core.errors import MedragError
from core.llm.usage import Usage
from corpus.models import Document
from corpus.selectors import places_without_pages
from retrieval.filters import filters_from
from retrieval.types import Query

# A document's SHA-256, or the key of one of its passages.
GONE = "a document that is gone"
_KEY = re.compile(r"\b([0-9a-f]{64})(?:_p(\d+)_\w+)?")
_HEADINGS = {
    Group.CORPUS: "The corpus",
    Group.SETTINGS: "Settings",
    Group.SCORES: "What was found, and its scores",
    Group.TEXTS: "Texts",
}
_DRAWN = {"keys", "raw"}  # new with each call of a language model


class NotReplayable(MedragError):
    """The turn has nothing to replay."""


@dataclass(frozen=True)
class Changed:
    """A group of what differs: sentences, then values. May hold what was asked and answered."""

    group: Group
    sentences: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()

    @property
    def heading(self) -> str:
        return _HEADINGS[self.group]


@dataclass(frozen=True)
class Replay:
    turn: Turn
    outcome: Outcome
    verdict: Sameness
    changed: tuple[Changed, ...]  # in the order of `Group`; empty: the same in every step


def turn_replay(turn: Turn, *, regenerate: bool = False, by: audit.Actor = None) -> Replay:
    """Replay a turn and compare it, step by step; write one audit event.

    Documents have the titles that `by` may read; the system itself reads all. Raises
    `NotReplayable` for a turn that was blocked, is of an older release, or lost its text.
    """
    if turn.removal:
        raise NotReplayable(turn.removal, hint="Nothing was run, and nothing was changed.")
    if turn.reason == Reason.IDENTIFIERS_IN_QUESTION:
        raise NotReplayable(
            "This question was blocked before anything was searched.",
            hint="Nothing was run, and nothing was changed.",
        )
    if "asked" not in turn.trace:
        raise NotReplayable(
            "This question was stored by an older release, without the data that a replay needs.",
            hint="Ask the question again.",
        )
    run = _run_of(turn, regenerate=regenerate)
    with override(turn.trace["asked"].get("page", settings.LANGUAGE_CODE)):  # as its cautions are
        outcome = answer(run)
        stored, now = _stored(turn), _now(run, outcome)
    if regenerate:
        stored, now = _without_drawn(stored), _without_drawn(now)
    verdict = sameness(stored["outcome"], now["outcome"])
    readable = turn_readable_ids(by) if isinstance(by, User) else every_collection()
    changed = _changed(turn, run, differences(stored, now), readable)
    _record(turn, verdict, changed, regenerate=regenerate, by=by)
    return Replay(turn, outcome, verdict, changed)


def _changed(
    turn: Turn,
    run: AnswerRun,
    by_group: dict[Group, tuple[Difference, ...]],
    readable: Set[int],
) -> tuple[Changed, ...]:
    sentences_of: dict[Group, tuple[str, ...]] = {}
    moved = corpus_movement(turn, run.snapshot)
    if moved or by_group:
        documents = (change.sentence for change in changed_documents(turn, readable))
        if sentences := (*_stopped(turn, run, readable), *filter(None, [moved]), *documents):
            sentences_of[Group.CORPUS] = sentences
    names = _names(by_group, readable)
    return tuple(
        Changed(
            group,
            sentences_of.get(group, ()),
            tuple(_named(difference, names) for difference in by_group.get(group, ())),
        )
        for group in Group
        if group in sentences_of or group in by_group
    )


def _stopped(turn: Turn, run: AnswerRun, readable: Set[int]) -> list[str]:
    """Return the stops that hold on what the turn cites, each once. Runs one query."""
    cited = Document.objects.filter(citations__claim__turn=turn, collection__in=readable)
    stops = map(run.searches.stops.of, cited.distinct())
    return list(dict.fromkeys(stop.sentence for stop in stops if stop))


def _names(by_group: Mapping[Group, Iterable[Difference]], readable: Set[int]) -> Mapping[str, str]:
    """Return the names of what keys in differences stand for: documents, and passages by place.

    At most two queries.
    """
    every = "".join(str(difference) for values in by_group.values() for difference in values)
    keys = {match[0]: (match[1], match[2]) for match in _KEY.finditer(every)}
    if not keys:
        return {}
    documents = documents_by_sha256({sha256 for sha256, _ in keys.values()})
    places = places_without_pages(keys)
    names = {}
    for key, (sha256, page) in keys.items():
        document = documents.get(sha256)
        is_open = document is not None and document.collection_id in readable
        title = str(document) if is_open else NOT_OPEN if document else GONE
        place = (places.get(key, "") if is_open else "") or f"page {page}"
        names[key] = f"{title}, {place}" if page else title
    return names


def _named(change: Difference, names: Mapping[str, str]) -> Difference:
    """Put titles and places where keys stand."""

    def named(match: re.Match[str]) -> str:
        return names.get(match[0], GONE)

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(held) for name, held in value.items()}
        if isinstance(value, list):
            return [plain(held) for held in value]
        return _KEY.sub(named, value) if isinstance(value, str) else value

    return Difference(_KEY.sub(named, change.place), plain(change.stored), plain(change.now))


def _run_of(turn: Turn, *, regenerate: bool) -> AnswerRun:
    stored = turn.trace["asked"]
    text = stored.get("unclear") or turn.standalone or turn.question
    choice = set_apart(text, [Option(**option) for option in stored["options"]])
    query = Query(
        text=choice.stem if choice else text,
        on=datetime.date.fromisoformat(stored["on"]),
        collections=tuple(stored["collections"]),
        reader=turn.user_id,
        filters=filters_from(stored["filters"]),
        plain=stored.get("plain", ""),
        documents=tuple(stored.get("documents", ())),
    )
    config = AnswerConfig(**turn.trace["answers"] | {"mode": Mode(turn.mode)})
    run = AnswerRun(query, config, *site_parts())
    run.understood = Understood(
        query.text, choice.options if choice else (), is_unclear="unclear" in stored
    )
    run.forgotten = tuple(stored.get("forgotten", ()))
    run.told = Told.from_dict(stored.get("told", {}))
    if not regenerate:  # nobody is asked, also where there was no answer
        run.stored = _generation(turn.trace["generation"] or {})
        if judged := turn.trace["judgement"]:
            run.judgement = _judgement(judged)
    return run


def _judgement(stored: Mapping[str, Any]) -> AnswerJudgement:
    usage, notes = Usage(**stored["usage"]), tuple(stored["notes"])
    return AnswerJudgement(**{**stored, "usage": usage, "notes": notes})


def _generation(stored: Mapping[str, Any]) -> Generation:
    if not stored:
        return Generation(claims=())
    kept = {name: stored[name] for name in ("raw", "keys", "prompt", "model", "option")}
    return Generation(claims=(), usage=Usage(**stored["usage"]), **kept)


def _stored(turn: Turn) -> dict[str, Any]:
    claims = turn.claims.prefetch_related("citations")
    return {
        "fingerprint": turn.fingerprint,
        **_as_stored(turn.trace),
        "outcome": {
            "reason": turn.reason,
            "confidence": turn.confidence,
            "option": turn.option,
            "warnings": [w for w in turn.warnings if w["code"] != IDENTIFIERS],
            "nearest": [passage["chunk"] for passage in turn.nearest],
            "claims": [
                _claim(claim.kind, claim.text, [_place(c) for c in claim.citations.all()])
                for claim in claims
            ],
        },
    }


def _now(run: AnswerRun, outcome: Outcome) -> dict[str, Any]:
    answered = outcome.claims if isinstance(outcome, Answered) else ()
    return {
        "fingerprint": fingerprint_of(run),
        **_as_stored(trace_of(run)),
        "outcome": {
            "reason": str(outcome.reason) if isinstance(outcome, Abstained) else "",
            "confidence": round(outcome.confidence, 4),
            "option": run.option if answered else "",
            "warnings": [caution.as_dict() for caution in run.cautions_of(outcome)],
            "nearest": [] if isinstance(outcome, Answered) else [h.key for h in outcome.nearest],
            "claims": [_claim(claim.kind, claim.text, _places(claim)) for claim in answered],
        },
    }


def _claim(kind: str, text: str, citations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": str(kind), "text": text, "citations": citations}


def _place(cited: Citation) -> dict[str, Any]:
    return {
        "passage": cited.chunk_key,
        "page": cited.page,
        "start": cited.start,
        "end": cited.end,
        "quote": cited.quote,
    }


def _places(claim: DraftClaim) -> list[dict[str, Any]]:
    """Return the cited places as they are stored, each once."""
    quotes = {(quote.hit.key, quote.page, quote.start): quote for quote in claim.quotes}
    return [
        {"passage": q.hit.key, "page": q.page, "start": q.start, "end": q.end, "quote": q.text}
        for q in quotes.values()
    ]


def _as_stored(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the value as a JSON column gives it back."""
    stored: dict[str, Any] = json.loads(json.dumps(trace))
    return stored


def _without_drawn(step: dict[str, Any]) -> dict[str, Any]:
    generation = step.get("generation") or {}
    return step | {"generation": {k: v for k, v in generation.items() if k not in _DRAWN}}


def _record(
    turn: Turn,
    verdict: Sameness,
    changed: Iterable[Changed],
    *,
    regenerate: bool,
    by: audit.Actor,
) -> None:
    """Record the verdict and the groups' names, and no word of what was asked or answered."""
    payload = {
        "same": asdict(verdict),
        "differs": [str(change.group) for change in changed],
        "regenerated": regenerate,
    }
    with transaction.atomic():
        audit.record("replay", actor=by, subject=f"turn:{turn.pk}", payload=payload)
