"""Every published form is read into a `Dataset` or refused; TREC files; guidelines to ask about."""

import gzip
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.datasets import read_dataset
from bench.datasets.trec import qrels_lines, run_lines
from bench.datasets.types import dataset_of
from bench.datasets.written_guidelines import main, unused_guidelines
from bench.runs.child_tasks import limited
from evaluation.datasets.types import DatasetError, SourceDocument
from evaluation.folders import FolderError, write_lines
from tests.bench import made_up


@pytest.mark.parametrize("packed", [False, True])
def test_beir(tmp_path: Path, packed: bool) -> None:
    dataset = read_dataset(made_up.write_beir(tmp_path / "made", packed=packed), form="beir")
    assert dataset.name == "made/test"
    assert [d.id for d in dataset.documents] == [d[0] for d in made_up.DOCUMENTS]
    assert dataset.documents[0].title == "Gentamicin"
    assert dict(dataset.queries) == made_up.QUERIES  # without the query of another split
    assert dataset.qrels == made_up.QRELS  # without the missing document
    assert dataset.relevant_from == 1


def test_beir_in_four_columns_and_without_a_header(tmp_path: Path) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    (folder / "qrels" / "dev.tsv").write_text("q1 0 d01 1\nq2 0 d03 -1\n")
    dataset = read_dataset(folder, form="beir", split="dev")
    assert dataset.qrels == {"q1": {"d01": 1}}
    assert any("1 queries without a relevant document" in note for note in dataset.notes)


def test_scifact(tmp_path: Path) -> None:
    folder = made_up.write_scifact(tmp_path / "scifact")
    cited = read_dataset(folder, form="scifact")
    assert cited.qrels == {"1": {"1": 1, "2": 1}, "2": {"12": 1}}
    assert cited.documents[0].text.endswith("It was seen in a trial.")
    with pytest.raises(DatasetError, match="scifact has no --queries"):
        read_dataset(folder, form="scifact", queries="evidence")


@pytest.mark.parametrize("packed", [False, True])
def test_medquad_liveqa(tmp_path: Path, packed: bool) -> None:
    folder = made_up.write_medquad_liveqa(tmp_path / "liveqa", packed=packed)
    dataset = read_dataset(folder, form="medquad-liveqa")
    by_id = {document.id: document for document in dataset.documents}
    assert list(by_id) == [
        "Left_0000009_Sec1.txt",  # judged, and not in the XML
        "One_0000001_Sec1.txt",
        "One_0000001_Sec2.txt",  # by position: its pid is 3
        "One_0000002_Sec1.txt",
    ]
    assert (
        by_id["One_0000001_Sec1.txt"].text
        == "Measles is an infection.\nIt spreads fast.\nIt itches."
    )
    assert by_id["One_0000001_Sec2.txt"].title == "Is there a treatment?"
    assert dict(dataset.queries) == {"1": "How is measles treated?", "3": "What is smallpox?"}
    assert dataset.qrels["1"] == {"One_0000001_Sec1.txt": 2, "One_0000001_Sec2.txt": 3}
    assert dataset.relevant_from == 2


def test_what_is_broken_is_refused_with_the_place(tmp_path: Path) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write("{oops\n")
    with pytest.raises(DatasetError, match=r"corpus.jsonl, line 13: no JSON"):
        read_dataset(folder, form="beir")


@pytest.mark.parametrize("identifier", ["", "a b", "a\tb", "a\u00a0b"])
def test_an_id_that_a_run_cannot_hold_is_refused_before_anything_is_indexed(
    identifier: str,
) -> None:
    named = [SourceDocument(identifier, "", "one")]
    with pytest.raises(DatasetError, match="empty or has a blank"):
        dataset_of("x", documents=named, queries={"q": "?"}, qrels={"q": {identifier: 1}})
    good = [SourceDocument("a", "", "one")]
    with pytest.raises(DatasetError, match="empty or has a blank"):
        dataset_of("x", documents=good, queries={identifier: "?"}, qrels={identifier: {"a": 1}})


def test_a_part_keeps_what_is_judged(tmp_path: Path) -> None:
    dataset = read_dataset(made_up.write_beir(tmp_path / "made"), form="beir")
    part = limited(dataset, 1)
    assert list(part.queries) == ["q1"]
    assert {"d01", "d02"} <= {document.id for document in part.documents}
    assert "first-1" in part.name
    assert part.digest != dataset.digest


def test_marks_of_byte_order_and_halves_of_characters_are_no_part_of_a_text(tmp_path: Path) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    (folder / "qrels" / "test.tsv").write_bytes("\ufeffq1\td01\t1\n".encode())
    (folder / "corpus.jsonl").write_bytes(
        b"\xef\xbb\xbf" + b'{"_id": "d01", "title": null, "text": "a\\ud800b \\ud83d\\ude00"}\n'
    )
    dataset = read_dataset(folder, form="beir")
    assert dataset.qrels == {"q1": {"d01": 1}}
    assert dataset.documents[0].text == "a\ufffdb \U0001f600"
    assert len(dataset.digest) == 64


TIED = {"q1": (("a", 0.5), ("b", 0.5), ("c", 0.5 - 1e-12), ("d", 0.0), ("e", 0.0), ("f", -1.0))}


def test_ties_are_written_strictly_decreasing(tmp_path: Path) -> None:
    write_lines(tmp_path / "run.trec", run_lines(TIED, tag="t"))
    lines = (tmp_path / "run.trec").read_text().splitlines()
    assert [line.split()[2:4] for line in lines] == [[d, str(r)] for r, d in enumerate("abcdef", 1)]
    scores = np.array([line.split()[4] for line in lines], dtype=np.float32)
    assert (np.diff(scores) < 0).all()
    assert scores == pytest.approx([0.5, 0.5, 0.5, 0.0, 0.0, -1.0], abs=1e-6)


def test_qrels_are_written_in_order(tmp_path: Path) -> None:
    write_lines(tmp_path / "qrels", qrels_lines({"q1": {"a": 3, "b": 0}, "q2": {"c": 1}}))
    assert (tmp_path / "qrels").read_text() == "q1 0 a 3\nq1 0 b 0\nq2 0 c 1\n"


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
