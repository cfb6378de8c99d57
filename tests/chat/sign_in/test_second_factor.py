"""Test codes of an authenticator app after a password: who needs one, and a lost device."""

import re
import time
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from chat.models import AuditEvent
from chat.sign_in.second_factor import RECOVERY_CODES
from tests.people import client_of, person

NOW = time.time()  # fixed, so that no code expires between being read and sent


@pytest.fixture(autouse=True)
def no_waiting(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(time=lambda: NOW)
    monkeypatch.setattr("django_otp.plugins.otp_totp.models.time", clock)
    settings.OTP_TOTP_THROTTLE_FACTOR = settings.OTP_STATIC_THROTTLE_FACTOR = 0


def code_of(account: User, *, steps: int = 0, at: float = NOW) -> str:
    """Return the app's code now, or so many steps of 30 s later."""
    device = TOTPDevice.objects.get(user=account)
    totp = TOTP(device.bin_key)
    totp.time = at + steps * 30
    return f"{totp.token():06}"


def wrong_code(account: User) -> str:
    near = {code_of(account, steps=steps) for steps in range(-2, 3)}
    return next(code for code in (f"{n:06}" for n in range(10)) if code not in near)


def password(client: Client, name: str, there: str = "/") -> Any:
    form = {"username": name, "password": f"{name}-secret", "next": there}
    return client.post("/sign-in/", form)


def is_in(client: Client) -> bool:
    return client.get("/conversations/").status_code == 200


def actions() -> list[str]:
    return list(AuditEvent.objects.order_by("seq").values_list("action", flat=True))


@pytest.fixture
def codes(alice: User) -> list[str]:
    """Set up a device for alice, and return her recovery codes."""
    client = client_of(alice)
    assert "data:image/svg+xml" in client.get("/second-factor/").content.decode()
    sent = {"code": code_of(alice, steps=-1), "password": "alice-secret"}
    shown = client.post("/second-factor/", sent).content.decode()
    found = re.findall(r"<li><code>(\w+)</code>", shown)
    assert len(set(found)) == RECOVERY_CODES
    return found


def test_who_knew_the_session_before_the_password_knows_nothing_of_it(
    alice: User, codes: list[str], client: Client, settings: LazySettings
) -> None:
    known, onlooker = str(client.session.session_key), Client()
    password(client, "alice")
    onlooker.cookies[settings.SESSION_COOKIE_NAME] = known
    assert client.get("/sign-in/code/").status_code == 200
    assert onlooker.get("/sign-in/code/").status_code == 302


def test_a_password_alone_signs_nobody_in(alice: User, codes: list[str], client: Client) -> None:
    there = "/conversations/?q=dose"
    assert password(client, "alice", there)["Location"] == "/sign-in/code/"
    assert not is_in(client)
    wrong = client.post("/sign-in/code/", {"code": wrong_code(alice)})
    assert b"does not match" in wrong.content
    assert not is_in(client)
    right = code_of(alice)
    assert client.post("/sign-in/code/", {"code": right})["Location"] == there
    assert is_in(client)
    again = Client()
    password(again, "alice")
    again.post("/sign-in/code/", {"code": right})
    assert not is_in(again), "a code counts once"
    assert actions()[-2:] == ["user.signed_in", "user.sign_in_failed"]


def test_a_recovery_code_counts_once(codes: list[str], alice: User) -> None:
    for expected in (True, False):
        client = Client()
        password(client, "alice")
        client.post("/sign-in/code/", {"code": codes[0].upper()})
        assert is_in(client) == expected
    assert "user.recovery_code_used" in actions()


def test_guessing_codes_locks_as_guessing_passwords(
    alice: User, codes: list[str], client: Client, settings: LazySettings
) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    password(client, "alice")
    wrong = {"code": wrong_code(alice)}
    assert [client.post("/sign-in/code/", wrong).status_code for _ in "123"] == [200, 200, 429]
    assert client.post("/sign-in/code/", {"code": code_of(alice)}).status_code == 429
    assert not is_in(client)
    assert password(Client(), "alice").status_code == 429
    assert "user.locked_out" in actions()


def test_no_code_is_kept_with_a_failed_sign_in(codes: list[str], alice: User) -> None:
    client = Client()
    password(client, "alice")
    client.post("/sign-in/code/", {"code": wrong_code(alice)})
    kept = AccessAttempt.objects.get()
    assert "code=***" in kept.post_data
    assert wrong_code(alice) not in f"{kept.post_data}{kept.get_data}"


def test_the_second_page_alone_is_none(codes: list[str], client: Client) -> None:
    for page in ("/sign-in/code/", "/sign-in/set-up/"):
        assert client.post(page, {"code": codes[0]})["Location"] == "/sign-in/"


def test_a_password_changed_meanwhile_ends_the_first_step(
    alice: User, codes: list[str], client: Client
) -> None:
    password(client, "alice")
    alice.set_password("another")
    alice.save()
    assert client.post("/sign-in/code/", {"code": codes[0]})["Location"] == "/sign-in/"


def test_whoever_finds_a_session_open_sets_up_nothing(alice: User, client: Client) -> None:
    client.force_login(alice)
    client.get("/second-factor/")
    sent = {"code": code_of(alice), "password": "guess"}
    assert b"password does not match" in client.post("/second-factor/", sent).content
    assert not TOTPDevice.objects.filter(confirmed=True).exists()


def test_staff_set_one_up_before_anything_else(
    db: None, client: Client, settings: LazySettings
) -> None:
    settings.SECOND_FACTOR_FOR_STAFF = True
    staff = person("staff", "Auditors")
    assert password(client, "staff", "/admin/")["Location"] == "/sign-in/set-up/"
    assert not is_in(client)
    assert b"asks a second factor" in client.get("/sign-in/set-up/").content
    shown = client.post("/sign-in/set-up/", {"code": code_of(staff, steps=-1)})
    assert b'href="/admin/"' in shown.content
    assert client.get("/admin/").status_code == 200
    sent = {"code": code_of(staff), "do": "remove"}
    client.post("/second-factor/", sent)
    assert TOTPDevice.objects.filter(user=staff).exists(), "it can't be taken away by its owner"


def test_others_are_left_alone(alice: User, client: Client, settings: LazySettings) -> None:
    settings.SECOND_FACTOR_FOR_STAFF = True
    assert password(client, "alice")["Location"] == "/"
    assert is_in(client)


def test_the_administration_is_no_way_around(
    db: None, client: Client, settings: LazySettings
) -> None:
    """Neither by a session from before the setting, nor by the administration's sign-in page."""
    client.force_login(person("staff", "Auditors"))
    assert client.get("/admin/").status_code == 200
    settings.SECOND_FACTOR_FOR_STAFF = True
    page = client.get("/admin/", follow=True)
    assert page.redirect_chain[-1][0] == "/sign-in/?next=%2Fadmin%2F"
    assert b"without the second factor" in page.content
    assert client.get("/admin/chat/auditevent/").status_code == 302
    form = {"username": "staff", "password": "staff-secret"}
    assert Client().post("/admin/login/", form)["Location"] == "/sign-in/"


def test_a_lost_device_is_taken_away_at_the_terminal(
    alice: User, codes: list[str], client: Client
) -> None:
    told = StringIO()
    call_command("second_factor", "alice", stdout=told)
    call_command("second_factor", "alice", "--remove", stdout=told)
    assert (
        told.getvalue()
        == f"set up, {RECOVERY_CODES} recovery codes left\nThe second factor was removed.\n"
    )
    assert password(client, "alice")["Location"] == "/"
    event = AuditEvent.objects.get(action="user.second_factor_removed")
    assert (event.actor, event.subject) == ("system", f"user:{alice.pk}")


@pytest.mark.parametrize("is_superuser", [True, False])
def test_in_the_administration_only_superusers_take_it_away(
    alice: User, codes: list[str], client: Client, is_superuser: bool
) -> None:
    client.force_login(person("root", "Administrators", is_superuser=is_superuser))
    sent = {"action": "take_second_factor_away", "_selected_action": [alice.pk]}
    client.post("/admin/auth/user/", sent)
    assert TOTPDevice.objects.filter(user=alice).exists() != is_superuser
    assert client.get("/admin/otp_totp/totpdevice/").status_code == 404, "keys are shown nowhere"
