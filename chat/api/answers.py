"""A stored turn as JSON: what the API sends, and what `manage.py ask --json` prints."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils import timezone

from chat.models import Citation, Feedback, Reason, Turn
from chat.selectors import cited_claims
from chat.web.presentation import Passage, ShownClaim, ShownTurn, shown_turns
from corpus.access import readable_ids


def turn_payload(turn: Turn) -> dict[str, Any]:
    """A turn as its asker is shown it: an answer with its claims, or a refusal with its reason.

    `reason`, `message` and `owner` are None for an answer; `nearest` is never a reference.
    Three queries; one more after a refusal, and one where a row of a table is quoted.
    """
    prefetch_related_objects([turn], cited_claims())
    (payload,) = turns_payload([turn], readable=readable_ids(turn.user))
    return payload


def turns_payload(turns: Iterable[Turn], *, readable: Set[int]) -> list[dict[str, Any]]:
    """Turns from `chat.selectors`, for whom these collections are open, by primary key.

    Of others nothing is shown, also where it was shown once. Two queries at most.
    """
    shown = shown_turns(turns, on=timezone.localdate(), readable=readable)
    return [_answer(one) for one in shown]


def message_payload(turn: Turn, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with what it answers. No query where the feedback was fetched with the turn."""
    feedback: Feedback | None = getattr(turn, "feedback", None)
    return answer | {
        "question": turn.question,
        "asked_at": turn.created_at.isoformat(),
        "duration_ms": turn.duration_ms,
        "conversation": str(turn.conversation_id) if turn.conversation_id else None,
        "feedback": feedback_payload(feedback) if feedback else None,
    }


def feedback_payload(feedback: Feedback) -> dict[str, Any]:
    return {"helpful": feedback.helpful, "comment": feedback.comment}


def _answer(shown: ShownTurn) -> dict[str, Any]:
    turn = shown.turn
    return {
        "status": str(turn.status),
        "reason": str(turn.reason) or None,
        "message": _message(shown),
        "mode": str(turn.mode),
        "standalone": turn.standalone or None,
        "option": None if shown.hidden else turn.option or None,
        "warnings": list(shown.warnings),
        "withheld": [statement.why for statement in shown.withheld],
        "owner": shown.owner or None,
        "claims": [_claim(claim) for claim in shown.claims if not claim.is_hidden],
        "nearest": [_passage(passage) for passage in shown.nearest],
        "hidden": shown.hidden,
        "confidence": turn.confidence,
        "turn": str(turn.pk),
    }


def _message(shown: ShownTurn) -> str | None:
    if not shown.turn.reason:
        return None
    label = str(Reason(shown.turn.reason).label)
    return f"{label}. Searched only: {shown.narrowed}." if shown.narrowed else label


def _claim(claim: ShownClaim) -> dict[str, Any]:
    return {
        "number": claim.claim.index,
        "text": claim.claim.text,
        "under": claim.claim.under,
        "kind": str(claim.claim.kind),
        "citations": [_citation(cited) for cited in claim.citations],
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "document": citation.title,
        "sha256": citation.sha256,
        "page": citation.page,
        "position": citation.position or None,
        "section": citation.section,
        "section_path": citation.section_path,
        "quote": citation.quote,
        "ocr_confidence": getattr(citation, "ocr_confidence", None),
    }


def _passage(passage: Passage) -> dict[str, Any]:
    stored = passage.stored
    return {
        "document": passage.title,
        "sha256": passage.document.sha256,
        "page": passage.page,
        "position": passage.position or None,
        "section": passage.section,
        "section_path": stored.get("section_path", []),
        "text": stored.get("text", ""),
        "excerpt": stored.get("excerpt", []),
    }
