"""Fixtures: folders of tiny models, made once a run."""

from pathlib import Path

import pytest

from tests.corpus.encoders import tiny_models


@pytest.fixture(scope="session")
def plain_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.transformer(tmp_path_factory.mktemp("models") / "plain")


@pytest.fixture(scope="session")
def other_plain_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.transformer(tmp_path_factory.mktemp("models") / "other", seed=9)


@pytest.fixture(scope="session")
def projected_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "projected"
    return tiny_models.with_modules(folder, projected=16)


@pytest.fixture(scope="session")
def kept_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder where all tests convert their models, each model once."""
    return tmp_path_factory.mktemp("converted")
