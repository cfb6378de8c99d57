"""Test how long a session lasts."""

import datetime

from django.conf import LazySettings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from chat.sign_in.sessions import SINCE, SessionStore, sessions_end
from medrag_site.processes.tasks import prune


def sent_back(client: Client) -> bool:
    return client.get("/conversations/").status_code == 302


def later(client: Client, **ago: int) -> None:
    """Move the session's times into the past."""
    delta = datetime.timedelta(**ago)
    row = Session.objects.get(pk=client.session.session_key)
    data = SessionStore().decode(row.session_data)
    data[SINCE] -= delta.total_seconds()
    row.session_data = SessionStore().encode(data)
    row.expire_date -= delta
    row.save()


def test_it_ends_however_busy(alice: User, client: Client, settings: LazySettings) -> None:
    settings.SESSION_COOKIE_AGE = 8 * 3600
    settings.SESSION_IDLE = datetime.timedelta(hours=1)
    client.force_login(alice)
    for _ in range(10):
        later(client, minutes=47)
        assert not sent_back(client)
    later(client, minutes=30)
    assert sent_back(client)


def test_it_ends_when_nobody_asks(alice: User, client: Client, settings: LazySettings) -> None:
    settings.SESSION_IDLE = datetime.timedelta(minutes=20)
    client.force_login(alice)
    for minutes, ended in ((19, False), (19, False), (21, True)):
        later(client, minutes=minutes)
        assert sent_back(client) == ended


def test_a_shorter_setting_counts_at_once(
    alice: User, client: Client, settings: LazySettings
) -> None:
    client.force_login(alice)
    later(client, hours=3)
    settings.SESSION_COOKIE_AGE = 2 * 3600
    assert sent_back(client)


def test_without_a_limit_on_idling_it_lasts_and_signing_in_again_begins_anew(
    alice: User, client: Client
) -> None:
    for _ in range(2):
        client.force_login(alice)
        later(client, hours=11)
        assert not sent_back(client)


def test_signing_out_ends_it_for_who_kept_the_cookie(alice: User, client: Client) -> None:
    client.force_login(alice)
    thief = Client()
    thief.cookies = client.cookies.__class__(client.cookies.output(header="", sep=";"))
    assert not sent_back(thief)
    client.post("/sign-out/")
    assert sent_back(thief)
    assert not Session.objects.filter(expire_date__gt=timezone.now()).exists()


def test_the_worker_deletes_what_has_ended(alice: User, bob: User) -> None:
    clients = Client(), Client()
    for client, account in zip(clients, (alice, bob), strict=True):
        client.force_login(account)
    later(clients[0], hours=13)
    prune()
    assert [row.pk for row in Session.objects.all()] == [clients[1].session.session_key]


def test_ending_all_ends_those_that_another_machines_clock_still_honours(
    alice: User, client: Client
) -> None:
    client.force_login(alice)
    Session.objects.update(expire_date=timezone.now() - datetime.timedelta(minutes=4))
    assert sessions_end(alice) == 1
    assert not Session.objects.exists()
