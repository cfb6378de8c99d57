"""Record how a turn came about, as JSON, in enough detail to replay and compare it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.utils.translation import get_language

from chat.evidence.judgements import Judgement
from chat.generation.types import Generation
from chat.models import Mode
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import Search, SearchLog
from chat.reader.pair_scorer import reader_fingerprint
from chat.types import DraftClaim
from chat.verification.answer_judge import judge_fingerprint
from chat.verification.verify import Verdict
from core.llm.usage import Usage
from retrieval.types import Rights


def fingerprint_of(run: AnswerRun) -> str:
    """Return 16 hex digits over search, lexicon, gate, generator, verifier and modes.

    Questions answered by the same configuration share it, whatever their outcome.
    """
    searches = run.searches
    first = searches.taken[0].evidence.trace if searches.taken else None
    content = {
        "retrieval": first.fingerprint if first else searches.config.fingerprint(),
        "lexicon": first.analysis.lexicon if first and first.analysis else "",
        "gate": searches.gate.as_dict() if searches.gate else None,
        "generator": run.generator.fingerprint,
        "verifier": run.verifier.fingerprint,
        **({"reader": reader} if (reader := reader_fingerprint()) else {}),
        "answers": run.config.as_dict(),
        "judge": judge_fingerprint() if run.config.mode is Mode.CONFIDENT else "",
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def trace_of(run: AnswerRun) -> dict[str, Any]:
    searches, page = run.searches, get_language()
    return {
        "asked": {
            "collections": list(run.query.collections),
            "on": run.query.on.isoformat(),
            "filters": asdict(run.query.filters),
            "options": [asdict(option) for option in run.understood.options],
            **({"plain": run.query.plain} if run.query.plain else {}),
            **({"documents": list(run.query.documents)} if run.query.documents else {}),
            **({"told": run.told.as_dict()} if run.told.adds else {}),
            **({"unclear": run.query.text} if run.understood.is_unclear else {}),
            **({"forgotten": list(run.forgotten)} if run.forgotten else {}),
            **({"page": page} if page != settings.LANGUAGE_CODE else {}),  # its language
        },
        "follow_up": {
            "by": run.understood.by,
            "notes": list(run.understood.notes),
            **({"alone": True} if run.understood.is_alone else {}),
            **({"either": True} if run.understood.is_either else {}),
        },
        "spelling": dict(run.understood.spelling),
        "documents": _documents(searches),
        "corpus": run.snapshot.as_dict() if run.snapshot else None,
        "searches": [_search(taken) for taken in searches.taken],
        "gate": searches.gate.as_dict() if searches.gate else None,
        "retrieval": asdict(searches.config),
        "generator": run.generator.fingerprint,
        "verifier": run.verifier.fingerprint,
        "answers": run.config.as_dict(),
        "generation": _generation(run.generation),
        "verdicts": [verdict_payload(verdict) for verdict in run.verdicts],
        "verifier_said": list(run.verifier.said),
        "judgement": asdict(run.judgement) if run.judgement else None,
        "usage": asdict(_usage(run)),
        "timings_ms": {step: round(spent, 3) for step, spent in run.timings_ms.items()},
        "failure": run.failure,
        "notes": searches.notes,
    }


def _documents(searches: SearchLog) -> list[dict[str, str]]:
    """Return the documents found, each once, with their state; none closed to the asker."""
    hits = [
        hit
        for taken in searches.taken
        if taken.evidence.trace.rights is not Rights.HIDDEN
        for hit in taken.evidence.hits
    ]
    documents = {
        hit.sha256: {
            "sha256": hit.sha256,
            "version": hit.version,
            "lifecycle": hit.lifecycle,
            "effective_from": hit.effective_from.isoformat() if hit.effective_from else "",
        }
        for hit in hits
    }
    return [documents[sha256] for sha256 in sorted(documents)]


def verdict_payload(verdict: Verdict) -> dict[str, Any]:
    return {
        "text": verdict.claim.text,
        "label": str(verdict.label),
        "failed": verdict.failed,
        "detail": verdict.detail,
        "citations": _citations(verdict.claim),
        "judgement": _judgement(verdict.judgement) if verdict.judgement else None,
        **({"found": True} if verdict.found else {}),
    }


def _citations(claim: DraftClaim) -> list[dict[str, Any]]:
    placed: list[dict[str, Any]] = [
        {"chunk": quote.hit.key, "page": quote.page, "start": quote.start, "end": quote.end}
        for quote in claim.quotes
    ]
    return placed + [asdict(unplaced) for unplaced in claim.unplaced]


def _judgement(judgement: Judgement) -> dict[str, Any]:
    return {
        "label": str(judgement.label),
        "score": round(judgement.score, 6),
        "contradiction": round(judgement.contradiction, 6),
    }


def _generation(generation: Generation | None) -> dict[str, Any] | None:
    if generation is None:
        return None
    return {
        "raw": generation.raw,
        "keys": dict(generation.keys),
        "prompt": generation.prompt,
        "model": generation.model,
        "option": generation.option,
        "usage": asdict(generation.usage),
        "notes": list(generation.notes),
    }


def _usage(run: AnswerRun) -> Usage:
    """Sum the tokens of all language models called for the answer."""
    used = run.verifier.usage + run.failed_usage
    if run.generation:
        used += run.generation.usage
    if run.judgement:
        used += run.judgement.usage
    return used


def _search(taken: Search) -> dict[str, Any]:
    evidence, decision = taken.evidence, taken.decision
    return {
        **asdict(evidence.trace),
        "on": evidence.trace.on.isoformat(),
        "look": taken.kind,
        "gate": {
            "probability": round(decision.probability, 6),
            "threshold": decision.threshold,
            "reason": decision.reason,
        },
        "hits": [
            {
                "chunk": hit.key,
                "rank": rank,
                "found_at": hit.rank,
                "cosine": round(hit.cosine, 6),
                "coverage": round(hit.coverage, 6),
                "odds": hit.odds,
            }
            for rank, hit in enumerate(decision.passages, start=1)
        ],
    }
