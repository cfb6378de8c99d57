"""Collections over the API, with the user's rights in each."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.documents.guarded import OfDocuments
from chat.api.guarded import NOT_FOUND, problems, user_of
from chat.api.pages import ByName, Listed, PageRequest
from corpus.access import (
    collections_publishable,
    collections_searchable,
    collections_uploadable,
    documents_visible,
)
from corpus.models import Collection, Lifecycle
from corpus.staff_selectors import collections_seen

RIGHTS = [
    ("search", "Find and read what is published in it"),
    ("upload", "Add documents to it"),
    ("publish", "Publish, supersede and withdraw its documents"),
]


class CollectionResponse(serializers.ModelSerializer[Collection]):
    documents = serializers.IntegerField(
        source="size", min_value=0, help_text="Documents that you can work with, including drafts."
    )
    published = serializers.IntegerField(min_value=0, help_text="Published documents among them.")
    may = serializers.SerializerMethodField(help_text="Your rights in the collection.")

    class Meta:
        model = Collection
        fields = (
            "slug", "name", "description", "owner_name", "owner_contact", "documents",
            "published", "may",
        )  # fmt: skip

    def get_may(self, collection: Collection) -> list[str]:
        return [right for right, _ in RIGHTS if collection.pk in self.context["open"][right]]


class CollectionsView(OfDocuments, Listed):
    serializer_class = CollectionResponse
    pagination_class = ByName

    @extend_schema(
        operation_id="collections",
        summary="List your collections",
        description="In order of name. Collections that are closed to you are left out.",
        parameters=[PageRequest],
        responses={200: CollectionResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=examples.of("COLLECTIONS", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        self.asked()
        return self.paged(_counted(user), "collections", open=_rights(user))


def _counted(user: User) -> QuerySet[Collection]:
    mine = documents_visible(user).filter(collection=OuterRef("pk")).order_by()
    published = mine.filter(lifecycle=Lifecycle.PUBLISHED)
    counts: dict[str, Any] = {
        name: Coalesce(
            Subquery(documents.values("collection").annotate(n=Count("pk")).values("n")),
            0,
            output_field=IntegerField(),
        )
        for name, documents in (("size", mine), ("published", published))
    }
    return collections_seen(user).annotate(**counts)


def _rights(user: User) -> dict[str, set[int]]:
    """Return the collections that a user may search, upload to and publish in. Three queries."""
    open_ = {
        "search": collections_searchable(user),
        "upload": collections_uploadable(user),
        "publish": collections_publishable(user),
    }
    return {right: set(rows.values_list("pk", flat=True)) for right, rows in open_.items()}
