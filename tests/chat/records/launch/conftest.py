"""A record that may launch the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django import Settings

from medrag_site.configuration.site import Record
from tests.chat.records.launch.record_server import CLIENT, RecordServer, record_server


def settings_file(folder: Path, server: RecordServer, more: str = "", top: str = "") -> Path:
    path = folder / "launch.toml"
    path.write_text(
        f'{top}\n[[record]]\nissuer = "{server.base}"\nname = "Ward record"\n'
        f'client_id = "{CLIENT}"\n{more}\n'
    )
    return path


@pytest.fixture
def server(db: None, settings: Settings, tmp_path: Path) -> Iterator[RecordServer]:
    cache.clear()
    with record_server() as one:
        settings.RECORD = Record(launch=str(settings_file(tmp_path, one)))  # type: ignore[arg-type]
        yield one
