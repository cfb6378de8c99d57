"""LiveQA's medical questions over the answers of MedQuAD, graded from 1 (incorrect) to 4.

Sources: Ben Abacha et al., TREC 2017; Ben Abacha and Demner-Fushman, BMC Bioinformatics 2019. Every
answered question of MedQuAD's XML is a document. A judged answer is named by the source, the file
and its position among the file's questions, which is not always its `pid`: compared by their texts,
all 446 whose file exists are found by position, and 84 of them have another `pid`.

MedQuAD is published without the answers of three sites. The archive of judgements holds those that
were judged: they are documents too, since half of the questions have no other good answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bench.datasets.types import Dataset, dataset_of
from corpus.parsing.clean import clean_line
from corpus.parsing.published.medquad import answer_lines
from evaluation.datasets.medquad_liveqa import (
    GOOD,
    pair_text,
    pairs_of,
    read_judgements,
    tar_members,
    wording,
    xml_of,
)
from evaluation.datasets.types import DatasetError, SourceDocument

QUERIES = ("summary", "original", "paraphrase")


def read_medquad_liveqa(folder: Path, *, queries: str = "summary") -> Dataset:
    """Read MedQuAD (a folder or tar), the questions and the judgements from below `folder`.

    Grades 1 to 4 gain 0 to 3; the best grade counts where an answer was judged more than once for a
    question. Raises DatasetError.
    """
    if queries not in QUERIES:
        raise DatasetError(f"--queries of medquad-liveqa is one of {', '.join(QUERIES)}.")
    qrels, judged_texts = read_judgements(_one(folder, "*iveQA*rels*.zip", "*qrels*.zip"))
    published = list(_documents(folder))
    known = {document.id for document in published}
    added = [document for document in judged_texts if document.id not in known]
    return dataset_of(
        f"medquad-liveqa/{queries}",
        documents=[*published, *added],
        queries=_queries(_one(folder, "*LiveQA*Questions*.xml"), queries),
        qrels=qrels,
        relevant_from=GOOD,
        notes=(
            f"{len(published)} answers of MedQuAD, {len(added)} judged ones that it lacks",
            "relevant for measures without grades: judged 3 or 4; grades 1 to 4 gain 0 to 3",
        ),
    )


def _one(folder: Path, *patterns: str) -> Path:
    for pattern in patterns:
        for path in sorted(folder.rglob(pattern)):
            if path.is_file():
                return path
    raise DatasetError(
        f"{folder} holds no file like {patterns[0]}.",
        hint="The folder needs MedQuAD (XML or tar), the questions of LiveQA and the judgements.",
    )


def _documents(folder: Path) -> Iterator[SourceDocument]:
    for path, content in _files(folder):
        root = xml_of(content, path.as_posix())
        source = root.get("source") or root.get("corpus") or ""
        for place, pair in enumerate(pairs_of(root), start=1):
            text = "\n".join(answer_lines(pair_text(pair, "answer")))
            if text:
                name = f"{source}_{path.stem}_Sec{place}.txt"
                yield SourceDocument(name, clean_line(pair_text(pair, "question")), text)


def _files(folder: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the XML files of MedQuAD, from a tar if there is one. Raises DatasetError."""
    archives = sorted(
        p for p in folder.rglob("*") if re.search(r"medquad.*\.(tar|tgz|tar\.gz)$", p.name, re.I)
    )
    if archives:
        yield from tar_members(archives[0])
        return
    paths = sorted(p for p in folder.rglob("*.xml") if p.parent.name[:1].isdigit())
    if not paths:
        raise DatasetError(f"{folder} holds neither medquad.tar.gz nor MedQuAD's folders.")
    for path in paths:
        yield PurePosixPath(path), path.read_bytes()


def _queries(path: Path, kind: str) -> dict[str, str]:
    """Return the questions by the number that the judgements use: `TQ7` is 7."""
    return {
        question.get("qid", "").removeprefix("TQ"): clean_line(wording(question, kind))
        for question in xml_of(path, path.name).iter("NLM-QUESTION")
    }
