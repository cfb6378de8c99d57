"""Index the sample guidelines through the real services, for questions with known outcomes."""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from corpus.intake.files import People
from corpus.intake.manifest import manifest_ingest, read_manifest
from corpus.services.indexing import document_index
from tests.databases import fresh_database

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TODAY = datetime.date(2026, 5, 1)


@contextmanager
def indexed_samples(socket_dir: str, files_dir: Path) -> Iterator[None]:
    """Ingest all samples into a database of the block's own, in their life-cycle states.

    No answer is refused for its time: the first one loads the models, maybe on a busy machine.
    """
    before = settings.FILES_DIR, settings.MEDIA_ROOT
    answer_timeout_s, settings.ANSWER_TIMEOUT_S = settings.ANSWER_TIMEOUT_S, 300.0
    settings.FILES_DIR = settings.MEDIA_ROOT = files_dir
    with fresh_database(socket_dir):
        manifest = read_manifest(SAMPLES / "manifest.json")
        outcome = manifest_ingest(manifest, people=People(), today=TODAY, despite_doubts=True)
        assert not outcome.refused
        for document in outcome.added:
            document_index(document.pk)
        settings.FILES_DIR, settings.MEDIA_ROOT = before
        yield
    settings.ANSWER_TIMEOUT_S = answer_timeout_s
