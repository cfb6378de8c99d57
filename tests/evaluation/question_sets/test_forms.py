"""Questions with free-text answers become items; malformed ones are named and left out."""

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evaluation.datasets.types import DatasetError
from evaluation.question_sets import FORMS, patients, read_question_set, records
from evaluation.question_sets.types import Item, ItemKind, QuestionsRead
from tests.tables import rows

PUBMEDQA = {
    "11": {
        "QUESTION": "Does tea help against pain?",
        "CONTEXTS": ["Tea was given."],
        "LONG_ANSWER": "Tea did not help.",
        "final_decision": "no",
    },
    "12": {"QUESTION": "Is rest better?", "LONG_ANSWER": "It was."},
}
MEDQUAD = """<?xml version="1.0"?><Document source="One"><Focus>Measles</Focus><QAPairs>
<QAPair pid="1"><Question qid="1-1" qtype="information">What is  measles ?</Question>
<Answer>An infection.    - It itches.</Answer></QAPair>
<QAPair pid="3"><Question qid="1-3">How is it treated?</Question><Answer> </Answer></QAPair>
</QAPairs></Document>"""
LIVEQA = """<?xml version="1.0"?><Set>
<NLM-QUESTION qid="TQ1"><Original-Question><MESSAGE>spots, what now</MESSAGE></Original-Question>
<NIST-PARAPHRASE>How do I treat measles?</NIST-PARAPHRASE>
<NLM-Summary>How is measles treated?</NLM-Summary>
<ANNOTATIONS><TYPE tid="T1">TREATMENT</TYPE></ANNOTATIONS>
<ReferenceAnswers><RefAnswer><ANSWER> By rest. </ANSWER></RefAnswer>
<RefAnswer><ANSWER>By fluids.</ANSWER></RefAnswer></ReferenceAnswers></NLM-QUESTION>
<NLM-QUESTION qid="TQ2"><NIST-PARAPHRASE>What is smallpox?</NIST-PARAPHRASE></NLM-QUESTION>
<NLM-QUESTION qid="TQ3"/><NLM-QUESTION><NLM-Summary>Why?</NLM-Summary></NLM-QUESTION></Set>"""
GUIDELINE = {
    "id": "g1",
    "question": "How much gentamicin?",
    "answerable": True,
    "kind": "dose",
    "document": "gentamicin.pdf",
    "page": 4,
    "answer": "5 mg/kg.",
    "decisive": [r"5\s*mg"],
    "wrong": ["7 mg"],
    "before": ["Which antibiotic?"],
}


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def read(path: Path, form: str, value: Any) -> QuestionsRead:
    return read_question_set(write(path / "set.json", value), form=form)


def from_lines(path: Path, form: str, rows: list[Any]) -> QuestionsRead:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    return read_question_set(write(path / "a.jsonl", text), form=form)


def test_plain(tmp_path: Path) -> None:
    rows = [
        {"question": "Which dose?", "expected_answer": "5 mg.\nOnce."},
        {"id": 7, "question": "Why?", "expected_answer": ""},
    ]
    assert read(tmp_path, "plain", rows).items == (
        Item("1", "Which dose?", ItemKind.ANSWERABLE, gold_answer="5 mg.\nOnce."),
        Item("7", "Why?", ItemKind.UNLABELLED),
    )


def test_a_broken_record_is_named_and_costs_no_other(tmp_path: Path) -> None:
    rows = [
        {"question": "Which dose?", "expected_answer": "5 mg"},
        "What?",
        {"question": "Why?"},
        {"question": 5, "expected_answer": "x"},
        {"question": " ?", "expected_answer": "x"},
        {"id": 1, "question": "Again?", "expected_answer": "x"},
        {"id": None, "question": "Who?", "expected_answer": "x"},
        {"id": "a\nb", "question": "Who?", "expected_answer": "x"},
        {"question": "x " * 10_001, "expected_answer": "x"},
    ]
    found = read(tmp_path, "plain", rows)
    assert [item.key for item in found.items] == ["1"]
    assert list(found.problems) == [
        "set.json, record 2: an object is needed.",
        "set.json, record 3: expected_answer is missing.",
        "set.json, record 4: the question: a text is needed.",
        "set.json, record 5: the question has no words.",
        "set.json, record 6: the id '1' occurs twice; only the first is kept.",
        "set.json, record 7: the id: an id must be a text or a whole number.",
        "set.json, record 8: the id must have 1 to 200 printable characters.",
        "set.json, record 9: the question is longer than 20000 characters.",
    ]


def test_a_key_that_stands_twice_in_a_record(tmp_path: Path) -> None:
    text = (
        '[{"question": "a?", "expected_answer": "b"},'
        '{"question": "a?", "question": "b?", "expected_answer": "c"}]'
    )
    assert read(tmp_path, "plain", text).problems == (
        "set.json, record 2: the key 'question' occurs twice.",
    )


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("{", "set.json is not JSON."),
        ("[" * 100_000, "set.json is not JSON."),
        ({}, "set.json holds no list of questions."),
        ([], "set.json holds no question in the form plain."),
        ([1], "set.json holds no question in the form plain. set.json, record 1: an object"),
    ],
)
def test_a_file_without_a_question_is_refused(tmp_path: Path, value: Any, sentence: str) -> None:
    with pytest.raises(DatasetError) as refused:
        read(tmp_path, "plain", value)
    assert refused.value.sentence.startswith(sentence)
    assert refused.value.hint


@pytest.mark.parametrize("form", ["plain", "medquad"])
def test_a_file_that_unpacks_to_more_than_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    for module in (records, patients):
        monkeypatch.setattr(module, "MAX_BYTES", 100)
    packed = tmp_path / "set.json.gz"
    packed.write_bytes(gzip.compress(b" " * 101))
    path = packed if form == "plain" else medquad_tar(tmp_path / "medquad.tar.gz")
    with pytest.raises(DatasetError, match="is longer than"):
        read_question_set(path, form=form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"null", b"<a/>", b"[]", b"{}", b"a,b"])
def test_no_form_breaks_on_what_it_does_not_know(tmp_path: Path, form: str, content: bytes) -> None:
    for name in ("set.json", "set.xml", "set.csv", "set.tar.gz"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DatasetError):
            read_question_set(tmp_path / name, form=form, split="unused")
    with pytest.raises(DatasetError):
        read_question_set(tmp_path / "missing.json", form=form)


def test_the_digest_is_of_the_items_alone(tmp_path: Path) -> None:
    rows = [{"id": n, "question": f"Why {n}?", "expected_answer": "x"} for n in range(3)]
    first = read(tmp_path, "plain", rows)
    again = read_question_set(write(tmp_path / "b.json", [*rows[::-1], 1]), form="plain")
    assert first.digest == again.digest
    rows[1]["expected_answer"] = "y"
    assert read(tmp_path, "plain", rows).digest != first.digest


def test_pubmedqa(tmp_path: Path) -> None:
    assert read(tmp_path, "pubmedqa", PUBMEDQA).items == (
        Item(
            "11",
            "Does tea help against pain?",
            ItemKind.YES_NO,
            gold_answer="Tea did not help.",
            relevant=("11",),
            gold_label="no",
        ),
        Item("12", "Is rest better?", ItemKind.ANSWERABLE, gold_answer="It was.", relevant=("12",)),
    )


def test_records_of_pubmedqa_that_are_left_out(tmp_path: Path) -> None:
    text = (
        '{"1": {"QUESTION": "One?", "final_decision": "yes"}, "2": {"final_decision": "yes"},'
        '"3": {"QUESTION": "Three?", "final_decision": "perhaps"}, "4": 4,'
        '"1": {"QUESTION": "Other?"}}'
    )
    found = read(tmp_path, "pubmedqa", text)
    assert [item.question for item in found.items] == ["One?"]
    assert list(found.problems) == [
        "set.json, '2': QUESTION is missing.",
        "set.json, '3': the label must be one of yes, no, maybe.",
        "set.json, '4': an object is needed.",
        "set.json, '1': the key occurs twice; only the first is kept.",
    ]


def medquad_tar(path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {"1_One_QA/0000001.xml": MEDQUAD, "1_One_QA/2.xml": "<a"}.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def medquad_folder(path: Path) -> Path:
    folder = path / "1_One_QA"
    folder.mkdir()
    write(folder / "0000001.xml", MEDQUAD)
    write(folder / "2.xml", "<a")
    return path


@pytest.mark.parametrize("is_packed", [True, False])
def test_medquad(tmp_path: Path, is_packed: bool) -> None:
    path = medquad_tar(tmp_path / "medquad.tar.gz") if is_packed else medquad_folder(tmp_path)
    found = read_question_set(path, form="medquad")
    (item,) = found.items
    assert item.key == "One_0000001_Sec1.txt"
    assert (item.question, item.category) == ("What is measles ?", "information")
    assert item.gold_answer == "An infection.\nIt itches."
    assert [len(name) for name in item.relevant] == [64]
    assert list(found.problems) == [
        "1_One_QA/0000001.xml, question 2: it has no answer.",
        "1_One_QA/2.xml: The XML is not well-formed.",
    ]


def test_entities_of_an_xml_are_not_read(tmp_path: Path) -> None:
    bomb = f'<!DOCTYPE a [<!ENTITY b "c">]>{MEDQUAD.partition("?>")[2]}'
    with pytest.raises(DatasetError, match="declares entities"):
        read_question_set(write(tmp_path / "a.xml", bomb), form="medquad")
    with pytest.raises(DatasetError, match="declares entities"):
        read_question_set(write(tmp_path / "a.xml", bomb), form="liveqa")


@pytest.mark.parametrize("is_folder", [True, False])
def test_liveqa(tmp_path: Path, is_folder: bool) -> None:
    file = write(tmp_path / "LiveQA-Questions.xml", LIVEQA)
    with zipfile.ZipFile(tmp_path / "LiveQA-Qrels.zip", "w") as archive:
        archive.writestr("qrels.txt", "1 3-Incomplete b\n1 4-Excellent a\n1 2-Related c\n")
        archive.writestr("answers.csv", "AnswerID,Answer\n")
    found = read_question_set(tmp_path if is_folder else file, form="liveqa")
    first, second = found.items
    assert (first.key, first.question, first.category) == (
        "TQ1",
        "How is measles treated?",
        "TREATMENT",
    )
    assert (first.gold_answer, first.other_answers) == ("By rest.", ("By fluids.",))
    assert first.relevant == ("a", "b")
    assert second == Item("TQ2", "What is smallpox?", ItemKind.UNLABELLED)
    assert list(found.problems) == [
        "LiveQA-Questions.xml, question 3: the question has no words.",
        "LiveQA-Questions.xml, question 4: it has no qid.",
    ]


def test_liveqa_without_judgements(tmp_path: Path) -> None:
    found = read_question_set(write(tmp_path / "questions.xml", LIVEQA), form="liveqa")
    assert found.items[0].relevant == ()


def test_guidelines(tmp_path: Path) -> None:
    none = {"id": "g2", "question": "How much tea?", "answerable": False, "page": None}
    first, second = read(tmp_path, "guidelines", [GUIDELINE, none]).items
    assert first == Item(
        "g1",
        "How much gentamicin?",
        ItemKind.ANSWERABLE,
        gold_answer="5 mg/kg.",
        relevant=("gentamicin.pdf",),
        page=4,
        before=("Which antibiotic?",),
        category="dose",
        split=first.split,
        patterns={"decisive": (r"5\s*mg",), "wrong": ("7 mg",)},
    )
    assert {first.split, second.split} <= {"dev", "test"}
    assert (second.kind, second.relevant, second.patterns) == (ItemKind.UNANSWERABLE, (), {})


@pytest.mark.parametrize(("change", "reason"), rows(__file__, "left_out_of_guidelines.jsonl"))
def test_questions_of_guidelines_that_are_left_out(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    found = read(tmp_path, "guidelines", [GUIDELINE, {**GUIDELINE, "id": "g2", **change}])
    assert found.problems == (f"set.json, record 2: {reason}",)
