"""Test single sign-on against a provider on loopback, its failures, its clock and its groups."""

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import LazySettings
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from chat.models import AuditEvent
from medrag_site.configuration.site import Oidc
from medrag_site.groups import AUDITORS, CLINICIANS, REVIEWERS
from tests.chat.sign_in.hospital import BACK, START, failures, is_in, names_of, sign_in
from tests.chat.sign_in.provider import CLIENT, Provider, provider
from tests.declared import setting
from tests.tables import rows


def test_the_first_sign_in_makes_an_account_without_a_password(
    hospital: Provider, client: Client
) -> None:
    assert (
        f"{START}?next=%2Fconversations%2F"
        in client.get("/conversations/", follow=True).content.decode()
    )
    assert sign_in(hospital, client)["Location"] == "/conversations/"
    account = User.objects.get()
    assert is_in(client)
    assert (account.username, account.has_usable_password()) == ("ada", False)
    assert names_of(account) == {CLINICIANS}
    assert not (account.is_staff or account.is_superuser)
    actions = list(AuditEvent.objects.order_by("seq").values_list("action", flat=True))
    assert actions == ["user.created", "user.signed_in"]
    assert sign_in(hospital, Client()).status_code == 302
    assert User.objects.count() == 1


def test_a_name_or_mail_that_somebody_has_makes_nobody_them(
    hospital: Provider, alice: User, client: Client
) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org", is_superuser=True)
    mail = {"email": "alice@example.org", "email_verified": True}
    hospital.claims |= {"preferred_username": "Alice", **mail}
    sign_in(hospital, client)
    account = SocialAccount.objects.get().user
    assert account.username == "Alice-2"
    assert account.pk != alice.pk


def test_groups_follow_the_claim_and_no_others(hospital: Provider, client: Client) -> None:
    sign_in(hospital, client)
    account = User.objects.get()
    account.groups.add(Group.objects.get(name=REVIEWERS))
    hospital.claims |= {"groups": ["gl-audit"], "is_superuser": True}
    sign_in(hospital, Client())
    assert names_of(account) == {AUDITORS, REVIEWERS}
    event = AuditEvent.objects.filter(action="user.changed").get()
    assert json.loads(event.payload)["groups"] == [AUDITORS, REVIEWERS]
    assert not User.objects.filter(is_superuser=True).exists()


def test_without_a_mapped_group_nobody_enters(hospital: Provider, client: Client) -> None:
    hospital.claims["groups"] = ["canteen"]
    refused = sign_in(hospital, client)
    assert (refused.status_code, is_in(client)) == (403, False)
    assert not User.objects.exists()
    hospital.claims["groups"] = ["gl-doctors"]
    sign_in(hospital, client)
    hospital.claims["groups"] = []
    other = Client()
    assert sign_in(hospital, other).status_code == 403
    assert not is_in(other)
    assert names_of(User.objects.get()) == set(), "what the claim gave, it takes"
    assert [one["reason"] for one in failures()] == ["no group", "no group"]


def test_without_a_map_everybody_whom_the_provider_knows_enters(
    hospital: Provider, client: Client, settings: LazySettings
) -> None:
    settings.OIDC_GROUPS = {}
    sign_in(hospital, client)
    assert is_in(client)


def test_a_deactivated_account_stays_out(hospital: Provider, client: Client) -> None:
    sign_in(hospital, client)
    User.objects.update(is_active=False)
    other = Client()
    assert b"deactivated" in sign_in(hospital, other).content
    assert not is_in(other)
    assert not is_in(client)
    assert failures()[-1]["reason"] == "deactivated"


WRONG: dict[str, dict[str, Any]] = {
    "another audience": {"aud": "another"},
    "for another client too": {"aud": [CLIENT, "another"], "azp": "another"},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": int(time.time()) - 120},
    "a time that is none": {"iat": "soon"},
    "without an end": {"exp": None},
    "another nonce": {"nonce": "another"},
    "without a nonce": {"nonce": None},
    "without a subject": {"sub": None},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_token_that_must_not_be_believed(
    hospital: Provider, client: Client, wrong: dict[str, Any]
) -> None:
    hospital.wrong = wrong
    refused = sign_in(hospital, client)
    assert refused.status_code == 503
    assert b"You are not signed in" in refused.content
    assert not is_in(client)
    assert not User.objects.exists()
    assert [one["reason"] for one in failures()] == ["token not valid"]


def test_a_token_signed_by_somebody_else(hospital: Provider, client: Client) -> None:
    hospital.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert sign_in(hospital, client).status_code == 503
    assert not is_in(client)


def test_a_wrong_state_and_one_of_another_browser(hospital: Provider, client: Client) -> None:
    back = hospital.authorise(client.get(START)["Location"])
    for sent in ({**back, "state": "wrong"}, {"code": back["code"]}, {}):
        assert client.get(BACK, sent).status_code == 503
    assert Client().get(BACK, back).status_code == 503
    assert not is_in(client)
    assert client.get(BACK, back).status_code == 302


def test_a_replayed_answer_and_a_code_that_was_used(hospital: Provider, client: Client) -> None:
    back = hospital.authorise(client.get(START)["Location"])
    client.get(BACK, back)
    client.post("/sign-out/")
    assert client.get(BACK, back).status_code == 503
    anew = hospital.authorise(client.get(START)["Location"])
    assert client.get(BACK, {**anew, "code": back["code"]}).status_code == 503
    assert not is_in(client)


def test_what_the_address_says_is_not_passed_on(hospital: Provider, client: Client) -> None:
    said = {"auth_params": "prompt=none&nonce=mine", "scope": "mail", "process": "connect"}
    asked = parse_qs(urlsplit(client.get(START, said)["Location"]).query)
    assert "prompt" not in asked
    assert asked["nonce"] != ["mine"]
    assert set(asked["scope"][0].split()) == {"openid", "profile"}
    assert sign_in(hospital, client, "https://evil.example/")["Location"] == "/"


def test_a_provider_that_is_away(
    hospital: Provider, client: Client, settings: LazySettings
) -> None:
    with provider() as gone:
        hospital.issuer = gone.issuer
    settings.OIDC_ISSUER = hospital.issuer
    page = client.get(START)
    assert page.status_code == 503
    assert b"try again in a minute" in page.content
    assert b"Traceback" not in page.content


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/keys"])
def test_a_provider_that_sends_on_is_not_followed(
    hospital: Provider, client: Client, path: str
) -> None:
    cache.clear()
    hospital.moved = path
    response = client.get(START)
    if response.status_code == 302:
        response = client.get(BACK, hospital.authorise(response["Location"]))
    assert response.status_code == 503
    assert path in hospital.heard
    assert f"{path}?moved" not in hospital.heard
    assert not is_in(client)


def test_a_provider_that_refuses(hospital: Provider, client: Client) -> None:
    back = hospital.authorise(client.get(START)["Location"])
    refused = client.get(BACK, {"state": back["state"], "error": "access_denied"})
    assert refused.status_code == 503


def test_off_nothing_is_there(db: None, client: Client) -> None:
    assert client.get(START).status_code == client.get(BACK).status_code == 404
    assert b"hospital account" not in client.get("/sign-in/").content


@pytest.mark.parametrize(
    ("issuer", "expected"),
    [
        ("", []),
        ("https://id.example.org", []),
        ("http://127.0.0.1:9", []),
        ("http://id.example.org", ["sign_in.E002"]),
    ],
)
def test_checked_at_the_start(settings: LazySettings, issuer: str, expected: list[str]) -> None:
    settings.OIDC_ISSUER = issuer
    assert [fault.id for fault in run_checks(tags=["sign_in"])] == expected


FILE = """issuer = "https://id.example.org"
client_id = "medrag"
client_secret = "s3cret"
"""


def read_from(path: Path, text: str | None) -> Oidc:
    if text is not None:
        path.write_text(text)
    found = setting(Oidc, str(path), name="MEDRAG_OIDC")
    assert isinstance(found, Oidc)
    return found


def test_the_file_is_read(tmp_path: Path) -> None:
    groups = '[groups]\ngl-a = "Auditors"\n"CN=gl,OU=x" = " Corpus staff"\n'
    oidc = read_from(tmp_path / "oidc.toml", FILE + groups)
    assert oidc.issuer == "https://id.example.org"
    assert oidc.client_secret == "s3cret"
    assert oidc.groups == {"gl-a": "Auditors", "CN=gl,OU=x": "Corpus staff"}
    assert oidc.client_id == "medrag"
    assert setting(Oidc, default=Oidc.model_construct()).groups == {}


@pytest.mark.parametrize(("text", "said"), rows(__file__, "wrong_sign_in_files.jsonl"))
def test_the_file_is_read_strictly(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "oidc.toml"
    with pytest.raises(ImproperlyConfigured) as raised:
        read_from(path, text)
    assert str(raised.value).startswith("MEDRAG_OIDC: ")
    assert str(path) in str(raised.value) and said in str(raised.value)
    assert not re.search("s3|70935317", str(raised.value))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(ImproperlyConfigured, match=f"^MEDRAG_OIDC: the file {path} can't be read"):
        read_from(path, None)


@pytest.mark.parametrize("claim", ["iat", "nbf"])
@pytest.mark.parametrize("ahead_s", [2, 50])
def test_a_clock_that_is_a_little_ahead_lets_in(
    hospital: Provider, client: Client, claim: str, ahead_s: int
) -> None:
    hospital.wrong = {claim: int(time.time()) + ahead_s}
    assert sign_in(hospital, client).status_code == 302
    assert is_in(client)


OFF: dict[str, dict[str, int]] = {
    "ahead": {"iat": 600},
    "ahead, by when it begins": {"nbf": 600},
    "behind": {"iat": -600, "exp": -300},
}


@pytest.mark.parametrize("off", OFF.values(), ids=OFF)
def test_clocks_that_differ_are_told_with_both_times(
    hospital: Provider, client: Client, off: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    now = int(time.time())
    hospital.wrong = {name: now + by_s for name, by_s in off.items()}
    refused = sign_in(hospital, client)
    assert refused.status_code == 503
    page = refused.content.decode()
    there = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now + next(iter(off.values()))))
    assert "differ by 10 minutes" in page and f"there {there}" in page
    assert "try again in a minute" not in page
    assert "the clocks differ by 10 min" in caplog.text
    assert [one["reason"] for one in failures()] == ["clocks differ"]
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("named", "status"), [({}, 302), ({"alg": "RS512"}, 503), ({"use": "enc"}, 503)]
)
def test_the_key_says_by_which_algorithm_it_verifies(
    hospital: Provider, client: Client, named: dict[str, str], status: int
) -> None:
    public = jwt.algorithms.RSAAlgorithm.to_jwk(hospital.published.public_key(), as_dict=True)
    hospital.keys = [{**public, "kid": "1", **named}]  # the token says RS256
    assert sign_in(hospital, client).status_code == status
    assert is_in(client) is (status == 302)


UNTOLD: dict[str, dict[str, Any]] = {
    "no claim": {},
    "too many, by Entra": {
        "_claim_names": {"groups": "src1"},
        "_claim_sources": {"src1": {"endpoint": "https://graph.example/groups"}},
    },
    "too many, by Entra's flag": {"hasgroups": True},
}


@pytest.mark.parametrize("claims", UNTOLD.values(), ids=UNTOLD)
def test_groups_that_are_not_told_stay_and_it_is_said(
    hospital: Provider, client: Client, claims: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    sign_in(hospital, Client())
    account = User.objects.get()
    account.groups.add(Group.objects.get(name=REVIEWERS))
    hospital.wrong = {"groups": None, **claims}
    assert sign_in(hospital, client).status_code == 302
    assert names_of(account) == {CLINICIANS, REVIEWERS}
    assert "did not say in which groups you are" in client.get("/conversations/").content.decode()
    assert "did not say" not in client.get("/conversations/").content.decode(), "once"
    assert f"Groups of user:{account.pk} stay" in caplog.text
    hospital.wrong = {"groups": []}
    assert sign_in(hospital, Client()).status_code == 403
    assert names_of(account) == {REVIEWERS}, "an empty list takes them"


def test_who_is_new_and_whose_groups_are_not_told_stays_out(
    hospital: Provider, client: Client
) -> None:
    hospital.wrong = {"groups": None, "hasgroups": True}
    refused = sign_in(hospital, client)
    assert (refused.status_code, is_in(client)) == (403, False)
    assert b"did not say in which groups you are" in refused.content
    assert not User.objects.exists()
    assert [one["reason"] for one in failures()] == ["groups not told"]
