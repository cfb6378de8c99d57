"""Databases that the tests of this folder make beside their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from evaluation.databases import database_drop, databases_kept


@pytest.fixture(scope="package")
def made_before(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[set[str]]:
    """Databases that were there; what the tests of this folder make is dropped after the last.

    They share it: made once, it serves all that ask for the same documents.
    """
    with django_db_blocker.unblock():
        before = {kept.name for kept in databases_kept()}
    yield before
    with django_db_blocker.unblock():
        for kept in databases_kept():
            if kept.name not in before:
                database_drop(kept.name)


@pytest.fixture
def no_others(made_before: set[str], own_database: str) -> None:
    """Databases that a test makes are dropped at the end."""
