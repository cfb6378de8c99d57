"""Types of a search: query, evidence and trace."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from core.language.gloss import ENGLISH, gloss
from corpus.positions import SECTIONS, place_words


class Scope(StrEnum):
    """Which documents a search may see. Drafts are never searched."""

    IN_FORCE = "in_force"  # published, indexed, effective on the day
    OUT_OF_DATE = "out_of_date"  # superseded, withdrawn or not yet effective; only to explain


class Rights(StrEnum):
    """Which of the collections with restricted access a search may see."""

    READER = "reader"  # what the reader may search; without one only what everybody may
    HIDDEN = "hidden"  # exactly the others; only to explain a refusal, and never shown
    ALL = "all"  # every collection: the system's own work, whose results no reader sees


@dataclass(frozen=True)
class Filters:
    """A reader's filters; empty means no restriction. Compared without regard to case."""

    specialties: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    issuers: tuple[str, ...] = ()
    journals: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # such as `en`
    source_types: tuple[str, ...] = ()  # of `corpus.models.SourceType`
    year_from: int | None = None  # of publication, both inclusive; without a year it is left out
    year_to: int | None = None

    def __bool__(self) -> bool:
        return self != NO_FILTERS


NO_FILTERS = Filters()


@dataclass(frozen=True)
class Query:
    """A question and the limits of its search.

    `plain` is the text in plain words, searched beside it; None: as the lexicon has it; empty: only
    what is typed counts. `on` is the day whose guidelines count. `reader` is the primary key of the
    user whose rights apply, checked during the search; by default nobody's. `documents` are SHA-256
    of the only documents to search; empty for all.
    """

    text: str
    on: datetime.date
    scope: Scope = Scope.IN_FORCE
    collections: tuple[str, ...] = ()  # slugs; empty means all that the rights allow
    reader: int | None = None
    rights: Rights = Rights.READER
    filters: Filters = NO_FILTERS
    plain: str | None = None
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expansion:
    """A short or lay form as typed, and the guideline's words for it.

    With `same` set it is another spelling or a synonym of a word of the question or of another
    expansion; used by the lexical search only.
    """

    short: str
    words: str
    lay: bool = False  # an everyday word, not an abbreviation
    same: bool = False


@dataclass(frozen=True)
class Analysis:
    """The analysis of a question."""

    text: str  # as it was asked
    language: str  # such as `en`
    expansions: tuple[Expansion, ...] = ()
    negations: tuple[str, ...] = ()  # the words that negate, as typed
    asks_for_exception: bool = False  # EXCEPT, LEAST likely, NOT true ...
    populations: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    plain: str = ""  # the text in plain words, where it differs
    lexicon: str = ""  # the fingerprint of the lexicon that gave the expansions


@dataclass(frozen=True)
class Variant:
    """One searched wording. The first is the question itself."""

    name: str  # `question`, `rule:negation`, `llm:1`, `hyde` ...
    text: str
    lexical: bool = True
    dense: bool = True
    as_passage: bool = False  # a hypothetical answer: encoded as a passage is; never shown


@dataclass(frozen=True)
class Rewriting:
    """What rewording a question cost: calls and cache hits, all 0 without a language model."""

    calls: int = 0  # that were made
    cached: int = 0  # answers that an earlier question has paid for
    dropped: int = 0  # texts not used: too long, the same as another, with numbers of their own


@dataclass(frozen=True)
class Ranked:
    """One entry of a ranking. `rank` is 1-based."""

    chunk_id: int
    key: str
    rank: int
    score: float  # higher is better
    group: str = ""  # shared by passages that say the same; the key where there is no other


@dataclass(frozen=True)
class Ranking:
    """The ordered results of one method: score descending, then key ascending; each group once."""

    name: str
    entries: tuple[Ranked, ...]


@dataclass(frozen=True)
class Span:
    """A piece of a chunk: `chunk.text[offset:offset + end - start]` is `page.text[start:end]`."""

    page: int
    start: int
    end: int
    offset: int


@dataclass(frozen=True)
class AlsoIn:
    """Another document in scope that holds the same passage, and where."""

    key: str
    document_id: int
    title: str
    version: str
    page: int
    position: str = ""


@dataclass(frozen=True)
class Hit:
    """A retrieved passage with all that pages, citations and the gate need."""

    chunk_id: int
    key: str
    index: int  # 0-based place among the document's passages
    rank: int  # 1-based, after fusion and reranking
    score: float  # of the fusion, or of the reranker where one ordered them
    cosine: float  # similarity to the question by the primary encoder, [-1, 1]
    coverage: float  # idf-weighted share of the question's lexemes that it holds, [0, 1]
    text: str
    context: str
    spans: tuple[Span, ...]
    page: int
    section_path: tuple[str, ...]
    document_id: int
    sha256: str
    filename: str
    title: str
    version: str
    issuer: str
    population: str
    lifecycle: str
    effective_from: datetime.date | None
    review_by: datetime.date | None
    collection: str  # slug
    owner_name: str
    owner_contact: str
    also_in: tuple[AlsoIn, ...] = ()  # the latest in force first, one entry a document
    ocr_confidence: float | None = (
        None  # [0, 1], the lowest of its pages; None where none is a scan
    )
    authority: str = ""  # of `corpus.models.Authority`
    journal: str = ""
    year: int | None = None  # of publication
    search_configuration: str = "english"  # that its text was cut into lexemes by
    language: str = "en"  # of its text
    position: str = ""  # `paragraphs 3 to 5` of its section; empty where the document has pages
    odds: float | None = None  # log-odds that its best statement answers; None: it was not read

    @property
    def section(self) -> str:
        return SECTIONS.join(self.section_path)

    @cached_property
    def in_english(self) -> Hit:
        """As rules read it (`core.language.gloss`), never shown."""
        if self.language == ENGLISH:
            return self
        return replace(
            self,
            text=gloss(self.text, self.language),
            context=gloss(self.context, self.language),
            title=gloss(self.title, self.language),
            population=gloss(self.population, self.language),
            section_path=tuple(gloss(each, self.language) for each in self.section_path),
        )

    @property
    def place(self) -> str:
        """Where to find it: `page 7, Dosing`, or `Dosing, paragraph 12` without pages."""
        return place_words(self.page, self.section, self.position)


@dataclass(frozen=True)
class Surroundings:
    """The text around a hit in its section: read with the hit, never cited.

    `text` is the pages' text at `spans`, joined by newlines.
    """

    document_id: int
    key: str  # of the hit
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Trace:
    """How the evidence was found: every ranking, score and duration."""

    query: str
    scope: Scope
    on: datetime.date
    lexemes: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    fused: tuple[Ranked, ...]
    durations_ms: dict[str, float] = field(default_factory=dict)
    fingerprint: str = ""
    also_in: dict[str, tuple[str, ...]] = field(default_factory=dict)  # keys, by key of a hit
    rights: Rights = Rights.READER
    filters: Filters = NO_FILTERS
    analysis: Analysis | None = None
    variants: tuple[Variant, ...] = ()
    rewriting: Rewriting = field(
        default_factory=Rewriting
    )  # how those by a language model came about
    encoders: tuple[str, ...] = ()
    encoder: str = ""  # fingerprint of the primary one, whose cosines the hits have
    reranked: tuple[Ranked, ...] = ()  # where something ordered the fused list anew
    # By key, what made a passage's place in it: the numbers of `retrieval.rerank.types.Parts`.
    rerank_parts: dict[str, dict[str, float | None]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what did not go as configured, such as a reranker's time-out


@dataclass(frozen=True)
class Evidence:
    """The passages for a query, best first, with the trace. Empty where nothing was found."""

    query: Query
    hits: tuple[Hit, ...]
    trace: Trace
    surroundings: tuple[Surroundings, ...] = ()
