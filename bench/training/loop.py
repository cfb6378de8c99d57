"""The training loop, with checkpoints from which an interrupted run continues."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from bench.training.card import code_version
from bench.training.network import Network, Weights, tensors
from bench.training.types import BY_SOURCE, Example, Row, Settings, Task, TrainingError
from core.progress import Progress
from corpus.encoders.pairs import Scores

CHECKPOINT = "checkpoint.pt"
SORTED_TOGETHER = 50  # batches: similar lengths need little padding
HEAD_RATE = 20.0  # times the body's rate, since the head starts untrained
_UNREADABLE = (OSError, RuntimeError, LookupError, TypeError, ValueError, EOFError, UnpicklingError)
_AT_ONCE = 32  # windows scored together


@dataclass
class State:
    """The progress of training. `best` has the weights of the evaluation with the best score."""

    identity: str  # over all that decides the weights
    step: int = 0
    seen: int = 0  # examples
    spent_s: float = 0.0
    stale: int = 0  # evaluations since the best one
    best_step: int = 0
    best_score: float = float("-inf")
    best: Weights = field(default_factory=dict)
    code: str = ""  # the code version that began it
    history: list[dict[str, Any]] = field(default_factory=list)  # of each evaluation


@dataclass(frozen=True)
class Course:
    """The task, settings and data of a training."""

    task: Task
    settings: Settings
    examples: Sequence[Example]
    held_rows: Sequence[Row]
    held: Sequence[Example]
    identity: str

    @property
    def steps(self) -> int:
        """The steps of the whole course, unless it ends early."""
        return self.settings.epochs * -(-len(self.examples) // self.settings.batch)


def identity_of(settings: Settings, *parts: str) -> str:
    """Return a digest of everything that decides the weights."""
    return sha256(json.dumps([asdict(settings), *parts]).encode()).hexdigest()


def train(
    network: Network,
    course: Course,
    out: Path,
    *,
    say: Callable[[str], None],
    checkpoint_s: float = 240.0,
    clock: Callable[[], float] = time.monotonic,
) -> State:
    """Train to the end or until `patience` runs out, from the checkpoint in `out` if there is one.

    A run that was killed and continued ends with the weights of an uninterrupted run, on the same
    processor with the same number of threads. Raises TrainingError.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network.to(device)
    optimizer = torch.optim.AdamW(
        [
            {"params": [w for w in part.parameters() if w.requires_grad], "times": times}
            for part, times in ((network.body, 1.0), (network.head, HEAD_RATE))
        ],
        lr=course.settings.rate,
        weight_decay=course.settings.decay,
    )
    state = State(course.identity, code=code_version())
    if kept := _loaded(course, out):
        state = kept.state
        network.restore(kept.network)
        optimizer.load_state_dict(kept.optimizer)
        say(f"Going on after step {state.step} of {course.steps}.")
    saved = started = clock()
    with Progress(f"train {course.task.name}", course.steps, unit="steps") as progress:
        progress.at(state.step)
        for batch in _batches(course, state.step):
            if state.stale >= course.settings.patience:
                say(f"Nothing got better in {state.stale} evaluations: it ends here.")
                break
            loss = _step(network, optimizer, course, batch, state.step, device)
            state.step, state.seen = state.step + 1, state.seen + len(batch)
            progress.at(state.step, note=f"loss {loss:.3f}, best {state.best_score:.4f}")
            is_due = state.step % course.settings.evaluate_every == 0
            if is_due or state.step == course.steps:
                _evaluate(network, course, state, say)
            if is_due or clock() - saved >= checkpoint_s or state.step == course.steps:
                state.spent_s += clock() - started
                started = clock()
                _save(out, state, network, optimizer)
                saved = clock()
    return state


def score(network: Network, examples: Sequence[Example], *, bfloat16: bool = False) -> list[Scores]:
    """Return each example's scores, `(tokens, outputs)`, in order."""
    order = sorted(range(len(examples)), key=lambda n: len(examples[n].window.tokens))
    found: dict[int, Scores] = {}
    device = next(network.parameters()).device.type
    network.eval()
    for start in range(0, len(order), _AT_ONCE):
        places = order[start : start + _AT_ONCE]
        windows = [examples[place].window for place in places]
        with torch.inference_mode(), _mixed(device, bfloat16):
            scores = network(**tensors(windows, device=device)).float().cpu().numpy()
        for row, (place, window) in enumerate(zip(places, windows, strict=True)):
            found[place] = scores[row, : len(window.tokens)].copy()
    return [found[place] for place in range(len(examples))]


def load_best(network: Network, course: Course, out: Path) -> State:
    """Load the best weights so far into the network; the latest, if none were evaluated yet.

    Raises TrainingError if there is no checkpoint, or one of another course.
    """
    if not (kept := _loaded(course, out)):
        raise TrainingError(f"{out} holds no checkpoint.", hint="Start the training first.")
    network.restore(kept.state.best or kept.network)
    return kept.state


def best_weights(out: Path) -> Weights:
    """Return the best weights of any course in `out`. Raises TrainingError."""
    kept = _read(out / CHECKPOINT)
    return kept.state.best or kept.network


def _step(
    network: Network,
    optimizer: torch.optim.Optimizer,
    course: Course,
    batch: Sequence[Example],
    step: int,
    device: str,
) -> float:
    settings = course.settings
    rising = max(1, round(settings.warm_up * course.steps))
    share = min((step + 1) / rising, (course.steps - step) / max(1, course.steps - rising))
    for group in optimizer.param_groups:
        group["lr"] = settings.rate * share * group["times"]
    network.train()
    with _mixed(device, settings.bfloat16):
        scores = network(**tensors([e.window for e in batch], device=device))
    loss = course.task.loss(scores.float(), batch)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
    optimizer.step()
    return float(loss.detach())


def _mixed(device: str, bfloat16: bool) -> torch.autocast:
    return torch.autocast(device, dtype=torch.bfloat16, enabled=bfloat16)


def _batches(course: Course, done: int) -> Iterator[list[Example]]:
    """Yield the batches of the whole course after the first `done`, in an order by the seed."""
    per_epoch = course.steps // course.settings.epochs
    for epoch in range(done // per_epoch, course.settings.epochs):
        batches = _epoch(course, epoch)
        yield from batches[max(0, done - epoch * per_epoch) :]


def _epoch(course: Course, epoch: int) -> list[list[Example]]:
    size, draw = course.settings.batch, random.Random(f"{course.settings.seed} {epoch}")  # noqa: S311
    order = list(course.examples)
    draw.shuffle(order)
    found = []
    for start in range(0, len(order), size * SORTED_TOGETHER):
        part = sorted(
            order[start : start + size * SORTED_TOGETHER], key=lambda e: len(e.window.tokens)
        )
        batches = [part[n : n + size] for n in range(0, len(part), size)]
        draw.shuffle(batches)
        found += batches
    return found


def _evaluate(network: Network, course: Course, state: State, say: Callable[[str], None]) -> None:
    scores = score(network, course.held, bfloat16=course.settings.bfloat16)
    figures = course.task.figures(course.held_rows, course.held, scores)[BY_SOURCE]
    state.history.append({"step": state.step, "seen": state.seen, **figures})
    reached = float(figures.get("score", 0.0))  # 0 where the held rows allow no measure
    is_best = reached > state.best_score
    if is_best:
        state.best_score, state.best_step = reached, state.step
        state.best = network.trained()
    state.stale = 0 if is_best else state.stale + 1
    told = ", ".join(f"{k} {v:.4f}" for k, v in figures.items() if isinstance(v, float))
    say(f"step {state.step} of {course.steps}, {state.seen} examples: {told}{' *' * is_best}")


@dataclass(frozen=True)
class _Kept:
    state: State
    network: Weights
    optimizer: dict[str, Any]


def _save(out: Path, state: State, network: Network, optimizer: torch.optim.Optimizer) -> None:
    """Write the checkpoint atomically: a run killed while writing leaves the previous one."""
    out.mkdir(parents=True, exist_ok=True)
    part = out / f"{CHECKPOINT}.part"
    kept = _Kept(state, network.trained(), optimizer.state_dict())
    with part.open("wb") as stream:
        torch.save(asdict(kept), stream)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(out / CHECKPOINT)


def _loaded(course: Course, out: Path) -> _Kept | None:
    """Return the checkpoint, if there is one. Raises TrainingError if it is of another course."""
    if not (out / CHECKPOINT).is_file():
        return None
    kept = _read(out / CHECKPOINT)
    if kept.state.identity != course.identity:
        raise TrainingError(
            f"{out} holds a checkpoint of other data, settings or another encoder.",
            hint="It was left as it is: name another --out, or the same data and settings.",
        )
    return kept


def _read(path: Path) -> _Kept:
    try:
        read = torch.load(path, map_location="cpu", weights_only=True)
        return _Kept(**read | {"state": State(**read["state"])})
    except _UNREADABLE as error:
        raise TrainingError(
            f"{path} can't be read ({type(error).__name__}).",
            hint="It was left as it is: name another --out, or move it away to begin anew.",
        ) from error
