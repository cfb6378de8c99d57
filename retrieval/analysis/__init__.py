"""What a question says beyond its letters. The modules of this package are pure; this is its front,
which knows the site's lexicon."""

from __future__ import annotations

from core.text.clinical_terms import dates
from core.text.drugs import drugs
from core.text.negation import asks_for_exception, negations
from core.text.population_terms import populations
from core.text.words import MAX_CHARS
from retrieval.analysis.language import language
from retrieval.lexicon import terms as lexicon
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.types import Analysis, Expansion

__all__ = ["analyse", "by_every_name", "expansions", "spelled_out"]


def analyse(text: str, known: lexicon.Lexicon | None = None) -> Analysis:
    """Return the question by rules and by the site's lexicon. Never raises for any text.

    Of a text over `MAX_CHARS`, of its beginning. One query; none where the lexicon is `known`.
    """
    known = known or site_lexicon()
    looked_at = text[:MAX_CHARS]
    return Analysis(
        text=text,
        language=language(looked_at),
        expansions=known.found_in(looked_at),
        negations=negations(looked_at),
        asks_for_exception=asks_for_exception(looked_at),
        populations=populations(looked_at),
        drugs=drugs(looked_at),
        dates=dates(looked_at),
        lexicon=known.fingerprint,
    )


def expansions(text: str) -> tuple[Expansion, ...]:
    """Return the short and lay forms of a text that are known, each once, in order. One query."""
    return site_lexicon().found_in(text)


def spelled_out(asked: Analysis | str) -> str:
    """Return the text with the words of each form in brackets behind it; for the encoder.

    No query for an analysis, one for a text.
    """
    if isinstance(asked, str):
        return lexicon.spelled_out(asked, site_lexicon().found_in(asked))
    return lexicon.spelled_out(asked.text, asked.expansions)


def by_every_name(text: str) -> str:
    """Return the text spelled out, and again by each other name of what it says. One query."""
    return lexicon.by_every_name(text, site_lexicon().found_in(text))
