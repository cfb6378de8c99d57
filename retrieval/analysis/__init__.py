"""What a question says beyond its letters. The modules of this package are pure; this is its front,
which knows the site's lexicon."""

from __future__ import annotations

from retrieval.analysis.questions import analysed
from retrieval.lexicon import terms as lexicon
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.types import Analysis, Expansion

__all__ = ["analyse", "by_every_name", "expansions", "spelled_out"]


def analyse(text: str, known: lexicon.Lexicon | None = None) -> Analysis:
    """Return the question by rules and by the site's lexicon. Never raises for any text.

    One query; none where the lexicon is `known`.
    """
    return analysed(text, known or site_lexicon())


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
