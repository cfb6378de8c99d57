"""Who asks: what they may do here."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.guarded import Guarded, problems, record_read, user_of
from chat.models import Scope
from chat.selectors import collections_in_force, may_read_every_turn
from chat.sign_in.tokens import Granted
from corpus.access import collections_publishable, collections_uploadable

RIGHTS = [
    ("ask", "Ask, and search"),
    ("upload", "Add documents to a collection"),
    ("publish", "Publish, supersede and withdraw documents of a collection"),
    ("audit", "Read everybody's turns with their traces"),
]


class OpenCollection(serializers.Serializer[Any]):
    slug = serializers.SlugField()
    name = serializers.CharField()
    in_force = serializers.IntegerField(min_value=0, help_text="How many documents are searched.")


class TokenResponse(serializers.Serializer[Any]):
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices), help_text="What it may be used for."
    )
    expires = serializers.DateTimeField(allow_null=True, help_text="When it ends; null: never.")


class MeResponse(serializers.Serializer[Any]):
    username = serializers.CharField()
    groups = serializers.ListField(child=serializers.CharField())
    may = serializers.ListField(
        child=serializers.ChoiceField(choices=RIGHTS), help_text="What one may do somewhere."
    )
    collections = OpenCollection(many=True, help_text="Those that are open to one's questions.")
    token = TokenResponse(help_text="That of this call.")


class MeView(Guarded):
    scope_to_read = ""

    @extend_schema(
        operation_id="me",
        summary="Who one is, and what one may do",
        responses={200: MeResponse, **problems()},
        examples=[*examples.ME, *examples.PROBLEMS],
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        record_read(user, "me", subject=f"user:{user.pk}")
        return Response(_who(user) | {"token": _token(cast(Granted, request.auth))})


def _token(granted: Granted) -> dict[str, Any]:
    return {
        "scopes": sorted(granted.scopes),
        "expires": granted.ends.isoformat() if granted.ends else None,
    }


def _who(user: User) -> dict[str, Any]:
    """Eight queries at most, some of them Django's for permissions."""
    may = {
        "ask": True,
        "upload": collections_uploadable(user).exists(),
        "publish": collections_publishable(user).exists(),
        "audit": may_read_every_turn(user),
    }
    return {
        "username": user.get_username(),
        "groups": sorted(user.groups.values_list("name", flat=True)),
        "may": [right for right, _ in RIGHTS if may[right]],
        "collections": [
            {"slug": shelf.slug, "name": shelf.name, "in_force": getattr(shelf, "in_force", 0)}
            for shelf in collections_in_force(timezone.localdate(), user=user)
        ],
    }
