"""The made-up data set, indexed in the tests' own database."""

from pathlib import Path

import pytest

from bench.datasets import read_dataset
from bench.datasets.types import Dataset
from bench.runs.bulk_load import PlainDocument, documents_load
from tests import corpora
from tests.bench import made_up


@pytest.fixture
def dataset(db: None, tmp_path: Path) -> Dataset:
    found = read_dataset(made_up.write_beir(tmp_path / "made"), form="beir")
    documents_load(
        [PlainDocument(d.sha256, d.id, d.title, d.text, len(d.content)) for d in found.documents],
        collection=corpora.shelf(),
    )
    return found
