"""Train a small model from folders of rows, and write it in the form that the site runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from bench.training.checker import Checker
from bench.training.export import write_model
from bench.training.loop import Course, train
from bench.training.material import Material, read_material
from bench.training.network import Network
from bench.training.reader import Reader
from bench.training.types import BY_SOURCE, Figures, Settings, Task, TrainingError
from corpus.encoders.folders import bundled_folder
from corpus.encoders.model_folders import facts_of
from corpus.encoders.pair_model import CALIBRATION, MODEL, WEIGHTS, PairModel
from corpus.encoders.pairs import pair_tokenizer

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
    threads: int = 2


def model_train(order: Order, *, say: Callable[[str], None]) -> None:
    """Train to the end, and write the model and its card. Raises MedragError."""
    torch.set_num_threads(order.threads)
    task, body, settings = TASKS[order.task](), _body(order.body), order.settings
    material = read_material(order.folders, task, is_open=order.is_open)
    for source, counts in material.counts().items():
        say(f"{source}: {counts['training']} rows to train on, {counts['validation']} held out")
    for source, count in material.left_out.items():
        say(f"{source}: {count} rows left out for their licence")
    tokenizer = pair_tokenizer(body)
    max_tokens = min(settings.max_tokens, facts_of(body).max_tokens)
    rows = material.validation
    course = Course(
        task=task,
        settings=settings,
        examples=task.examples(material.training, tokenizer, max_tokens),
        held_rows=rows,
        held=task.examples(rows, tokenizer, max_tokens),
    )
    network = Network(body, outputs=task.outputs, frozen=settings.frozen, seed=settings.seed)
    history = train(network, course, say=say)
    write_model(network, order.out, max_tokens=max_tokens)
    model = PairModel(order.out)
    shipped = [model.scores(example.window) for example in course.held]
    names = [MODEL, WEIGHTS, "card.json", "card.md"]
    if calibration := task.calibration(rows, course.held, shipped):
        (order.out / CALIBRATION).write_text(json.dumps(calibration, indent=1) + "\n")
        names.append(CALIBRATION)
    card = _card(order, task, material, body)
    card |= {"history": history, "figures": task.figures(rows, course.held, shipped)}
    text = json.dumps(card, indent=1, ensure_ascii=False)
    (order.out / "card.json").write_text(text + "\n", encoding="utf-8")
    (order.out / "card.md").write_text("\n".join(_lines(card)) + "\n", encoding="utf-8")
    say(f"Written to {order.out}: {', '.join(names)}")


def _body(folder: Path | None) -> Path:
    """Return the encoder's folder. Raises TrainingError for one that can't be trained here."""
    folder = folder or bundled_folder()
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


def _card(order: Order, task: Task, material: Material, body: Path) -> dict[str, Any]:
    return {
        "task": task.name,
        "what": task.what,
        "body": {"name": body.parent.name, "digest": facts_of(body).digest},
        "settings": asdict(order.settings),
        "licences_asked": "open" if order.is_open else "any",
        "data": {
            source: {**counts, "licence": material.licences[source]}
            for source, counts in material.counts().items()
        },
        "data_digest": material.digest,
        "left_out": material.left_out,
    }


def _lines(card: dict[str, Any]) -> Iterator[str]:
    """Yield the card for people."""
    yield from (f"# A {card['task']} trained from {card['body']['name']}", "", card["what"], "")
    settings = ", ".join(f"{name} {value}" for name, value in card["settings"].items())
    yield f"Settings: {settings}. Weights of 8 bits, as it runs."
    yield from ("", "| source | to train on | held out | licence |", "|---|---|---|---|")
    for source, row in card["data"].items():
        yield f"| {source} | {row['training']} | {row['validation']} | {row['licence']} |"
    left = ", ".join(f"{source} ({count})" for source, count in card["left_out"].items())
    yield from (
        "",
        f"Licences asked for: {card['licences_asked']}. Left out: {left or 'none'}.",
        "",
    )
    figures: dict[str, Figures] = card["figures"]
    columns = list(figures[BY_SOURCE])
    yield f"| held out | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for source, row in sorted(figures.items(), key=lambda entry: entry[0] != BY_SOURCE):
        yield f"| {source} | {' | '.join(_cell(row.get(column)) for column in columns)} |"


def _cell(value: float | int | None) -> str:
    if value is None:  # nothing to measure
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
