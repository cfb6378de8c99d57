"""Every published form is read into a `Dataset`, or refused with a sentence."""

from pathlib import Path

import pytest

from bench.datasets import read_dataset
from bench.datasets.types import dataset_of
from bench.runs.sampling import limited
from evaluation.datasets.types import DatasetError, SourceDocument
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
