"""Launches from the patient's record: from its link to the question page, and what ends them."""

from __future__ import annotations

import json
import re
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from pytest_django import Settings

from chat.models import AuditEvent, Turn
from chat.sign_in.sessions import SessionStore
from medrag_site.configuration.site import Record
from medrag_site.hospital import record_found
from tests.chat.records.launch.conftest import settings_file
from tests.chat.records.launch.launching import BACK, LINK, START, begun, launched, linked
from tests.chat.records.launch.patients import NUMBER, SURNAME
from tests.chat.records.launch.record_server import CLIENT, RecordServer

DOSE = "Enoxaparin dose"


def chips(page: str) -> dict[str, bool]:
    """Return the facts on a page, and whether each is ticked."""
    found = re.findall(r'name="fact" value="\d+"( checked)?> (.*?) <span>', page)
    return {text: bool(ticked) for ticked, text in found}


def page_of(server: RecordServer, client: Client, launch: str = "l-kidneys") -> tuple[str, str]:
    """Return address and text of the page that a launch leads to."""
    back = launched(server, client, launch)
    assert back.status_code == 302, back.content.decode()
    shown = client.get(back["Location"])
    assert shown.status_code == 200
    return back["Location"], shown.content.decode()


def events(action: str) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(action=action).order_by("seq"))


def test_a_launch_asks_for_no_more_than_it_reads(server: RecordServer, client: Client) -> None:
    asked = parse_qs(urlsplit(begun(server, client)).query)
    assert asked["scope"] == [
        "launch openid fhirUser patient/Patient.rs patient/Observation.rs "
        "patient/AllergyIntolerance.rs patient/MedicationRequest.rs patient/Condition.rs"
    ]
    assert asked["redirect_uri"] == ["http://testserver/launch/back"]
    assert (asked["aud"], asked["launch"]) == ([server.base], ["l-kidneys"])


def test_from_launch_to_the_question_page_with_its_chips(
    server: RecordServer, client: Client, alice: User
) -> None:
    linked(server, alice)
    _, page = page_of(server, client)
    assert chips(page) == {
        "female": True,
        f"{timezone.localdate().year - 1948} years old": True,
        "eGFR 24 mL/min": True,
        "weight 61.5 kg": True,
        "allergic to penicillin": True,
        "Atrial fibrillation": False,
        "takes Apixaban": False,
    }
    assert "Of the patient opened in Ward record at" in page
    assert "Not known, or not wholly: pregnancy, conditions" in page  # one names the patient
    assert "result</span>" in page
    assert not Turn.objects.exists()
    assert [event.actor for event in events("launch")] == [f"user:{alice.pk}:alice"]
    assert len(events("user.signed_in")) == 1


def test_what_is_ticked_goes_into_the_question_and_nothing_else(
    server: RecordServer, client: Client, alice: User
) -> None:
    linked(server, alice)
    address, page = page_of(server, client)
    kidneys = re.search(r'value="(\d+)" checked> eGFR 24', page)
    assert kidneys
    client.post(f"{address}/ask", {"question": f"{DOSE}?", "fact": [kidneys[1]]})
    assert Turn.objects.get().question == f"{DOSE}, for: eGFR 24 mL/min"
    client.post(f"{address}/ask", {"question": DOSE})
    asked = Turn.objects.values_list("question", flat=True)
    assert {*asked} == {DOSE, f"{DOSE}, for: eGFR 24 mL/min"}


def test_old_facts_are_shown_as_old_and_left_out(
    server: RecordServer, client: Client, alice: User
) -> None:
    linked(server, alice)
    _, page = page_of(server, client, "l-old")
    assert chips(page)["eGFR 31 mL/min"] is False
    assert page.count("<strong>old</strong>") == 2
    assert chips(page)["takes Warfarin"] is False


def test_no_name_number_or_token_is_kept_or_logged(
    server: RecordServer, client: Client, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    linked(server, alice)
    address, page = page_of(server, client)
    client.post(f"{address}/ask", {"question": DOSE, "fact": ["0", "2"]})
    kept = [page, caplog.text, str(client.cookies)]
    kept += [json.dumps(row.get_decoded()) for row in SessionStore.get_model_class().objects.all()]
    kept += [f"{event.subject} {event.payload}" for event in AuditEvent.objects.all()]
    kept += [f"{turn.question} {turn.trace}" for turn in Turn.objects.all()]
    assert Session.objects.count() == 1
    for secret in (SURNAME, NUMBER, "Wilhelmina", "p-kidneys", "1948", *server.tokens):
        assert not [text for text in kept if secret.lower() in text.lower()], secret


def test_a_second_patient_ends_the_first(server: RecordServer, client: Client, alice: User) -> None:
    linked(server, alice)
    first, page = page_of(server, client)
    second, other = page_of(server, client, "l-well")
    assert "eGFR 24 mL/min" in page and "eGFR 95 mL/min" in other
    assert client.get(first).status_code == 410
    refused = client.post(f"{first}/ask", {"question": DOSE, "fact": ["2"]}).content.decode()
    assert "another patient was opened" in refused
    assert not chips(refused)
    assert DOSE in refused  # what was typed stays
    assert not Turn.objects.exists()
    assert client.get(second).status_code == 200


def test_a_launch_that_only_begins_ends_the_one_before(
    server: RecordServer, client: Client, alice: User
) -> None:
    linked(server, alice)
    first, _ = page_of(server, client)
    begun(server, client, "l-well")
    assert client.get(first).status_code == 410


def test_facts_end_after_the_set_time_and_with_the_session(
    server: RecordServer, client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked(server, alice)
    address, _ = page_of(server, client)
    client.post("/sign-out/")
    client.force_login(alice)
    assert client.get(address).status_code == 410
    address, _ = page_of(server, client)
    later = time.time() + 3601
    monkeypatch.setattr("chat.records.launch.opened.time.time", lambda: later)
    assert client.get(address).status_code == 410
    assert "launched_patient" not in client.session


def test_somebody_else_has_none_of_it(
    server: RecordServer, client: Client, alice: User, bob: User
) -> None:
    linked(server, alice)
    address, _ = page_of(server, client)
    client.force_login(bob)
    assert client.get(address).status_code == 410
    SocialAccount.objects.all().delete()
    launched(server, waiting := Client(), "l-well")  # whoever launches signs in later
    waiting_for = waiting.session["launched_patient"]["id"]
    waiting.force_login(bob)  # and somebody else does, and says nothing
    assert waiting.get(f"/launch/{waiting_for}").status_code == 410


def test_somebody_signs_in_once_and_is_linked(
    server: RecordServer, client: Client, alice: User, bob: User
) -> None:
    client.force_login(bob)  # who sat there before
    back = launched(server, client)
    assert back["Location"] == "/sign-in/?next=/launch/link"
    assert client.get(LINK).status_code == 302  # bob is out
    client.force_login(alice)
    assert "signed in here as alice" in client.get(LINK).content.decode()
    assert not SocialAccount.objects.exists()
    opened = client.post(LINK)
    assert "eGFR 24 mL/min" in chips(client.get(opened["Location"]).content.decode())
    assert [event.subject for event in events("user.linked")] == [f"user:{alice.pk}"]
    again = Client()
    page_of(server, again)
    assert again.session["_auth_user_id"] == str(alice.pk)


def test_a_link_ends(server: RecordServer, client: Client, alice: User, settings: Settings) -> None:
    linked(server, alice)
    old = timezone.now() - timedelta(days=31)
    SocialAccount.objects.update(date_joined=old)
    assert launched(server, client)["Location"] == "/sign-in/?next=/launch/link"


def test_staff_sign_in_themselves_at_each_launch(
    server: RecordServer, client: Client, alice: User
) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    linked(server, alice)
    assert launched(server, client)["Location"] == "/sign-in/?next=/launch/link"
    client.force_login(alice)
    assert client.get(LINK)["Location"].startswith("/launch/")  # the link is known
    page_of(server, client, "l-well")  # and who is in stays in


def test_in_a_frame_nobody_signs_in(server: RecordServer, client: Client, alice: User) -> None:
    framed = {"sec-fetch-dest": "iframe"}
    page = launched(server, client, headers=framed).content.decode()
    there = re.search(r'href="(/launch/sign-in[^"]*)" target="_blank"', page)
    assert there
    window = Client()
    sent = window.get(there[1])
    assert parse_qs(urlsplit(sent["Location"]).query)["scope"] == ["openid fhirUser"]
    window.get(BACK, server.authorise(sent["Location"]))
    window.force_login(alice)
    assert window.post(LINK)["Location"] == "/"
    assert launched(server, client, headers=framed)["Location"].startswith("/launch/")


def test_rotated_keys_are_followed(server: RecordServer, client: Client, alice: User) -> None:
    linked(server, alice)
    page_of(server, client)
    server.key = server.published = rsa.generate_private_key(65537, 2048)
    server.kid = "2"
    page_of(server, Client())


def test_a_secret_is_proved_by_basic_authentication(
    server: RecordServer, client: Client, alice: User, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("of the client\n")
    path = settings_file(tmp_path, server, f'client_secret = "{tmp_path}/secret"')
    settings.RECORD = Record(launch=str(path))  # type: ignore[arg-type]
    linked(server, alice)
    proofs: list[tuple[str | None, str]] = []

    def proved(form: dict[str, str], header: str) -> bool:
        proofs.append((form.get("client_id"), header))
        return True

    server.proved = proved
    page_of(server, client)
    assert proofs == [(None, "Basic bWVkcmFnOm9mIHRoZSBjbGllbnQ=")]


@pytest.mark.parametrize("kind", ["EC", "RSA"])
def test_a_key_is_proved_by_a_signed_assertion(
    server: RecordServer,
    client: Client,
    alice: User,
    settings: Settings,
    tmp_path: Path,
    kind: str,
) -> None:
    if kind == "EC":
        written = ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP384R1()), as_dict=True)
    else:
        written = RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048), as_dict=True)
    (tmp_path / "key.json").write_text(json.dumps(written | {"kid": "k1"}))
    path = settings_file(tmp_path, server, f'key = "{tmp_path}/key.json"')
    settings.RECORD = Record(launch=str(path))  # type: ignore[arg-type]
    linked(server, alice)
    published = client.get("/launch/keys").json()["keys"]
    assert "d" not in published[0]
    used: set[str] = set()

    def proved(form: dict[str, str], header: str) -> bool:
        token = form["client_assertion"]
        head = jwt.get_unverified_header(token)
        key = jwt.PyJWK(next(each for each in published if each["kid"] == head["kid"]))
        to = server.configuration()["token_endpoint"]
        said = jwt.decode(token, key, algorithms=[head["alg"]], audience=to, issuer=CLIENT)
        is_new = said["jti"] not in used
        used.add(said["jti"])
        return is_new and said["sub"] == CLIENT and said["exp"] - said["iat"] <= 300

    server.proved = proved
    page_of(server, client)
    page_of(server, client, "l-well")
    assert len(used) == 2


def test_what_the_record_does_not_give_is_told(
    server: RecordServer, client: Client, alice: User
) -> None:
    linked(server, alice)
    server.status = {"AllergyIntolerance": 403, "33914-3": 500}
    _, page = page_of(server, client)
    assert "Not known, or not wholly: kidney function, pregnancy, conditions, allergies" in page
    assert "allergic" not in "".join(chips(page))


def test_a_list_with_a_further_page_is_not_whole(
    server: RecordServer, client: Client, alice: User
) -> None:
    linked(server, alice)
    further = {"link": [{"relation": "next", "url": "https://elsewhere.example.org/"}]}
    server.changed = lambda body: body | further if "entry" in body else body
    _, page = page_of(server, client, "l-well")
    assert "Not known, or not wholly: weight, conditions, allergies, medicines" in page


def test_all_is_closed_until_it_is_configured(client: Client, db: None) -> None:
    for path in (START, BACK, "/launch/keys", "/launch/sign-in"):
        assert client.get(path).status_code == 404


def test_the_doctor_and_the_metrics_know_the_door(
    server: RecordServer, client: Client, settings: Settings
) -> None:
    settings.METRICS = True
    assert record_found() == (True, "launches from Ward record")
    assert 'medrag_record_doors{door="launch"} 1.0' in client.get("/metrics").content.decode()
    cache.clear()
    server.config = {"code_challenge_methods_supported": ["plain"]}
    is_well, said = record_found()
    assert not is_well
    assert said.startswith(f"{server.base}: ")
    settings.RECORD = Record()
    assert record_found()[0]
    assert 'medrag_record_doors{door="launch"} 0.0' in client.get("/metrics").content.decode()
