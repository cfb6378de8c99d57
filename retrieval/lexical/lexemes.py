"""Turn a question into lexemes of the index with one query, whatever languages the index holds.

The question's own language decides which of its words count. Where passages were cut in other
languages too, a word is also looked up in the form that it has there.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any

from core.language.configurations import ENGLISH, configuration_of
from core.replica import connection
from corpus.indexing.search_text import STRONG, normalise, without_accents
from retrieval.analysis import expansions
from retrieval.lexical.clauses import Term
from retrieval.lexicon.classes import in_words_of_limits
from retrieval.prepared.statements import execute
from retrieval.types import Expansion

MAX_ASKED_CHARS = 20_000  # the longest question that a site may allow; what follows is not read
MAX_ASKED_TOKENS = 1_000  # and so many of its words, each once: two pages or more
# Marks are of use for what is too frequent to be read whole, which this is at any size.
_FREQUENT = 500

# One row for each lexeme of each token, or one without any.
_SQL = """
SELECT t.chunks, t.configurations, w.part, w.configuration, w.token, w.lexeme,
       coalesce(l.document_frequency, 0),
       CASE WHEN l.document_frequency > %(frequent)s THEN array(
           SELECT coalesce(o.document_frequency, 0)
           FROM unnest(%(marks)s::text[]) WITH ORDINALITY AS m(mark, place)
                LEFT JOIN corpus_lexeme o ON o.lexeme = l.lexeme || m.mark
           ORDER BY m.place) END
FROM corpus_indexstatistics t
     LEFT JOIN (
         SELECT q.part, q.configuration, q.token, v.lexeme
         FROM unnest(%(parts)s::int[], %(configurations)s::text[], %(tokens)s::text[],
                     %(texts)s::text[]) AS q(part, configuration, token, text)
              CROSS JOIN LATERAL unnest(to_tsvector(q.configuration::regconfig, q.text))
                  AS v(lexeme, positions, weights)) AS w ON true
     LEFT JOIN corpus_lexeme l ON l.lexeme = w.lexeme
WHERE t.id = 1
ORDER BY w.part, w.token, w.lexeme
"""
_QUESTION = 0  # part 2n + 1 is the nth expansion as it is typed, 2n + 2 are its words
# What the index held when this process last asked. Each query says it anew.
_held: tuple[str, ...] = (ENGLISH,)


@dataclass(frozen=True)
class AskedLexeme:
    """A lexeme of the question; one that no chunk holds has the highest idf.

    `forms` are the same word in other languages of the index, in another spelling or under another
    name. `words` are what an abbreviation stands for: a set of forms for each word, of which one
    each must occur; there may be several. `terms` are all of these lexemes that any chunk holds.
    """

    lexeme: str
    document_frequency: int
    idf: float  # > 0
    words: tuple[tuple[frozenset[str], ...], ...] = ()
    forms: frozenset[str] = frozenset()
    terms: tuple[Term, ...] = ()
    chunks: int = 0  # in the whole index

    def is_held(self, lexemes: Set[str]) -> bool:
        """Tell whether a text with these lexemes says the word, in any form or spelled out."""
        return (
            self.lexeme in lexemes
            or not self.forms.isdisjoint(lexemes)
            or any(not any(f.isdisjoint(lexemes) for f in every) for every in self.words)
        )


@dataclass(frozen=True)
class _Cut:
    """One lexeme of a token, in one text search configuration."""

    part: int
    configuration: str
    token: str
    lexeme: str
    document_frequency: int
    marks: tuple[int, ...]  # document frequencies, as `STRONG`


@dataclass(frozen=True)
class _Index:
    """The looked-up lexemes and the size of the index."""

    chunks: int
    configurations: tuple[str, ...]
    cuts: tuple[_Cut, ...]

    @cached_property
    def by_lexeme(self) -> dict[str, _Cut]:
        return {cut.lexeme: cut for cut in self.cuts}

    def frequency(self, lexeme: str) -> int:
        """Return the document frequency."""
        return self.by_lexeme[lexeme].document_frequency

    def idf(self, document_frequency: int) -> float:
        """Return the idf as Lucene computes it, which is never negative."""
        without = max(self.chunks - document_frequency + 0.5, 0.5)
        return math.log(1 + without / (document_frequency + 0.5))


def asked_lexemes(
    text: str,
    *,
    language: str = "en",
    languages: Sequence[str] = (),
    spelled: Sequence[Expansion] | None = None,
) -> tuple[AskedLexeme, ...]:
    """Return the question's lexemes by name; none if it has stop words only.

    `languages` are those that the search is limited to. `spelled` are the question's abbreviations,
    which are looked up if not given. Runs one query, or none; one more where the languages of the
    index have changed since this process last asked.
    """
    global _held
    known = (*expansions(text), *in_words_of_limits(text)) if spelled is None else spelled
    wanted = {configuration_of(code) for code in languages}
    index = _looked_up(text, known, _chosen(_held, wanted), configuration_of(language))
    if index and set(index.configurations) != set(_held):
        _held = index.configurations or (ENGLISH,)
        index = _looked_up(text, known, _chosen(_held, wanted), configuration_of(language))
    return _lexemes(index, known) if index else ()


def searched_names(lexemes: Sequence[AskedLexeme]) -> list[str]:
    """Return all lexemes that are searched for, other forms and spelled-out words included."""
    return sorted(
        {
            name
            for lexeme in lexemes
            for name in (lexeme.lexeme, *lexeme.forms, *_flat(lexeme.words))
        }
    )


def _flat(words: Iterable[Iterable[frozenset[str]]]) -> Iterator[str]:
    return chain.from_iterable(chain.from_iterable(words))


def _chosen(held: Sequence[str], wanted: Collection[str]) -> list[str]:
    """Return the text search configurations for the question, those of most chunks first."""
    return [name for name in held if name in wanted] or [*held]


def _looked_up(
    text: str, known: Sequence[Expansion], configurations: Sequence[str], own: str
) -> _Index | None:
    base = own if own in configurations else configurations[0]
    rows = list(_tokens(_QUESTION, _bounded(text), base, configurations))
    for number, expansion in enumerate(known):
        rows.extend(_tokens(2 * number + 1, expansion.short, base, [base]))
        rows.extend(_tokens(2 * number + 2, expansion.words, base, [base]))
    return _queried(rows, base) if rows else None


def _bounded(text: str) -> str:
    """Return the beginning of the text that stays within the limit after NFKC normalisation.

    One character can become eighteen (U+FDFA).
    """
    text = text[:MAX_ASKED_CHARS]
    while (length := len(unicodedata.normalize("NFKC", text))) > MAX_ASKED_CHARS:
        text = text[: len(text) * MAX_ASKED_CHARS // length]
    return text


def _tokens(
    part: int, text: str, base: str, configurations: Sequence[str]
) -> Iterator[tuple[int, str, str, str]]:
    """Yield `(part, configuration, token, text to cut)`, each once, in order.

    The token is in the form of the base configuration, so that the same word can be matched across
    configurations.
    """
    every = dict.fromkeys(normalise(text, base).split())
    own = {_plain(token): token for token in islice(every, MAX_ASKED_TOKENS)}
    yield from ((part, base, plain, token) for plain, token in own.items())
    for configuration in configurations:
        if configuration != base:
            others = dict.fromkeys(normalise(text, configuration).split())
            yield from ((part, configuration, _plain(o), o) for o in others if _plain(o) in own)


def _plain(token: str) -> str:
    return without_accents(token).lower()


def _queried(rows: Sequence[tuple[int, str, str, str]], base: str) -> _Index:
    parts, configurations, tokens, texts = (list(column) for column in zip(*rows, strict=True))
    parameters: dict[str, Any] = {
        "parts": parts,
        "configurations": configurations,
        "tokens": tokens,
        "texts": texts,
        "frequent": _FREQUENT,
        "marks": [f"~{strong}" for strong in STRONG],
    }
    with connection.cursor() as cursor:
        execute(cursor, _SQL, parameters)
        fetched = cursor.fetchall()
    cuts = [
        _Cut(part, configuration, token, lexeme, df, tuple(marks or ()))
        for _, _, part, configuration, token, lexeme, df, marks in fetched
        if lexeme is not None
    ]
    counts: dict[str, int] = json.loads(fetched[0][1]) if fetched else {}
    held = sorted(counts, key=lambda name: (-counts[name], name))
    # The base first: what its stop words leave is what was asked.
    cuts.sort(key=lambda cut: cut.configuration != base)
    return _Index(fetched[0][0] if fetched else 0, tuple(held), tuple(cuts))


def _lexemes(index: _Index, known: Sequence[Expansion]) -> tuple[AskedLexeme, ...]:
    base = index.cuts[0].configuration if index.cuts else ""
    forms_of: dict[str, set[str]] = {}  # lexeme of the base: its forms elsewhere
    of_token: dict[str, list[str]] = {}
    for cut in (cut for cut in index.cuts if cut.part == _QUESTION):
        if cut.configuration == base:
            forms_of.setdefault(cut.lexeme, set())
            of_token.setdefault(cut.token, []).append(cut.lexeme)
        else:
            for lexeme in of_token.get(cut.token, ()):
                forms_of[lexeme].add(cut.lexeme)
    others = _others(index, known)
    return tuple(
        _asked(index, others, name, frozenset(forms_of[name])) for name in sorted(forms_of)
    )


@dataclass(frozen=True)
class _Others:
    """Alternatives to a lexeme, by lexeme."""

    # In another spelling or under another name, in both directions.
    same: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # Under another name, where this is one of several lexemes.
    whole: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # Together they are as good as it is.
    words: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))

    def forms(self, name: str) -> frozenset[str]:
        """Return the lexeme and its equivalent forms."""
        return frozenset({name, *(o for o in self.same.get(name, ()) if not _is_part(name, o))})


def _others(index: _Index, known: Sequence[Expansion]) -> _Others:
    by_part: dict[int, set[str]] = {}
    for cut in index.cuts:
        by_part.setdefault(cut.part, set()).add(cut.lexeme)
    others = _Others()
    for number, each in enumerate(known):
        short, meant = (by_part.get(2 * number + part, set()) for part in (1, 2))
        _add(others, each, short, sorted(meant))
    return others


def _add(others: _Others, each: Expansion, short: Set[str], meant: list[str]) -> None:
    """Add one expansion of lexemes `short` to lexemes `meant`."""
    for name in short:
        if not each.same or (len(meant) > 1 and name not in others.words):
            others.words[name].append(meant)  # together, never one by one
        elif len(meant) > 1:
            continue
        elif len(short) > 1:
            others.whole[name].update(meant)
        elif meant and meant != [name]:
            others.same[name].update(meant)
            others.same[meant[0]].add(name)


def _asked(index: _Index, others: _Others, name: str, elsewhere: Set[str]) -> AskedLexeme:
    forms = (others.forms(name) | elsewhere) - {name}
    words = tuple(
        tuple(others.forms(word) | others.whole.get(word, set()) for word in every)
        for every in others.words.get(name, ())
        if every
    )
    if not words and name in others.whole:
        words = ((frozenset(others.whole[name]),),)
    # A word is as rare as its most frequent form: what one language lacks, another may be full of.
    frequency = max(index.frequency(form) for form in (name, *forms))
    terms = tuple(
        _term(index, others, form)
        for form in sorted({name, *forms, *others.same.get(name, ()), *_flat(words)})
        if index.frequency(form)
    )
    return AskedLexeme(name, frequency, index.idf(frequency), words, forms, terms, index.chunks)


def _is_part(spelling: str, other: str) -> bool:
    """Tell whether stemming shortened one spelling more than the other.

    `organizing` becomes `organ`, `organising` doesn't. Searching one by the other is acceptable,
    but a text about organs doesn't say it.
    """
    return spelling.startswith(other) or other.startswith(spelling)


def _term(index: _Index, others: _Others, name: str) -> Term:
    """Return a searched lexeme. A rare spelling counts as no rarer than the common one."""
    cut = index.by_lexeme[name]
    marks = zip(STRONG, cut.marks, strict=False)
    strong = tuple((f"{name}~{level}", frequency) for level, frequency in marks)
    alike = [
        index.frequency(other) for other in others.same.get(name, ()) if not _is_part(name, other)
    ]
    idf = index.idf(max([cut.document_frequency, *alike]))
    return Term(name, cut.document_frequency, idf, strong)
