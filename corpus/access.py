"""Who may search, upload to and publish in a collection, and what follows for its documents.

A right needs Django's permission, where one is named here; a group named on the collection narrows
it to that group's members. Superusers may everything. Nobody (None: the system itself, a command
without a name) is in no group, so that what is narrowed is closed to it. The searches say the same
in their own SQL (`retrieval/scope.py`); a test holds the two together.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet

from core.errors import MedragError
from corpus.models import Collection, Document


class NotPermitted(MedragError):
    """The person lacks a right. The sentence names neither the document nor its collection."""

    code = "not_permitted"


def collections_searchable(user: User | None) -> QuerySet[Collection]:
    """Return what the user finds and reads, published documents only. It takes no permission to
    ask.
    """
    return _narrowed(user, "searchers")


def collections_uploadable(user: User | None) -> QuerySet[Collection]:
    return _narrowed(user, "uploaders", permission="corpus.add_document")


def collections_publishable(user: User | None) -> QuerySet[Collection]:
    """Return where the user publishes, sends back, supersedes and withdraws."""
    return _narrowed(user, "publishers", permission="corpus.publish_document")


def documents_visible(user: User | None) -> QuerySet[Document]:
    """Return what the administration shows, drafts among it, of the collections that the user works
    in.

    None without the permission to view documents: that keeps drafts from clinicians.
    """
    if user is None or not user.has_perm("corpus.view_document"):
        return Document.objects.none()
    shelves = (
        collections_searchable(user) | collections_uploadable(user) | collections_publishable(user)
    )
    return Document.objects.filter(collection__in=shelves.order_by().values("pk"))


def may_upload(user: User | None, collection: Collection) -> bool:
    """Return one query."""
    return collections_uploadable(user).filter(pk=collection.pk).exists()


def may_publish(user: User | None, document: Document) -> bool:
    """Return one query. Two persons, where the setting wants them, are another matter."""
    return collections_publishable(user).filter(pk=document.collection_id).exists()


def readable_ids(user: User | None) -> frozenset[int]:
    """Primary keys of the collections whose documents may be named to the user. One query."""
    return frozenset(collections_searchable(user).order_by().values_list("pk", flat=True))


def is_narrowed(reader: int | None) -> bool:
    """Tell whether a collection is closed to the user with this primary key. At most two
    queries.
    """
    user = None if reader is None else User.objects.get(pk=reader)
    open_ = collections_searchable(user).order_by().values("pk")
    return Collection.objects.exclude(pk__in=open_).exists()


def _narrowed(user: User | None, right: str, *, permission: str = "") -> QuerySet[Collection]:
    collections = Collection.objects.all()
    if user is not None:
        if not user.is_active or (permission and not user.has_perm(permission)):
            return collections.none()
        if user.is_superuser:
            return collections
    named = getattr(Collection, right).through.objects.filter(collection=OuterRef("pk"))
    open_to_all = ~Exists(named)
    if user is None:
        return collections.filter(open_to_all)
    return collections.filter(open_to_all | Exists(named.filter(group__user=user)))
