"""Read tables of cases that lie beside their tests: one row a case, cells between tabs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def cases(test: str, name: str, *read: Callable[[str], Any]) -> list[list[Any]]:
    """Return the rows of a table beside the test file `test`.

    A line that begins with `#` is a remark. A cell of `-` is empty, and `\\n` in it a new line.
    Cells are read by `read` in order, and are texts where it names nothing.
    """
    lines = Path(test).with_name(name).read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    told = [["" if cell == "-" else cell.replace("\\n", "\n") for cell in row] for row in rows]
    return [
        [read[n](cell) if n < len(read) else cell for n, cell in enumerate(row)] for row in told
    ]


def listed(cell: str) -> list[str]:
    """Return the parts of a cell that holds several, between semicolons."""
    return cell.split("; ") if cell else []


def yes(cell: str) -> bool:
    """Tell what a cell of `yes` or `no` says."""
    return {"yes": True, "no": False}[cell]


def rows(test: str, name: str) -> list[list[Any]]:
    """Return the rows of a table whose cells are no plain texts: an array of JSON a line.

    A line that begins with `#` is a remark.
    """
    lines = Path(test).with_name(name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if not line.startswith("#")]
