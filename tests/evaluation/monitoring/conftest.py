"""Keep the day of the tests, also where they run over midnight."""

import datetime
from typing import Any

import pytest
from django.utils import timezone

from tests.evaluation.monitoring.days import TODAY


@pytest.fixture(autouse=True)
def same_day(monkeypatch: pytest.MonkeyPatch) -> None:
    localdate = timezone.localdate

    def on_the_day(value: datetime.datetime | None = None, zone: Any = None) -> datetime.date:
        return TODAY if value is None else localdate(value, zone)

    monkeypatch.setattr(timezone, "localdate", on_the_day)
