"""Write a model's card: `card.json`, and `card.md` for people."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.training.types import BY_SOURCE, Figures
from corpus.encoders.pair_model import MODEL, WEIGHTS

Card = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]


def write_card(card: Card, out: Path) -> None:
    """Write both forms of the card, with the digests of the model's files."""
    card["files"] = {
        name: {
            "bytes": (out / name).stat().st_size,
            "sha256": sha256((out / name).read_bytes()).hexdigest(),
        }
        for name in (MODEL, WEIGHTS)
    }
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    (out / "card.md").write_text("\n".join(_lines(card)) + "\n")


def code_version() -> str:
    """Return the commit, marked as dirty if files differ from it; "unknown" outside a checkout."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _lines(card: Card) -> Iterator[str]:
    steps, settings = card["training"], card["settings"]
    yield f"# A {card['task']} trained from {card['body']['name']}"
    yield ""
    yield card["what"]
    yield ""
    yield (
        f"Trained on {steps['seen']} examples in {steps['steps']} of {steps['of']} steps "
        f"({steps['hours']} hours, {steps['examples_per_second']} examples a second); the weights "
        f"are those of step {steps['best_step']}. Seed {settings['seed']}, precision "
        f"{'bfloat16' if settings['bfloat16'] else 'float32'}, word embeddings and the lowest "
        f"{settings['frozen']} layers left as they were. Code {card['code']}."
    )
    yield ""
    yield "## Data"
    yield ""
    yield f"Licences asked for: {card['licences_asked']}. Rows, parted by document:"
    yield ""
    yield "| source | to train on | held out | licence |"
    yield "|---|---|---|---|"
    for source, row in card["data"].items():
        yield f"| {source} | {row['training']} | {row['validation']} | {row['licence']} |"
    left = ", ".join(f"{source} ({count})" for source, count in card["left_out"].items())
    yield ""
    yield f"Left out for their licence: {left or 'none'}."
    yield ""
    yield "## Figures on the rows that were held out"
    yield ""
    yield from _table(card["figures"])
    yield ""
    yield f"The model is `{MODEL}` with weights of 8 bits, as it runs; {_parity(card['parity'])}"


def _table(figures: Mapping[str, Mapping[str, Figures]]) -> Iterator[str]:
    """Yield a row for each source and model, all sources together first."""
    columns = list(dict.fromkeys(name for by in figures.values() for name in by[BY_SOURCE]))
    yield f"| source | of | {' | '.join(columns)} |"
    yield f"|---|---|{'---|' * len(columns)}"
    sources = sorted({s for by in figures.values() for s in by} - {BY_SOURCE})
    for source in (BY_SOURCE, *sources):
        for model, by in figures.items():
            cells = [_cell(by[source].get(column)) for column in columns]
            yield f"| {source} | {model} | {' | '.join(cells)} |"


def _cell(value: float | int | None) -> str:
    if value is None or value != value:  # nothing to measure
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _parity(parity: Mapping[str, float]) -> str:
    return (
        f"beside torch in 32 bits the largest difference of a value that is read off it is "
        f"{parity['largest']:.3f} (mean {parity['mean']:.4f}, over {parity['values']} values), and "
        f"of {parity['examples']} examples {parity['same']:.1%} come out the same."
    )
