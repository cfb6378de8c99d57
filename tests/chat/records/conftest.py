"""The door of CDS Hooks, open to one record."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from medrag_site.configuration.site import Record
from tests.chat.records.hook_calls import settings_file


@pytest.fixture
def record(settings: Settings, tmp_path: Path, alice: User) -> Client:
    """Return a client of a site that takes calls, as alice's account, and infobuttons."""
    path = str(settings_file(tmp_path, alice.username))
    settings.RECORD = Record(hooks=path, infobutton="true")  # type: ignore[arg-type]
    return Client(raise_request_exception=False)
