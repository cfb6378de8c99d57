"""Pairs of a claim and evidence, labelled with whether the evidence supports the claim.

Two forms: JSON lines of our own, and SciFact (Wadden et al., EMNLP 2020), whose annotators marked
the sentences of an abstract that support a claim or refute it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.datasets.reading import found, numbered_lines_of, once, records_of, texts_of
from chat.evidence.judgements import Label
from evaluation.datasets.reading import id_of, text_of
from evaluation.datasets.types import DatasetError
from retrieval.rerank.extracts import stems

LABELS = tuple(label.value for label in Label)
_SCIFACT = {"SUPPORT": Label.SUPPORTED, "CONTRADICT": Label.CONTRADICTED}


@dataclass(frozen=True)
class LabelledPair:
    """A claim, evidence and its label.

    `evidence` may be long or empty; `context`, such as a title, is read with it.
    """

    id: str
    claim: str
    evidence: str
    label: Label
    context: str = ""


@dataclass(frozen=True)
class PairSet:
    """Pairs in the order of their file."""

    name: str
    form: str
    pairs: tuple[LabelledPair, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """64 hex digits over all pairs, in order."""
        rows = [[p.id, p.claim, p.evidence, p.label.value, p.context] for p in self.pairs]
        return hashlib.sha256(
            json.dumps([self.name, rows], ensure_ascii=False).encode()
        ).hexdigest()


def read_pairs(path: Path) -> PairSet:
    """Read JSON lines `{"claim", "evidence", "label"}` with an optional `context`.

    Other keys are ignored. A pair's id is its line number. Raises DatasetError with that number for
    a line that is not a pair, a repeated key, an unknown label, a claim without words, and a pair
    that occurs above with another label.
    """
    if not path.is_file():
        raise DatasetError(f"--pairs: there is no file {path}.")
    pairs = tuple(_pair(line, number, path.name) for number, line in numbered_lines_of(path))
    return _whole(PairSet(path.stem, "pairs", pairs), path.name)


def read_scifact_pairs(folder: Path, *, split: str = "train") -> PairSet:
    """Pair each claim with each marked set of sentences, or with a cited abstract that has none.

    For an abstract without marked sentences, the evidence is the sentence nearest to the claim: 94
    % of the marked sets are one sentence, so that length reveals little. The abstract's title is
    the context. Raises DatasetError, also for a pair with two labels.
    """
    asked, corpus = found(folder, f"claims_{split}.jsonl"), found(folder, "corpus.jsonl")
    abstracts = once(
        (
            (id_of(record["doc_id"], corpus.name), record)
            for record in records_of(corpus, "doc_id", "title", "abstract")
        ),
        corpus.name,
    )
    pairs = tuple(
        pair
        for claim in records_of(asked, "id", "claim", "evidence", "cited_doc_ids")
        for pair in _pairs_of(claim, abstracts, asked.name)
    )
    note = "evidence: the marked sentences; of an abstract without any, those nearest to the claim"
    return _whole(PairSet(f"scifact/{split}/pairs", "scifact", pairs, (note,)), asked.name)


def _whole(pair_set: PairSet, place: str) -> PairSet:
    if not pair_set.pairs:
        raise DatasetError(f"{place} holds no pair.")
    once(((pair.id, pair) for pair in pair_set.pairs), place)
    _refuse_contradictions(pair_set.pairs, place)
    return pair_set


def _refuse_contradictions(pairs: Iterable[LabelledPair], place: str) -> None:
    """Raise DatasetError for a pair with two labels: one is wrong, and so would every figure be."""
    labels: dict[tuple[str, str, str], LabelledPair] = {}
    for pair in pairs:
        first = labels.setdefault((pair.claim, pair.evidence, pair.context), pair)
        if first.label is not pair.label:
            raise DatasetError(
                f"{place}: {pair.id} is the same pair as {first.id} with another label.",
                hint="Nothing was measured.",
            )


def _pair(line: str, number: int, name: str) -> LabelledPair:
    place = f"{name}, line {number}"
    try:
        record = json.loads(line, object_pairs_hook=_keys_once)
    except _TwiceError as error:
        raise DatasetError(f"{place}: a key stands twice.") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{place}: no JSON.") from error
    if not isinstance(record, dict) or not {"claim", "evidence", "label"} <= record.keys():
        raise DatasetError(f"{place}: claim, evidence and label are needed.")
    if record["label"] not in LABELS:
        raise DatasetError(f"{place}: the label is none of {', '.join(LABELS)}.")
    if not isinstance(record["evidence"], str):
        raise DatasetError(f"{place}: the evidence must be a text.")
    claim = text_of(record["claim"], place).strip()
    if not any(character.isalnum() for character in claim):
        raise DatasetError(f"{place}: the claim has no words.")
    return LabelledPair(
        str(number),
        claim,
        text_of(record["evidence"], place),
        Label(record["label"]),
        text_of(record.get("context"), place),
    )


def _keys_once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object. Raises ValueError for a repeated key, whose value would be ambiguous."""
    if len(found := dict(entries)) != len(entries):
        raise _TwiceError
    return found


class _TwiceError(ValueError):
    """A key of a JSON object is repeated."""


def _pairs_of(
    claim: Mapping[str, Any], abstracts: Mapping[str, Mapping[str, Any]], place: str
) -> Iterator[LabelledPair]:
    number, text = id_of(claim["id"], place), text_of(claim["claim"], place).strip()
    marked, cited = claim["evidence"], claim["cited_doc_ids"]
    if not isinstance(marked, dict) or not isinstance(cited, list):
        raise DatasetError(f"{place}: evidence by abstract and a list of abstracts are needed.")
    for document in dict.fromkeys(id_of(each, place) for each in cited):
        if document not in abstracts:
            raise DatasetError(f"{place}: claim {number} cites {document}, which is not there.")
        sentences = texts_of(abstracts[document]["abstract"], place)
        title = text_of(abstracts[document]["title"], place)
        sets = list(_marked(marked.get(document, ()), sentences, place))
        if not sets:
            first, last = nearest_run(sentences, text, most=1)
            sets = [(" ".join(sentences[first:last]).strip(), Label.NOT_FOUND)]
        for n, (evidence, label) in enumerate(sets):
            yield LabelledPair(f"{number}/{document}/{n}", text, evidence, label, title)


def _marked(sets: Any, sentences: list[str], place: str) -> Iterator[tuple[str, Label]]:
    try:
        for each in sets:
            text = " ".join(sentences[n].strip() for n in each["sentences"] if n >= 0)
            yield text, _SCIFACT[each["label"]]
    except (KeyError, TypeError, IndexError) as error:
        raise DatasetError(f"{place}: evidence has sentences and a label.") from error


WINDOW_SENTENCES = 3  # of the 957 sets that SciFact's annotators marked, 956 are no longer


def nearest_run(
    sentences: Sequence[str], claim: str, *, most: int = WINDOW_SENTENCES
) -> tuple[int, int]:
    """Return the half-open run of sentences that shares most stems with the claim.

    Ties go to the shortest run, then the first; `(0, 0)` without sentences. A stem weighs `ln(1 + n
    / df)`, where df of the n sentences contain it.
    """
    if not sentences:
        return 0, 0
    held = [stems(sentence) for sentence in sentences]
    weights = {
        stem: math.log(1 + len(held) / sum(stem in one for one in held))
        for stem in sorted(stems(claim).intersection(*[frozenset().union(*held)]))
    }
    best, best_score = (0, 1), -1.0
    for length in range(1, min(most, len(held)) + 1):
        for first in range(len(held) - length + 1):
            union = frozenset().union(*held[first : first + length])
            score = round(math.fsum(w for stem, w in weights.items() if stem in union), 9)
            if score > best_score:
                best, best_score = (first, first + length), score
    return best
