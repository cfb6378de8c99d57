"""Read the hazard log, rate its hazards by the matrix of DCB0129, and write it as a page.

`python -m medrag_site.assurance.hazards` writes `docs/safety/hazards.md`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import MedragError
from medrag_site.assurance.release_figures import with_figures

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "safety"
LOG, PAGE = FOLDER / "hazards.toml", FOLDER / "hazards.md"

SEVERITIES = ("minor", "significant", "considerable", "major", "catastrophic")
LIKELIHOODS = ("very low", "low", "medium", "high", "very high")
# The matrix of NHS England's guidance on DCB0129: a row for each likelihood, a column for each
# severity.
_MATRIX = ((1, 1, 2, 2, 3), (1, 2, 2, 3, 4), (2, 2, 3, 3, 4), (2, 3, 3, 4, 5), (3, 4, 4, 5, 5))
ACCEPTABLE = 2  # ratings above it need somebody's acceptance; 4 and 5 must not be accepted
LARGEST_ACCEPTED = 3
_KEYS = {"id", "title", "cause", "effect", "severity", "likelihood", "controls", "residual", "left"}


class HazardLogError(MedragError):
    """`hazards.toml` lacks something, or says something that the matrix does not have."""


@dataclass(frozen=True)
class Risk:
    """A severity and a likelihood, by their names in DCB0129."""

    severity: str
    likelihood: str

    @property
    def rating(self) -> int:
        """Return the rating by the matrix, 1 to 5."""
        return _MATRIX[LIKELIHOODS.index(self.likelihood)][SEVERITIES.index(self.severity)]

    def __str__(self) -> str:
        return f"{self.rating} ({self.severity}, {self.likelihood})"


@dataclass(frozen=True)
class Control:
    """What lowers a risk, and the tests that hold it, as pytest names them without parameters."""

    text: str
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Hazard:
    """A hazard, its risk without and with its controls, and what is left to the hospital."""

    id: str
    title: str
    cause: str
    effect: str
    initial: Risk
    residual: Risk
    controls: tuple[Control, ...]
    left: str

    @property
    def needs_acceptance(self) -> bool:
        """Tell whether a clinical safety officer has to accept what is left."""
        return self.residual.rating > ACCEPTABLE


@cache
def hazards() -> tuple[Hazard, ...]:
    """Return all hazards, in the log's order. Raise `HazardLogError` if one is not whole."""
    rows = tomllib.loads(LOG.read_text(encoding="utf-8"))["hazard"]
    log = tuple(_hazard(row) for row in rows)
    if len({hazard.id for hazard in log}) < len(log):
        raise HazardLogError("hazards.toml: two hazards have the same id")
    return log


def controlling_tests() -> dict[str, tuple[str, ...]]:
    """Return the hazards that each test holds a control of, by the test's name."""
    held: dict[str, list[str]] = {}
    for hazard in hazards():
        for control in hazard.controls:
            for test in control.tests:
                held.setdefault(test, []).append(hazard.id)
    return {test: tuple(ids) for test, ids in held.items()}


def _hazard(row: dict[str, Any]) -> Hazard:
    name = row.get("id", "a hazard without an id")
    if missing := sorted(_KEYS - row.keys()):
        raise HazardLogError(f"hazards.toml: {name} lacks {', '.join(missing)}")
    try:
        initial = Risk(row["severity"], row["likelihood"])
        residual = Risk(row["severity"], row["residual"])
        worse = residual.rating > initial.rating
    except ValueError as error:
        raise HazardLogError(f"hazards.toml: {name}: the matrix has no such word") from error
    if worse:
        raise HazardLogError(f"hazards.toml: {name}: its controls make it worse")
    controls = tuple(Control(each["text"], tuple(each["tests"])) for each in row["controls"])
    if not controls or not all(control.tests for control in controls):
        raise HazardLogError(f"hazards.toml: {name} has a control without a test")
    told = (row["title"], row["cause"], row["effect"])
    return Hazard(row["id"], *told, initial, residual, controls, with_figures(row["left"]))


def page(log: Sequence[Hazard] | None = None) -> str:
    """Return the log as Markdown: the matrix, a table of all, and each hazard with its controls."""
    log = hazards() if log is None else log
    return "\n".join([*_top(), *_summary(log), *(line for each in log for line in _section(each))])


def _top() -> Iterator[str]:
    yield "# Hazard log\n"
    yield (
        "Generated from `hazards.toml` by `.venv/bin/python -m medrag_site.assurance.hazards`. "
        "Ratings follow the matrix of DCB0129's guidance, below. Each control names the tests that "
        "hold it: `make test` fails if one of them is missing, or is skipped.\n"
    )
    yield (
        "Risks are the developers' estimate: initial without the controls, residual with them. "
        "No clinician has reviewed them. The hospital's clinical safety officer does so, and "
        "accepts the residual risks, in the [safety case](case.md).\n"
    )
    yield "| likelihood | " + " | ".join(SEVERITIES) + " |"
    yield "|---|" + "---|" * len(SEVERITIES)
    for likelihood, ratings in reversed(list(zip(LIKELIHOODS, _MATRIX, strict=True))):
        yield f"| {likelihood} | " + " | ".join(map(str, ratings)) + " |"
    yield (
        f"\nUp to {ACCEPTABLE}: acceptable. {LARGEST_ACCEPTED}: only if a clinical safety officer "
        "accepts it. 4 and 5: not to be used so.\n"
    )


def _summary(log: Sequence[Hazard]) -> Iterator[str]:
    yield "| | hazard | initial risk | residual risk | accepted by |"
    yield "|---|---|---|---|---|"
    for each in log:
        signature = "to be accepted" if each.needs_acceptance else "acceptable"
        yield f"| {each.id} | {each.title} | {each.initial} | {each.residual} | {signature} |"
    yield ""


def _section(hazard: Hazard) -> Iterator[str]:
    yield f"## {hazard.id}: {hazard.title}\n"
    yield f"**Cause:** {hazard.cause}\n\n**Effect:** {hazard.effect}\n"
    yield f"**Initial risk:** {hazard.initial}. **Controls:**\n"
    for control in hazard.controls:
        yield f"- {control.text} " + ", ".join(f"`{test}`" for test in control.tests)
    yield f"\n**Residual risk:** {hazard.residual}. **What remains:** {hazard.left}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
