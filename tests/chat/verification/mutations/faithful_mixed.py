"""Combine several faithful rewordings of one statement. Pure."""

from collections.abc import Iterator

from tests.chat.verification.mutations import faithful_clauses, faithful_figures, faithful_words
from tests.chat.verification.mutations.chance import shuffled
from tests.chat.verification.mutations.types import Rule

# Clauses first, since their patterns are for sentences as printed.
_CLAUSES: tuple[Rule, ...] = (faithful_clauses.passive, faithful_clauses.shortened)
_WORDS: tuple[Rule, ...] = (
    faithful_words.intervals,
    faithful_words.reworded,
    faithful_words.renamed,
    faithful_words.spelled,
    faithful_words.abbreviated,
    faithful_figures.converted,
    faithful_figures.numbers_worded,
    faithful_figures.forms,
)
_AT_LEAST = 3


def several(text: str) -> Iterator[str]:
    """Apply one rewording of each sort that fits, in two ways; only where three or more do."""
    for seed in ("first", "second"):
        made, times = text, 0
        for rule in (*_CLAUSES, *_WORDS):
            other = next(shuffled(rule(made), seed, text), made)
            times += other != made
            made = other
        if times >= _AT_LEAST:
            yield made
