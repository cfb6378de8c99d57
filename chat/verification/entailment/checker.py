"""The checker: a small trained model that tells whether evidence supports a claim."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Judgement, Label, Pair
from chat.verification.entailment.windows import windows
from core.errors import MedragError
from core.llm.usage import Usage
from corpus.encoders.pair_model import CALIBRATION, MODEL, WEIGHTS, PairModel, files_digest
from corpus.encoders.pairs import FIRST_TOKENS, MARKS, TOKENIZER, Window, windows_of

FOLDER = Path(__file__).with_name("model")
FILES = (MODEL, WEIGHTS, CALIBRATION, TOKENIZER, MARKS)
MARKS_OF_A_PAIR = 3  # special tokens that the model adds to a pair
PLACES = 4  # decimals of a probability: further ones differ between processors
Odds = npt.NDArray[np.float64]  # `(3,)` in the order of `Label`
_LABELS = tuple(Label)


class TrainedChecker:
    """The verifier `checker`: one window of evidence must support a claim, and none contradict it.

    The support must have a probability of at least `bar`; a contradiction counts from `bar`, or
    from 0.5 if `bar` is lower. Each window is read on its own, so its odds depend on its text
    alone.
    """

    name = "checker"
    is_graded = True  # its scores are calibrated probabilities
    usage = Usage()
    said = ()

    def __init__(self, folder: Path = FOLDER, *, bar: float | None = None, threads: int) -> None:
        """Read all but the model, which a site that only quotes never loads. Raises OSError."""
        self._folder, self._threads = folder, threads
        self._loading = threading.Lock()
        known = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
        self._temperature = float(known["temperature"])
        self.bar = float(known["threshold"] if bar is None else bar)
        self._digest = files_digest(folder, FILES)

    @cached_property
    def _model(self) -> PairModel:
        return PairModel(self._folder, threads=self._threads)

    def load(self) -> None:
        """Load the model, once. Raises EncoderUnusable for a folder without one that loads."""
        with self._loading:
            self._model  # noqa: B018  cached

    @property
    def fingerprint(self) -> str:
        return f"checker-2:{self._digest}:{self.bar:g}:{self._temperature:g}"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        """Return one judgement per pair. Raises VerifierUnavailable on failure or out of time."""
        deadline = time.monotonic() + timeout_s
        unique = list(dict.fromkeys(pairs))
        try:
            self.load()
            shown = [self._windows(pair) for pair in unique]
            with ThreadPoolExecutor(self._threads) as pool:
                flat = [window for of_pair in shown for window in of_pair]
                odds = iter(list(pool.map(lambda window: self._odds(window, deadline), flat)))
        except (MedragError, RuntimeError, ValueError) as error:
            raise _unavailable(type(error).__name__) from error
        judgements = {
            pair: self._judgement([next(odds) for _ in of_pair])
            for pair, of_pair in zip(unique, shown, strict=True)
        }
        return [judgements[pair] for pair in pairs]

    def _windows(self, pair: Pair) -> list[Window]:
        """Return the claim with each window of its evidence; empty if the claim is too long."""
        (claim_tokens,) = self._sizes([pair.claim])
        if claim_tokens > FIRST_TOKENS:
            return []
        limit = self._model.max_tokens - claim_tokens - MARKS_OF_A_PAIR
        texts = windows(pair.evidence, limit=limit, measure=self._sizes)
        return [
            window
            for text in texts
            for window in windows_of(
                self._model.tokenizer, pair.claim, [text], max_tokens=self._model.max_tokens
            )
        ]

    def _sizes(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self._model.tokenizer.encode(texts)]

    def _odds(self, window: Window, deadline: float) -> Odds:
        if time.monotonic() > deadline:
            raise _unavailable("no time left")
        logits = self._model.scores(window)[0].astype(np.float64) / self._temperature
        powers = np.exp(logits - logits.max())
        odds: Odds = (powers / powers.sum()).round(PLACES)
        return odds

    def _judgement(self, odds: Sequence[Odds]) -> Judgement:
        """Judge a pair by the highest odds of each label among its windows."""
        if not odds:
            return Judgement(Label.NOT_FOUND, 0.0, 0.0, "too long to be read whole")
        most = dict(zip(_LABELS, np.max(np.stack(odds), axis=0).tolist(), strict=True))
        score, contradiction = most[Label.SUPPORTED], most[Label.CONTRADICTED]
        if score >= self.bar and contradiction < max(self.bar, 0.5):
            return Judgement(Label.SUPPORTED, score, contradiction)
        if contradiction > most[Label.NOT_FOUND]:
            detail = "the evidence contradicts it"
            return Judgement(Label.CONTRADICTED, score, contradiction, detail)
        detail = "the evidence does not clearly say it"
        return Judgement(Label.NOT_FOUND, score, contradiction, detail)


def site_checker(bar: float | None = None) -> TrainedChecker:
    """Return the site's checker, the same one in a process. Raises ImproperlyConfigured."""
    return _loaded(site_folder(), bar)


@lru_cache(maxsize=1)
def _loaded(folder: Path, bar: float | None) -> TrainedChecker:
    try:
        return TrainedChecker(folder, bar=bar, threads=settings.ENCODER_THREADS)
    except (MedragError, OSError, ValueError, KeyError) as error:
        raise ImproperlyConfigured(f"MEDRAG_VERIFIER: {folder_fault() or error}") from error


def site_folder() -> Path:
    """Return the folder of [checker] of MEDRAG_MODELS, else the bundled one."""
    return Path(settings.MODELS.checker.model or FOLDER)


def folder_fault() -> str:
    """Return which file the site's checker lacks, in a sentence; empty for none. Loads nothing."""
    named, folder = settings.MODELS.checker, site_folder()
    missing = [name for name in FILES if not (folder / name).is_file()]
    if not missing:
        return ""
    if named.model:
        where = f"{named.place('model')}: {folder}"
        return f"{where} lacks {missing[0]}. Name what train checker wrote."
    return f"{folder} lacks {missing[0]}: install the release again."


def _unavailable(what: str) -> VerifierUnavailable:
    return VerifierUnavailable(
        f"The checker failed ({what}). No claim was shown.",
        hint="Ask again; if it fails again, run manage.py doctor.",
        retryable=True,
    )
