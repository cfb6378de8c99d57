"""Read tables of cases that lie beside their tests: one row a case, cells between tabs."""

from pathlib import Path


def cases(test: str, name: str) -> list[list[str]]:
    """Return the rows of a table beside the test file `test`.

    A line that begins with `#` is a remark. A cell of `-` is empty, and `\\n` in it a new line.
    """
    lines = Path(test).with_name(name).read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [["" if cell == "-" else cell.replace("\\n", "\n") for cell in row] for row in rows]


def listed(cell: str) -> list[str]:
    """Return the parts of a cell that holds several, between semicolons."""
    return cell.split("; ") if cell else []
