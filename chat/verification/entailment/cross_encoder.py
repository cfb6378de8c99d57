"""Judge claims with a natural language inference model from a folder.

The model reads evidence and claim and returns the odds of two or three labels. Loading and time
limits are in `retrieval.rerank.pair_models`.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.core.exceptions import ImproperlyConfigured

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Judgement, Label, Pair
from chat.verification.entailment.windows import windows
from core.errors import MedragError
from core.llm.usage import Usage
from retrieval.rerank.pair_models import (
    Floats,
    PairModel,
    classifier_fault,
    folder_of,
    read_config,
    weights_fault,
)

SETTING = "model in [verifier] of MEDRAG_MODELS"
# Of a window: with a claim of some 30 tokens a pair stays near 256 tokens; beyond, time grows
# faster than accuracy.
WINDOW_TOKENS = 220
CLAIM_SHARE = 2  # a claim gets at most 1 / CLAIM_SHARE of the tokens that the model reads


class CrossEncoderVerifier(PairModel):
    """The verifier `nli`: one window of evidence must entail a claim, and none contradict it.

    Each with a probability of at least `bar`. `bar` is at least 0.5, so that no window can do both.
    """

    name = "nli"
    usage = Usage()
    said = ()

    def __init__(self, folder: Path, *, bar: float) -> None:
        super().__init__(folder)
        self.bar = bar
        self._outputs = outputs_of(read_config(folder))

    @property
    def fingerprint(self) -> str:
        return f"nli-1:{self.folder_fingerprint}:{self.bar:g}:{WINDOW_TOKENS}"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        deadline = time.monotonic() + timeout_s
        unique = list(dict.fromkeys(pairs))
        try:
            with self.turn(deadline, timeout_s):
                shown = [self._shown(pair) for pair in unique]
                flat = [texts for texts_of_pair in shown for texts in texts_of_pair]
                odds = _softmax(self.logits(flat, deadline=deadline, timeout_s=timeout_s))
        except MedragError as error:
            raise _unavailable(str(error)) from error
        except (RuntimeError, ValueError, IndexError) as error:  # of the model's library
            raise _unavailable(f"failed ({type(error).__name__})") from error
        if not np.isfinite(odds).all():
            raise _unavailable("gave figures that can't be used")
        ends = np.cumsum([len(each) for each in shown])
        rows = [odds[end - len(each) : end] for each, end in zip(shown, ends, strict=True)]
        judgements = dict(zip(unique, map(self._judgement, rows), strict=True))
        return [judgements[pair] for pair in pairs]

    def _shown(self, pair: Pair) -> list[tuple[str, str]]:
        """Return each window with the claim; empty if the claim is too long to be read whole."""
        room = self.max_tokens - self.pair_marks
        (claim_tokens,) = self.sizes([pair.claim])
        if claim_tokens > room // CLAIM_SHARE:
            return []
        limit = min(WINDOW_TOKENS, room - claim_tokens)
        return [
            (text, pair.claim) for text in windows(pair.evidence, limit=limit, measure=self.sizes)
        ]

    def _judgement(self, odds: Floats) -> Judgement:
        """Judge a pair by the highest odds of each label among its windows."""
        if not len(odds):
            return Judgement(Label.NOT_FOUND, 0.0, 0.0, "too long to be read whole")
        entails = float(odds[:, self._outputs.entails].max())
        place = self._outputs.contradicts
        contradicts = float(odds[:, place].max()) if place is not None else 0.0
        if contradicts >= self.bar:
            return Judgement(
                Label.CONTRADICTED, entails, contradicts, "the evidence contradicts it"
            )
        if entails >= self.bar:
            return Judgement(Label.SUPPORTED, entails, contradicts)
        return Judgement(Label.NOT_FOUND, entails, contradicts, "the evidence does not entail it")


_load_lock = threading.Lock()


def load(name: str, *, bar: float) -> CrossEncoderVerifier:
    """Return the model of this name, loaded once per process. Raises ImproperlyConfigured."""
    with _load_lock:
        return _load(name, bar)


@lru_cache(maxsize=1)
def _load(name: str, bar: float) -> CrossEncoderVerifier:
    if fault := folder_fault(name):
        raise ImproperlyConfigured(f"{SETTING}: {fault}")
    folder = folder_of(name)
    try:
        return CrossEncoderVerifier(folder, bar=bar)
    except Exception as error:  # whatever torch and its like raise over a broken folder
        raise ImproperlyConfigured(
            f"{SETTING}: {folder} can't be loaded ({type(error).__name__})."
        ) from error


def folder_fault(name: str) -> str:
    """Return why the folder can't be a verifier; empty where it can. Loads no weights."""
    folder = folder_of(name)
    if fault := classifier_fault(folder):
        return fault
    try:
        outputs_of(read_config(folder))
    except UnknownLabels as error:
        return f"{folder} can't be a verifier: {error}."
    return weights_fault(folder)


def _softmax(logits: Floats) -> Floats:
    if not logits.size:
        return logits
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    odds: Floats = powers / powers.sum(axis=1, keepdims=True)
    return odds


def _unavailable(what: str) -> VerifierUnavailable:
    return VerifierUnavailable(
        f"The verifier {what}. No claim was shown.",
        hint=f"Ask again; if it fails again, check {SETTING}.",
        retryable=True,
    )


_ENTAILS = frozenset("entailment entails entailed entail supported supports support".split())
_CONTRADICTS = frozenset(
    "contradiction contradicts contradicted contradict refuted refutes refute".split()
)
_NEITHER = frozenset(
    "neutral notenoughinfo nei notfound notentailment notentailed nonentailment unsupported "
    "notsupported".split()
)


class UnknownLabels(ValueError):
    """The labels of a model don't tell which output means entailment."""


@dataclass(frozen=True)
class Outputs:
    """0-based places of a model's outputs; `contradicts` is None if the model has no such label."""

    entails: int
    contradicts: int | None


def outputs_of(config: Mapping[str, Any]) -> Outputs:
    """Return a model's outputs by the `id2label` of its `config.json`. Raises UnknownLabels."""
    named = config.get("id2label")
    if not isinstance(named, dict) or len(named) not in (2, 3):
        raise UnknownLabels("it must have two or three labels, which its id2label names")
    places: dict[str, int] = {}
    for place, label in named.items():
        role = _role(str(label))
        if not str(place).isdecimal() or int(place) >= len(named) or role in places:
            raise UnknownLabels(f"its id2label is ambiguous at {label!r}")
        places[role] = int(place)
    if "entails" not in places or len(set(places.values())) != len(named):
        raise UnknownLabels("its id2label names no label for what follows from a text")
    return Outputs(places["entails"], places.get("contradicts"))


def _role(label: str) -> str:
    word = re.sub(r"[^a-z]", "", label.lower())
    for role, words in (
        ("entails", _ENTAILS), ("contradicts", _CONTRADICTS), ("neither", _NEITHER)
    ):  # fmt: skip
        if word in words:
            return role
    raise UnknownLabels(
        f"its id2label has {label!r}, which is none of entailment, contradiction and neutral"
    )
