"""All that the rules of this package say about a question. Pure."""

from __future__ import annotations

from retrieval.analysis.complexity import complexity
from retrieval.analysis.dates import dates
from retrieval.analysis.drugs import drugs
from retrieval.analysis.language import language
from retrieval.analysis.negation import asks_for_exception, negations
from retrieval.analysis.populations import populations
from retrieval.lexicon import Lexicon
from retrieval.types import Analysis
from retrieval.words import MAX_CHARS


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
