"""`manage.py bench`: questions, pages, ingestion and synthetic corpora."""

import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from bench.management.commands.bench import timings
from bench.speed.made import Made, nearest_cosines
from bench.speed.samples import Sample
from bench.speed.throughput import throughput
from corpus.encoders.backends.openvino import OpenvinoRunner
from corpus.encoders.types import Vectors
from corpus.models import Document, Job
from corpus.services.indexing import document_index
from tests import corpora
from tests.corpus.documents import guideline, ingest

pytestmark = pytest.mark.django_db


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


def test_a_question_is_encoded_each_time_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    corpora.publish("# Gentamicin\nGive gentamicin once daily here.")
    encoded: Counter[str] = Counter()
    encode = OpenvinoRunner.query_vectors

    def counted(self: OpenvinoRunner, texts: Sequence[str]) -> Vectors:
        encoded.update(texts)
        return encode(self, texts)

    monkeypatch.setattr(OpenvinoRunner, "query_vectors", counted)
    steps = timings(["How often is gentamicin given?"] * 3)
    assert len(steps["search"]) == 3
    assert encoded and min(encoded.values()) >= 3


def clustered(count: int, width: int = 24) -> Vectors:
    random = np.random.default_rng(5)
    centres = random.normal(size=(40, width))
    found = centres[random.integers(40, size=count)] + 0.6 * random.normal(size=(count, width))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def sample() -> Sample:
    passages = tuple((f"First {n} stands.", *(["Then more."] * (n % 5))) for n in range(900))
    return Sample(passages, clustered(900))


def test_the_same_sample_and_seed_make_the_same_corpus(sample: Sample) -> None:
    for one, other in zip(Made(sample).blocks(7000), Made(sample).blocks(7000), strict=True):
        assert one.texts == other.texts
        assert one.vectors.tobytes() == other.vectors.tobytes()
    first, second = (next(Made(sample, seed=seed).blocks(10)) for seed in (0, 1))
    assert first.texts != second.texts


def test_a_larger_corpus_begins_with_the_smaller(sample: Sample) -> None:
    small, large = (list(Made(sample).blocks(n)) for n in (5100, 12_000))
    assert sum(len(block.texts) for block in small) == 5100
    assert [block.first for block in large] == [0, 5000, 10_000]
    assert large[1].texts[:100] == small[1].texts
    assert large[1].vectors[:100].tobytes() == small[1].vectors.tobytes()


def test_neighbours_are_as_near_as_in_the_sample(sample: Sample) -> None:
    made = np.concatenate([block.vectors for block in Made(sample).blocks(900)])
    real, found = (np.median(nearest_cosines(vectors, 1)) for vectors in (sample.vectors, made))
    assert found == pytest.approx(real, abs=0.02)
