"""Plain questions on papers and MedQuAD: most are answered, or refused with the answer shown."""

from __future__ import annotations

import json
import tarfile
import xml.etree.ElementTree as ET  # the published data itself, not an upload
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from chat.ask import turn_ask
from chat.models import Channel, ClaimKind
from corpus.models import Document
from corpus.services.indexing import document_index
from evaluation.measures.patterns import judged
from evaluation.question_sets.patterned import read_questions
from tests.published import DATA, MEDQUAD

PLAIN = Path(__file__).with_name("plain.json")
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
        turn = turn_ask(question.text, user=None, channel=Channel.COMMAND)
        claims = turn.claims.filter(kind=ClaimKind.ANSWER)
        shown = [
            " ".join([claim.text, *(c.quote for c in claim.citations.all())]) for claim in claims
        ]
        excerpts = [text for passage in turn.nearest for text in passage["excerpt"]]
        if judged(question, shown, excerpts=excerpts).helped:
            helped.append(question.id)
    assert len(helped) >= LEAST, helped
