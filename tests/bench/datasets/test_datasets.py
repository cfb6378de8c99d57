"""Every published form becomes the same kind of data set, or is refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.datasets import read_dataset
from bench.datasets.types import dataset_of
from bench.runs.sampling import limited
from evaluation.datasets.types import DatasetError, SourceDocument
from tests.evaluation import made_up
from tests.published import DATA, MEDQUAD


@pytest.mark.parametrize("packed", [False, True])
def test_beir(tmp_path: Path, packed: bool) -> None:
    dataset = read_dataset(made_up.write_beir(tmp_path / "made", packed=packed), form="beir")
    assert dataset.name == "made/test"
    assert [d.id for d in dataset.documents] == [d[0] for d in made_up.DOCUMENTS]
    assert dataset.documents[0].title == "Gentamicin"
    assert dict(dataset.queries) == made_up.QUERIES  # the one of another split is not among them
    assert dataset.qrels == made_up.QRELS  # the document that is not there is not among them
    assert dataset.relevant_from == 1


def test_beir_in_four_columns_and_without_a_header(tmp_path: Path) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    (folder / "qrels" / "dev.tsv").write_text("q1 0 d01 1\nq2 0 d03 -1\n")
    dataset = read_dataset(folder, form="beir", split="dev")
    assert dataset.qrels == {"q1": {"d01": 1}}
    assert any("1 queries without a relevant document" in note for note in dataset.notes)


def test_scifact_by_citation_and_by_evidence(tmp_path: Path) -> None:
    folder = made_up.write_scifact(tmp_path / "scifact")
    cited = read_dataset(folder, form="scifact")
    assert cited.qrels == {"1": {"1": 1, "2": 1}, "2": {"12": 1}}
    assert cited.documents[0].text.endswith("It was seen in a trial.")
    evidence = read_dataset(folder, form="scifact", queries="evidence")
    assert evidence.qrels == {"1": {"1": 1}}
    assert cited.documents_digest == evidence.documents_digest
    assert cited.digest != evidence.digest


def test_pubmedqa(tmp_path: Path) -> None:
    dataset = read_dataset(made_up.write_pubmedqa(tmp_path / "pubmedqa"), form="pubmedqa")
    assert dataset.qrels == {"11": {"11": 1}, "12": {"12": 1}}
    assert dataset.documents[0].text == "Tea was given.\nPain fell."
    assert dataset.documents[0].title == ""


@pytest.mark.parametrize("packed", [False, True])
def test_medquad_liveqa(tmp_path: Path, packed: bool) -> None:
    folder = made_up.write_medquad_liveqa(tmp_path / "liveqa", packed=packed)
    dataset = read_dataset(folder, form="medquad-liveqa")
    by_id = {document.id: document for document in dataset.documents}
    assert list(by_id) == [
        "Left_0000009_Sec1.txt",  # judged, and not in the XML
        "One_0000001_Sec1.txt",
        "One_0000001_Sec2.txt",  # by its place: its pid is 3
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


def test_medquad_liveqa_with_the_questions_as_they_were_asked(tmp_path: Path) -> None:
    folder = made_up.write_medquad_liveqa(tmp_path / "liveqa")
    dataset = read_dataset(folder, form="medquad-liveqa", queries="original")
    assert dataset.queries["1"] == "my boy he has spots, what now"
    assert list(read_dataset(folder, form="medquad-liveqa", queries="paraphrase").queries) == ["1"]


@pytest.mark.skipif(not MEDQUAD.is_file(), reason=f"no {MEDQUAD}; set MEDRAG_SHARED_DATA")
def test_medquad_liveqa_as_published() -> None:
    dataset = read_dataset(DATA, form="medquad-liveqa")
    assert len(dataset.queries) == 78
    assert len(dataset.documents) == 16_423 + 1_489


def test_what_is_broken_is_refused_with_the_place(tmp_path: Path) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write("{oops\n")
    with pytest.raises(DatasetError, match=r"corpus.jsonl, line 13: no JSON"):
        read_dataset(folder, form="beir")


def test_a_key_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1"}) + "\n")
    with pytest.raises(DatasetError, match="line 1: _id, text are needed"):
        read_dataset(folder, form="beir")


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("beir", {"split": "nope"}),
        ("scifact", {"queries": "nope"}),
        ("pubmedqa", {"queries": "summary"}),
        ("medquad-liveqa", {"split": "test"}),
        ("medquad-liveqa", {}),
    ],
)
def test_options_and_files_that_are_not_there(
    tmp_path: Path, form: str, options: dict[str, str]
) -> None:
    made_up.write_beir(tmp_path / "all")
    with pytest.raises(DatasetError):
        read_dataset(tmp_path / "all", form=form, **options)
    with pytest.raises(DatasetError, match="not a folder"):
        read_dataset(tmp_path / "nowhere", form=form)


def test_an_id_that_stands_twice_is_refused() -> None:
    twice = [SourceDocument("a", "", "one"), SourceDocument("a", "", "two")]
    with pytest.raises(DatasetError, match="twice"):
        dataset_of("x", documents=twice, queries={"q": "?"}, qrels={"q": {"a": 1}})


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


BROKEN_BEIR = [
    ("corpus.jsonl", b'{"_id": null, "text": "x"}\n', "an id must be a text or a whole number"),
    ("corpus.jsonl", b'{"_id": "d", "text": ["x"]}\n', "corpus.jsonl: a text is needed"),
    ("corpus.jsonl", b'{"_id": "d\\u0000", "text": "x"}\n', "can't be printed"),
    ("corpus.jsonl", b'{"_id": "d\\ud800", "text": "x"}\n', "can't be printed"),
    ("corpus.jsonl", b'{"_id": "' + b"d" * 201 + b'", "text": "x"}\n', "longer than 200"),
    ("corpus.jsonl", b'{"_id": "d", "text": "x"}\n' * 2, "a document's id stands twice"),
    ("corpus.jsonl", b"[" * 100_000 + b"\n", "line 1: no JSON"),
    ("corpus.jsonl", b"\xff\xfe\x00", "can't be read"),
    ("corpus.jsonl", b"", "no query has a relevant document"),
    ("queries.jsonl", b'{"_id": "q1", "text": "x"}\n' * 2, "'q1' stands twice"),
    ("queries.jsonl", b'{"_id": "q1", "text": null}\n', "no query has a relevant document"),
    ("qrels/test.tsv", b"", "no query has a relevant document"),
    ("qrels/test.tsv", b"q1\td01\t1\nq1\td01\t0\n", "line 2: the document has another grade"),
    ("qrels/test.tsv", b"q1\td01\t1\nq1\td02\t1.5\n", "line 2: .* whole number"),
    ("qrels/test.tsv", b"q1\n", "line 1|no query has a relevant document"),
]


@pytest.mark.parametrize(("name", "content", "said"), BROKEN_BEIR)
def test_what_is_broken_in_beir_is_said(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    folder = made_up.write_beir(tmp_path / "made")
    (folder / name).write_bytes(content)
    with pytest.raises(DatasetError, match=said):
        read_dataset(folder, form="beir")


@pytest.mark.parametrize("harm", [lambda b: b[:-20], lambda b: b[:40] + bytes(40) + b[80:]])
def test_a_packed_file_that_came_broken_is_said(
    tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    path = made_up.write_beir(tmp_path / "made", packed=True) / "corpus.jsonl.gz"
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(DatasetError, match=r"corpus\.jsonl\.gz can't be read"):
        read_dataset(tmp_path / "made", form="beir")


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


def test_judgements_of_what_is_not_there_are_counted(tmp_path: Path) -> None:
    dataset = read_dataset(made_up.write_beir(tmp_path / "made"), form="beir")
    assert dataset.notes == ("1 judgements of documents that are not there are left out",)


@pytest.mark.parametrize(
    ("corpus", "claims", "said"),
    [
        ('{"doc_id": 1, "title": "t", "abstract": "words"}', "", "a list of texts"),
        ('{"doc_id": 1, "title": "t", "abstract": [1]}', "", "a text is needed"),
        ("", '{"id": 1, "claim": "x", "cited_doc_ids": 1}', "must name abstracts"),
        ("", '{"id": 1, "claim": "x"}\n{"id": 1, "claim": "y"}', "'1' stands twice"),
    ],
)
def test_what_is_broken_in_scifact_is_said(
    tmp_path: Path, corpus: str, claims: str, said: str
) -> None:
    folder = made_up.write_scifact(tmp_path / "made")
    if corpus:
        (folder / "corpus.jsonl").write_text(corpus)
    if claims:
        (folder / "claims_train.jsonl").write_text(claims)
    with pytest.raises(DatasetError, match=said):
        read_dataset(folder, form="scifact")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "not in the form"),
        (b"[" * 100_000, "not in the form"),
        (b"[]", "not in the form"),
        (b"{}", "no query"),
        (b'{"1": {"QUESTION": "q", "CONTEXTS": "abc"}}', "a list of texts"),
        (b'{"1": {"QUESTION": null, "CONTEXTS": ["a"]}}', "no query"),
        (b'{"1": {"QUESTION": "q", "CONTEXTS": []}, "1": {}}', "'1' stands twice"),
    ],
)
def test_what_is_broken_in_pubmedqa_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "ori_pqal.json").write_bytes(content)
    with pytest.raises(DatasetError, match=said):
        read_dataset(tmp_path, form="pubmedqa")


@pytest.mark.parametrize(
    "name", ["medquad.tar.gz", "LiveQA-Qrels.zip", "TREC-LiveQA-Test-Questions.xml"]
)
@pytest.mark.parametrize("harm", [lambda b: b[:-60], lambda b: b"", lambda b: b"\x07" * 500])
def test_what_is_broken_in_liveqa_is_said_with_its_file(
    tmp_path: Path, name: str, harm: Callable[[bytes], bytes]
) -> None:
    path = made_up.write_medquad_liveqa(tmp_path / "made") / name
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(DatasetError, match=name):
        read_dataset(tmp_path / "made", form="medquad-liveqa")


def test_a_file_of_medquad_that_is_broken_is_named(tmp_path: Path) -> None:
    folder = made_up.write_medquad_liveqa(tmp_path / "made", packed=False)
    next(folder.rglob("0000001.xml")).write_bytes(b"<x")
    with pytest.raises(DatasetError, match=r"0000001\.xml: The XML is not well-formed"):
        read_dataset(folder, form="medquad-liveqa")
