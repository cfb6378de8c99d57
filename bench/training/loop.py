"""The training loop: whole epochs, and the weights of the one that scored best."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch

from bench.training.network import Network, tensors
from bench.training.types import BY_SOURCE, Example, Figures, Row, Settings, Task
from core.progress import Progress
from corpus.encoders.pairs import Scores

SORTED_TOGETHER = 50  # batches: similar lengths need little padding
HEAD_RATE = 20.0  # times the body's rate, since the head starts untrained
WARM_UP = 0.06  # the share of all steps in which the rate rises from 0; then it falls to 0
DECAY = 0.01  # of weights a step, times the rate
CLIP = 1.0  # largest norm of the gradient
_AT_ONCE = 32  # windows scored together


@dataclass(frozen=True)
class Course:
    """The task, settings and data of a training."""

    task: Task
    settings: Settings
    examples: Sequence[Example]
    held_rows: Sequence[Row]
    held: Sequence[Example]

    @property
    def steps(self) -> int:
        return self.settings.epochs * -(-len(self.examples) // self.settings.batch)


def train(network: Network, course: Course, *, say: Callable[[str], None]) -> list[Figures]:
    """Train, leave the best epoch's weights in the network, and return each epoch's figures."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network.to(device)
    optimizer = torch.optim.AdamW(
        [
            {"params": [w for w in part.parameters() if w.requires_grad], "times": times}
            for part, times in ((network.body, 1.0), (network.head, HEAD_RATE))
        ],
        lr=course.settings.rate,
        weight_decay=DECAY,
    )
    best, step, history = network.trained(), 0, []
    with Progress(f"train {course.task.name}", course.steps, unit="steps") as progress:
        for epoch in range(course.settings.epochs):
            for batch in _batches(course, epoch):
                loss = _step(network, optimizer, course, batch, step, device)
                step += 1
                progress.at(step, note=f"loss {loss:.3f}")
            scores = score(network, course.held)
            found = course.task.figures(course.held_rows, course.held, scores)[BY_SOURCE]
            is_best = all(_reached(found) > _reached(before) for before in history)
            best = network.trained() if is_best else best
            history.append(found)
            told = ", ".join(f"{k} {v:.4f}" for k, v in found.items() if isinstance(v, float))
            say(f"epoch {epoch + 1} of {course.settings.epochs}: {told}{' *' * is_best}")
    network.restore(best)
    return history


def _reached(figures: Figures) -> float:
    return float(figures.get("score", 0.0))  # 0 where the held rows allow no measure


def score(network: Network, examples: Sequence[Example]) -> list[Scores]:
    """Return each example's scores, `(tokens, outputs)`, in order."""
    order = sorted(range(len(examples)), key=lambda n: len(examples[n].window.tokens))
    found: dict[int, Scores] = {}
    device = next(network.parameters()).device.type
    network.eval()
    for start in range(0, len(order), _AT_ONCE):
        places = order[start : start + _AT_ONCE]
        windows = [examples[place].window for place in places]
        with torch.inference_mode(), _mixed(device):
            scores = network(**tensors(windows, device=device)).float().cpu().numpy()
        for row, (place, window) in enumerate(zip(places, windows, strict=True)):
            found[place] = scores[row, : len(window.tokens)].copy()
    return [found[place] for place in range(len(examples))]


def _step(
    network: Network,
    optimizer: torch.optim.Optimizer,
    course: Course,
    batch: Sequence[Example],
    step: int,
    device: str,
) -> float:
    rising = max(1, round(WARM_UP * course.steps))
    share = min((step + 1) / rising, (course.steps - step) / max(1, course.steps - rising))
    for group in optimizer.param_groups:
        group["lr"] = course.settings.rate * share * group["times"]
    network.train()
    with _mixed(device):
        scores = network(**tensors([e.window for e in batch], device=device))
    loss = course.task.loss(scores.float(), batch)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
    optimizer.step()
    return float(loss.detach())


def _mixed(device: str) -> torch.autocast:
    """Compute in bfloat16 on a GPU, where it halves the time."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


def _batches(course: Course, epoch: int) -> Iterator[list[Example]]:
    """Yield the batches of an epoch, in an order by the seed."""
    size, draw = course.settings.batch, random.Random(f"{course.settings.seed} {epoch}")  # noqa: S311
    order = list(course.examples)
    draw.shuffle(order)
    for start in range(0, len(order), size * SORTED_TOGETHER):
        part = sorted(
            order[start : start + size * SORTED_TOGETHER], key=lambda e: len(e.window.tokens)
        )
        batches = [part[n : n + size] for n in range(0, len(part), size)]
        draw.shuffle(batches)
        yield from batches
