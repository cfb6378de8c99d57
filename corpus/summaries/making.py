"""Summarise a document from its passages and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from django.conf import settings

from corpus.chunking import context_line
from corpus.encoders.folders import Facts
from corpus.encoders.types import Embedder
from corpus.summaries.abstractive import MAX_SHOWN_CHARS, PROMPT, Shown, written
from corpus.summaries.extractive import (
    EXTRACTIVE_VERSION,
    MAX_TOKENS,
    Section,
    Vectors,
    centroid,
    nearest,
    sections_of,
    sentences_of,
)

ENCODED_AT_ONCE = 128  # sentences between two signs of life
CALL_LIMIT_S = 180.0  # of one batch, or one answer of the language model

T = TypeVar("T")


class Run(Protocol):
    """`corpus.indexing.leases.Lease.run`, or a plain call where there is no lease."""

    def __call__(self, work: Callable[[], T], *, limit_s: float) -> T:
        """Run `work`, one call of a model, and return its result."""


@dataclass(frozen=True)
class Passages:
    """A document's passages by index; all fields have the same length."""

    title: str
    population: str
    texts: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    vectors: Vectors  # (n, d), unit norm


@dataclass(frozen=True)
class Summary:
    """A section's summary and its vector."""

    section: Section
    text: str
    made_by: str
    vector: Vectors  # (d,), unit norm


def made_by(encoder: Facts | Embedder) -> str:
    """Identify how this site makes summaries; empty where it makes none."""
    extractive = f"{EXTRACTIVE_VERSION} {encoder.fingerprint}"
    return {
        "none": "",
        "extractive": extractive,
        "llm": f"{PROMPT.name} {settings.MODELS.rewrite.model} {extractive}",
    }[settings.SUMMARIES]


def summarise(passages: Passages, encoder: Embedder, run: Run) -> tuple[Summary, ...]:
    """Return a summary for each of `sections_of`; none where the site makes none.

    Deterministic for the same passages. Call it outside a transaction: it encodes every sentence,
    and calls a language model if one is configured (then it may raise LanguageModelUnavailable).
    """
    sections = sections_of(passages.paths) if made_by(encoder) else ()
    if not sections:
        return ()
    sentences = sentences_of(passages.texts)
    vectors = _encoded([one.text for one in sentences], encoder, run)
    sizes = [encoder.count_tokens(one.text) for one in sentences]

    def text_of(section: Section) -> str:
        """Return title and path, followed by the model's text or the nearest sentences."""
        members = slice(section.first, section.last + 1)
        cosines = (vectors @ centroid(passages.vectors[members])).tolist()
        best = partial(nearest, section, sentences, cosines=cosines)
        head = context_line(passages.title, section.path, passages.population, encoder.count_tokens)
        body = ""
        if settings.SUMMARIES == "llm":  # from the whole section, or the nearest sentences
            whole = "\n".join(passages.texts[members])
            if len(whole) > MAX_SHOWN_CHARS:
                whole = best(sizes=[len(one.text) + 1 for one in sentences], limit=MAX_SHOWN_CHARS)
            body = written(Shown(passages.title, " > ".join(section.path), whole))
        room = min(MAX_TOKENS, encoder.max_tokens) - encoder.count_tokens(head)
        return f"{head}\n{body or best(sizes=sizes, limit=room)}"

    texts = [run(partial(text_of, section), limit_s=CALL_LIMIT_S) for section in sections]
    found = _encoded(texts, encoder, run)
    return tuple(
        Summary(section, text, made_by(encoder), vector)
        for section, text, vector in zip(sections, texts, found, strict=True)
    )


def _encoded(texts: Sequence[str], encoder: Embedder, run: Run) -> Vectors:
    """Return vectors `(n, d)`, in batches that depend on the texts only."""
    made = [np.zeros((0, encoder.dimensions), dtype=np.float32)]
    for first in range(0, len(texts), ENCODED_AT_ONCE):
        batch = texts[first : first + ENCODED_AT_ONCE]
        made.append(run(partial(encoder.encode, batch), limit_s=CALL_LIMIT_S))
    return np.concatenate(made)
