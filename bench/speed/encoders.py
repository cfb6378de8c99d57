"""Time each backend of the site's encoder, and compare their rankings.

Backends take turns round by round, so that other load on the machine slows all of them: the ratio
counts, not the times.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.management.base import CommandError

from bench.datasets.published import read_scifact
from bench.datasets.types import Dataset
from corpus.encoders.backends.local import LocalEmbedder, LocalModel, computed_by
from corpus.encoders.folders import local_model
from corpus.encoders.registry import configured_specs
from corpus.encoders.types import Embedder, Vectors
from evaluation.datasets.types import DatasetError
from evaluation.metrics import scored

BACKENDS = ("torch", "openvino")
QUESTION_TOKENS = 16  # with the encoder's special tokens
PASSAGE_TOKENS = 256
PASSAGES = 24  # of a round
QUESTIONS = 60
ROUNDS = 5
RANKED = 10
_WORDS = """the dose of this drug is given once daily by mouth and reduced where renal function
falls below the limit in the table while warning signs are watched for""".split()


@dataclass
class Timed:
    """Times of one backend: milliseconds a question, seconds a passage.

    `work_s` is processor seconds a passage, summed over all cores.
    """

    questions_ms: list[float] = field(default_factory=list)
    passages_s: list[float] = field(default_factory=list)
    work_s: list[float] = field(default_factory=list)

    @property
    def p50_ms(self) -> float:
        return float(np.percentile(self.questions_ms, 50))

    @property
    def p95_ms(self) -> float:
        return float(np.percentile(self.questions_ms, 95))

    @property
    def per_second(self) -> float:
        return 1 / float(np.median(self.passages_s))

    @property
    def work_ms(self) -> float:
        """Processor milliseconds a passage: little affected by other load on the machine."""
        return 1000 * float(np.median(self.work_s))


@dataclass(frozen=True)
class Agreement:
    """How alike two encoders rank a labelled collection."""

    documents: int
    questions: int
    lowest_cosine: float  # between a document's two vectors
    overlap: float  # mean share of the first ten in common
    same_first: float  # share of questions with the same document on top
    ndcg: tuple[float, ...]  # nDCG@10 of each


def measure_encoders(rankings: Path | None) -> Iterator[str]:
    """Yield a report in lines. `rankings` is a folder with SciFact's files, to compare rankings on.

    Raises CommandError before anything is timed.
    """
    if rankings:
        _scifact(rankings, 0, 0)
    model = local_model(configured_specs()[0])
    encoders = {
        backend: LocalEmbedder(
            LocalModel(**{**vars(model), "backend": backend}),
            kept_in=settings.MODELS_DIR,
            threads=settings.ENCODER_THREADS,
        )
        for backend in BACKENDS
    }
    found = timed_in_turns(encoders)
    for backend, timed in found.items():
        yield (
            f"{computed_by(backend):<14} question of {QUESTION_TOKENS} tokens p50 "
            f"{timed.p50_ms:.2f} p95 {timed.p95_ms:.2f} ms; passages of {PASSAGE_TOKENS} tokens "
            f"{timed.per_second:.1f}/s, {timed.work_ms:.1f} ms of a core each"
        )
    torch, openvino = (found[backend] for backend in BACKENDS)
    yield (
        f"openvino is {torch.p50_ms / openvino.p50_ms:.1f} times as fast with questions and "
        f"{openvino.per_second / torch.per_second:.1f} times with passages, of which each takes "
        f"{torch.work_ms / openvino.work_ms:.1f} times less work"
    )
    if rankings:
        yield from described(agreement(encoders["torch"], encoders["openvino"], rankings))


def timed_in_turns(encoders: Mapping[str, Embedder], rounds: int = ROUNDS) -> dict[str, Timed]:
    """Time every encoder in each round, with texts it has not seen before."""
    found = {name: Timed() for name in encoders}
    for turn in range(rounds + 1):
        for name, encoder in encoders.items():
            questions_ms = [
                1000 * _seconds(encoder, [text])
                for text in _texts(QUESTIONS, QUESTION_TOKENS, turn)
            ]
            passages = _texts(PASSAGES, PASSAGE_TOKENS, turn)
            worked_s = time.process_time()
            passages_s = _seconds(encoder, passages) / len(passages)
            worked_s = time.process_time() - worked_s
            if turn:  # the first warms up
                found[name].questions_ms += questions_ms
                found[name].passages_s.append(passages_s)
                found[name].work_s.append(worked_s / len(passages))
    return found


def _texts(count: int, tokens: int, turn: int) -> list[str]:
    """Return random texts of exactly `tokens` tokens: each word is one token."""
    random = np.random.default_rng(turn * 1000 + tokens)
    return [" ".join(random.choice(_WORDS, tokens - 2)) for _ in range(count)]


def _seconds(encoder: Embedder, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    encoder.encode(texts)
    return time.perf_counter() - started


def described(found: Agreement) -> Iterator[str]:
    yield (
        f"{found.documents} documents, {found.questions} questions: overlap@{RANKED} "
        f"{found.overlap:.4f}, the same on top {found.same_first:.4f}, lowest cosine "
        f"{found.lowest_cosine:.5f}, nDCG@{RANKED} "
        + " and ".join(f"{value:.4f}" for value in found.ndcg)
    )


def agreement(
    first: Embedder, second: Embedder, folder: Path, *, documents: int = 0, questions: int = 0
) -> Agreement:
    """Compare two encoders' rankings of SciFact's abstracts for its training claims.

    `documents` and `questions` limit their numbers; 0 means all. Ties are broken by document id.
    Raises CommandError where the files are missing or not as published.
    """
    texts, dataset = _scifact(folder, documents, questions)
    encoders = (first, second)
    vectors = [encoder.encode(list(texts.values())) for encoder in encoders]
    asked = list(dataset.queries.values())
    runs = [
        dict(zip(dataset.queries, _ranked(encoder, asked, list(texts), passages), strict=True))
        for encoder, passages in zip(encoders, vectors, strict=True)
    ]
    both = [tuple(run[query] for run in runs) for query in dataset.queries]
    return Agreement(
        documents=len(texts),
        questions=len(asked),
        lowest_cosine=float((vectors[0] * vectors[1]).sum(axis=1).min()),
        overlap=float(np.mean([len(set(a) & set(b)) / RANKED for a, b in both])),
        same_first=float(np.mean([a[0] == b[0] for a, b in both])),
        ndcg=tuple(_ndcg(run, dataset) for run in runs),
    )


def _ranked(
    encoder: Embedder, asked: list[str], ids: list[str], passages: Vectors
) -> list[list[str]]:
    """Return the first RANKED document ids for each question.

    `passages` are the documents' vectors, in the order of `ids`.
    """
    similar = encoder.encode_queries(asked) @ passages.T
    order = np.argsort(-similar, axis=1, kind="stable")[:, :RANKED]
    return [[ids[place] for place in row] for row in order]


def _ndcg(run: Mapping[str, Sequence[str]], dataset: Dataset) -> float:
    return float(np.mean(list(scored(run, dataset.qrels)[f"nDCG@{RANKED}"].values())))


def _scifact(folder: Path, documents: int, questions: int) -> tuple[dict[str, str], Dataset]:
    """Return SciFact's abstracts by id, ordered by id, and its data set with its first claims.

    0 means all. Where not all abstracts are wanted, those that the claims cite are taken first.
    """
    try:
        whole = read_scifact(folder)
    except DatasetError as error:
        raise CommandError(f"SciFact: {error.sentence}") from error
    asked = dict(list(whole.queries.items())[: questions or None])
    dataset = replace(whole, queries=asked, qrels={query: whole.qrels[query] for query in asked})
    texts = {one.id: f"{one.title} {one.text}" for one in whole.documents}
    if not documents:
        return texts, dataset
    cited = dict.fromkeys(key for gains in dataset.qrels.values() for key in gains)
    chosen = list(dict.fromkeys([*cited, *texts]))[: max(documents, len(cited))]
    return {key: texts[key] for key in sorted(chosen)}, dataset
