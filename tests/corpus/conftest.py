"""Fixtures: encoders of tiny models, and a site configured with them."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tests.corpus.encoders import tiny_models
from tests.corpus.encoders.encoder_sites import Site


@pytest.fixture(scope="session")
def encoder_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make models in folders: `one` and `two` with 32 dimensions, `wide` with 64."""
    folder = tmp_path_factory.mktemp("encoders")
    for seed, (name, width) in enumerate((("one", 32), ("two", 32), ("wide", 64)), start=1):
        tiny_models.transformer(folder / name, width=width, seed=seed)
    return folder


@pytest.fixture
def site(own_database: str, settings: Settings, tmp_path: Path, encoder_models: Path) -> Site:
    return Site(settings, tmp_path, encoder_models)
