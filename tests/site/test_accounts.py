"""The groups and the demonstration accounts."""

import pytest
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.test import Client

from medrag_site.accounts import PERMISSIONS, demo_accounts, ensure_groups


def test_groups_have_exactly_their_permissions(db: None) -> None:
    ensure_groups()
    auditors = Group.objects.get(name="Auditors")
    auditors.permissions.add(*Group.objects.get(name="Corpus staff").permissions.all())
    ensure_groups()
    for name, labels in PERMISSIONS.items():
        permissions = Group.objects.get(name=name).permissions.select_related("content_type")
        assert {f"{p.content_type.app_label}.{p.codename}" for p in permissions} == set(labels)


def test_auditors_change_nothing_but_reviews(db: None) -> None:
    writing = [
        label
        for label in PERMISSIONS["Auditors"]
        if label.split(".")[1].split("_")[0] in ("add", "change", "delete", "publish")
    ]
    assert writing == ["chat.add_review", "chat.change_review"]


def test_the_accounts_can_sign_in_where_they_work(db: None, client: Client) -> None:
    made = demo_accounts()
    names = ["staff", "publisher", "clinician", "auditor", "evaluator"]
    assert [name for name, _, _ in made] == names
    assert len({password for _, _, password in made}) == 5
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
