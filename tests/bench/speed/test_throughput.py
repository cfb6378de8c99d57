"""`manage.py bench --ingest` and `--timings`: the figures match the documents."""

import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from bench.speed.throughput import throughput
from corpus.models import Document, Job
from corpus.services.indexing import document_index
from tests.corpus.documents import guideline, ingest


@pytest.mark.django_db
def test_figures_are_sums_over_the_documents_that_are_done() -> None:
    for number in (1, 2):
        document_index(ingest(guideline(f"# {number}", sections=number), f"{number}.md").pk)
    ingest(guideline("# Waiting"), "waiting.md")
    found = throughput()
    done = Document.objects.filter(indexed_at__isnull=False)
    assert (found.documents, found.pages) == (2, 2)
    assert found.passages == sum(document.chunks.count() for document in done)
    assert found.size_bytes == sum(document.size_bytes for document in done)
    recorded = Job.objects.filter(document__in=done).values_list("timings", flat=True)
    assert found.steps["embed"] == pytest.approx(sum(timings["embed"] for timings in recorded))
    assert 0 < sum(found.steps.values()) <= found.wall_s + 0.01  # each step is rounded


@pytest.fixture
def short_path() -> Iterator[Path]:
    """Make a folder with a short path: the name of a server's socket has a limit."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_tar_is_ingested_into_a_database_of_its_own_that_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
    settings: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    short_path: Path,
) -> None:
    for name in ("MEDRAG_TEST_DATABASE", "MEDRAG_TEST_FILES"):
        monkeypatch.delenv(name, raising=False)  # as on a site: only the settings count
    settings.DATA_DIR = short_path  # type: ignore[attr-defined]
    (short_path / "one.md").write_text(guideline(sections=2))
    (short_path / "empty.md").write_text("")
    with tarfile.open(short_path / "all.tar.gz", "w:gz") as archive:
        for name in ("one.md", "empty.md"):
            archive.add(short_path / name, name)
    call_command("bench", ingest=short_path / "all.tar.gz")
    said = capsys.readouterr().out
    assert "1 documents, 1 pages, 2 passages" in said
    assert "run again, which changes nothing" in said
    assert sorted(path.name for path in short_path.iterdir()) == [
        "all.tar.gz",
        "empty.md",
        "one.md",
    ]
    with pytest.raises(CommandError, match="no such file"):
        call_command("bench", ingest=short_path / "nothing.tar")
