"""Test endpoints and messages in the administration."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import AuditEvent
from medrag_site.groups import PERMISSIONS
from tests.people import person
from tests.webhooks.receiver import Receiver
from webhooks.models import Delivery, DeliveryState, Endpoint, Event
from webhooks.services import event_announce

ENDPOINTS, DELIVERIES = "/admin/webhooks/endpoint/", "/admin/webhooks/delivery/"
FORM = {
    "name": "Records",
    "url": "https://records.example.org/hooks/of-ours",
    "events": [Event.PUBLISHED, Event.GAP],
    "is_active": "on",
}


@pytest.fixture
def root(client: Client, db: None) -> User:
    user = person("root", is_superuser=True)
    User.objects.filter(pk=user.pk).update(is_staff=True)
    client.force_login(user)
    return user


def shown_secret(page: Any) -> str:
    (secret,) = re.findall(r"<code>(whsec_[\w+/=]+)</code>", page.content.decode())
    return str(secret)


def test_a_secret_is_shown_once_and_renewed(client: Client, root: User) -> None:
    first = shown_secret(client.post(f"{ENDPOINTS}add/", FORM, follow=True))
    endpoint = Endpoint.objects.get()
    assert (endpoint.secret, endpoint.created_by) == (first, root)
    page = f"{ENDPOINTS}{endpoint.pk}/change/"
    assert first not in client.get(page).content.decode()
    action = {"action": "renew_secret", "_selected_action": endpoint.pk}
    second = shown_secret(client.post(ENDPOINTS, action, follow=True))
    client.post(page, FORM | {"is_active": ""})
    endpoint.refresh_from_db()
    assert (endpoint.secret, endpoint.is_active) == (second, False)
    assert second != first
    events = AuditEvent.objects.filter(subject=f"webhook:{endpoint.pk}").order_by("seq")
    assert [event.action for event in events] == [
        "webhook.created", "webhook.secret_renewed", "webhook.changed",
    ]  # fmt: skip
    assert {event.actor.rpartition(":")[2] for event in events} == {"root"}
    for hidden in ("whsec_", "of-ours"):
        assert not [event for event in events if hidden in event.payload]


@pytest.mark.parametrize(
    "wrong", [{"url": "http://records.example.org/"}, {"events": []}, {"events": ["turn.asked"]}]
)
def test_a_wrong_endpoint_is_not_made(client: Client, root: User, wrong: Any) -> None:
    assert client.post(f"{ENDPOINTS}add/", FORM | wrong).status_code == 200
    assert not Endpoint.objects.exists()


def test_messages_are_seen_and_those_given_up_sent_again(client: Client, root: User) -> None:
    Receiver(url="https://nowhere.example/").endpoint()
    event_announce(Event.WITHDRAWN, lambda: {"title": "Pneumonia"})
    error = "It answered with status 500."
    Delivery.objects.update(state=DeliveryState.FAILED, attempts=7, last_error=error)
    delivery = Delivery.objects.get()
    assert error in client.get(DELIVERIES).content.decode()
    assert "Pneumonia" in client.get(f"{DELIVERIES}{delivery.pk}/change/").content.decode()
    action = {"action": "send_again", "_selected_action": str(delivery.pk)}
    assert "1 wait" in client.post(DELIVERIES, action, follow=True).content.decode()
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == (DeliveryState.PENDING, 0)


@pytest.mark.parametrize("group", PERMISSIONS)
def test_no_group_may(client: Client, db: None, group: str) -> None:
    client.force_login(person("somebody", group))
    for path in (ENDPOINTS, f"{ENDPOINTS}add/", DELIVERIES):
        assert client.get(path).status_code == 403
