"""What a word was meant to be that no passage in scope holds: offered, and never searched for."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter

from django.db import connection

from core.text.drugs import SINGLE_NAMES
from core.text.words import MAX_CHARS, distinct, words
from corpus.indexing.search_text import normalise
from retrieval.lexicon.spellings import other_spellings
from retrieval.lexicon.terms import Lexicon
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.scope import scope_sql
from retrieval.types import Query

LEAST_LETTERS = 5
MOST_WORDS = 12  # of one question
_CANDIDATES = 3
# Of the letters of both words this share is common to them, in order: `sespis` is 0.83 of `sepsis`,
# `vincristine` 0.73 of `vinblastine`.
_ALIKE = 0.83

# Words (`w.word`, cut as in `w.cut`) of which some passage in scope holds a form in a language of
# the index; and those that no index would hold, such as stop words.
_HELD = """
SELECT w.word FROM unnest(%(words)s::text[], %(cuts)s::text[]) AS w(word, cut)
WHERE NOT EXISTS (
    SELECT FROM corpus_indexstatistics s CROSS JOIN LATERAL
        jsonb_object_keys(s.configurations) AS k(name)
    WHERE s.id = 1 AND numnode(plainto_tsquery(k.name::regconfig, w.cut)) > 0)
OR EXISTS (
    SELECT FROM corpus_indexstatistics s CROSS JOIN LATERAL
        jsonb_object_keys(s.configurations) AS k(name) CROSS JOIN LATERAL (
            SELECT FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
            WHERE c.search_vector @@ plainto_tsquery(k.name::regconfig, w.cut) AND {scope}
            LIMIT 1) AS held
    WHERE s.id = 1)
"""


def spelling_offered(query: Query) -> dict[str, str]:
    """Words of a question that no passage in scope holds, each with one alike that some holds.

    The words of the lexicon and the names of medicines are what a word can be meant to be. Two
    queries at most, or one where every word is known or is like none.
    """
    known_by_letter = _vocabulary(site_lexicon())
    near = {word: _alike(word, known_by_letter.get(word[0], ())) for word in _typed(query.text)}
    near = {word: candidates for word, candidates in near.items() if candidates}
    if not near:
        return {}
    forms = {form for word, found in near.items() for form in (word, *found)}
    spelled = {form: (form, *other_spellings(form)) for form in forms}
    held = _held({each for every in spelled.values() for each in every}, query)
    known = {form for form, every in spelled.items() if not held.isdisjoint(every)}
    return {
        word: next(form for form in candidates if form in known)
        for word, candidates in near.items()
        if word not in known and not known.isdisjoint(candidates)
    }


def _typed(text: str) -> list[str]:
    """Its longer words in small letters, each once, in order."""
    found = (word.lower() for word in distinct(words(text[:MAX_CHARS])))
    return list(islice((w for w in found if len(w) >= LEAST_LETTERS and w.isalpha()), MOST_WORDS))


@lru_cache(maxsize=2)
def _vocabulary(lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """The words that are known, in small letters, by their first letter and sorted."""
    forms = " ".join(f"{entry.short} {entry.words}" for entry in lexicon.entries).lower()
    listed = sorted({word for word in words(forms) if len(word) >= LEAST_LETTERS} | SINGLE_NAMES)
    return {letter: tuple(group) for letter, group in groupby(listed, key=itemgetter(0))}


def _alike(word: str, known: tuple[str, ...]) -> list[str]:
    """Known words that are nearly it, the nearest first; none if it is one."""
    if not {word, *other_spellings(word)}.isdisjoint(known):
        return []
    return get_close_matches(word, known, n=_CANDIDATES, cutoff=_ALIKE)


def _held(forms: set[str], query: Query) -> set[str]:
    scope, parameters = scope_sql(query)
    listed = sorted(forms)
    parameters |= {"words": listed, "cuts": [normalise(word) for word in listed]}
    with connection.cursor() as cursor:
        cursor.execute(_HELD.replace("{scope}", scope), parameters)
        return {word for (word,) in cursor.fetchall()}
