"""Plain questions on papers, MedQuAD and guidelines, and most of twenty answered or helped."""

import json
import tarfile
import xml.etree.ElementTree as ET  # the published data itself, not an upload
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from bench.answers.questions import read_questions
from chat.ask import turn_ask
from chat.models import Channel, ClaimKind
from chat.types import AskedQuestion
from corpus.models import Document
from corpus.services.indexing import document_index
from evaluation.measures.patterns import folded, judged, matches
from tests.corpus.parsing.parsing_fixtures import parse
from tests.published import DATA, MEDQUAD

PLAIN = Path(__file__).with_name("plain.json")
THIRTY = Path(__file__).with_name("plain_thirty.json")
GUIDELINES = DATA / "guidelines" / "documents"
FOLDERS = (DATA / "papers", GUIDELINES)
LEAST = 17  # of 20 questions


def documents(folder: Path, rows: list[dict[str, str]]) -> None:
    """Write the papers, and MedQuAD's documents as Markdown, that the questions are about."""
    with tarfile.open(MEDQUAD) as archive:
        members = {"/".join(m.name.split("/")[-2:]): m for m in archive.getmembers()}
        for row in rows:
            name = row["document"]
            if name.endswith(".pdf"):
                (folder / name).write_bytes((DATA / "papers" / name).read_bytes())
                continue
            root = ET.parse(archive.extractfile(members[name])).getroot()  # type: ignore[arg-type]
            pairs = [f"## {p.findtext('Question')}\n\n{p.findtext('Answer')}" for p in root.iter("QAPair")]  # noqa: E501  # fmt: skip
            row["document"] = f"{name.replace('/', '-')}.md"
            text = "\n\n".join([f"# {root.findtext('Focus')}", *pairs])
            (folder / row["document"]).write_text(text)


@pytest.mark.exhaustive
@pytest.mark.skipif(not (MEDQUAD.is_file() and (DATA / "papers").is_dir()), reason="no shared data")
def test_plain_questions_are_answered_or_helped(
    own_database: str, tmp_path: Path, settings: LazySettings
) -> None:
    settings.TWO_PERSON_PUBLISH = False
    rows, folder = json.loads(PLAIN.read_text()), tmp_path / "documents"
    folder.mkdir()
    documents(folder, rows)
    (tmp_path / "plain.json").write_text(json.dumps(rows))
    call_command("ingest", str(folder), "--publish", "--despite-doubts")
    for document in Document.objects.all():
        document_index(document.pk)
    helped = []
    for question in read_questions(tmp_path / "plain.json", folder).questions:
        turn = turn_ask(AskedQuestion(question.text, user=None, channel=Channel.COMMAND))
        claims = turn.claims.filter(kind=ClaimKind.ANSWER)
        shown = [
            " ".join([claim.text, *(c.quote for c in claim.citations.all())]) for claim in claims
        ]
        excerpts = [text for passage in turn.nearest for text in passage["excerpt"]]
        if judged(question, shown, excerpts=excerpts).helped:
            helped.append(question.id)
    assert len(helped) >= LEAST, helped


def write_as_published(folder: Path, names: set[str]) -> None:
    """Write the files, of which MedQuAD's are named by collection and file, joined by a hyphen."""
    with tarfile.open(MEDQUAD) as archive:
        for member in archive.getmembers():
            if (name := "-".join(member.name.split("/")[-2:])) in names:
                (folder / name).write_bytes(archive.extractfile(member).read())  # type: ignore[union-attr]
    for path in (each / name for each in FOLDERS for name in names):
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())


@pytest.mark.skipif(
    not (MEDQUAD.is_file() and all(map(Path.is_dir, FOLDERS))),
    reason=f"the papers, MedQuAD or the guidelines are missing from {DATA}",
)
def test_thirty_plain_answers_stand_in_one_block_of_the_documents_as_read(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    write_as_published(folder, {row["document"] for row in json.loads(THIRTY.read_text())})
    found = read_questions(THIRTY, folder)
    pages = {path.name: parse(path, tmp_path / "read").pages for path in found.documents}
    for question in found.questions:
        read = pages[question.document]
        texts = [(p.number, folded(p.text[b.start : b.end])) for p in read for b in p.blocks]
        right = {
            n for n, text in texts if matches(question.decisive, text) == len(question.decisive)
        }
        assert right, f"{question.id}: no block of {question.document} matches"
        assert question.page is None or question.page in right, f"{question.id}: on pages {right}"
        for pattern in question.wrong:
            assert any(pattern.search(text) for _, text in texts), (
                f"{question.id}: {pattern.pattern}"
            )
