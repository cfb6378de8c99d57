"""Test that of two attempts at a row only the later one may write to it."""

from typing import Any

import pytest

from core.leases import UNCOUNTED, Lease, ends_in
from tests.webhooks.receiver import Receiver
from webhooks.models import Delivery, DeliveryState, Event

pytestmark = pytest.mark.django_db


def claimed(for_s: float = 20.0) -> Lease[Delivery]:
    def changes(row: Delivery) -> dict[str, Any]:
        return {"lease_until": ends_in(for_s), "last_error": f"attempt {row.attempts}"}

    lease = Lease.claim(Delivery.objects.order_by("pk"), changes)
    assert lease is not None
    return lease


@pytest.fixture
def delivery() -> Delivery:
    endpoint = Receiver(url="https://nowhere.example/").endpoint()
    return Delivery.objects.create(endpoint=endpoint, event=Event.GAP, body="{}")


def test_an_attempt_that_another_one_followed_writes_nothing(delivery: Delivery) -> None:
    first, second = claimed(), claimed()
    assert (first.row.attempts, second.row.attempts) == (1, 2)
    assert not first.extend(600)
    assert not first.end(state=DeliveryState.FAILED, **UNCOUNTED)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == (DeliveryState.PENDING, 2)
    assert (delivery.lease_token, delivery.last_error) == (second.token, "attempt 2")


def test_an_attempt_given_back_does_not_count_and_ends_once(delivery: Delivery) -> None:
    lease = claimed()
    assert [lease.end(**UNCOUNTED) for _ in range(2)] == [True, False]
    delivery.refresh_from_db()
    assert (delivery.attempts, delivery.lease_token, delivery.lease_until) == (0, None, None)


def test_an_extension_never_shortens_a_lease(delivery: Delivery) -> None:
    lease = claimed(600)
    assert lease.extend(1)
    assert Delivery.objects.filter(lease_until__gt=ends_in(300)).exists()
    assert lease.extend(1200)
    assert not Delivery.objects.filter(lease_until__lt=ends_in(900)).exists()


def test_nothing_is_claimed_where_nothing_is_due(delivery: Delivery) -> None:
    assert Lease.claim(Delivery.objects.none(), lambda row: {}) is None
