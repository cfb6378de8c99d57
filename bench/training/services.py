"""Train, export and judge a checker or a reader, and write its card."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.checker.measure import check_pairs
from bench.checker.tables import report_lines
from bench.datasets.pairs import LABELS, PairSet
from bench.training.rows import (
    Example,
    Row,
    checker_examples,
    divided,
    pairs_of,
    read_rows,
    reader_examples,
)
from chat.gate.risk import auroc, conformal_threshold, needed_unanswerable
from chat.reader.pair_scorer import FOLDER
from chat.verification.entailment.checker import TrainedChecker, site_checker
from core.errors import MedragError
from corpus.encoders.folders import bundled_folder
from corpus.encoders.pair_model import CALIBRATION, PairModel
from corpus.encoders.pairs import MARKS, TOKENIZER, pair_tokenizer, statement_odds
from evaluation.folders import write_lines
from evaluation.metrics.statistics import interval

RISK = 0.05  # that an unsupported claim passes, before the exact checks
LEAST = 0.5  # of a threshold, so that evidence can't both support and contradict
TIMEOUT_S = 600.0  # of a batch of pairs
BERTS = {"start": "[CLS]", "end": "[SEP]", "pad": "[PAD]"}
TASKS = {"checker": (checker_examples, len(LABELS)), "reader": (reader_examples, 2)}


class TrainingError(MedragError):
    """Nothing can be trained here, or with these files."""


@dataclass(frozen=True)
class Order:
    """What to train, on which file by which licence, from which encoder, and where to."""

    task: str
    files: Mapping[Path, str]
    out: Path
    base: Path | None  # None: the bundled encoder
    held: float  # share of the documents to stop and to judge by
    epochs: int  # at most
    seed: int


def model_train(order: Order, *, say: Callable[[str], None]) -> list[str]:
    """Train and export a model, judge it beside the one in use, write its card and return that.

    Raises TrainingError, DatasetError.
    """
    if importlib.util.find_spec("accelerate") is None:
        raise TrainingError(
            "Training needs the package accelerate, which is not installed. Nothing was trained.",
            hint="Install it: pip install -c constraints.txt '.[train]'.",
        )
    from bench.training.network import fitted, write_model  # late: torch takes seconds

    parts = divided(read_rows(list(order.files)), held=order.held, seed=order.seed)
    base, (examples_of, outputs) = order.base or bundled_folder(), TASKS[order.task]
    tokenizer = pair_tokenizer(base)
    train, stop = (list(examples_of(rows, tokenizer)) for rows in parts[:2])
    if not train or not stop:
        raise TrainingError(f"The files have no example for a {order.task}. Nothing was trained.")
    say(f"{len(train)} examples to train on, {len(stop)} to stop by")
    model = fitted(
        order.task, base, (train, stop),
        outputs=outputs, epochs=order.epochs, seed=order.seed, say=say,
    )  # fmt: skip
    order.out.mkdir(parents=True, exist_ok=True)
    write_model(model, order.out)
    shutil.copyfile(base / TOKENIZER, order.out / TOKENIZER)
    write_lines(order.out / MARKS, [json.dumps(BERTS)])
    if order.task == "checker":
        threshold = _threshold(PairModel(order.out), stop)
        known = json.dumps({"temperature": 1.0, "threshold": threshold})
        write_lines(order.out / CALIBRATION, [known])
    judge = _checkers_judged if order.task == "checker" else _readers_judged
    card = [*_card(order, parts), *judge(parts[2], order.out)]
    write_lines(order.out / "card.md", card)
    return card


def _threshold(model: PairModel, examples: Sequence[Example]) -> float:
    """Return the probability of *supported* from which a claim passes.

    By conformal risk control the next claim that is not supported passes with a probability of at
    most RISK, if it is like these, by which the epoch was chosen. With too few of them it is 1.
    """
    logits = np.array([model.scores(each.window)[0] for each in examples], dtype=np.float64)
    odds = np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))[:, 0]
    others = odds[[each.right != 0 for each in examples]].tolist()  # 0 is *supported*
    if len(others) < needed_unanswerable(RISK):
        return 1.0
    return max(LEAST, round(conformal_threshold(others, RISK), 4))


def _checkers_judged(rows: Sequence[Row], out: Path) -> list[str]:
    held = PairSet("held-out documents", "pairs", pairs_of(rows))
    both = {"trained": TrainedChecker(out, threads=2), "in use": site_checker()}
    judged = [
        replace(check_pairs(held, checker, timeout_s=TIMEOUT_S), name=name)
        for name, checker in both.items()
    ]
    return report_lines(held, judged)


def _readers_judged(rows: Sequence[Row], out: Path) -> Iterator[str]:
    yield "| reader | right statement first | answered told from others, AUROC |\n|---|---|---|"
    for name, folder in (("trained", out), ("bundled", FOLDER)):
        model, hits, best, answered = PairModel(folder), [], [], []
        for each in reader_examples(rows, model.tokenizer):
            odds = statement_odds(each.window, model.scores(each.window))
            odds.pop(0, None)  # the heading
            if each.right >= 0:
                right = each.window.pieces[each.right].statement
                hits.append(float(max(odds, key=odds.__getitem__) == right))
            best.append(max(odds.values(), default=-np.inf))
            answered.append(each.right >= 0)
        first, told = interval(hits), auroc(np.array(best), np.array(answered))
        spread = f"{first.mean:.3f} ({first.low:.3f} to {first.high:.3f}, n {first.n})"
        yield f"| {name} | {spread} | {told:.3f} |"


def _card(order: Order, parts: Sequence[Sequence[Row]]) -> Iterator[str]:
    base = order.base or "all-MiniLM-L6-v2 (Apache-2.0), as bundled"
    yield f"# A {order.task}\n\nBase: {base}. Weights in 8 bits. Seed {order.seed}, at most"
    yield f"{order.epochs} epochs; the one with the lowest loss was kept.\n\n## Trained on\n"
    yield "| file | SHA-256 | rows | labelled by | licence |\n|---|---|---|---|---|"
    for path, licence in order.files.items():
        rows = read_rows([path])
        by = ", ".join(sorted({row.get("by", "not stated").split()[0] for row in rows}))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield f"| {path.name} | {digest} | {len(rows)} | {by} | {licence} |"
    counts = [f"{len(part)} rows of {len({row['doc'] for row in part})}" for part in parts]
    yield f"\nTo train {counts[0]} documents, to stop by {counts[1]}, to judge by {counts[2]}."
    yield "\n## On the documents to judge by\n\nA label is right here if the file says so.\n"
