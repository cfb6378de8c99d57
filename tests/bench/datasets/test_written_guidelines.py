"""Guidelines to ask about: those without claims and long enough, in the order of their hashes."""

import gzip
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from bench.datasets.written_guidelines import main, unused_guidelines
from evaluation.folders import FolderError


def row(name: str, *, passages: int = 5, statements: int = 5) -> dict[str, Any]:
    """Make a guideline with `statements` statements in each of its passages."""
    said = [[f"Part {n}", [f"Statement {n}.{m}." for m in range(statements)]] for n in range(passages)]  # noqa: E501  # fmt: skip
    return {"id": name, "title": f"Care of {name} & others", "passages": said}


def source(folder: Path, guidelines: Iterable[Any], *, used: Iterable[str] = ()) -> Path:
    write(folder / "guidelines.jsonl.gz", guidelines)
    write(folder / "statements.jsonl.gz", [{"doc": name} for name in used])
    return folder


def write(path: Path, rows: Iterable[Any]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in rows)


def test_guidelines_with_claims_and_short_ones_are_left_out(tmp_path: Path) -> None:
    rows = [row("long"), row("used"), row("few-passages", passages=4, statements=9)]
    rows += [row("few-statements", passages=6, statements=4)]
    found = unused_guidelines(source(tmp_path, rows, used=["used"]))
    assert [each.id for each in found] == ["long"]


def test_the_first_by_the_hash_of_their_id_are_taken(tmp_path: Path) -> None:
    names = [f"g{n}" for n in range(9)]
    found = unused_guidelines(source(tmp_path, map(row, names)), count=3)
    hashes = {hashlib.sha256(name.encode()).hexdigest(): name for name in names}
    assert [each.id for each in found] == [name for _, name in sorted(hashes.items())][:3]


def test_each_statement_is_a_paragraph_below_its_heading(tmp_path: Path) -> None:
    guideline = row("g1")
    guideline["passages"][0] = ["Dose <5 years", [f"Give <{n} mg & wait." for n in range(5)]]
    main(source(tmp_path, [guideline]), tmp_path / "out")
    [file] = (tmp_path / "out").iterdir()
    text = file.read_text(encoding="utf-8")
    assert file.name == "g1.html"
    assert "<title>Care of g1 &amp; others</title>" in text
    assert "<h1>Care of g1 &amp; others</h1>" in text
    assert "<h2>Dose &lt;5 years</h2>\n<p>Give &lt;0 mg &amp; wait.</p>\n<p>Give &lt;1 mg" in text
    assert (text.count("<h2>"), text.count("<p>")) == (5, 25)


def test_a_passage_without_a_heading_has_none(tmp_path: Path) -> None:
    guideline = row("g1")
    guideline["passages"][0][0] = ""
    main(source(tmp_path, [guideline]), tmp_path / "out")
    text = (tmp_path / "out" / "g1.html").read_text(encoding="utf-8")
    assert "</h1>\n<p>Statement 0.0.</p>" in text


def test_nothing_is_written_beside_other_files(tmp_path: Path) -> None:
    with pytest.raises(FolderError):
        main(source(tmp_path, [row("g1")]), tmp_path)
