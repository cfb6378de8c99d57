"""Parse the sample guidelines and a part of MedQuAD with the real parsers, and store them.

Passages are cut as for the index; nothing is embedded, since nothing is searched.
"""

import hashlib
import json
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpus.chunking import ChunkDraft, ChunkSettings, split
from corpus.encoders.registry import get_embedder
from corpus.indexing.rows import page_row
from corpus.models import Document, Lifecycle
from corpus.parsing.registry import Request, parse_file
from corpus.parsing.sniff import media_type_of
from retrieval.types import Hit, Span
from tests.chat.evidence.hits import made_up_hit
from tests.chat.verification.mutations.chance import digest
from tests.corpora import shelf
from tests.published import MEDQUAD, ROOT

SAMPLES = ROOT / "samples"
MEDQUAD_DOCUMENTS = 300
SETTINGS = ChunkSettings(220, 40)


def stored_samples(out: Path) -> list[tuple[Hit, ...]]:
    """Return the passages of each sample guideline, in the order of file names."""
    manifest = json.loads((SAMPLES / "manifest.json").read_text())
    entries = sorted(manifest["documents"], key=lambda entry: entry["file"])
    return [
        stored(SAMPLES / "guidelines" / entry["file"], entry["title"], entry["population"], out)
        for entry in entries
    ]


def stored_medquad(out: Path) -> list[tuple[Hit, ...]]:
    """Return the passages of some answered files of MedQuAD, chosen by a hash of their names."""
    return [stored(path, "", "", out) for path in _medquad_files(out / "medquad")]


def _medquad_files(folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True)
    with tarfile.open(MEDQUAD) as archive:  # in its order: no random access
        bodies = {
            entry.name: file.read() for entry in archive if (file := archive.extractfile(entry))
        }
    # three of its collections are published with the answers left out
    answered = [name for name, body in bodies.items() if b"<Answer>" in body]
    for name in sorted(answered, key=lambda name: digest("medquad", name))[:MEDQUAD_DOCUMENTS]:
        path = folder / name.replace("/", "_")
        path.write_bytes(bodies[name])
        yield path


def stored(path: Path, title: str, population: str, out: Path) -> tuple[Hit, ...]:
    """Parse a file, store its document and pages, and return its passages as hits."""
    media_type = media_type_of(path, path.name)
    parsed = parse_file(Request(path, media_type, out, 20, on_page=lambda page, pages: None))
    title = title or parsed.title
    document = Document.objects.create(
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        filename=path.name,
        media_type="text/plain",
        size_bytes=path.stat().st_size,
        collection=shelf(),
        version="1.0",
        title=title,
        population=population,
        lifecycle=Lifecycle.PUBLISHED,
        page_count=len(parsed.pages),
    )
    for page in parsed.pages:
        page_row(document, page).save()
    drafts = split(
        parsed.pages,
        title=title,
        population=population,
        sha256=document.sha256,
        settings=SETTINGS,
        count_tokens=get_embedder().count_tokens,
    )
    return tuple(_hit(document, draft) for draft in drafts)


def _hit(document: Document, draft: ChunkDraft) -> Hit:
    return made_up_hit(
        chunk_id=document.pk * 10_000 + draft.index,
        key=draft.key,
        index=draft.index,
        text=draft.text,
        context=draft.context,
        spans=_spans(draft.spans),
        page=draft.page,
        section_path=draft.section_path,
        document_id=document.pk,
        sha256=document.sha256,
        filename=document.filename,
        title=document.title,
        population=document.population,
    )


def _spans(stored_spans: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    spans: list[Span] = []
    offset = 0
    for page, start, end in stored_spans:
        spans.append(Span(page, start, end, offset))
        offset += end - start + 1
    return tuple(spans)
