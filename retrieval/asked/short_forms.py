"""Look up what the documents in scope mean by the short forms of a question."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection

from core.language.detection import DEFAULT, function_words
from core.language.en.short_forms.defined import defined_in, mean_the_same
from core.language.words import MAX_CHARS, distinct, words
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.scope import scope_sql
from retrieval.types import Query

_LONGEST = 6  # letters of a short form
_MOST = 200  # documents that are read

# The conditions on passages hold for documents whose first one is `c`.
_DEFINED = """
SELECT d.title, d.sha256, d.short_forms FROM corpus_document d
CROSS JOIN (SELECT NULL::timestamptz AS disabled_at) AS c
WHERE d.short_forms ?| %(forms)s::text[] AND {scope}
ORDER BY d.id LIMIT %(most)s
"""


@dataclass(frozen=True)
class Meaning:
    """What a short form stands for in some documents, by title, and their SHA-256."""

    words: str
    titles: tuple[str, ...]
    documents: tuple[str, ...]


def meanings(query: Query) -> dict[str, tuple[Meaning, ...]]:
    """Return the meanings of each short form of a question, as typed, that a document defines.

    Different wordings of one meaning count as the first. Without those that the question spells
    out itself. Runs one query, none for a question without short forms.
    """
    spelled_out = defined_in(query.text)
    typed = {
        form: word
        for word in distinct(words(query.text[:MAX_CHARS]))
        if word not in spelled_out and word.lower() not in function_words(DEFAULT)
        for form in _forms(word)
    }
    if not typed:
        return {}
    scope, parameters = scope_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(
            _DEFINED.format(scope=scope), parameters | {"forms": sorted(typed), "most": _MOST}
        )
        rows = cursor.fetchall()
    found: dict[str, list[Meaning]] = defaultdict(list)
    for title, sha256, packed in rows:
        short_forms = json.loads(packed)
        for form in sorted(typed.keys() & short_forms.keys()):
            _add(found[typed[form]], Meaning(short_forms[form], (title,), (sha256,)))
    return {word: tuple(every) for word, every in sorted(found.items())}


def as_defined(text: str, meant: dict[str, tuple[Meaning, ...]]) -> dict[str, str]:
    """Return short forms with their words, where the one meaning in scope isn't the lexicon's."""
    own = {
        word: every[0].words
        for word, every in meant.items()
        if len(every) == 1 and not word.islower()  # `cap` may be the word
    }
    if not own:
        return {}
    known = {each.short: each.words for each in site_lexicon().every_in(text)}
    return {
        word: f"{word} ({meaning})"
        for word, meaning in own.items()
        if not (word in known and mean_the_same(known[word], meaning))
        and meaning not in text.casefold()
    }


def _forms(word: str) -> Iterator[str]:
    """Yield a word as a document may define it: in capitals, and as typed if it has some."""
    if 1 < len(word) <= _LONGEST and word.isalpha():
        yield word.upper()
        if not word.islower():
            yield word


def _add(known: list[Meaning], new: Meaning) -> None:
    for place, each in enumerate(known):
        if mean_the_same(each.words, new.words):
            both = (each.titles + new.titles, each.documents + new.documents)
            known[place] = Meaning(each.words, *both)
            return
    known.append(new)
