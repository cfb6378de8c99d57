"""Rows in the form of MRCONSO.RRF, with invented diseases and medicines."""

from pathlib import Path


def row(cui: str, name: str, *, language: str = "ENG", ts: str = "S", suppress: str = "N") -> str:
    columns = [cui, language, ts, "L1", "PF", "S1", "Y", "A1", "", "", "", "MADEUP", "PT", "1"]
    return "|".join([*columns, name, "0", suppress, "256", "\n"])


ROWS = [
    row("C01", "Glimmer Fever", ts="P"),
    row("C01", "GLF"),
    row("C01", "Lichtfieber", language="GER"),
    row("C01", "Old glimmer", suppress="O"),
    row("C02", "Acute glimmer fever"),
    row("C03", "Fever"),
    row("C04", "ALL"),
    row("C05", "Zorvanol"),
    row("C06", "xy"),
    row("C07", "12"),
]


def write_rows(folder: Path) -> Path:
    (folder / "MRCONSO.RRF").write_text("".join(ROWS), encoding="utf-8")
    return folder
