"""Test edits of a document's and a collection's metadata."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from corpus import signals
from corpus.access import NotPermitted
from corpus.encoders.registry import encoder_facts
from corpus.indexing.recipe import fingerprint, site_recipe
from corpus.models import Collection, Document, Job, JobState, Lifecycle
from corpus.services import embedding
from corpus.services.collections import collection_save
from corpus.services.embedding import Made
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_supersede
from corpus.services.metadata import BadValue, document_edit
from medrag_site.groups import PUBLISHERS, STAFF
from tests.corpora import publish, shelf
from tests.corpus.listening import heard, refused
from tests.people import narrow, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def document() -> Document:
    return publish("# Anaemia\nGive 1 tablet of iron daily.")


def test_only_what_differs_is_written_and_told(document: Document, alice: User) -> None:
    indexed_at = document.indexed_at
    Document.objects.filter(pk=document.pk).update(issuer="Another person")
    day = datetime.date(2027, 1, 1)
    changes = {"title": " Anaemia\x00  in adults ", "version": document.version, "review_by": day}
    with heard(signals.document_edited, "fields") as told:
        assert document_edit(document, by=alice, changes=changes) == ("review_by", "title")
        assert document_edit(document, by=alice, changes=changes) == ()
    assert told == [("review_by", "title")]
    stored = Document.objects.get(pk=document.pk)
    assert (stored.title, stored.review_by) == ("Anaemia in adults", day)
    assert (stored.issuer, stored.indexed_at) == ("Another person", indexed_at)
    assert (document.title, document.review_by) == (stored.title, day)


@pytest.mark.parametrize(
    "changes",
    [
        {"title": ""},
        {"title": "x" * 501},
        {"source_url": "javascript:alert(1)"},
        {"authority": "galactic"},
        {"year": -1},
    ],
)
def test_a_bad_value_changes_nothing(document: Document, changes: dict[str, Any]) -> None:
    with pytest.raises(BadValue):
        document_edit(document, by=None, changes={"issuer": "New", **changes})
    assert Document.objects.get(pk=document.pk).issuer == document.issuer


@pytest.mark.parametrize("name", ["lifecycle", "sha256", "indexed_at", "uploaded_by", "nonsense"])
def test_what_is_not_to_be_edited_is_refused(document: Document, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        document_edit(document, by=None, changes={name: "x"})


def test_an_edit_that_can_not_be_recorded_does_not_happen(document: Document) -> None:
    stored = Document.objects.filter(pk=document.pk)
    with refused(signals.document_edited, lambda: stored.get().title == "Other"):
        document_edit(document, by=None, changes={"title": "Other"})
    assert Document.objects.get(pk=document.pk).title == "Anaemia"


def test_moving_a_document_takes_the_right_to_both_collections(document: Document) -> None:
    """Otherwise a member of the open collection could open a narrowed document."""
    narrow(shelf("blood"), "uploaders", "Haematology")
    narrow(shelf("blood"), "publishers", "Haematology")
    move = {"collection": shelf("blood")}
    for user in (None, person("a", STAFF), person("b", "Haematology")):
        with pytest.raises(NotPermitted):
            document_edit(document, by=user, changes=move)
    uploads = person("e", STAFF, "Haematology")
    with pytest.raises(NotPermitted):  # the document is published
        document_edit(document, by=uploads, changes=move)
    member = person("c", STAFF, PUBLISHERS, "Haematology")
    assert document_edit(document, by=member, changes=move) == ("collection",)
    back = {"collection": shelf("general")}
    with pytest.raises(NotPermitted):
        document_edit(document, by=person("d", PUBLISHERS), changes=back)
    assert Document.objects.get(pk=document.pk).collection == shelf("blood")


def test_whom_a_published_document_is_for_only_its_publishers_change(document: Document) -> None:
    change = {"population": "children"}
    staff = person("a", STAFF)
    with pytest.raises(NotPermitted, match="population"):
        document_edit(document, by=staff, changes=change)
    assert document_edit(document, by=staff, changes={"issuer": "Trust"}) == ("issuer",)
    assert document_edit(document, by=person("c", PUBLISHERS), changes=change) == ("population",)


def test_a_collection_and_its_groups_are_changed_and_told_together(alice: User) -> None:
    rights: dict[str, list[Group]] = {"searchers": [Group.objects.create(name="Haematology")]}
    shelf_, named = Collection(slug="blood"), {"name": "Blood"}
    with heard(signals.collection_changed, "fields") as told:
        made = collection_save(shelf_, by=alice, changes=named, rights=rights)
        again = collection_save(shelf_, by=alice, changes=named, rights=rights)
        opened = collection_save(shelf_, by=alice, changes={}, rights={"searchers": []})
    assert (made, again, opened) == (("name", "searchers"), (), ("searchers",))
    assert told == [("name", "searchers"), ("searchers",)]
    assert list(Collection.objects.get(slug="blood").searchers.all()) == []


def test_a_change_of_rights_that_can_not_be_recorded_does_not_happen(alice: User) -> None:
    shelf_, team = shelf("blood"), Group.objects.create(name="Haematology")
    with refused(signals.collection_changed, lambda: shelf_.publishers.exists()):
        collection_save(shelf_, by=alice, changes={}, rights={"publishers": [team]})
    assert not shelf_.publishers.exists()
    with pytest.raises(ValueError, match="readers"):
        collection_save(shelf_, by=alice, changes={}, rights={"readers": [team]})


def test_what_stands_before_its_passages_is_indexed_anew(document: Document) -> None:
    document_edit(document, by=None, changes={"version": "2"})
    assert Job.objects.get(document=document).state == JobState.DONE
    document_edit(document, by=None, changes={"title": "Iron", "population": "children"})
    assert Job.objects.get(document=document).state == JobState.PENDING
    document_index(document.pk)
    assert document.chunks.get().context.startswith("Iron")
    document.refresh_from_db()
    assert document.index_fingerprint == fingerprint(document, site_recipe(encoder_facts()))


def test_an_edit_while_it_is_indexed_is_not_lost(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_edit(document, by=None, changes={"title": "Iron"})
    encode = embedding.passages_encode

    def edited_meanwhile(*args: Any) -> Made:
        document_edit(document, by=None, changes={"title": "Iron by mouth"})
        return encode(*args)

    monkeypatch.setattr("corpus.services.indexing.passages_encode", edited_meanwhile)
    document_index(document.pk)
    assert document.chunks.get().context.startswith("Iron by mouth")
    assert Job.objects.get(document=document).state == JobState.DONE
    document.refresh_from_db()
    assert document.index_fingerprint == fingerprint(document, site_recipe(encoder_facts()))


def test_a_successor_inherits_what_it_does_not_say_until_that_is_changed(
    document: Document, alice: User
) -> None:
    said = {"issuer": "NICE", "population": "adult", "specialty": "Blood", "licence": "OGL"}
    Document.objects.filter(pk=document.pk).update(**said)
    new = publish("# Anaemia, revised\nGive 2 tablets of iron daily.")
    Document.objects.filter(pk=new.pk).update(issuer="WHO")
    with heard(signals.document_edited, "fields") as told:
        document_supersede(document, by=None, successor=new)
    assert told == [("licence", "population", "specialty")]
    stored = Document.objects.get(pk=new.pk)
    assert {name: getattr(stored, name) for name in said} == {**said, "issuer": "WHO"}
    assert stored.inherited == new.inherited == ["licence", "population", "specialty"]
    assert Job.objects.get(document=new).state == JobState.PENDING  # its passages name whom for
    assert document.lifecycle == Lifecycle.SUPERSEDED

    document_edit(stored, by=None, changes={"population": "child", "licence": "OGL"})
    stored.refresh_from_db()
    assert (stored.population, stored.inherited) == ("child", ["licence", "specialty"])


def test_what_has_nothing_to_inherit_is_not_edited(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(issuer="NICE")
    new = publish("# Anaemia, revised\nGive 2 tablets of iron daily.")
    Document.objects.filter(pk=new.pk).update(issuer="WHO")
    with heard(signals.document_edited, "fields") as told:
        document_supersede(document, by=None, successor=new)
    assert told == []
    assert Document.objects.get(pk=new.pk).inherited == []


def test_nobody_inherits_into_a_collection_where_they_may_not_publish(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(population="adult")
    new = publish("# Anaemia, revised\nGive 2 tablets of iron daily.", collection="blood")
    narrow(new.collection, "publishers", "Haematology")
    document_supersede(document, by=person("publisher", PUBLISHERS), successor=new)
    stored = Document.objects.get(pk=new.pk)
    assert (stored.population, stored.inherited) == ("", [])
    assert document.lifecycle == Lifecycle.SUPERSEDED
