"""Test sign-ins of one person at the same time, and one while the directory changes the groups."""

import threading

import pytest
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection, connections, transaction
from django.test import Client

from chat.sign_in import directory, single_sign_on
from medrag_site.groups import AUDITORS, CLINICIANS
from tests.chat.sign_in.hospital import is_in, names_of, sign_in
from tests.chat.sign_in.provider import Provider
from tests.processes import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def db(own_database: str) -> str:
    """Let threads see each other's rows."""
    return own_database


class SigningIn(threading.Thread):
    """A browser that signs in in a thread of its own."""

    def __init__(self, hospital: Provider) -> None:
        super().__init__(daemon=True)
        self.hospital, self.client, self.status = hospital, Client(), 0

    def run(self) -> None:
        try:
            self.client.raise_request_exception = False
            self.status = sign_in(self.hospital, self.client).status_code
        finally:
            connections.close_all()


def test_two_first_sign_ins_at_once_are_one_person(
    hospital: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, free_name = threading.Barrier(2), single_sign_on._free_name
    created: list[str] = []

    def meanwhile(wanted: str) -> str:
        """Find a name, and go on only when the other sign-in has found one, too."""
        found = free_name(wanted)
        created.append(found)
        if len(created) <= 2:
            both.wait(60)
        return found

    monkeypatch.setattr(single_sign_on, "_free_name", meanwhile)
    browsers = [SigningIn(hospital), SigningIn(hospital)]
    for browser in browsers:
        browser.start()
    for browser in browsers:
        browser.join(60)
    assert [browser.status for browser in browsers] == [302, 302]
    assert all(is_in(browser.client) for browser in browsers)
    account = User.objects.get()
    assert SocialAccount.objects.get().user == account
    assert names_of(account) == {CLINICIANS}


def test_a_sign_in_waits_for_the_directory(hospital: Provider, settings: LazySettings) -> None:
    settings.SCIM_TOKEN = "token-of-the-directory-7"
    account = directory.account_provision({"username": "ada", "external_id": "s-1"})
    settings.OIDC_EXTERNAL_ID_CLAIM = "oid"
    hospital.claims |= {"oid": "s-1", "groups": ["gl-audit"]}
    assert sign_in(hospital, Client()).status_code == 302
    hospital.wrong = {"oid": None}
    browser = SigningIn(hospital)
    with transaction.atomic():
        directory.members_change("gl-doctors", lambda members: {account.pk})
        browser.start()
        wait_until(_somebody_waits, "the sign-in waits for the account")
        assert names_of(account) == {AUDITORS, CLINICIANS}
    browser.join(60)
    assert browser.status == 302
    assert names_of(account) == {AUDITORS}, "the later one holds"


def test_a_sign_in_amid_a_change_of_the_directory_locks_neither(
    hospital: Provider, settings: LazySettings
) -> None:
    settings.SCIM_TOKEN = "token-of-the-directory-7"
    account = directory.account_provision({"username": "ada", "external_id": "s-1"})
    browser = SigningIn(hospital)

    def amid(members: set[int]) -> set[int]:
        """Sign her in while the directory holds the group."""
        browser.start()
        browser.join(60)
        return set()

    directory.members_change("gl-doctors", amid)
    assert browser.status == 302
    assert names_of(account) == {CLINICIANS}, "the token's group, which nobody had before"


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) "
            "WHERE NOT l.granted AND a.datname = current_database())"
        )
        return bool(cursor.fetchone()[0])
