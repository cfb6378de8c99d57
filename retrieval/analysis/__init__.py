"""Analyse a question: language, abbreviations, negation, population, medicines and dates.

The modules of this package are pure; this one adds the site's lexicon.

It never reads documents. To add a rule: here or in `core/language/en/`, a field of
`retrieval.types.Analysis`.
"""

from __future__ import annotations

from core.language.en.clinical_terms import dates
from core.language.en.medicines.names import drugs
from core.language.en.negation import asks_for_exception, negations
from core.language.en.patients.groups import populations
from core.language.gloss import ENGLISH, question_in_english, spoken_in
from core.language.words import MAX_CHARS
from retrieval.lexicon import terms as lexicon
from retrieval.lexicon.plain import in_plain_words
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.types import Analysis, Expansion

__all__ = ["analyse", "by_every_name", "expansions", "plain_words", "spelled_out"]


def analyse(text: str, known: lexicon.Lexicon | None = None, plain: str | None = None) -> Analysis:
    """Analyse a question by rules and by the lexicon; reads its first `MAX_CHARS` characters.

    `plain` is the question in plain words; None: as the lexicon has it. Never raises, whatever the
    text. Runs one query, none where the lexicon is `known`.
    """
    known = known or site_lexicon()
    plain = _plain(text, known) if plain is None else plain
    looked_at = question_in_english(text[:MAX_CHARS])
    return Analysis(
        text=text,
        language=spoken_in(text[:MAX_CHARS]),
        expansions=known.found_in(looked_at),
        negations=negations(looked_at),
        asks_for_exception=asks_for_exception(looked_at),
        populations=populations(looked_at),
        drugs=drugs(looked_at),
        dates=dates(looked_at),
        plain=plain if plain != text else "",
        lexicon=known.fingerprint,
    )


def plain_words(text: str) -> str:
    """Return a question in plain words; in another language than English as it is. One query."""
    return _plain(text, site_lexicon())


def _plain(text: str, known: lexicon.Lexicon) -> str:
    return in_plain_words(text, known) if spoken_in(text[:MAX_CHARS]) == ENGLISH else text


def expansions(text: str) -> tuple[Expansion, ...]:
    """Return the known short and lay forms in a text, each once, in order. Runs one query."""
    return site_lexicon().found_in(text)


def spelled_out(question: Analysis | str) -> str:
    """Return the question with each short or lay form followed by its words in brackets.

    Made for the encoder. Runs no query for an analysis, one for a text.
    """
    if isinstance(question, str):
        return lexicon.spelled_out(question, site_lexicon().found_in(question))
    return lexicon.spelled_out(question.text, question.expansions)


def by_every_name(text: str) -> str:
    """Return the text spelled out, then repeated for each other name of a term. Runs one query."""
    return lexicon.by_every_name(text, site_lexicon().found_in(text))
