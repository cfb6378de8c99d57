"""Test groups that the directory keeps, and who signs in by them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.conf import LazySettings
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.test import Client

from chat.models import DirectoryAccount
from medrag_site.groups import ADMINISTRATORS, AUDITORS, CLINICIANS, REVIEWERS
from tests.chat.sign_in.provider import CLIENT, SECRET, provider
from tests.chat.sign_in.scim.directory import (
    ENTRA,
    GROUP,
    MEMBERS,
    TOKEN,
    Directory,
    Step,
    events,
    is_in,
    member,
    names_of,
)


@pytest.mark.parametrize(("joins", "leaves"), MEMBERS.values(), ids=MEMBERS)
def test_members_of_a_group(directory: Directory, ada: User, joins: Step, leaves: Step) -> None:
    ada.groups.add(Group.objects.get(name=REVIEWERS))
    group = directory.group("gl-doctors")
    same = {"op": "replace", "value": {"id": group[7:], "displayName": "GL-Doctors"}}
    status, told = directory.patch_with(group, same, joins(ada.pk))
    assert (status, told["displayName"]) == (200, "gl-doctors")
    assert [one["value"] for one in told["members"]] == [str(ada.pk)]
    assert names_of(ada) == {CLINICIANS, REVIEWERS}
    (shown,) = directory.send("GET", f"Users/{ada.pk}")[1]["groups"]
    assert shown["display"] == "gl-doctors"
    status, told = directory.patch_with(group, leaves(ada.pk))
    assert (status, told["members"]) == (200, [])
    assert names_of(ada) == {REVIEWERS}
    assert [event["fields"] for event in events("user.changed")] == [["groups"]] * 2


def test_one_of_two_groups_that_are_the_same_here(directory: Directory, ada: User) -> None:
    doctors, wards = directory.group("gl-doctors"), directory.group("gl-wards")
    joins, leaves = (step(ada.pk) for step in MEMBERS["Entra"])
    directory.patch_with(doctors, joins)
    assert directory.send("GET", wards)[1]["members"] == []
    directory.patch_with(wards, joins)
    directory.patch_with(doctors, leaves)
    assert names_of(ada) == {CLINICIANS}
    assert directory.send("GET", doctors)[1]["members"] == []
    assert directory.send("DELETE", wards)[0] == 204
    assert names_of(ada) == set()


def test_groups_of_the_setting_and_no_others(directory: Directory, ada: User) -> None:
    listed = [one["displayName"] for one in directory.send("GET", "Groups")[1]["Resources"]]
    assert listed == ["gl-audit", "gl-doctors", "gl-wards"]
    assert (
        "members" not in directory.find("Groups", "", excludedAttributes="members")["Resources"][0]
    )
    for name in (ADMINISTRATORS, CLINICIANS, "gone"):
        assert directory.find("Groups", f'displayName eq "{name}"')["Resources"] == []
    made = {"displayName": ADMINISTRATORS, "members": member(ada.pk)}
    assert directory.send("POST", "Groups", made)[0] == 403
    number = Group.objects.get(name=ADMINISTRATORS).pk
    status, _ = directory.patch_with(f"Groups/{number}", MEMBERS["Entra"][0](ada.pk))
    assert status == 404
    unknown = MEMBERS["Entra"][0](ada.pk + 1)
    assert directory.patch_with(directory.group("gl-audit"), unknown)[0] == 404
    assert names_of(ada) == set()


def whole(name: str, *members: User) -> dict[str, Any]:
    listed = [{"value": str(one.pk), "display": one.username} for one in members]
    return {"schemas": [GROUP], "displayName": name, "members": listed}


def test_a_whole_group_replaces_its_members(directory: Directory, ada: User, bob: User) -> None:
    """As Okta sends it: who moves to another post loses the group of the old one."""
    group = directory.group("gl-audit")
    status, told = directory.send("PUT", group, whole("gl-audit", ada, bob))
    assert (status, len(told["members"])) == (200, 2)
    status, told = directory.send("PUT", group, whole("gl-audit", bob))
    assert (status, [one["display"] for one in told["members"]]) == (200, ["bob"])
    assert (names_of(ada), names_of(bob)) == (set(), {AUDITORS})
    assert directory.send("PUT", group, {"displayName": "gl-audit"})[1]["members"] == []
    assert names_of(bob) == set()


def test_no_group_is_renamed_and_the_refusal_says_why(directory: Directory, ada: User) -> None:
    group = directory.group("gl-audit")
    directory.send("PUT", group, whole("gl-audit", ada))
    named = {"op": "Replace", "path": "displayName", "value": "Other"}
    for status, told in (
        directory.patch_with(group, named, {"op": "remove", "path": "members"}),
        directory.patch_with(group, {"op": "replace", "value": {"displayName": "Other"}}),
        directory.patch_with(group, {"op": "remove", "path": "displayName"}),
        directory.send("PUT", group, whole("Other")),
    ):
        assert (status, told["scimType"]) == (400, "mutability")
        assert "[groups] in the file of MEDRAG_OIDC" in told["detail"]
    assert directory.send("GET", group)[1]["displayName"] == "gl-audit"
    assert names_of(ada) == {AUDITORS}


def test_a_deleted_group_is_gone_until_it_is_made_anew(directory: Directory, ada: User) -> None:
    group = directory.group("gl-audit")
    assert directory.send("POST", "Groups", whole("gl-audit", ada))[1]["scimType"] == "uniqueness"
    directory.send("PUT", group, whole("gl-audit", ada))
    assert directory.send("DELETE", group)[0] == 204
    assert names_of(ada) == set()
    for method in ("GET", "PUT", "DELETE"):
        assert directory.send(method, group, whole("gl-audit", ada))[0] == 404
    assert directory.find("Groups", 'displayName eq "gl-audit"')["totalResults"] == 0
    assert names_of(ada) == set()
    status, told = directory.send("POST", "Groups", whole("gl-audit", ada))
    assert (status, f"Groups/{told['id']}") == (201, group)
    assert directory.send("GET", group) == (200, told)
    assert names_of(ada) == {AUDITORS}


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
