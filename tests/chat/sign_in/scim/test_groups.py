"""Test the groups that the directory fills, and those it can't."""

import pytest
from django.contrib.auth.models import Group, User

from medrag_site.groups import ADMINISTRATORS, CLINICIANS, REVIEWERS
from tests.chat.sign_in.scim.directory import MEMBERS, Directory, Step, events, member, names_of


@pytest.mark.parametrize(("joins", "leaves"), MEMBERS.values(), ids=MEMBERS)
def test_members_of_a_group(directory: Directory, ada: User, joins: Step, leaves: Step) -> None:
    ada.groups.add(Group.objects.get(name=REVIEWERS))
    group = directory.group("gl-doctors")
    rename = {"op": "Replace", "path": "displayName", "value": "Other"}
    status, told = directory.patch_with(group, rename, joins(ada.pk))
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
