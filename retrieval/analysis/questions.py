"""All that the rules of this package say about a question. Pure."""

from __future__ import annotations

from core.text.dates import dates
from core.text.drugs import drugs
from core.text.negation import asks_for_exception, negations
from core.text.population_terms import populations
from core.text.words import MAX_CHARS
from retrieval.analysis.complexity import complexity
from retrieval.analysis.language import language
from retrieval.lexicon.terms import Lexicon
from retrieval.types import Analysis


def analysed(text: str, lexicon: Lexicon) -> Analysis:
    """The analysis of any text; of what is longer than `MAX_CHARS`, that of its beginning."""
    looked_at = text[:MAX_CHARS]
    is_exception = asks_for_exception(looked_at)
    groups, medicines = populations(looked_at), drugs(looked_at)
    level, reasons = complexity(
        looked_at, is_exception=is_exception, populations=groups, drugs=medicines
    )
    return Analysis(
        text=text,
        complexity=level,
        language=language(looked_at),
        expansions=lexicon.found_in(looked_at),
        negations=negations(looked_at),
        asks_for_exception=is_exception,
        populations=groups,
        drugs=medicines,
        dates=dates(looked_at),
        reasons=reasons,
        lexicon=lexicon.fingerprint,
    )
