"""Nobody's requests count for the next test."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def fresh_rates() -> None:
    cache.clear()
