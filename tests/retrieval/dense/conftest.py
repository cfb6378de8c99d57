"""5,000 chunks, most on four shelves, with an encoder of either storage type."""

from collections.abc import Iterator

import pytest
from django.test.utils import override_settings
from pytest_django import DjangoDbBlocker

from corpus.encoders.registry import ActiveEncoder, active_encoders
from corpus.services.encoders import encoders_sync
from tests.corpus.encoders import tiny_models
from tests.databases import fresh_database
from tests.retrieval.dense.test_dense_scopes import DIMENSIONS, fill


@pytest.fixture(scope="module", params=["vector", "halfvec"])
def encoder(
    request: pytest.FixtureRequest,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    django_db_setup: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ActiveEncoder]:
    folder = tmp_path_factory.mktemp("models")
    model = tiny_models.transformer(folder / "tiny", width=DIMENSIONS)
    configured = folder / "encoders.toml"
    configured.write_text(
        f'[tiny]\nmodel = "{model}"\npooling = "mean"\nstorage = "{request.param}"\n'
    )
    with (
        django_db_blocker.unblock(),
        fresh_database(socket_dir),
        override_settings(ENCODERS=str(configured)),
    ):
        encoders_sync()
        fill()
        yield active_encoders()[0]
