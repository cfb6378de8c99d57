"""Types of an outcome: an answer or a refusal, nothing in between."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.contrib.auth.models import User

from chat.models import Channel, ClaimKind, Conversation, Reason
from core.language.gloss import ENGLISH, gloss
from corpus.encoders.batches import embedded_statement, read_in_english, statement_context
from corpus.models import AnsweringStop
from retrieval.types import NO_FILTERS, Filters, Hit

IDENTIFIERS = "identifiers"  # code of the warning about the words of the question itself


@dataclass(frozen=True)
class Quote:
    """A verbatim span of one page: `page.text[start:end] == text`."""

    hit: Hit
    page: int
    start: int
    end: int
    text: str
    citation: int = 0  # of its claim; quotes of one citation are read together, and no others

    @cached_property
    def in_english(self) -> Quote:
        """As rules read it (`core.language.gloss`), never shown."""
        language = self.hit.language
        if language == ENGLISH:
            return self
        return replace(self, hit=self.hit.in_english, text=gloss(self.text, language))


@dataclass(frozen=True)
class Unit:
    """A quotable piece: the first quote is the statement, the others are what it depends on."""

    hit: Hit
    text: str  # as shown: a row with its labels, an item with its introduction
    quotes: tuple[Quote, ...]
    holds_asked_number: bool = (
        False  # a row or item whose range a number of the question falls into
    )
    caption: str = ""  # of the row's table
    is_row: bool = False
    statement: int | None = field(default=None, compare=False)  # its row, where it has one

    @cached_property
    def in_english(self) -> Unit:
        """As rules read it (`core.language.gloss`), never shown."""
        language = self.hit.language
        if language == ENGLISH:
            return self
        return replace(
            self,
            hit=self.hit.in_english,
            text=gloss(self.text, language),
            quotes=tuple(quote.in_english for quote in self.quotes),
            caption=gloss(self.caption, language),
        )

    @property
    def context(self) -> str:
        """Title, section, population and caption: what the statement is about, never quoted."""
        return statement_context(self.hit.context, self.caption)

    @property
    def above(self) -> tuple[str, ...]:
        """Return the texts above a statement, the nearest first."""
        depends_on = (quote.text for quote in self.quotes[1:])
        return (*depends_on, self.caption, *reversed(self.hit.section_path), self.hit.title)

    def embedded_text(self, *, in_english: bool) -> str:
        """Return context and text, for computing the similarity to the question.

        In English for an encoder that reads only that.
        """
        text = embedded_statement(self.hit.context, self.caption, self.text)
        return read_in_english(text, self.hit.language) if in_english else text


@dataclass(frozen=True)
class Unplaced:
    """A language model's citation that leads nowhere."""

    key: str  # the opaque key as it was given
    text: str  # what it says it quotes
    why: str  # such as `quote not in the passage`


@dataclass(frozen=True)
class DraftClaim:
    """A statement and the spans that support it; valid with at least one and none `unplaced`."""

    text: str
    quotes: tuple[Quote, ...]
    unplaced: tuple[Unplaced, ...] = ()
    kind: ClaimKind = ClaimKind.ANSWER
    # What each citation says, as it can be read alone: a row with its labels, an item with its
    # lead-in. Empty: the quotes as they stand.
    read_as: tuple[str, ...] = ()
    caption: str = ""  # of the table whose row it is
    holds_asked_number: bool = False  # as of a `Unit`: the table's other rows are for others

    @property
    def language(self) -> str:
        """The language of what it cites; of several the first that is not English."""
        spoken = {quote.hit.language for quote in self.quotes}
        return min(spoken - {ENGLISH}, default=ENGLISH)

    @cached_property
    def in_english(self) -> DraftClaim:
        """As rules read it (`core.language.gloss`), never shown."""
        language = self.language
        if language == ENGLISH:
            return self
        return replace(
            self,
            text=gloss(self.text, language),
            quotes=tuple(quote.in_english for quote in self.quotes),
            read_as=tuple(gloss(each, language) for each in self.read_as),
            caption=gloss(self.caption, language),
        )


@dataclass(frozen=True)
class Answered:
    claims: tuple[DraftClaim, ...]
    confidence: float  # [0, 1]


@dataclass(frozen=True)
class Excerpt:
    """What a refusal shows of a passage: statements, and the place of the best if any was read."""

    texts: tuple[str, ...] = ()
    best: int | None = None


@dataclass(frozen=True)
class Abstained:
    """A refusal: its reason, the nearest passages (never citations), and the gate's probability."""

    reason: Reason
    nearest: tuple[Hit, ...] = ()
    confidence: float = 0.0
    excerpts: Mapping[str, Excerpt] = field(default_factory=dict)  # of these, by chunk key
    stop: AnsweringStop | None = None  # by which it is refused


Outcome = Answered | Abstained


@dataclass(frozen=True)
class Option:
    """One of the options of a multiple-choice question."""

    letter: str  # from `A` on
    text: str


@dataclass(frozen=True)
class AskedQuestion:
    """A question as it is asked: its text, how it is narrowed, and who asks.

    Asked on the page without a conversation it starts one. A follow-up is understood from the
    conversation's turns or from the questions `earlier`, which are not stored; with `follows` false
    it is read alone. `options` are the choices of a multiple-choice question whose text has none;
    options are never searched for. With `as_typed` its words count as they are: no spelling is
    corrected and no short form read.
    """

    text: str
    user: User | None
    channel: Channel
    conversation: Conversation | None = None
    earlier: tuple[str, ...] = ()
    follows: bool = True
    as_typed: bool = False
    collections: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS
    mode: str = ""  # empty: the site's, or that of the conversation's arm of an experiment
    options: tuple[Option, ...] = ()
    key: uuid.UUID | None = None  # becomes the turn's primary key; an interrupted caller finds it
    request: str = ""  # keyed hash of the request that must be repeated to get the turn again
