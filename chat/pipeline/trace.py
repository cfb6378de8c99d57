"""The record of how a turn came about, as JSON: enough to run it again and to compare."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from chat.generation.types import Generation
from chat.models import Mode
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import Look, SearchLog
from chat.types import DraftClaim
from chat.verification.answer_judge import judge_fingerprint
from chat.verification.types import Judgement
from chat.verification.verify import Verdict
from core.llm.usage import Usage
from retrieval.types import Rights


def fingerprint_of(inquiry: AnswerRun) -> str:
    """Return 16 hex digits over what decides: search, lexicon, gate, generator, verifier, modes.

    The same for every question that the site answers so, whatever became of it.
    """
    looks = inquiry.looks
    first = looks.taken[0].evidence.trace if looks.taken else None
    content = {
        "retrieval": first.fingerprint if first else looks.config.fingerprint(),
        "lexicon": first.analysis.lexicon if first and first.analysis else "",
        "gate": looks.gate.as_dict() if looks.gate else None,
        "generator": inquiry.generator.fingerprint,
        "verifier": inquiry.verifier.fingerprint,
        "answers": inquiry.config.as_dict(),
        "judge": judge_fingerprint() if inquiry.config.mode is Mode.CONFIDENT else "",
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def trace_of(inquiry: AnswerRun) -> dict[str, Any]:
    looks = inquiry.looks
    return {
        "asked": {
            "collections": list(inquiry.query.collections),
            "on": inquiry.query.on.isoformat(),
            "filters": asdict(inquiry.query.filters),
            "options": [asdict(option) for option in inquiry.options],
            **({"unclear": inquiry.query.text} if inquiry.is_unclear else {}),
        },
        "documents": _documents(looks),
        "corpus": inquiry.snapshot.as_dict() if inquiry.snapshot else None,
        "searches": [_search(taken) for taken in looks.taken],
        "gate": looks.gate.as_dict() if looks.gate else None,
        "generator": inquiry.generator.fingerprint,
        "verifier": inquiry.verifier.fingerprint,
        "answers": inquiry.config.as_dict(),
        "generation": _generation(inquiry.generation),
        "verdicts": [verdict_payload(verdict) for verdict in inquiry.verdicts],
        "verifier_said": list(inquiry.verifier.said),
        "judgement": asdict(inquiry.judgement) if inquiry.judgement else None,
        "usage": asdict(_usage(inquiry)),
        "timings_ms": {step: round(spent, 3) for step, spent in inquiry.timings_ms.items()},
        "failure": inquiry.failure,
        "notes": looks.notes,
    }


def _documents(looks: SearchLog) -> list[dict[str, str]]:
    """Return those that were found, each once, as they stood. Of what is closed to the asker
    nothing.
    """
    hits = [
        hit
        for taken in looks.taken
        if taken.evidence.trace.rights is not Rights.HIDDEN
        for hit in taken.evidence.hits
    ]
    found = {
        hit.sha256: {
            "sha256": hit.sha256,
            "version": hit.version,
            "lifecycle": hit.lifecycle,
            "effective_from": hit.effective_from.isoformat() if hit.effective_from else "",
        }
        for hit in hits
    }
    return [found[sha256] for sha256 in sorted(found)]


def verdict_payload(verdict: Verdict) -> dict[str, Any]:
    return {
        "text": verdict.claim.text,
        "label": str(verdict.label),
        "failed": verdict.failed,
        "detail": verdict.detail,
        "citations": _citations(verdict.claim),
        "judgement": _judgement(verdict.judgement) if verdict.judgement else None,
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


def _usage(inquiry: AnswerRun) -> Usage:
    """Of every language model that was asked for the answer."""
    used = inquiry.verifier.usage + inquiry.failed_usage
    if inquiry.generation:
        used += inquiry.generation.usage
    if inquiry.judgement:
        used += inquiry.judgement.usage
    return used


def _search(taken: Look) -> dict[str, Any]:
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
