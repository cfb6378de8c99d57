"""Clear the counters of requests between the API's tests."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def fresh_rates() -> None:
    cache.clear()
