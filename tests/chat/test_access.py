"""Test who may see what, and that "missing" and "not yours" get the same answer."""

import uuid

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.http import Http404
from django.test import Client
from django.urls import reverse

from chat.models import Citation
from chat.selectors import (
    access_citation,
    access_conversation,
    access_document,
    access_page,
    access_turn,
    conversations_of,
)
from corpus.models import Document, Lifecycle
from medrag_site.groups import AUDITORS, PERMISSIONS, STAFF, groups_give
from tests.chat.guidelines import ask


def in_group(user: User, name: str) -> User:
    user.groups.add(Group.objects.get(name=name))
    return User.objects.get(pk=user.pk)


def test_her_own_things_are_hers(alice: User, guideline: Document) -> None:
    turn = ask(alice)
    citation = Citation.objects.get(claim__turn=turn, claim__index=1)
    assert turn.conversation_id is not None
    assert access_conversation(alice, pk=turn.conversation_id).pk == turn.conversation_id
    assert access_turn(alice, pk=turn.pk) == turn
    assert access_citation(alice, pk=citation.pk) == citation
    assert list(conversations_of(alice)) == [turn.conversation]


def test_another_gets_the_404_of_what_is_missing(
    alice: User, mallory: User, guideline: Document
) -> None:
    turn = ask(alice)
    citation = Citation.objects.filter(claim__turn=turn).first()
    assert turn.conversation_id is not None
    assert citation is not None
    messages = set()
    for pk in (turn.conversation_id, uuid.uuid4()):
        with pytest.raises(Http404) as caught:
            access_conversation(mallory, pk=pk)
        messages.add(str(caught.value))
    for pk in (turn.pk, uuid.uuid4()):
        with pytest.raises(Http404):
            access_turn(mallory, pk=pk)
    for number in (citation.pk, 0):
        with pytest.raises(Http404):
            access_citation(mallory, pk=number)
    assert len(messages) == 1
    assert list(conversations_of(mallory)) == []


def test_an_auditor_sees_a_citation_but_not_the_conversation(
    alice: User, bob: User, guideline: Document
) -> None:
    turn = ask(alice)
    auditor = in_group(bob, AUDITORS)
    citation = Citation.objects.filter(claim__turn=turn).first()
    assert citation is not None
    assert turn.conversation_id is not None
    assert access_citation(auditor, pk=citation.pk) == citation
    with pytest.raises(Http404):
        access_conversation(auditor, pk=turn.conversation_id)


@pytest.mark.parametrize("lifecycle", [Lifecycle.DRAFT, Lifecycle.REVIEW])
def test_a_draft_is_for_staff_only(
    lifecycle: Lifecycle, alice: User, bob: User, guideline: Document
) -> None:
    Document.objects.update(lifecycle=lifecycle)
    with pytest.raises(Http404):
        access_document(alice, sha256=guideline.sha256)
    assert access_document(in_group(bob, STAFF), sha256=guideline.sha256) == guideline


@pytest.mark.parametrize("lifecycle", [Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN])
def test_what_was_in_force_once_stays_readable(
    lifecycle: Lifecycle, alice: User, guideline: Document
) -> None:
    Document.objects.update(lifecycle=lifecycle)
    document = access_document(alice, sha256=guideline.sha256)
    assert access_page(document, number=1).document == document
    with pytest.raises(Http404):
        access_page(document, number=2)


@pytest.mark.parametrize("name", ["home", "conversations"])
def test_pages_are_for_people_who_are_signed_in(name: str, db: None, client: Client) -> None:
    response = client.get(reverse(f"chat:{name}"))
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/?next=/")


def test_sources_are_for_people_who_are_signed_in(guideline: Document, client: Client) -> None:
    sha256 = guideline.sha256
    for address in (
        reverse("chat:source", args=[sha256, 1]),
        reverse("chat:page_image", args=[sha256, 1]),
        reverse("chat:original", args=[sha256]),
        reverse("chat:citation", args=[1]),
    ):
        assert client.get(address).status_code == 302


def test_a_draft_has_no_picture_and_no_download_for_a_clinician(
    alice: User, guideline: Document, client: Client
) -> None:
    Document.objects.update(lifecycle=Lifecycle.DRAFT)
    client.force_login(alice)
    for name, arguments in (("source", [1]), ("page_image", [1]), ("original", [])):
        address = reverse(f"chat:{name}", args=[guideline.sha256, *arguments])
        assert client.get(address).status_code == 404


def test_an_expired_session_sends_htmx_to_the_sign_in_page(db: None, client: Client) -> None:
    here = "http://testserver/conversations/"
    response = client.post(
        reverse("chat:ask"), headers={"hx-request": "true", "hx-current-url": here}
    )
    assert response.status_code == 200
    assert response["HX-Redirect"] == "/sign-in/?next=/conversations/"
    assert not response.content


def test_permissions_of_the_groups_exist(db: None) -> None:
    groups_give(PERMISSIONS)
    groups_give(PERMISSIONS)
    assert Group.objects.count() == len(PERMISSIONS)
    publishes = Permission.objects.get(codename="publish_document")
    assert sorted(publishes.group_set.values_list("name", flat=True)) == ["Publishers"]
