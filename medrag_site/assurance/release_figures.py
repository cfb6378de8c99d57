"""Read the figures of the release, `docs/safety/figures.toml`, and say of which state they are."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chat.reader.weights import weights

FILE = Path(__file__).resolve().parents[2] / "docs" / "safety" / "figures.toml"
_PLACE = re.compile(r"\{figure ([a-z-]+)\}")


@dataclass(frozen=True)
class Figure:
    """What was counted: `count` of `of`, or a `share`; of which release, gate and questions."""

    what: str
    release: str
    on: str
    command: str
    at: str  # the page that tells it, and the text there
    row: str
    count: int = 0
    of: int = 0
    share: float = 0.0
    gate: float | None = None
    weights: str = ""

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else self.share

    @property
    def short(self) -> str:
        """The figure with its gate, for a sentence: `34 of 120 (gate 0.44)`."""
        told = f"{self.count} of {self.of}" if self.of else f"{self.share:g}"
        return told if self.gate is None else f"{told} (gate {self.gate:g})"

    @property
    def state(self) -> str:
        """Say of which state it is, and whether the gate has changed since."""
        if self.gate is None:
            return f"release {self.release}"
        own = (self.gate, self.weights)
        state = f"release {self.release}, gate {self.gate:g}, weights {self.weights}"
        now = weights()
        if own == (now.threshold, now.version):
            return state
        return f"{state}; not counted again with today's gate {now.threshold:g} and {now.version}"


@cache
def release_figures() -> dict[str, Figure]:
    """Return the figures by their names. Raises TypeError for a key that a figure has not."""
    said = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: Figure(**row) for name, row in said.items()}


def with_figures(text: str) -> str:
    """Return the text with each `{figure NAME}` told. Raises KeyError for another name."""
    return _PLACE.sub(lambda match: release_figures()[match[1]].short, text)
