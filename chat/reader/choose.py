"""Score the statements of the passages by how well they answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice

import numpy as np
from django.conf import settings

from chat.checks.agreement import Asked, in_agreement, is_on_class_of
from chat.evidence.quotable import quotable_units
from chat.reader.answerable import answerable
from chat.reader.bands import without_bands_of_others, without_other_values
from chat.reader.features import (
    READER,
    Column,
    Features,
    cheap_features,
    coverage,
    weighted,
    with_large_reader,
    with_likeness,
    with_reader,
)
from chat.reader.likeness import comparable
from chat.reader.long_statements import MAX_STATEMENT_CHARS, read_part
from chat.reader.pair_scorer import LARGE as LARGE_FOLDER
from chat.reader.pair_scorer import Group, StatementReader, site_reader
from chat.reader.types import Read, ScoredStatements
from chat.reader.weights import weights
from chat.types import Unit
from core.language.en.questions.asked import asked_medicines
from core.language.gloss import has_table, question_in_english, spoken_in
from core.rounding import LOGIT_DIGITS
from corpus.encoders import statement_vectors
from corpus.encoders.batches import read_in_english
from corpus.encoders.query_cache import QueryCache
from corpus.encoders.registry import encoder_facts, get_embedder
from corpus.encoders.types import Embedder, Vectors
from retrieval.analysis import by_every_name, plain_words, spelled_out
from retrieval.asked.things import tells_of, things_named
from retrieval.asked.unknown import unknown_names
from retrieval.lexical.search import asked_lexemes
from retrieval.lexicon.classes import in_class_words
from retrieval.types import Hit

KEPT = 2048  # vectors of statements in memory; of 1,536 dimensions that is 13 MB
SHORTLIST = 16  # statements at most: reading them is what an answer's time goes to
REREAD = 6  # of these, for the large reader
MAX_CAPTION = 200  # characters that the reader is told: a row must not be cut off for it
_NEAREST_SECTIONS = 2  # that the reader is told


@dataclass(frozen=True)
class Candidates:
    """Statements in reading order, with their features and vectors `(n, d)`."""

    units: tuple[Unit, ...]
    features: Features
    vectors: Vectors


def read(question: str, hits: Sequence[Hit], plain: str | None = None) -> ScoredStatements:
    """Score the statements of all hits, deterministically. Runs five queries.

    Rules read the question as it is typed, models the `plain` one; None: as the lexicon has it.
    Where a medicine's limits are asked, models read it of its class too: what is said of that
    answers if it does so better than anything else.
    """
    plain = plain_words(question) if plain is None else plain or question
    pool = sifted(question, hits, plain)
    scored = _scored(plain, pool)
    of_class = in_class_words(plain) if pool.units else ""
    if not of_class:
        return scored
    medicines = asked_medicines(by_every_name(question_in_english(question)))
    other = _scored(of_class, _compared(pool, of_class))
    best = other.statements[0]
    is_better = best.odds > scored.statements[0].odds
    return other if is_better and is_on_class_of(medicines, best.unit.in_english) else scored


def _scored(plain: str, sifted_units: Candidates) -> ScoredStatements:
    pool = shortlisted(plain, sifted_units)
    known, count = weights(), len(pool.units)
    # Rounded, so that the last bits of a float never decide between two statements.
    score = weighted(pool.features, known.order, count).round(LOGIT_DIGITS)
    odds = (known.intercept + weighted(pool.features, known.right, count)).round(LOGIT_DIGITS)
    order = np.argsort(-score, kind="stable")
    return ScoredStatements(
        tuple(Read(pool.units[n], float(score[n]), float(odds[n]), pool.vectors[n]) for n in order),
        answerable().log_odds(pool.features),
    )


def sifted(question: str, hits: Sequence[Hit], plain: str = "") -> Candidates:
    """Return all statements that agree with the question, not yet read.

    None of passages in a language that is not answered here, or whose words can't be compared. If
    the question calls a thing by a name that some documents have, of those documents alone.
    """
    in_english = question_in_english(question)
    spoken = [hit for hit in hits if _can_be_read(hit, spoken_in(question))]
    things = things_named(question, [hit.text for hit in spoken])
    about = {hit.document_id for hit in spoken if tells_of(things, hit.text)}
    spoken = [hit for hit in spoken if not things or hit.document_id in about]
    asked = Asked.of(in_english, by_every_name(in_english), unknown_names(question))
    found = quotable_units(spoken, question)
    units = without_bands_of_others(asked.every_name, in_agreement(asked, found), found)
    units = without_other_values(asked.every_name, units)
    if not units:
        return Candidates((), {}, np.zeros((0, 0), dtype=np.float32))
    features = cheap_features(units, *coverage(units, asked_lexemes(question)))
    read = Candidates(tuple(units), features, _vectors(units, get_embedder()))
    return _compared(read, plain or question)


def _compared(pool: Candidates, plain: str) -> Candidates:
    """Return the statements with their likeness to a wording of the question."""
    embedder = get_embedder()
    cosines = pool.vectors @ embedder.encode_queries([encoded_question(plain, embedder)])[0]
    likeness = comparable(cosines.astype(np.float64), embedder)
    return replace(pool, features=with_likeness(pool.features, likeness))


def _can_be_read(hit: Hit, asked_in: str) -> bool:
    """Tell whether a passage may answer a question in a language.

    Rules must be able to read both, else both must be in that language.
    """
    if hit.language not in settings.ANSWER_LANGUAGES:
        return False
    return hit.language == asked_in or (has_table(hit.language) and has_table(asked_in))


def shortlisted(question: str, pool: Candidates, *, reread: int = REREAD) -> Candidates:
    """Choose the statements worth reading, and add the readers' odds to their features.

    The small reader reads them all, the large one the best `reread`; the others get the odds that
    it usually has where the small reader has theirs.
    """
    if not pool.units:
        return pool
    first = weighted(pool.features, weights().shortlist, len(pool.units)).round(LOGIT_DIGITS)
    kept = np.sort(np.argsort(-first, kind="stable")[:SHORTLIST])
    units = tuple(pool.units[place] for place in kept)
    features = {name: column[kept] for name, column in pool.features.items()}
    features = with_reader(features, _odds(question, units, site_reader()))
    features = with_large_reader(features, _large_odds(question, units, features, reread))
    return Candidates(units, features, pool.vectors[kept])


def encoded_question(question: str, embedder: Embedder) -> str:
    """Return what an encoder reads of a question, abbreviations spelled out."""
    text = spelled_out(question)
    return read_in_english(text, spoken_in(question)) if embedder.is_english else text


def _vectors(units: Sequence[Unit], embedder: Embedder) -> Vectors:
    """Return vectors `(n, d)`, stored ones where possible. Runs one query."""
    space, is_english = encoder_facts().space, embedder.is_english
    texts = [unit.embedded_text(in_english=is_english) for unit in units]
    digests = [statement_vectors.digest_of(space, text) for text in texts]
    kept = statement_vectors.read([unit.statement for unit in units], digests)
    missing = [place for place in range(len(units)) if place not in kept]
    if missing:
        made = _made_now(embedder).vectors([texts[place] for place in missing])
        kept |= dict(zip(missing, statement_vectors.rounded(made), strict=True))
    return np.stack([kept[place] for place in range(len(units))])


@lru_cache(maxsize=1)
def _made_now(embedder: Embedder) -> QueryCache:
    """Cache vectors of statements that had none: questions on one topic read the same ones."""
    return QueryCache(embedder.encode, entries=KEPT)


def _large_odds(question: str, units: Sequence[Unit], features: Features, count: int) -> Column:
    """Return the large reader's odds of the best `count` statements, and estimates of the rest."""
    intercept, slope = weights().unread
    odds = (intercept + slope * features[READER]).round(LOGIT_DIGITS)
    first = weighted(features, weights().best, len(units)).round(LOGIT_DIGITS)
    best = np.sort(np.argsort(-first, kind="stable")[:count])
    odds[best] = _odds(question, [units[place] for place in best], site_reader(LARGE_FOLDER))
    return odds


def _odds(question: str, units: Sequence[Unit], reader: StatementReader) -> Column:
    """Return a reader's odds of each statement, read with the others of its passage."""
    texts = iter(_read_texts(question, units))
    groups = [list(group) for _, group in groupby(units, key=lambda unit: unit.hit.key)]
    passages = [Group(heading(group[0].hit), tuple(islice(texts, len(group)))) for group in groups]
    read = question_in_english(question)
    return np.array([odds for group in reader.odds(read, passages) for odds in group])


def _read_texts(question: str, units: Sequence[Unit]) -> list[str]:
    """Return what is read of each statement. Runs a query where one is too long."""
    texts = [captioned(unit) for unit in units]
    is_long = any(len(text) > MAX_STATEMENT_CHARS for text in texts)
    asked = asked_lexemes(question) if is_long else ()
    return [read_part(text, asked) for text in texts]


def captioned(unit: Unit) -> str:
    """Return the text to read; a table row with its caption, which may alone name the medicine."""
    unit = unit.in_english
    caption = unit.caption[:MAX_CAPTION]
    return f"{caption}: {unit.text}" if unit.is_row and caption else unit.text


def heading(hit: Hit) -> str:
    """Return the title and nearest sections, as the reader sees them."""
    hit = hit.in_english
    return " > ".join([hit.title, *hit.section_path[-_NEAREST_SECTIONS:]])
