"""Train a small model from folders of rows, and write it in the form that the site runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from bench.training.card import code_version, write_card
from bench.training.checker import Checker
from bench.training.export import write_model
from bench.training.loop import (
    Course,
    best_weights,
    identity_of,
    load_best,
    score,
    train,
)
from bench.training.material import Material, read_material
from bench.training.network import Network
from bench.training.reader import Reader
from bench.training.types import Example, Settings, Task, TrainingError
from corpus.encoders.backends.torch import TorchRunner
from corpus.encoders.folders import bundled_folder
from corpus.encoders.model_folders import facts_of
from corpus.encoders.pair_model import CALIBRATION, MODEL, WEIGHTS, PairModel
from corpus.encoders.pairs import Scores, pair_tokenizer

TASKS: dict[str, type[Task]] = {"reader": Reader, "checker": Checker}


@dataclass(frozen=True)
class Order:
    """A training to run: its task, data, settings and output folder."""

    task: str
    folders: tuple[Path, ...]
    out: Path
    is_open: bool
    settings: Settings
    body: Path | None = None  # folder of an encoder of BERT's family; None: the bundled one
    start: Path | None = None  # folder of an earlier training to start from
    threads: int = 2
    limit: int = 0  # rows


def model_train(order: Order, *, say: Callable[[str], None]) -> None:
    """Train to the end and write the model. Raises MedragError."""
    torch.set_num_threads(order.threads)
    network, course, material = _prepared(order, say)
    train(network, course, order.out, say=say)
    _write(order, network, course, material, say)


def model_write(order: Order, *, say: Callable[[str], None]) -> None:
    """Write the best model of the checkpoint so far, even while a run is still training.

    Raises TrainingError if there is no checkpoint, or one of another course.
    """
    torch.set_num_threads(order.threads)
    _write(order, *_prepared(order, say), say)


def _write(
    order: Order,
    network: Network,
    course: Course,
    material: Material,
    say: Callable[[str], None],
) -> None:
    state = load_best(network, course, order.out)
    task, rows, held, body = course.task, course.held_rows, course.held, _body(order)
    write_model(network, order.out, max_tokens=_max_tokens(order))
    model = PairModel(order.out)
    pooling = "" if (body / "modules.json").is_file() else "mean"
    encoder = TorchRunner(body, pooling=pooling, max_tokens=facts_of(body).max_tokens)
    shipped = [model.scores(example.window) for example in held]
    exact = score(network, held)
    card = {
        "task": task.name,
        "what": task.what,
        "body": {"name": body.parent.name, "digest": facts_of(body).digest},
        "code": state.code or code_version(),
        "settings": asdict(order.settings),
        "licences_asked": "open" if order.is_open else "any",
        "data": {
            source: {**counts, "licence": material.licences[source]}
            for source, counts in material.counts().items()
        },
        "data_digest": material.digest,
        "left_out": material.left_out,
        "training": {
            "examples": len(course.examples),
            "seen": state.seen,
            "steps": state.step,
            "of": course.steps,
            "best_step": state.best_step,
            "hours": round(state.spent_s / 3600, 2),
            "examples_per_second": round(state.seen / max(state.spent_s, 1e-9), 1),
            "history": state.history,
        },
        "figures": {
            f"this {task.name}": task.figures(rows, held, shipped),
            "in 32 bits": task.figures(rows, held, exact),
            "bundled encoder": task.baseline(rows, encoder.vectors),
        },
        "parity": _parity(task, held, exact, shipped),
    }
    write_card(card, order.out)
    names = [MODEL, WEIGHTS, "card.json", "card.md"]
    if calibration := task.calibration(rows, held, shipped):
        (order.out / CALIBRATION).write_text(json.dumps(calibration, indent=1) + "\n")
        names.append(CALIBRATION)
    say(f"Written to {order.out}: {', '.join(names)}")


def _parity(
    task: Task, examples: Sequence[Example], exact: Sequence[Scores], shipped: Sequence[Scores]
) -> dict[str, float]:
    """Compare the exported model with torch: differences of values, share of equal decisions."""
    pairs = [
        (np.array(task.values(example, one)), np.array(task.values(example, other)))
        for example, one, other in zip(examples, exact, shipped, strict=True)
    ]
    apart = np.concatenate([np.abs(one - other) for one, other in pairs])
    return {
        "values": len(apart),
        "largest": float(apart.max()),
        "mean": float(apart.mean()),
        "examples": len(pairs),
        "same": float(np.mean([one.argmax() == other.argmax() for one, other in pairs])),
    }


def _prepared(order: Order, say: Callable[[str], None]) -> tuple[Network, Course, Material]:
    task, body = TASKS[order.task](), _body(order)
    material = read_material(order.folders, task, is_open=order.is_open, limit=order.limit)
    for source, counts in material.counts().items():
        say(f"{source}: {counts['training']} rows to train on, {counts['validation']} held out")
    for source, count in material.left_out.items():
        say(f"{source}: {count} rows left out for their licence")
    tokenizer = pair_tokenizer(body)
    max_tokens = _max_tokens(order)
    course = Course(
        task=task,
        settings=order.settings,
        examples=task.examples(material.training, tokenizer, max_tokens),
        held_rows=material.validation,
        held=task.examples(material.validation, tokenizer, max_tokens),
        identity=identity_of(
            order.settings, task.name, material.digest, facts_of(body).digest, *_start_digest(order)
        ),
    )
    network = Network(
        body, outputs=task.outputs, frozen=order.settings.frozen, seed=order.settings.seed
    )
    if order.start:
        network.restore(best_weights(order.start))
    return network, course, material


def _start_digest(order: Order) -> list[str]:
    """Return the digest of the weights that training starts from; empty for the encoder's own."""
    if not order.start:
        return []
    weights = best_weights(order.start)
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(weights[name].numpy().tobytes())
    return [digest.hexdigest()]


def _body(order: Order) -> Path:
    """Return the encoder's folder. Raises TrainingError for one that can't be trained here."""
    folder = order.body or bundled_folder()
    try:
        family = json.loads((folder / "config.json").read_text()).get("model_type")
    except (OSError, ValueError, AttributeError):
        family = None
    if family != "bert" or not (folder / "tokenizer.json").is_file():
        raise TrainingError(
            f"--body: {folder} is not the folder of an encoder of BERT's family with a "
            "tokenizer.json."
        )
    return folder


def _max_tokens(order: Order) -> int:
    return min(order.settings.max_tokens, facts_of(_body(order)).max_tokens)


def is_bfloat16(precision: str) -> bool:
    """Tell whether to train in bfloat16.

    `auto` means on a GPU, or on a processor with AMX, where it halves the time.
    """
    if precision != "auto":
        return precision == "bfloat16"
    with suppress(OSError):
        return torch.cuda.is_available() or "amx_bf16" in Path("/proc/cpuinfo").read_text()
    return False
