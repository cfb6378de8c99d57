"""Run an ablation: the default, then each switch, grouped by the index that they need."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from bench.ablations.switches import AS_SET, DEFAULT, Switch, chosen, switches
from bench.datasets.types import Dataset
from bench.reports import (
    MAIN,
    SEMANTICS,
    Order,
    ablation_rows,
    ablation_table,
    dataset_lines,
    folder_write,
    note_lines,
    runs_measure,
)
from bench.runs.child_process import ChildFailed
from bench.runs.child_tasks import Failed
from bench.runs.configurations import Recipe
from bench.runs.databases import NoSuchDatabase, databases_filled, name_for
from bench.runs.errors import refuse_faulty
from bench.runs.results import Measured, metrics_json
from evaluation.folders import write_lines
from retrieval.configured import site_config

Say = Callable[[str], None]


@dataclass
class Ablation:
    """An ablation's rows in table order, and their results so far."""

    wanted: tuple[Switch, ...]
    found: dict[str, Measured] = field(default_factory=dict)  # by the switch's name
    failed: dict[str, str] = field(default_factory=dict)  # why, by the switch's name

    @property
    def baseline(self) -> Measured | None:
        return self.found.get(DEFAULT.name)

    @property
    def rows(self) -> list[Measured]:
        """The measured rows without their baseline."""
        names = [switch.name for switch in self.wanted if switch != DEFAULT]
        return [self.found[name] for name in names if name in self.found]

    @property
    def missing(self) -> list[str]:
        """Names of the rows neither measured nor failed, because the ablation was interrupted."""
        done = self.found.keys() | self.failed.keys()
        return [switch.name for switch in self.wanted if switch.name not in done]


def ablation_planned(only: Sequence[str] = ()) -> Ablation:
    """Return an ablation with nothing measured yet.

    Raises UnknownRow, and FaultyConfiguration for a row that this site can't run.
    """
    wanted = (DEFAULT, *chosen(switches(site_config()), only))
    refuse_faulty([switch.configuration for switch in wanted])
    return Ablation(wanted)


def ablation_run(
    order: Order,
    dataset: Dataset,
    ablation: Ablation,
    *,
    say: Say,
    keep: Callable[[], None] = lambda: None,
) -> None:
    """Measure the wanted rows, index by index, and enter each result or failure in the ablation.

    The site's own index comes first, then those that are filled already. A row or an index that
    fails does not stop the others. `keep` is called after each index. Raises ChildFailed where the
    site's own index could not be made, and NoSuchDatabase where it is to be rebuilt and is in use.
    """
    recipes = recipes_in_order(dataset, ablation)
    for number, recipe in enumerate(recipes, start=1):
        of_recipe = [switch for switch in ablation.wanted if switch.recipe == recipe]
        say(f"index {number} of {len(recipes)}, {recipe.name}: {len(of_recipe)} rows")

        def take(result: Measured | Failed) -> None:
            if isinstance(result, Failed):
                ablation.failed[result.name] = result.why
            else:
                ablation.found[result.name] = result

        configurations = [switch.configuration for switch in of_recipe]
        try:
            runs_measure(order, dataset, configurations, recipe=recipe, say=say, keep=take)
        except (ChildFailed, NoSuchDatabase) as error:
            if recipe == AS_SET:
                raise
            # The hint of ChildFailed points at the terminal's output, which a table does not have.
            why = str(error) if isinstance(error, ChildFailed) else error.sentence
            ablation.failed.update({switch.name: why for switch in of_recipe})
            say(f"  {recipe.name}: {why}")
        keep()


def recipes_in_order(dataset: Dataset, ablation: Ablation) -> list[Recipe]:
    """Return the index recipes: the site's own, those already filled, then the rest.

    Within each group the order is that of the table.
    """
    filled = databases_filled(dataset)
    every = list(dict.fromkeys([AS_SET, *(switch.recipe for switch in ablation.wanted)]))
    return sorted(every, key=lambda r: (r != AS_SET, name_for(dataset, r) not in filled))


def ablation_write(out: Path, dataset: Dataset, ablation: Ablation) -> None:
    """Write `ablation.md`, `ablation.json`, and below `runs` a folder for each measured row."""
    out.mkdir(parents=True, exist_ok=True)
    for number, switch in enumerate(ablation.wanted):
        if switch.name in ablation.found:
            folder = out / "runs" / f"{number:02d}-{slugify(switch.name)}"
            folder_write(folder, dataset, ablation.found[switch.name])
    write_lines(out / "ablation.json", [json.dumps(_json(dataset, ablation), indent=2)])
    write_lines(out / "ablation.md", ablation_lines(dataset, ablation))


def ablation_lines(dataset: Dataset, ablation: Ablation) -> Iterator[str]:
    yield from dataset_lines(dataset)
    yield from ablation_table(ablation.baseline, ablation.rows)
    yield ""
    yield (
        f"Difference in {MAIN} from the default, with its 95 % interval; p corrected by Holm for "
        f"{len(ablation.rows)} comparisons. MB: tables and indexes. Not as configured: queries in "
        "which a model or an endpoint failed, so that the search went on without it."
    )
    yield from ("", SEMANTICS)
    for result in ablation.found.values():
        yield from note_lines(result)
    if ablation.failed:
        yield from ("", "Failed, and not measured:")
        yield from (f"- {name}: {why}" for name, why in ablation.failed.items())
    if ablation.missing:
        yield from ("", f"Interrupted before: {', '.join(ablation.missing)}.")


def _json(dataset: Dataset, ablation: Ablation) -> dict[str, Any]:
    default, rows = ablation.baseline, [metrics_json(dataset, row) for row in ablation.rows]
    if default:
        for row, (d, p) in zip(rows, ablation_rows(default.scores, ablation.rows), strict=True):
            row["difference"] = {**vars(d), "p_holm": p, "measure": MAIN}
    return {
        "default": metrics_json(dataset, default) if default else None,
        "switches": rows,
        "failed": ablation.failed,
        "interrupted_before": ablation.missing,
    }
