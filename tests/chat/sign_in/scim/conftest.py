"""A directory that may provision, and a colleague whom it has created."""

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User

from tests.chat.sign_in.scim.directory import ENTRA, GROUPS, TOKEN, Directory


@pytest.fixture
def directory(db: None, settings: LazySettings) -> Directory:
    settings.SCIM_TOKEN, settings.OIDC_GROUPS = TOKEN, GROUPS
    return Directory()


@pytest.fixture
def ada(directory: Directory) -> User:
    assert directory.send("POST", "Users", ENTRA)[0] == 201
    return User.objects.get()
