"""Apply the policy on patient identifiers to a question: one rule for every interface. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.language.en.identifiers.find import identifiers_in, redacted
from core.language.en.identifiers.types import KINDS

POLICIES = ("warn", "redact", "block")


@dataclass(frozen=True)
class Guarded:
    """A question in the form that may be stored, searched and sent."""

    text: str
    kinds: tuple[str, ...] = ()  # kinds found, each once, in the order of `KINDS`
    is_blocked: bool = False  # nothing may be searched or sent; `text` may be stored


def question_guarded(question: str, policy: str) -> Guarded:
    """Look for identifiers in a cleaned question, before it is stored or sent anywhere.

    `warn` leaves the text as it is. `redact` and `block` replace identifiers by placeholders, and
    `block` also forbids to search. Without an identifier the text is unchanged under any policy.
    Raises ValueError for another policy. Never logs or quotes an identifier.
    """
    if policy not in POLICIES:
        raise ValueError(f"There is no policy {policy!r} for identifiers.")
    identifiers = identifiers_in(question)
    seen = {str(identifier.kind) for identifier in identifiers}
    kinds = tuple(kind for kind in KINDS if kind in seen)
    text = question if policy == "warn" else redacted(question, identifiers)
    return Guarded(text, kinds, is_blocked=policy == "block" and bool(kinds))
