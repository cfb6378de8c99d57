"""All that the rules of this package say about a question. Pure."""

from __future__ import annotations

from core.text.clinical_terms import dates
from core.text.drugs import drugs
from core.text.negation import asks_for_exception, negations
from core.text.population_terms import populations
from core.text.words import MAX_CHARS
from retrieval.analysis.language import language
from retrieval.lexicon.terms import Lexicon
from retrieval.types import Analysis


def analysed(text: str, lexicon: Lexicon) -> Analysis:
    """Return the analysis of any text; of one longer than `MAX_CHARS`, of its beginning."""
    looked_at = text[:MAX_CHARS]
    return Analysis(
        text=text,
        language=language(looked_at),
        expansions=lexicon.found_in(looked_at),
        negations=negations(looked_at),
        asks_for_exception=asks_for_exception(looked_at),
        populations=populations(looked_at),
        drugs=drugs(looked_at),
        dates=dates(looked_at),
        lexicon=lexicon.fingerprint,
    )
