"""Test the groups, and that nobody can give themselves more rights."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db import connection
from django.http import HttpRequest
from django.test import Client

from medrag_site.demo import demo_accounts
from medrag_site.groups import (
    ADMINISTRATORS,
    AUDITORS,
    CLINICIANS,
    PERMISSIONS,
    PUBLISHERS,
    REVIEWERS,
    STAFF,
    groups_sync,
)
from medrag_site.models import GivenRight
from tests.people import client_of

RIGHTS = ("view_user", "add_user", "change_user", "delete_user")
OF_GROUPS = ("view_group", "add_group", "change_group", "delete_group")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="root-secret")


@pytest.fixture
def manager(db: None) -> User:
    """Create a clinician who may change accounts and groups."""
    user = User.objects.create_user("manager", password="manager-secret", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=[*RIGHTS, *OF_GROUPS]))
    user.groups.set(Group.objects.filter(name=CLINICIANS))
    return user


@pytest.fixture
def browser(manager: User) -> Client:
    return client_of(manager)


def address(user: User, page: str = "change") -> str:
    return f"/admin/auth/user/{user.pk}/{page}/"


def form(user: User, **fields: Any) -> dict[str, Any]:
    """Return a form as a browser sends it, with fields that somebody adds by hand."""
    joined = {"date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
    return {"username": user.username, "is_active": "on", **joined, **fields}


def groups(*names: str) -> list[int]:
    return list(Group.objects.filter(name__in=names).values_list("pk", flat=True))


def names(user: User) -> set[str]:
    return set(user.groups.values_list("name", flat=True))


@pytest.mark.parametrize("whose", ["manager", "alice"])
def test_forged_fields_give_nothing(browser: Client, alice: User, whose: str) -> None:
    user = User.objects.get(username=whose)
    staff = {"is_staff": "on"} if user.is_staff else {}
    publish = Permission.objects.get(codename="publish_document")
    for fields in (
        {"is_superuser": "on"},
        {"groups": groups(PUBLISHERS)},
        {"groups": groups(CLINICIANS, AUDITORS)},
        {"user_permissions": [publish.pk]},
        {"password": "pbkdf2_sha256$1$a$b"},
    ):
        before = user.password
        browser.post(address(user), form(user, first_name="X", **staff, **fields))
        after = User.objects.get(pk=user.pk)
        assert not after.is_superuser
        assert names(after) <= {CLINICIANS}
        assert not after.has_perm("corpus.publish_document")
        assert after.password == before


def test_what_one_has_can_be_given_and_what_one_has_not_stays(
    browser: Client, manager: User, alice: User
) -> None:
    alice.groups.set(groups(STAFF, AUDITORS))
    publish, view = (Permission.objects.get(codename=c) for c in ("publish_document", "view_user"))
    alice.user_permissions.add(publish)
    given = {"groups": groups(CLINICIANS), "user_permissions": [view.pk], "first_name": "Alice"}
    assert browser.post(address(alice), form(alice, **given)).status_code == 302
    alice.refresh_from_db()
    assert alice.first_name == "Alice"
    assert names(alice) == {CLINICIANS, STAFF, AUDITORS}
    assert set(alice.user_permissions.all()) == {publish, view}
    assert browser.post(address(alice), form(alice)).status_code == 302
    assert names(alice) == {STAFF, AUDITORS}
    assert set(alice.user_permissions.all()) == {publish}


def test_a_superuser_is_out_of_reach(browser: Client, root: User) -> None:
    page = browser.get(address(root)).content
    assert b'name="_save"' not in page
    before = User.objects.filter(pk=root.pk).values().get()
    forged = form(root, username="root2", is_active="")
    assert browser.post(address(root), forged).status_code == 403
    assert browser.post(address(root, "delete"), {"post": "yes"}).status_code == 403
    action = {"action": "delete_selected", "_selected_action": root.pk, "post": "yes"}
    browser.post("/admin/auth/user/", action)
    assert User.objects.filter(pk=root.pk).values().get() == before


@pytest.mark.parametrize("whose", ["root", "alice", "manager"])
def test_another_s_password_is_not_offered_and_not_taken(
    browser: Client, root: User, alice: User, whose: str
) -> None:
    user = User.objects.get(username=whose)
    assert b"../password/" not in browser.get(address(user)).content
    new = {"password1": "another-secret-9", "password2": "another-secret-9"}
    new["usable_password"] = "true"
    assert browser.get(address(user, "password")).status_code == 403
    assert browser.post(address(user, "password"), new).status_code == 403
    user.refresh_from_db()
    assert user.check_password(f"{whose}-secret")


def test_one_s_own_password_can_be_changed(browser: Client, manager: User) -> None:
    new = {"old_password": "manager-secret", "new_password1": "k3ttle-of-fish"}
    new["new_password2"] = new["new_password1"]
    assert browser.post("/admin/password_change/", new).status_code == 302
    manager.refresh_from_db()
    assert manager.check_password("k3ttle-of-fish")


def test_a_new_account_has_no_rights(browser: Client) -> None:
    new = {"username": "new", "password1": "k3ttle-of-fish", "password2": "k3ttle-of-fish"}
    forged = {"is_superuser": "on", "is_staff": "on", "groups": groups(PUBLISHERS)}
    response = browser.post("/admin/auth/user/add/", {**new, "usable_password": "true", **forged})
    assert response.status_code == 302
    user = User.objects.get(username="new")
    assert not (user.is_superuser or user.is_staff or user.groups.exists())


def test_only_superusers_change_groups(browser: Client, root: User) -> None:
    (clinicians,) = groups(CLINICIANS)
    publish = Permission.objects.get(codename="publish_document").pk
    for path, fields in (
        (f"{clinicians}/change/", {"name": CLINICIANS, "permissions": [publish]}),
        ("add/", {"name": "New", "permissions": [publish]}),
        (f"{clinicians}/delete/", {"post": "yes"}),
    ):
        assert browser.post(f"/admin/auth/group/{path}", fields).status_code == 403
    browser.force_login(root)
    fields = {"name": CLINICIANS, "permissions": [publish]}
    browser.post(f"/admin/auth/group/{clinicians}/change/", fields)
    assert Group.objects.get(pk=clinicians).permissions.count() == 1


def test_a_superuser_does_all_of_it(browser: Client, root: User, alice: User) -> None:
    browser.force_login(root)
    fields = {"groups": groups(PUBLISHERS), "is_superuser": "on", "is_staff": "on"}
    assert browser.post(address(alice), form(alice, **fields)).status_code == 302
    alice.refresh_from_db()
    assert alice.is_superuser and names(alice) == {PUBLISHERS}
    new = {"password1": "another-secret-9", "password2": "another-secret-9"}
    new["usable_password"] = "true"
    browser.post(address(alice, "password"), new)
    alice.refresh_from_db()
    assert alice.check_password("another-secret-9")


@pytest.mark.parametrize(
    ("named", "fields", "is_warned"),
    [
        ((CLINICIANS, STAFF), {}, True),
        ((CLINICIANS, STAFF), {"is_staff": "on"}, False),
        ((CLINICIANS,), {}, False),
    ],
)
def test_a_group_of_the_administration_without_a_way_in_is_told(
    root: User, alice: User, named: tuple[str, ...], fields: dict[str, str], is_warned: bool
) -> None:
    client = client_of(root)
    told = form(alice, groups=groups(*named), **fields)
    page = client.post(address(alice), told, follow=True).content.decode()
    assert ("is in Corpus staff, and can&#x27;t enter the administration" in page) == is_warned


def test_nobody_makes_a_token_in_another_s_name_in_the_administration(
    browser: Client, root: User
) -> None:
    browser.force_login(root)
    assert browser.get("/admin/knox/authtoken/add/").status_code == 404


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


@pytest.mark.django_db
def test_runs_as_the_application() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, current_database()")
        user, database = cursor.fetchone()
    assert user == "medrag_app"
    assert database.startswith("test_")


def test_own_database_commits(own_database: str) -> None:
    from corpus.models import Collection

    Collection.objects.create(slug="a", name="A")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), count(*) FROM corpus_collection")
        assert cursor.fetchone() == (own_database, 1)
