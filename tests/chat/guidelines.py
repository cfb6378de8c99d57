"""Publish a guideline that can be searched, cited and shown, without a parser."""

import hashlib
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from PIL import Image

from chat.ask import turn_ask
from chat.models import Channel, Turn
from chat.types import AskedQuestion
from corpus.encoders.registry import get_embedder
from corpus.indexing import search_vectors, statistics
from corpus.models import Chunk, Collection, Document, Job, JobState, Lifecycle, Stage
from tests.corpora import embed
from tests.corpus.stored import document_path, page_image_path

HEADING = "Treatment"
DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
NOTE = "<b>Stop</b> & call microbiology when a rash appears."
TEXT = f"{HEADING}\n{DOSE}\n{NOTE}"
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"
NEAR = "How is pneumonia in adults diagnosed?"  # refused, with the passage
UNANSWERABLE = "What is the boiling point of tungsten?"


def place(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def block(kind: str, words: str, *, top: float, level: int = 0) -> dict[str, Any]:
    start, end = place(words)
    line = {"start": start, "end": end, "box": [72.0, top, 400.0, top + 14]}
    return {
        "kind": kind, "start": start, "end": end, "level": level, "lines": [line], "table": None,
    }  # fmt: skip


BLOCKS = [
    block("heading", HEADING, top=72, level=1),
    block("paragraph", DOSE, top=100),
    block("paragraph", NOTE, top=130),
]


def publish_guideline(*, picture: bool = True, **fields: Any) -> Document:
    """Publish a document of one page and one passage, indexed as the worker does it."""
    title = fields.setdefault("title", "Pneumonia in adults")
    shelf, _ = Collection.objects.get_or_create(
        slug="chest", defaults={"name": "Chest", "owner_name": "Dr Owner", "owner_contact": "4417"}
    )
    values = {
        "sha256": hashlib.sha256(title.encode()).hexdigest(),
        "filename": "pneumonia.pdf",
        "media_type": "application/pdf",
        "size_bytes": 8,
        "collection": shelf,
        "version": "2.1",
        "issuer": "Respiratory Group",
        "population": "adult",
        "page_count": 1,
        "lifecycle": Lifecycle.PUBLISHED,
        "indexed_at": timezone.now(),
    }
    document = Document.objects.create(**(values | fields))
    store_files(document, picture=picture)
    width, height = (595, 842) if picture else (0, 0)
    document.pages.create(number=1, text=TEXT, blocks=BLOCKS, width=width, height=height)
    _index(document)
    return document


def ask(user: User | None = None, question: str = QUESTION, **asked: Any) -> Turn:
    """Ask on the page as `user`, or by command as nobody, unless `asked` has another channel."""
    channel = asked.pop("channel", Channel.PAGE if user else Channel.COMMAND)
    turn = turn_ask(AskedQuestion(question, user=user, channel=channel, **asked))
    return Turn.objects.get(pk=turn.pk)


def store_files(document: Document, *, picture: bool = True) -> None:
    """Store the document's original, and if wanted its page's picture, in the test's folder."""
    original = document_path(document.sha256)
    original.parent.mkdir(parents=True, exist_ok=True)
    original.write_bytes(b"%PDF-1.7")
    if picture:
        path = page_image_path(document.sha256, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (60, 84), "white").save(path, "WEBP")


def _index(document: Document) -> None:
    Job.objects.create(document=document, state=JobState.DONE, stage=Stage.INDEXED)
    chunk = Chunk.objects.create(
        key=f"{document.sha256}_p1_c0",
        document=document,
        index=0,
        page=1,
        section_path=[document.title, HEADING],
        context=f"{document.title} › {HEADING}",
        text=f"{DOSE}\n{NOTE}",
        spans=[[1, place(DOSE)[0], place(NOTE)[1]]],
        tokens=40,
        length=len(TEXT.split()),
    )
    embed([chunk], get_embedder().encode([DOSE]))
    search_vectors.write([chunk])
    statistics.add(document.pk)
