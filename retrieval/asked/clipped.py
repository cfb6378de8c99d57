"""Complete words that nothing knows and that begin one medicine or one word of the passages.

`anaph` of a question is read as `anaphylaxis`, `vncmycn` as `vancomycin`; where two fit, as `fluc`
of fluconazole and flucloxacillin, neither is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import takewhile

from django.db import connection

from core.language.detection import DEFAULT, function_words
from core.language.en.medicines.names import SINGLE_NAMES, drugs
from core.language.en.medicines.published import single_generics
from core.language.gloss import spoken_in
from core.language.words import MAX_CHARS, distinct, words
from retrieval.asked.spelling import is_english, is_listed
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.scope import scope_sql
from retrieval.types import Query

_LEAST = 4  # letters of a beginning of a medicine; of another word one more
_MOST_WORDS = 6  # of one question
_FREQUENT = 3  # times that passages have the word
_READ = 60  # passages that are read for each word
_VOWELS = re.compile("[aeiouy]")
_FAMILY = 3  # letters in which words that one begins may differ behind what they share

_BEGUN = """
SELECT w.word, held.text FROM unnest(%(words)s::text[]) AS w(word)
CROSS JOIN LATERAL (
    SELECT c.text FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE c.search_vector @@ (quote_literal(w.word) || ':*')::tsquery AND {scope}
    ORDER BY c.id LIMIT %(read)s) AS held
"""


def words_completed(query: Query) -> dict[str, str]:
    """Return what clipped words of a question stand for, as typed. Runs one query, or none.

    A medicine's beginning counts before another word's. Only for English.
    """
    if spoken_in(query.text) != DEFAULT:
        return {}
    typed = _unknown(query.text)
    found = {word: name for word in typed if (name := _medicine(word.lower()))}
    rest = [w for w in typed if w not in found and len(w) > _LEAST and not _medicines_of(w.lower())]
    return found | (_from_passages(rest, query) if rest else {})


def _unknown(text: str) -> list[str]:
    forms = {part.lower() for each in site_lexicon().every_in(text) for part in words(each.short)}
    typed = [
        word
        for word in distinct(words(text[:MAX_CHARS]))
        if len(word) >= _LEAST
        and word.isalpha()
        and word.lower() not in forms
        and word.lower() not in function_words(DEFAULT)
        and not drugs(word)
        and not is_listed(word.lower())
        and not is_english(word.lower())
    ]
    return typed[:_MOST_WORDS]


def _medicine(word: str) -> str:
    """Return the only medicine that a word begins or is the consonants of; empty for several."""
    found = _medicines_of(word)
    return next(iter(found)) if len(found) == 1 else ""


def _medicines_of(word: str) -> frozenset[str]:
    names = _by_start().get(word[:_LEAST], frozenset())
    begun = {name for name in names if name.startswith(word)}
    is_bare = not re.search("[aeiou]", word)
    return frozenset(begun or (is_bare and _by_consonants().get(_VOWELS.sub("", word))) or ())


@lru_cache(maxsize=1)
def _by_start() -> dict[str, frozenset[str]]:
    starts: dict[str, set[str]] = defaultdict(set)
    for name in SINGLE_NAMES | single_generics():
        starts[name[:_LEAST]].add(name)
    return {start: frozenset(names) for start, names in starts.items()}


@lru_cache(maxsize=1)
def _by_consonants() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(SINGLE_NAMES | single_generics()):
        found[_VOWELS.sub("", name)].append(name)
    return {consonants: tuple(names) for consonants, names in found.items()}


def _from_passages(typed: list[str], query: Query) -> dict[str, str]:
    """Return the word of the passages in scope that each typed one begins, if it is one word."""
    by_lower = {word.lower(): word for word in typed}
    scope, parameters = scope_sql(query)
    parameters |= {"words": sorted(by_lower), "read": _READ}
    held: dict[str, Counter[str]] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(_BEGUN.replace("{scope}", scope), parameters)
        for word, text in cursor.fetchall():
            lower = (each.lower() for each in words(text))
            held[word].update(each for each in lower if each.startswith(word) and each.isalpha())
    return {
        by_lower[word]: whole
        for word, counted in sorted(held.items())
        if counted and word not in counted and (whole := _only(counted))
    }


def _only(counted: Counter[str]) -> str:
    """Return the most frequent of words that are forms of one; empty if they are several."""
    letters = zip(*counted, strict=False)
    shared = sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, letters))
    if max(map(len, counted)) - shared > _FAMILY:
        return ""
    word, count = min(counted.items(), key=lambda item: (-item[1], item[0]))
    return word if count >= _FREQUENT else ""
