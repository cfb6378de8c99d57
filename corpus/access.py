"""Decide who may search, upload to and publish in a collection.

A right needs Django's permission, where one is named here; a group set on the collection restricts
it to that group's members. Superusers have all rights. Nobody (None: the system itself, a command
without a user) is in no group and so has no access to restricted collections. Searches express the
same in their own SQL (`retrieval/scope.py`); a test keeps the two equal.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet

from core.errors import MedragError
from corpus.models import Collection, Document


class NotPermitted(MedragError):
    """The person lacks a right. The sentence names neither the document nor its collection."""

    code = "not_permitted"


def refuse_without(user: User | AnonymousUser, *rights: str) -> None:
    """Raise PermissionDenied, which names the right, for a user with none of these `rights`."""
    if not any(user.has_perm(right) for right in rights):
        raise PermissionDenied(
            f"This takes the right `{rights[0]}`, which this account does not have. Nothing was "
            "changed. An administrator can add the account to a group that has it."
        )


def collections_searchable(user: User | None) -> QuerySet[Collection]:
    """Return the collections that the user may search and read, which needs no permission.

    Concerns published documents only.
    """
    return _narrowed(user, "searchers")


def collections_uploadable(user: User | None) -> QuerySet[Collection]:
    return _narrowed(user, "uploaders", permission="corpus.add_document")


def collections_publishable(user: User | None) -> QuerySet[Collection]:
    """Return the collections where the user may publish, return, supersede and withdraw."""
    return _narrowed(user, "publishers", permission="corpus.publish_document")


def documents_visible(user: User | None) -> QuerySet[Document]:
    """Return the documents, drafts included, that the administration shows the user.

    None without the permission to view documents: that keeps drafts from clinicians.
    """
    if user is None or not user.has_perm("corpus.view_document"):
        return Document.objects.none()
    collections = (
        collections_searchable(user) | collections_uploadable(user) | collections_publishable(user)
    )
    return Document.objects.filter(collection__in=collections.order_by().values("pk"))


def may_upload(user: User | None, collection: Collection) -> bool:
    """Tell whether the user may upload to the collection. Runs one query."""
    return collections_uploadable(user).filter(pk=collection.pk).exists()


def may_publish(user: User | None, document: Document) -> bool:
    """Tell whether the user may publish the document. Runs one query.

    The rule of two persons is checked elsewhere.
    """
    return collections_publishable(user).filter(pk=document.collection_id).exists()


def readable_ids(user: User | None) -> frozenset[int]:
    """Return the ids of collections whose documents the user may know. Runs one query."""
    return frozenset(collections_searchable(user).order_by().values_list("pk", flat=True))


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
