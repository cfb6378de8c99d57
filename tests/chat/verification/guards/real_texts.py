"""Texts that somebody else wrote, for tests that must hold on all of them."""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

from chat.evidence.quotable import quotable_units
from chat.types import Unit
from core.text.sentences import sentence_spans
from corpus.intake.published_formats import FORMATS, records_of
from corpus.models import Document
from retrieval.types import Span
from tests.chat.evidence.hits import made_up_hit
from tests.corpora import shelf
from tests.corpus.parsing.parsing_fixtures import SAMPLES, parse
from tests.published import DATA

MEDQUAD = DATA / "medquad.tar.gz"
SCAN = "anaphylaxis-scan.pdf"  # read by OCR, which takes its time


def sample_units(tmp_path: Path) -> list[Unit]:
    """All that can be quoted of the sample guidelines, as it is shown. Writes to the database."""
    return [
        unit
        for path in sorted(SAMPLES.iterdir())
        if path.name != SCAN
        for unit in _units_of(path, tmp_path)
    ]


def _units_of(path: Path, tmp_path: Path) -> list[Unit]:
    parsed = parse(path, tmp_path / path.stem)
    values = {"title": path.stem, "sha256": path.stem.ljust(64, "0"), "size_bytes": 1}
    document = Document.objects.create(collection=shelf(), page_count=len(parsed.pages), **values)
    for page in parsed.pages:
        blocks = [asdict(block) for block in page.blocks]
        document.pages.create(number=page.number, text=page.text, blocks=blocks, width=0, height=0)
    spans = tuple(Span(page.number, 0, len(page.text), 0) for page in parsed.pages)
    return quotable_units([made_up_hit(document_id=document.pk, spans=spans)], "dose")


def medquad_sentences(count: int, *, seed: int = 5) -> list[str]:
    """Sentences of its answers that hold a digit or a frequency, drawn by `seed`; each once."""
    found: dict[str, None] = {}
    records = records_of(MEDQUAD, form=FORMATS["medquad"], max_bytes=2**20)
    for record in itertools.islice(records, 0, None, 8):
        for answer in ElementTree.fromstring(record.content).iter("Answer"):
            text = " ".join((answer.text or "").split())
            for start, end in sentence_spans(text):
                if re.search(r"\d", text[start:end]) and end - start < 400:
                    found[text[start:end]] = None
    drawn = sorted(found)
    random.Random(seed).shuffle(drawn)
    return drawn[:count]
