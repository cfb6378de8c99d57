"""What becomes of a question that seems to identify a patient: one rule for every door. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from chat.question.identifiers.find import identifiers_in, redacted
from chat.question.identifiers.types import KINDS

POLICIES = ("warn", "redact", "block")


@dataclass(frozen=True)
class Guarded:
    """What may be stored, searched and sent on."""

    text: str
    kinds: tuple[str, ...] = ()  # what was seen, each once, in the order of `KINDS`
    is_blocked: bool = False  # nothing may be searched or sent; `text` may be stored


def question_guarded(question: str, policy: str) -> Guarded:
    """Look for identifiers in a cleaned question, before it is stored or anything is called.

    `warn` leaves the text as it is, `redact` puts placeholders in their place, and so does `block`,
    which also forbids to go on. Without an identifier the text is the question under any policy.
    Raises ValueError for another policy. Never logs and never quotes what it found.
    """
    if policy not in POLICIES:
        raise ValueError(f"There is no policy {policy!r} for identifiers.")
    found = identifiers_in(question)
    seen = {str(identifier.kind) for identifier in found}
    kinds = tuple(kind for kind in KINDS if kind in seen)
    text = question if policy == "warn" else redacted(question, found)
    return Guarded(text, kinds, is_blocked=policy == "block" and bool(kinds))
