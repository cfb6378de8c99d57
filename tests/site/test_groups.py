"""Test the groups and the demonstration's accounts."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.http import HttpRequest
from django.test import Client

from medrag_site.demo import demo_accounts
from medrag_site.groups import ADMINISTRATORS, AUDITORS, PERMISSIONS, REVIEWERS, STAFF, groups_sync
from medrag_site.models import GivenRight


def rights_of(name: str) -> set[str]:
    held = Group.objects.get(name=name).permissions.select_related("content_type")
    return {f"{p.content_type.app_label}.{p.codename}" for p in held}


def test_migrated_sites_have_the_groups_with_their_rights(db: None) -> None:
    """Of the database as `migrate` made it; the test gives no rights."""
    for name, labels in PERMISSIONS.items():
        assert rights_of(name) == set(labels)


def test_an_upgrade_gives_what_is_new_and_leaves_what_the_site_changed(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    staff, auditors = (Group.objects.get(name=name) for name in (STAFF, AUDITORS))
    staff.permissions.remove(Permission.objects.get(codename="add_collection"))
    auditors.permissions.add(Permission.objects.get(codename="add_document"))
    Group.objects.get(name=REVIEWERS).delete()
    monkeypatch.setitem(PERMISSIONS, STAFF, (*PERMISSIONS[STAFF], "corpus.delete_job"))
    monkeypatch.setitem(PERMISSIONS, "Librarians", ("corpus.view_document",))
    assert groups_sync() == ()
    assert rights_of(STAFF) == set(PERMISSIONS[STAFF]) - {"corpus.add_collection"}
    assert rights_of(AUDITORS) == {*PERMISSIONS[AUDITORS], "corpus.add_document"}
    assert rights_of("Librarians") == {"corpus.view_document"}
    assert not Group.objects.filter(name=REVIEWERS).exists()


def test_a_group_that_was_here_before_any_record_gets_nothing_unasked(
    db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    GivenRight.objects.all().delete()
    Group.objects.get(name=ADMINISTRATORS).permissions.clear()
    assert groups_sync() == (ADMINISTRATORS,)
    assert groups_sync() == ()
    assert rights_of(ADMINISTRATORS) == set()
    call_command("groups")
    assert "Administrators: 0 in it\n  lacks auth.add_user," in capsys.readouterr().out
    call_command("groups", "--give", ADMINISTRATORS)
    assert rights_of(ADMINISTRATORS) == set(PERMISSIONS[ADMINISTRATORS])


def test_auditors_change_nothing_but_reviews(db: None) -> None:
    writing = [
        label
        for label in PERMISSIONS["Auditors"]
        if label.split(".")[1].split("_")[0] in ("add", "change", "delete", "publish")
    ]
    assert writing == ["chat.add_review", "chat.change_review"]


def test_the_accounts_can_sign_in_where_they_work(db: None, client: Client) -> None:
    made = demo_accounts()
    names = ["staff", "publisher", "clinician", "auditor", "evaluator", "safety"]
    assert [name for name, _, _ in made] == names
    assert len({password for _, _, password in made}) == len(names)
    for name, _, password in made:
        assert client.login(request=HttpRequest(), username=name, password=password)
        status = client.get("/admin/").status_code
        assert status == (302 if name == "clinician" else 200)


def test_a_second_call_changes_nothing(db: None) -> None:
    demo_accounts()
    before = dict(User.objects.values_list("username", "password"))
    assert demo_accounts() == []
    assert dict(User.objects.values_list("username", "password")) == before


def test_reset_gives_new_passwords(db: None) -> None:
    old = demo_accounts()
    new = demo_accounts(reset=True)
    assert [name for name, _, _ in new] == [name for name, _, _ in old]
    assert {password for _, _, password in new}.isdisjoint(p for _, _, p in old)


@pytest.mark.parametrize(("name", "publishes"), [("staff", True), ("auditor", False)])
def test_who_may_publish(name: str, publishes: bool, db: None) -> None:
    demo_accounts()
    assert User.objects.get(username=name).has_perm("corpus.publish_document") is publishes
