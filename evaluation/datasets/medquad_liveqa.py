"""Read MedQuAD, and LiveQA's judgements of its answers, from 1 (incorrect) to 4 (excellent)."""

from __future__ import annotations

import csv
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from core.errors import MedragError
from corpus.parsing.clean import clean_line
from corpus.parsing.published.medquad import answer_lines
from corpus.parsing.published.xml_text import read_xml
from evaluation.datasets.types import DatasetError, SourceDocument

GOOD = 2  # gain of an answer judged 3 (incomplete); 4 (excellent) gains 3
MAX_MEMBER_BYTES = 64 * 2**20
_NAMES = {
    "pairs": ("QAPair", "pair"),
    "question": ("Question", "question"),
    "answer": ("Answer", "answer"),
}
_JUDGED_TEXT = re.compile(r"\s*Question:\s*(.*?)\s*\nURL:.*?\nAnswer:\s*(.*)", re.DOTALL)
_GRADE = re.compile(r"([1-4])-\w+")


def tar_members(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield name and content of a tar's XML files, packed or not, in order. Raises DatasetError."""
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                is_xml = member.isfile() and member.name.endswith(".xml")
                if is_xml and member.size < MAX_MEMBER_BYTES:
                    stream = archive.extractfile(member)
                    yield PurePosixPath(member.name), stream.read() if stream else b""
    except (tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DatasetError(f"{path.name} can't be read.", hint="Download it again.") from error


def xml_of(content: bytes | Path, name: str) -> Element:
    """Parse XML safely and return its root. `name` is for messages. Raises DatasetError."""
    try:
        return read_xml(content)
    except MedragError as error:
        raise DatasetError(f"{name}: {error}", hint="Download it again.") from error


def pairs_of(root: Element) -> list[Element]:
    """Return the question-answer pairs of a MedQuAD file, under either element name."""
    return [pair for name in _NAMES["pairs"] for pair in root.iter(name)]


def pair_text(pair: Element, kind: str) -> str:
    """Return a pair's question or answer unchanged; empty if missing."""
    return next((text for name in _NAMES[kind] if (text := pair.findtext(name))), "")


def wording(question: Element, kind: str) -> str:
    """Return a question's summary, original or paraphrase unchanged; empty if LiveQA has none."""
    if kind == "original":
        parts = (question.findtext(f"Original-Question/{tag}") for tag in ("SUBJECT", "MESSAGE"))
        return " ".join(part for part in parts if part)
    return question.findtext("NLM-Summary" if kind == "summary" else "NIST-PARAPHRASE") or ""


def read_judgements(path: Path) -> tuple[Mapping[str, Mapping[str, int]], list[SourceDocument]]:
    """Return gains by question number and answer id, and the judged answers.

    The higher gain counts if a pair was judged twice. Raises DatasetError.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [i for i in archive.infolist() if not i.filename.startswith("__MACOSX")]
            texts = {suffix: _member(archive, members, suffix) for suffix in (".txt", ".csv")}
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, zlib.error) as error:
        # RuntimeError: the archive is encrypted
        raise DatasetError(f"{path.name} can't be read.", hint="Download it again.") from error
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(texts[".txt"].splitlines(), start=1):
        parts = line.split()
        grade = _GRADE.fullmatch(parts[1]) if len(parts) == 3 else None
        if parts and grade is None:
            raise DatasetError(f"The judgements, line {number}: question, grade and answer needed.")
        if grade is not None:
            gains = qrels.setdefault(parts[0], {})
            gains[parts[2]] = max(gains.get(parts[2], 0), int(grade[1]) - 1)
    return qrels, list(_judged(texts[".csv"]))


def _member(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], suffix: str) -> str:
    named = [i for i in members if i.filename.endswith(suffix) and i.file_size < MAX_MEMBER_BYTES]
    if len(named) != 1:
        raise DatasetError(f"The archive of the judgements holds {len(named)} files {suffix}.")
    return archive.read(named[0]).decode("utf-8", errors="replace")


def _judged(table: str) -> Iterator[SourceDocument]:
    """Yield the judged answers with their questions; of a repeated id only the first."""
    seen: set[str] = set()
    for row in list(csv.reader(io.StringIO(table)))[1:]:
        matched = _JUDGED_TEXT.match(row[1]) if len(row) == 2 else None
        lines = answer_lines(matched[2]) if matched else []
        if matched and lines and row[0] not in seen:
            seen.add(row[0])
            yield SourceDocument(row[0], clean_line(matched[1]), "\n".join(lines))
