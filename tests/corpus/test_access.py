"""Test who may search, upload and publish in which collection, and so which documents they see."""

import pytest
from django.contrib.auth.models import User

from corpus.access import (
    collections_publishable,
    collections_searchable,
    collections_uploadable,
    documents_visible,
    may_publish,
    may_upload,
    readable_ids,
)
from corpus.models import Collection, Document, Lifecycle
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.corpora import shelf
from tests.people import narrow, person

pytestmark = pytest.mark.django_db
TEAM = "Haematology"


@pytest.fixture(autouse=True)
def shelves() -> None:
    """Make collections: `open` for all, three narrowed in one right each, `blood` in all three."""
    shelf("open")
    narrow(shelf("found"), "searchers", TEAM)
    narrow(shelf("filled"), "uploaders", TEAM)
    narrow(shelf("approved"), "publishers", TEAM)
    for right in ("searchers", "uploaders", "publishers"):
        narrow(shelf("blood"), right, TEAM)


EVERY = {"open", "found", "filled", "approved", "blood"}
# search, upload, publish
RIGHTS: dict[str, tuple[tuple[str, ...], set[str], set[str], set[str]]] = {
    "nobody in particular": ((), EVERY - {"found", "blood"}, set(), set()),
    "clinician": ((CLINICIANS,), EVERY - {"found", "blood"}, set(), set()),
    "clinician of the team": ((CLINICIANS, TEAM), EVERY, set(), set()),
    "staff": ((STAFF,), EVERY - {"found", "blood"}, EVERY - {"filled", "blood"}, set()),
    "staff of the team": ((STAFF, TEAM), EVERY, EVERY, set()),
    "publisher": ((PUBLISHERS,), EVERY - {"found", "blood"}, set(), EVERY - {"approved", "blood"}),
    "publisher of the team": ((PUBLISHERS, TEAM), EVERY, set(), EVERY),
}


def slugs(collections: object) -> set[str]:
    return {collection.slug for collection in collections}  # type: ignore[attr-defined]


@pytest.mark.parametrize("who", RIGHTS)
def test_a_group_narrows_a_right_and_none_leaves_it_to_all_who_have_it(who: str) -> None:
    groups, search, upload, publish = RIGHTS[who]
    user = person("x", *groups)
    assert slugs(collections_searchable(user)) == search
    assert slugs(collections_uploadable(user)) == upload
    assert slugs(collections_publishable(user)) == publish
    assert readable_ids(user) == {shelf(slug).pk for slug in search}
    for slug in EVERY:
        assert may_upload(user, shelf(slug)) == (slug in upload)
        assert may_publish(user, Document(collection=shelf(slug))) == (slug in publish)


def test_a_superuser_may_everything_and_an_account_that_is_closed_nothing() -> None:
    root = person("root", is_superuser=True)
    for rights in (collections_searchable, collections_uploadable, collections_publishable):
        assert slugs(rights(root)) == EVERY
    User.objects.filter(pk=root.pk).update(is_active=False)
    root = User.objects.get(pk=root.pk)
    for rights in (collections_searchable, collections_uploadable, collections_publishable):
        assert slugs(rights(root)) == set()


def test_nobody_has_only_what_names_no_group() -> None:
    assert slugs(collections_searchable(None)) == EVERY - {"found", "blood"}
    assert slugs(collections_uploadable(None)) == EVERY - {"filled", "blood"}
    assert slugs(collections_publishable(None)) == EVERY - {"approved", "blood"}


def draft_in(slug: str) -> Document:
    return Document.objects.create(
        sha256=slug.ljust(64, "0"), title=slug, collection=shelf(slug), size_bytes=1
    )


@pytest.mark.parametrize(
    ("groups", "seen"),
    [
        ((CLINICIANS, TEAM), set()),  # the right to ask doesn't include drafts
        ((STAFF,), {"open", "found", "filled", "approved"}),
        ((PUBLISHERS,), {"open", "found", "filled", "approved"}),
        ((AUDITORS,), {"open", "filled", "approved"}),
        ((STAFF, TEAM), EVERY),
    ],
)
def test_the_administration_shows_what_somebody_works_with(
    groups: tuple[str, ...], seen: set[str]
) -> None:
    """Staff see `found`, which they fill and may not search; without any right nothing is seen."""
    for slug in EVERY:
        draft_in(slug)
    user = person("x", *groups)
    assert {document.title for document in documents_visible(user)} == seen


def test_the_right_ends_with_the_membership(django_assert_num_queries: object) -> None:
    user = person("x", CLINICIANS, TEAM)
    assert shelf("blood").pk in readable_ids(user)
    user.groups.filter(name=TEAM).get().user_set.remove(user)
    assert shelf("blood").pk not in readable_ids(user)


def test_a_document_in_two_groups_ways_is_listed_once() -> None:
    narrow(shelf("blood"), "searchers", TEAM, "Surgery")
    document = draft_in("blood")
    user = person("x", STAFF, TEAM, "Surgery")
    assert list(collections_searchable(user).filter(slug="blood")) == [shelf("blood")]
    assert list(documents_visible(user)) == [document]
    assert document.lifecycle == Lifecycle.DRAFT
    assert Collection.objects.count() == len(EVERY)
