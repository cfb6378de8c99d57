"""The wordings of a question that are searched: by rules, and by a language model where one is.

The first is the question itself. Each of the others gives one more list to the fusion.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.analysis.narrative import focus
from retrieval.config import RetrievalConfig
from retrieval.lexicon.terms import in_clinical_words
from retrieval.rewriting.generated import Request, generated, passage_request, wordings_request
from retrieval.rewriting.rules import asked_positively
from retrieval.types import Analysis, Rewriting, Variant


@dataclass(frozen=True)
class VariantNotes:
    """What came of the wordings, for the trace. Holds no text of a question or of an answer."""

    rewriting: Rewriting = field(default_factory=Rewriting)
    failures: tuple[str, ...] = ()  # why there is none of a kind, in sentences
    duration_ms: float = 0.0


def variants_of(
    analysis: Analysis, config: RetrievalConfig, *, deadline_s: float
) -> tuple[tuple[Variant, ...], VariantNotes]:
    """Return the question and its other wordings, each once, in order; and how they came about.

    A model that fails or is not done within `deadline_s` leaves its wordings out: it never raises.
    Rules cost no query; a model one, and two more where it had to be asked. Call it outside a
    transaction.
    """
    started = time.perf_counter()
    made = [Variant("question", analysis.text), *by_rules(analysis, config)]
    outcome = generated(
        _requests(analysis, config), calls=config.rewrite_calls, deadline_s=deadline_s
    )
    wordings, passages = outcome.texts.get("multi_query", ()), outcome.texts.get("hyde", ())
    made += [Variant(f"llm:{number}", text) for number, text in enumerate(wordings, start=1)]
    made += [Variant("hyde", text, lexical=False, as_passage=True) for text in passages]
    kept = _distinct(made)
    return kept, VariantNotes(
        rewriting=Rewriting(
            calls=outcome.calls,
            cached=outcome.cached,
            dropped=outcome.dropped + len(made) - len(kept),
        ),
        failures=outcome.failures,
        duration_ms=(time.perf_counter() - started) * 1000,
    )


def by_rules(analysis: Analysis, config: RetrievalConfig) -> list[Variant]:
    """Return wordings without a model: an exception's opposite, a story's question, clinical words.

    The words of a lay form join the lexical search of the question itself already, so the last is
    for the encoders alone.
    """
    if not config.rules:
        return []
    positive = asked_positively(analysis.text, is_exception=analysis.asks_for_exception)
    lay = analysis.expansions if config.expand else ()
    found = [
        Variant("rule:negation", positive),
        Variant("rule:focus", focus(analysis.text)),
        Variant("rule:clinical", in_clinical_words(analysis.text, lay), lexical=False),
    ]
    return [variant for variant in found if variant.text not in ("", analysis.text)]


def _requests(analysis: Analysis, config: RetrievalConfig) -> list[Request]:
    if not analysis.text.strip():
        return []
    found = [wordings_request(analysis.text, config.multi_query)] if config.multi_query else []
    return [*found, passage_request(analysis.text)] if config.hyde else found


def _distinct(made: Sequence[Variant]) -> tuple[Variant, ...]:
    """Return the first of those that say the same but for case and white space."""
    kept: dict[str, Variant] = {}
    for variant in made:
        kept.setdefault(" ".join(variant.text.casefold().split()), variant)
    return tuple(kept.values())
