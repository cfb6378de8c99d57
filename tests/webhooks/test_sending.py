"""Test that messages are signed, retried after a failure, and keep one id."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db.models.functions import Now

from tests.webhooks.receiver import Receiver, receiving
from webhooks import sending
from webhooks.models import Delivery, DeliveryState, Endpoint, Event
from webhooks.sending import MAX_ATTEMPTS, UNKNOWN, endpoint_send_due
from webhooks.services import deliveries_prune, deliveries_send_again, event_announce

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def loopback(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS_LOOPBACK = True
    monkeypatch.setattr(sending, "SEND_S", 1.5)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def announced(endpoint: Endpoint) -> Delivery:
    event_announce(Event.WITHDRAWN, lambda: {"id": 7, "title": "Fièvre"})
    return endpoint.deliveries.earliest("created_at")


def attempt(endpoint: Endpoint) -> None:
    """Make the next attempt due, and send."""
    endpoint.deliveries.filter(state=DeliveryState.PENDING).update(due_at=Now())
    endpoint_send_due(endpoint)


def seen(delivery: Delivery) -> tuple[str, int, str]:
    delivery.refresh_from_db()
    return delivery.state, delivery.attempts, delivery.last_error


def test_what_ended_long_ago_is_deleted_and_what_waits_is_kept(settings: LazySettings) -> None:
    endpoint, kept = Receiver(url="https://nowhere.example/").endpoint(), []
    settings.WEBHOOKS_KEEP_DAYS = 10
    for state, days in (("delivered", 11), ("failed", 11), ("delivered", 9), ("pending", None)):
        ended = None if days is None else Now() - timedelta(days=days)
        row = Delivery.objects.create(
            endpoint=endpoint, event=Event.GAP, body="{}", state=state, ended_at=ended
        )
        kept += [] if days == 11 else [row.pk]
    Delivery.objects.update(created_at=Now() - timedelta(days=400))
    assert deliveries_prune() == 2
    assert set(Delivery.objects.values_list("pk", flat=True)) == set(kept)


def test_it_is_signed_and_sent_once(receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    delivery = announced(endpoint)
    for _ in range(2):
        attempt(endpoint)
    ((key, message),) = receiver.taken
    assert key == delivery.message_id
    assert (message["type"], message["data"]["title"]) == ("guideline.withdrawn", "Fièvre")
    assert seen(delivery) == (DeliveryState.DELIVERED, 1, "")


def test_one_that_fails_twice_gets_it_the_third_time(receiver: Receiver) -> None:
    receiver.statuses = [500, 302]
    endpoint = receiver.endpoint()
    delivery = announced(endpoint)
    attempt(endpoint)
    assert seen(delivery) == (DeliveryState.PENDING, 1, "It answered with status 500.")
    first_wait = delivery.due_at - delivery.created_at
    endpoint_send_due(endpoint)
    assert len(receiver.taken) == 1  # not due yet
    attempt(endpoint)
    assert "redirects are not followed" in seen(delivery)[2]
    assert delivery.due_at - delivery.created_at > 2 * first_wait
    attempt(endpoint)
    assert seen(delivery) == (DeliveryState.DELIVERED, 3, "")
    assert {key for key, _ in receiver.taken} == {delivery.message_id}


def test_one_that_never_answers_is_given_up_and_can_be_tried_again() -> None:
    with receiving(0, *[500] * (MAX_ATTEMPTS - 1)) as receiver:
        endpoint = receiver.endpoint()
        delivery = announced(endpoint)
        announced(endpoint)
        attempt(endpoint)
        assert seen(delivery) == (DeliveryState.PENDING, 1, "No answer within 1.5 s.")
        assert len(receiver.taken) == 1  # the other is not tried, too
        endpoint.deliveries.exclude(pk=delivery.pk).delete()
        for _ in range(MAX_ATTEMPTS + 1):
            attempt(endpoint)
        assert len(receiver.taken) == MAX_ATTEMPTS
        assert seen(delivery)[:2] == (DeliveryState.FAILED, MAX_ATTEMPTS)
        assert deliveries_send_again(Delivery.objects.all()) == 1
        attempt(endpoint)
        assert seen(delivery)[0] == DeliveryState.DELIVERED


def test_one_that_is_switched_off_waits(receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    announced(endpoint)
    Endpoint.objects.update(is_active=False)
    attempt(endpoint)
    assert receiver.taken == []
    Endpoint.objects.update(is_active=True)
    attempt(endpoint)
    assert len(receiver.taken) == 1


def test_whoever_dies_at_the_last_attempt_leaves_no_message_waiting(receiver: Receiver) -> None:
    endpoint = receiver.endpoint()
    delivery = announced(endpoint)
    Delivery.objects.update(attempts=MAX_ATTEMPTS, last_error=UNKNOWN)
    attempt(endpoint)
    assert seen(delivery) == (DeliveryState.FAILED, MAX_ATTEMPTS, UNKNOWN)
    assert receiver.taken == []


@pytest.mark.parametrize(
    ("url", "is_sent"),
    [
        ("http://records.example.org/", "Only https"),
        ("http://localhost:1/", "Only https"),
        ("https://user:secret@records.example.org/", "no user name, password"),
        ("ftp://127.0.0.1/", "Only https"),
        ("https://", "not an address"),
        ("https://127.0.0.1:1/", "could not be reached (ConnectError)"),
    ],
)
def test_no_other_address_is_sent_to(url: str, is_sent: str) -> None:
    endpoint = Receiver(url=url).endpoint()
    delivery = announced(endpoint)
    attempt(endpoint)
    assert is_sent in seen(delivery)[2]


def test_http_takes_the_setting(receiver: Receiver, settings: LazySettings) -> None:
    settings.WEBHOOKS_LOOPBACK = False
    endpoint = receiver.endpoint()
    delivery = announced(endpoint)
    attempt(endpoint)
    assert "Only https" in seen(delivery)[2]
    assert receiver.taken == []
