"""What staff see of watched sources: a count, a line, a page and a button, by their rights."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_q.models import OrmQ
from pytest_django import Settings

from corpus.models import Document, Lifecycle, Source
from corpus.sources.specs import SourceSpec
from medrag_site.groups import PUBLISHERS, STAFF
from tests.corpora import shelf
from tests.corpus.admin.test_admin import closed_shelf, member
from tests.corpus.sources.watched import look, put, spec_of
from tests.people import narrow
from tests.site.test_start_page import waiting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("spec")]
LIST = reverse("admin:corpus_source_changelist")


@pytest.fixture
def spec(tmp_path: Path, settings: Settings) -> SourceSpec:
    """Watch three files, of which one goes."""
    found = spec_of(tmp_path)
    settings.SOURCES = (found,)
    for name in ("a.md", "b.md", "c.md"):
        put(tmp_path, name, f"Text of {name}.")
    look(found)
    (tmp_path / "a.md").unlink()
    look(found)
    return found


def page_of(source: Source) -> str:
    return reverse("admin:corpus_source_change", args=[source.pk])


def listed(client: Client) -> list[str]:
    found = client.get(reverse("admin:corpus_document_changelist"), {"attention": "gone"})
    return [row.title for row in found.context["cl"].result_list]


def test_what_is_gone_is_counted_until_it_is_decided(alice: User, settings: Settings) -> None:
    client = member(alice, STAFF)
    for state, counts in ((x, x in ("DRAFT", "REVIEW", "PUBLISHED")) for x in Lifecycle):
        Document.objects.update(lifecycle=state)
        assert waiting(client)["gone"] == counts
        assert listed(client) == (["a"] if counts else [])
    settings.SOURCES = ()  # named no more: no task
    assert "gone" not in waiting(client)
    assert listed(client) == []


def test_a_document_that_only_moved_is_not_gone(spec: SourceSpec, alice: User) -> None:
    assert spec.folder is not None
    put(spec.folder, "archive/a.md", "Text of a.md.")
    look(spec)
    assert waiting(member(alice, STAFF))["gone"] == 0


def test_the_version_in_force_is_gone_with_its_file(spec: SourceSpec, alice: User) -> None:
    assert spec.folder is not None
    put(spec.folder, "b.md", "Text of b.md, changed.")
    look(spec)
    Document.objects.exclude(title="a").update(lifecycle=Lifecycle.PUBLISHED)
    client = member(alice, STAFF)
    assert waiting(client)["gone"] == 1
    old = Document.objects.filter(title="b").earliest("pk")
    told = client.get(reverse("admin:corpus_document_change", args=[old.pk])).content.decode()
    assert "From trust: b.md, last seen " in told
    assert "another version stands there now" in told
    (spec.folder / "b.md").unlink()
    look(spec)
    assert listed(client) == ["b", "b", "a"]


def test_the_page_of_a_document_names_its_place_to_those_who_know_the_source(
    alice: User, settings: Settings
) -> None:
    document = Document.objects.get(title="a")
    url = reverse("admin:corpus_document_change", args=[document.pk])
    client = member(alice, STAFF, PUBLISHERS)
    told = client.get(url).content.decode()
    assert "From trust: a.md, last seen " in told
    assert "gone at its source</strong> since " in told
    Source.objects.update(collection=closed_shelf())
    assert "From trust" not in client.get(url).content.decode()


def test_the_page_of_a_source_tells_what_needs_somebody(spec: SourceSpec, alice: User) -> None:
    assert spec.folder is not None
    put(spec.folder, "bad.exe", "MZ")
    source = look(spec)
    client = member(alice, STAFF)
    page = client.get(LIST)
    assert "MEDRAG_SOURCES" not in page.content.decode()
    (row,) = page.context["cl"].result_list
    assert (row.present, row.faulty, row.missing) == (3, 1, 1)
    told = client.get(page_of(source)).content.decode()
    assert "Gone since" in told
    assert "Files of this type can&#x27;t be read." in told
    assert "b.md" not in told
    assert "Look now" in told


def test_a_look_is_asked_for_by_those_who_may_add_documents(alice: User) -> None:
    source = Source.objects.get()
    url = reverse("admin:corpus_source_look", args=[source.pk])
    publisher = member(alice, PUBLISHERS)
    assert "Look now" not in publisher.get(page_of(source)).content.decode()
    assert publisher.post(url).status_code == 403
    staff = member(alice, STAFF)
    assert staff.get(url).status_code == 403
    assert not Source.objects.get().is_wanted
    waited = OrmQ.objects.count()
    assert staff.post(url, follow=True).status_code == 200
    assert Source.objects.get().is_wanted
    assert OrmQ.objects.count() == waited + 1


def test_a_source_is_hidden_with_its_collection(alice: User) -> None:
    source = Source.objects.get()
    for right in ("searchers", "uploaders", "publishers"):
        narrow(shelf(), right, "Board")
    client = member(alice, STAFF)
    page = client.get(LIST)
    assert list(page.context["cl"].result_list) == []
    assert "<code>MEDRAG_SOURCES</code>" in page.content.decode()
    assert client.get(page_of(source)).status_code == 302  # as for one that is missing
    look_now = reverse("admin:corpus_source_look", args=[source.pk])
    assert client.post(look_now).status_code == 404
    assert client.post(reverse("admin:corpus_source_look", args=[0])).status_code == 404
    assert waiting(client)["gone"] == 0


def test_nobody_changes_a_source_by_hand(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    client = member(alice, STAFF)
    source = Source.objects.get()
    assert client.get(reverse("admin:corpus_source_add")).status_code == 403
    delete = reverse("admin:corpus_source_delete", args=[source.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403
    assert client.post(page_of(source), {"name": "other"}).status_code == 403
