"""Test single sign-on of people whom the directory created."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from chat.models import DirectoryAccount
from medrag_site.groups import AUDITORS, CLINICIANS
from tests.chat.sign_in.provider import CLIENT, SECRET, provider
from tests.chat.sign_in.scim.directory import (
    ENTRA,
    MEMBERS,
    TOKEN,
    Directory,
    events,
    is_in,
    names_of,
)

SignIn = Callable[..., int]


@pytest.fixture
def signs_in(directory: Directory, settings: LazySettings) -> Iterator[SignIn]:
    """Sign somebody in at the hospital with these claims; return the status of the last step."""
    cache.clear()
    settings.OIDC_EXTERNAL_ID_CLAIM = "oid"
    with provider() as hospital:
        settings.OIDC_ISSUER = hospital.issuer
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET

        def sign_in(client: Client, **claims: Any) -> int:
            hospital.claims = {"sub": "s-1", "preferred_username": "ada", **claims}
            sent = client.get("/sign-in/hospital/")
            back = client.get("/sign-in/hospital/back/", hospital.authorise(sent["Location"]))
            return back.status_code

        yield sign_in


ADA = {"oid": ENTRA["externalId"]}


def test_who_was_provisioned_signs_in_and_out(
    directory: Directory, ada: User, signs_in: SignIn
) -> None:
    client = Client()
    assert signs_in(client, **ADA) == 403, "no group yet"
    directory.patch_with(directory.group("gl-doctors"), MEMBERS["Entra"][0](ada.pk))
    assert signs_in(client, **ADA) == 302
    assert is_in(client)
    assert names_of(ada) == {CLINICIANS}, "a token without the claim leaves the directory's"
    assert signs_in(Client(), **ADA, groups=["gl-audit"]) == 302
    assert names_of(ada) == {AUDITORS}
    directory.send("DELETE", f"Users/{ada.pk}")
    assert not is_in(client)
    for claims in ({}, {"groups": ["gl-doctors"]}):
        assert signs_in(Client(), **ADA, **claims) == 403
    assert events("user.sign_in_failed")[-1]["reason"] == "deactivated"
    assert User.objects.count() == 1


def test_a_closed_account_is_not_linked(directory: Directory, ada: User, signs_in: SignIn) -> None:
    directory.send("DELETE", f"Users/{ada.pk}")
    assert signs_in(Client(), **ADA, groups=["gl-doctors"]) == 403
    assert not SocialAccount.objects.exists()


def test_who_is_not_of_the_directory_gets_no_account(ada: User, signs_in: SignIn) -> None:
    for oid in ({}, {"oid": "another"}, {"oid": ""}, {"oid": ["x"]}, {"oid": "x" * 192}):
        claims = {"preferred_username": "ada@hospital.example", "groups": ["gl-doctors"]}
        assert signs_in(Client(), **claims, **oid) == 403
    assert events("user.sign_in_failed")[-1]["reason"] == "not of the directory"
    assert User.objects.count() == 1


def test_another_person_with_the_same_id_stays_out(
    directory: Directory, ada: User, signs_in: SignIn
) -> None:
    directory.patch_with(directory.group("gl-doctors"), MEMBERS["Entra"][0](ada.pk))
    assert signs_in(Client(), **ADA) == 302
    assert signs_in(Client(), **ADA, sub="s-2") == 403


def test_an_account_found_by_its_name_is_closed_but_signs_nobody_in(
    directory: Directory, bob: User, signs_in: SignIn
) -> None:
    path = f"Users/{bob.pk}"
    assert directory.send("PUT", path, {"externalId": "b-1"})[1]["externalId"] == "b-1"
    assert signs_in(Client(), oid="b-1", groups=["gl-doctors"]) == 403
    assert User.objects.get(pk=bob.pk).check_password("bob-secret")
    directory.send("DELETE", path)
    form = {"username": "bob", "password": "bob-secret"}
    assert b"do not match" in Client().post("/sign-in/", form).content


def test_an_account_of_before_is_found_by_the_id_of_its_token(
    directory: Directory, signs_in: SignIn, settings: LazySettings
) -> None:
    settings.SCIM_TOKEN = ""
    assert signs_in(Client(), **ADA, groups=["gl-doctors"]) == 302
    settings.SCIM_TOKEN = TOKEN
    client = Client()
    assert signs_in(client, **ADA, groups=["gl-doctors"]) == 302
    (found,) = directory.find("Users", f'externalId eq "{ADA["oid"]}"')["Resources"]
    assert found["userName"] == "ada"
    directory.send("DELETE", f"Users/{found['id']}")
    assert not is_in(client)
    other = User.objects.create_user("ada@hospital.example")
    DirectoryAccount.objects.update(user=other)
    User.objects.update(is_active=True)
    assert signs_in(client, **ADA, groups=["gl-doctors"]) == 403, "the directory means another"
