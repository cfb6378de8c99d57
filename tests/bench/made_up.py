"""Small invented data sets in every published form."""

# ruff: noqa: E501  a record a line reads best

import csv
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

DOCUMENTS = [
    ("d01", "Gentamicin", "Give gentamicin once daily and measure the trough level before the second dose."),
    ("d02", "Vancomycin", "Vancomycin is given as a slow infusion; flushing follows a rapid one."),
    ("d03", "Paracetamol", "Paracetamol overdose is treated with acetylcysteine by infusion."),
    ("d04", "Warfarin", "Major bleeding on warfarin is reversed with prothrombin complex and vitamin K."),
    ("d05", "Heparin", "Heparin can lower the platelet count; stop it and test for antibodies."),
    ("d06", "Asthma", "Salbutamol by nebuliser is the first treatment of an acute asthma attack."),
    ("d07", "Sepsis", "Take blood cultures before the first dose of antibiotics in sepsis."),
    ("d08", "Stroke", "Thrombolysis for stroke is given within hours of the first symptoms."),
    ("d09", "Ketoacidosis", "Insulin runs at a fixed rate in diabetic ketoacidosis; replace potassium."),
    ("d10", "Anaphylaxis", "Adrenaline into the thigh muscle is the first treatment of anaphylaxis."),
    ("d11", "Cellulitis", "Cellulitis of the leg is treated with flucloxacillin."),
    ("d12", "Gout", "Colchicine or a steroid relieves an attack of gout."),
]  # fmt: skip
QUERIES = {
    "q1": "when is the trough level of gentamicin measured",
    "q2": "antidote for paracetamol overdose",
    "q3": "how is bleeding on warfarin reversed",
    "q4": "first treatment of anaphylaxis",
    "q5": "platelets fall under heparin",
}
QRELS = {
    "q1": {"d01": 2, "d02": 0},
    "q2": {"d03": 1},
    "q3": {"d04": 2, "d05": 1},
    "q4": {"d10": 1},
    "q5": {"d05": 1},
}


def write_beir(folder: Path, *, packed: bool = False) -> Path:
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": i, "title": title, "text": text} for i, title, text in DOCUMENTS]
    _jsonl(folder / "corpus.jsonl", corpus, packed=packed)
    queries = [{"_id": q, "text": text} for q, text in QUERIES.items()]
    _jsonl(folder / "queries.jsonl", [*queries, {"_id": "dev1", "text": "of another split"}])
    lines = [f"{q}\t{d}\t{gain}" for q, gains in QRELS.items() for d, gain in gains.items()]
    lines = ["query-id\tcorpus-id\tscore", *lines, "q1\tnowhere\t1"]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n")
    return folder


def write_scifact(folder: Path) -> Path:
    folder.mkdir(parents=True)
    corpus = [
        {"doc_id": n, "title": title, "abstract": [text, "It was seen in a trial."]}
        for n, (_, title, text) in enumerate(DOCUMENTS, start=1)
    ]
    _jsonl(folder / "corpus.jsonl", corpus, packed=True)
    claims = [
        {"id": 1, "claim": "Gentamicin is given daily.", "evidence": {"1": []}, "cited_doc_ids": [1, 2]},
        {"id": 2, "claim": "Heparin cures gout.", "evidence": {}, "cited_doc_ids": [12]},
    ]  # fmt: skip
    _jsonl(folder / "claims_train.jsonl", claims)
    return folder


_MEDQUAD = {
    # file, source, (pid, question, answer)
    "1_One_QA/0000001.xml": ("One", [
        ("1", "What is measles ?", "Measles is an infection.    - It spreads fast.   - It itches."),
        ("3", "Is there a treatment?", "Rest and fluids."),
        ("4", "Who pays?", ""),
    ]),
    "1_One_QA/0000002.xml": ("One", [("1", "What is mumps?", "Mumps swells the glands.")]),
}  # fmt: skip
_LIVEQA = """<LiveQA>
<NLM-QUESTION qid="TQ1"><Original-Question qfile="1"><SUBJECT>my boy</SUBJECT>
<MESSAGE>he has spots, what now</MESSAGE></Original-Question>
<NIST-PARAPHRASE>How are spots treated?</NIST-PARAPHRASE>
<NLM-Summary> How is measles treated? </NLM-Summary></NLM-QUESTION>
<NLM-QUESTION qid="TQ2"><Original-Question qfile="2"><MESSAGE>mumps?</MESSAGE></Original-Question>
<NLM-Summary>What is mumps?</NLM-Summary></NLM-QUESTION>
<NLM-QUESTION qid="TQ3"><Original-Question qfile="3"><MESSAGE>pox?</MESSAGE></Original-Question>
<NLM-Summary>What is smallpox?</NLM-Summary></NLM-QUESTION>
</LiveQA>"""
_JUDGED = """1 2-Related One_0000001_Sec1.txt
1 3-Incomplete One_0000001_Sec1.txt
1 4-Excellent One_0000001_Sec2.txt
2 2-Related One_0000002_Sec1.txt
3 4-Excellent Left_0000009_Sec1.txt
"""
_JUDGED_TEXTS = {
    "One_0000001_Sec1.txt": ("What is measles?", "another wording"),
    "Left_0000009_Sec1.txt": ("What is smallpox?", "Smallpox is gone."),
}


def write_medquad_liveqa(folder: Path, *, packed: bool = True) -> Path:
    folder.mkdir(parents=True)
    files = {name: _medquad_xml(*content) for name, content in _MEDQUAD.items()}
    if packed:
        with tarfile.open(folder / "medquad.tar.gz", "w:gz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    else:
        for name, content in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
    (folder / "TREC-LiveQA-Test-Questions.xml").write_text(_LIVEQA)
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["AnswerID", "Answer"])
    for name, (question, answer) in _JUDGED_TEXTS.items():
        rows.writerow([name, f"Question: {question}\nURL: https://example.org\nAnswer: {answer}\n"])
    with zipfile.ZipFile(folder / "LiveQA-Qrels.zip", "w") as archive:
        archive.writestr("judged/qrels.txt", _JUDGED)
        archive.writestr("judged/answers.csv", table.getvalue())
        archive.writestr("__MACOSX/judged/._qrels.txt", "not text")
    return folder


def _medquad_xml(source: str, pairs: list[tuple[str, str, str]]) -> bytes:
    inner = "".join(
        f'<QAPair pid="{pid}"><Question>{question}</Question><Answer>{answer}</Answer></QAPair>'
        for pid, question, answer in pairs
    )
    return f'<Document id="x" source="{source}"><QAPairs>{inner}</QAPairs></Document>'.encode()


def _jsonl(path: Path, records: Sequence[Mapping[str, object]], *, packed: bool = False) -> None:
    content = "".join(json.dumps(record) + "\n" for record in records)
    if packed:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(content.encode()))
    else:
        path.write_text(content)


def write_bigger_beir(folder: Path) -> Path:
    """Write the BEIR data set with one more document."""
    write_beir(folder)
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write(json.dumps({"_id": "d13", "title": "Scabies", "text": "Permethrin."}) + "\n")
    return folder


def read_run(path: Path) -> dict[str, list[tuple[str, float]]]:
    """Read a TREC run: query -> documents with scores, in the order of the file."""
    run: dict[str, list[tuple[str, float]]] = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, []).append((document, float(score)))
    return run
