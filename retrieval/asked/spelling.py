"""Correct or suggest spellings for words that no passage in scope holds, or report them.

One slip in a long word is corrected before the search, and the page says so; a less certain
correction is only offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import islice
from typing import Any

from django.db import connection
from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel

from core.language.detection import DEFAULT, function_words
from core.language.en.medicines.names import SINGLE_NAMES, drugs
from core.language.gloss import gloss, spoken_in
from core.language.words import MAX_CHARS, distinct, words
from corpus.encoders.folders import bundled_folder
from corpus.encoders.pairs import pair_tokenizer
from corpus.indexing.search_text import normalise
from corpus.models import Lifecycle
from retrieval.lexicon.spellings import other_spellings
from retrieval.lexicon.terms import Lexicon
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.scope import SEARCHABLE, scope_sql
from retrieval.types import Query

LEAST_LETTERS = 5
MOST_WORDS = 12  # of one question
_CANDIDATES = 3  # words that one may be meant to be
# Of the letters of both words this share is common to them, in order: `sespis` is 0.83 of `sepsis`,
# `vincristine` 0.73 of `vinblastine`.
_ALIKE = 0.83

_LONG = 7  # letters of a word that is put right: shorter ones are too like each other
_SLIPS_OF_STEMS = 3  # `maintenenc` and `mainten`
_ENDING = 3  # letters in which two forms of a word may differ
_PASSAGES = 40  # that are read for each word that could be meant

# Lexemes of the index that begin or end as a word's does, where no chunk that is open to the reader
# holds the word's own: a word that only a closed one holds must be treated as one of none.
_NEAR = """
WITH asked AS (
    SELECT w.word, v.lexeme
    FROM unnest(%(words)s::text[], %(cuts)s::text[]) AS w(word, cut)
    CROSS JOIN LATERAL unnest(to_tsvector('english', w.cut)) AS v(lexeme, positions, weights)
), strange AS (
    SELECT word, lexeme FROM asked a
    WHERE NOT EXISTS (
        SELECT FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
        WHERE c.search_vector @@ (quote_literal(a.lexeme) || '|' || quote_literal(a.word))::tsquery
            AND d.indexed_at IS NOT NULL AND {searchable})
)
SELECT s.word, l.lexeme, l.document_frequency, s.lexeme
FROM strange s JOIN corpus_lexeme l ON left(l.lexeme, 1) = left(s.lexeme, 1)
    AND l.document_frequency > 0
    AND length(l.lexeme) BETWEEN length(s.lexeme) - 3 AND length(s.lexeme) + 1
    AND (left(l.lexeme, 2) = left(s.lexeme, 2)
         OR right(l.lexeme, length(s.lexeme) - 3) = right(s.lexeme, length(s.lexeme) - 3))
ORDER BY s.word, l.lexeme
"""
_PASSAGES_WITH = """
SELECT w.word, held.text
FROM unnest(%(words)s::text[], %(lexemes)s::text[]) AS w(word, lexeme)
CROSS JOIN LATERAL (
    SELECT c.text FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE c.search_vector @@ quote_literal(w.lexeme)::tsquery AND {scope}
    ORDER BY c.id LIMIT %(read)s) AS held
"""

# What a reader of these collections may open, drafts left out.
_READABLE = """c.disabled_at IS NULL AND d.lifecycle = ANY(%(lifecycles)s)
    AND d.collection_id = ANY(%(collections)s::bigint[])"""
_OPENED = (Lifecycle.PUBLISHED, Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN)

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
    """Return suggestions for words that no passage in scope holds: similar words that one does.

    Suggestions come from the lexicon and the names of medicines. Runs one or two queries, or none
    where every word is known or resembles none.
    """
    known = _vocabulary(site_lexicon())
    parts = {each.lower() for name in drugs(query.text) for each in words(name)}  # `folic acid`
    typed = [word for word in _typed(query.text) if word not in parts]
    near = {word: alike for word in typed if (alike := _alike(word, known))}
    if not near:
        return {}
    forms = {form for word, similar in near.items() for form in (word, *similar)}
    spelled = {form: (form, *other_spellings(form)) for form in forms}
    held = _held({each for every in spelled.values() for each in every}, query)
    found = {form for form, every in spelled.items() if not held.isdisjoint(every)}
    return {
        word: next(form for form in candidates if form in found)
        for word, candidates in near.items()
        if word not in found and not found.isdisjoint(candidates)
    }


def spelling_corrected(query: Query) -> dict[str, str]:
    """Return corrections of words that are one slip away from a word of a passage in scope.

    A slip is a letter too many, one too few, or two swapped. A substituted letter is only offered,
    because medical words differ that way (`dysphasia`, `dysphagia`). Left alone are short words,
    words known to the index, lexicon, encoder or list of medicines, and words with two equally
    frequent corrections; and questions in another language, whose endings look like slips. Runs no
    query where all words are known, at most four otherwise.
    """
    if spoken_in(query.text) != DEFAULT:
        return {}
    typed = [w for w in _typed(query.text) if len(w) >= _LONG and w not in _english()]
    strange = unlisted(typed) if typed else set()
    typed = [word for word in typed if word in strange]
    if not typed:
        return {}
    with connection.cursor() as cursor:
        cuts = [normalise(word) for word in typed]
        values = {"words": typed, "cuts": cuts, "reader": query.reader}
        cursor.execute(_NEAR.replace("{searchable}", SEARCHABLE), values)
        near: dict[str, list[tuple[int, int, str]]] = {}
        for word, lexeme, frequency, cut in cursor.fetchall():
            if (edits := OSA.distance(cut, lexeme)) <= _SLIPS_OF_STEMS:
                near.setdefault(word, []).append((edits, -frequency, lexeme))
        wanted = [
            (word, lexeme)
            for word, ranked in near.items()
            for *_, lexeme in sorted(ranked)[:_CANDIDATES]
        ]
        if not wanted:
            return {}
        scope, parameters = scope_sql(query)
        words_asked, lexemes = zip(*wanted, strict=True)
        parameters |= {"words": list(words_asked), "lexemes": list(lexemes), "read": _PASSAGES}
        cursor.execute(_PASSAGES_WITH.replace("{scope}", scope), parameters)
        meant: dict[str, Counter[str]] = {}
        held: set[str] = set()  # cut otherwise in another language than English
        for word, text in cursor.fetchall():
            lower = [each.lower() for each in distinct(words(text))]
            held |= {word} & set(lower)
            meant.setdefault(word, Counter()).update(
                each for each in lower if each[0] == word[0] and is_slip(word, each)
            )
    unheld = (word for word in typed if word not in held)
    return {word: clear for word in unheld if (clear := _clearly(meant.get(word, Counter())))}


def words_not_found(query: Query, passages: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that name a thing unknown here, as typed, in order.

    Unknown is a word that its language, the lexicon and the index in scope lack. A word counts as
    found if a passage has it, a word with its beginning, or one that is a slip away. Of a question
    in another language than English up to half of the unknown words may be missing. Runs one query
    if a word is unknown.
    """
    spoken = spoken_in(query.text)
    typed = {
        word.lower(): word
        for word in distinct(words(query.text[:MAX_CHARS]))
        if len(word) >= LEAST_LETTERS and word.isalpha()
    }
    rare = strange = unlisted(
        word
        for word in typed
        if word not in function_words(spoken) and not _is_common(word, spoken)
    )
    if strange and spoken == DEFAULT:
        spelled = {word: {word, *other_spellings(word)} for word in strange}
        held = _held(set().union(*spelled.values()), query)
        strange = {word for word in strange if held.isdisjoint(spelled[word])}
    if strange:
        text = "\n".join(passages)
        shown = {each.lower() for each in distinct(words(f"{text}\n{gloss(text, spoken)}"))}
        strange = {word for word in strange if not _is_shown(word, spoken, shown)}
    if spoken != DEFAULT and 2 * len(strange) <= len(rare):
        return ()
    return tuple(word for low, word in typed.items() if low in strange)


def _is_shown(word: str, spoken: str, shown: Set[str]) -> bool:
    """Tell whether a word, or all of its English, resembles words shown (`Adrenalininjektion`)."""
    forms = ([word], words(gloss(word, spoken)))
    return any(
        form and all(any(_resembles(each, other) for other in shown) for each in form)
        for form in forms
    )


def _is_common(word: str, spoken: str) -> bool:
    """Tell whether a word, or it without a letter too many or with two swapped back, is known.

    Known are English words of the encoder, and in each language those that `wordfreq` has seen in
    at least 1 of 10^8; in a language that it hasn't, none.
    """
    from wordfreq import (  # late: 60 MB, for questions with an uncommon word
        available_languages,
        zipf_frequency,
    )

    if word in _english():
        return True
    if spoken not in available_languages("best"):
        return False
    cuts = range(len(word))
    forms = {word, *(word[:cut] + word[cut + 1 :] for cut in cuts)}
    forms |= {word[:cut] + word[cut : cut + 2][::-1] + word[cut + 2 :] for cut in cuts}
    return any(zipf_frequency(form, spoken, wordlist="best") > 0 for form in sorted(forms))


def unlisted(typed: Iterable[str]) -> set[str]:
    """Return the words that are in no spelling in the lexicon or the list of medicines."""
    known = _vocabulary(site_lexicon())
    return {word for word in typed if not drugs(word) and not _is_listed(word, known)}


def _resembles(typed: str, shown: str) -> bool:
    """Tell whether a word shown is a form of the typed one, or at most one slip away from it."""
    stem = typed[: max(LEAST_LETTERS - 1, len(typed) - _ENDING)]
    if shown.startswith(stem):
        return True
    return typed[0] == shown[0] and OSA.distance(typed, shown, score_cutoff=1) <= 1


def _clearly(meant: Counter[str]) -> str:
    """Return the word that most passages hold; empty for a tie."""
    first, second = [*meant.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else ""


def is_slip(typed: str, meant: str) -> bool:
    """Tell whether the words differ by one letter too many, one too few, or two swapped."""
    is_other_letter = len(typed) == len(meant) and sorted(typed) != sorted(meant)
    return not is_other_letter and OSA.distance(typed, meant, score_cutoff=1) == 1


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    """Return the words that the bundled encoder has as whole tokens: common English."""
    return frozenset(pair_tokenizer(bundled_folder()).tokenizer.get_vocab())


def is_english(word: str) -> bool:
    """Tell whether English has a lower-case word at all, as it has `clot`."""
    from wordfreq import zipf_frequency  # late: 60 MB

    return word in _english() or zipf_frequency(word, DEFAULT, wordlist="best") > 0


def is_listed(word: str) -> bool:
    """Tell whether the lexicon or the list of medicines has a lower-case word. Runs one query."""
    return _is_listed(word, _vocabulary(site_lexicon()))


def _is_listed(word: str, known: Set[str]) -> bool:
    """Tell whether a word is known in some spelling."""
    return not {word, *other_spellings(word)}.isdisjoint(known)


def _typed(text: str) -> list[str]:
    """Return the longer words of a text in lower case, each once, in order."""
    lower = (word.lower() for word in distinct(words(text[:MAX_CHARS])))
    return list(islice((w for w in lower if len(w) >= LEAST_LETTERS and w.isalpha()), MOST_WORDS))


@lru_cache(maxsize=2)
def _vocabulary(lexicon: Lexicon) -> frozenset[str]:
    """Return the longer words of the lexicon and of medicines' names, in lower case."""
    forms = " ".join(f"{entry.short} {entry.words}" for entry in lexicon.entries).lower()
    return SINGLE_NAMES.union(word for word in words(forms) if len(word) >= LEAST_LETTERS)


def _alike(word: str, known: Set[str]) -> list[str]:
    """Return known words that resemble the word, nearest first; none if it is known itself."""
    if _is_listed(word, known):
        return []
    near = process.extract(
        word, known, scorer=Indel.normalized_similarity, score_cutoff=_ALIKE, limit=None
    )
    ranked = sorted((-alike, form) for form, alike, _ in near if form[0] == word[0])
    return [form for _, form in ranked[:_CANDIDATES]]


def words_open(candidates: Set[str], collections: Set[int]) -> set[str]:
    """Return the lower-case words that tell nothing of documents outside these collections.

    They are common English, of the lexicon or the list of medicines, or in a document of the
    collections (primary keys) that was published. Runs at most one query.
    """
    rare = unlisted(word for word in candidates if word not in _english())
    if not rare:
        return set(candidates)
    parameters = {"lifecycles": list(_OPENED), "collections": sorted(collections)}
    return (set(candidates) - rare) | _held_in(rare, _READABLE, parameters)


def _held(forms: set[str], query: Query) -> set[str]:
    return _held_in(forms, *scope_sql(query))


def _held_in(forms: set[str], scope: str, parameters: dict[str, Any]) -> set[str]:
    listed = sorted(forms)
    parameters |= {"words": listed, "cuts": [normalise(word) for word in listed]}
    with connection.cursor() as cursor:
        cursor.execute(_HELD.replace("{scope}", scope), parameters)
        return {word for (word,) in cursor.fetchall()}
