"""Accounts over the API: create, list, deactivate, change groups; and who the caller is."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, cast

from django.contrib.auth.models import Group, User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.fields import OnlyText, Strict, Words, YesNo
from chat.api.guarded import BODY, NOT_FOUND, Guarded, problems, record_read, user_of, valid
from chat.api.pages import Joined, Listed, PageRequest
from chat.models import Scope
from chat.selectors import collections_in_force, may_read_every_turn
from chat.sign_in.accounts import (
    access_account,
    account_create,
    account_edit,
    accounts_visible,
    groups_given,
)
from chat.sign_in.tokens import Granted
from corpus.access import collections_publishable, collections_uploadable

MAX_GROUPS = 100
USERNAME = UnicodeUsernameValidator()


class Groups(serializers.ListField):
    """Names of groups that the caller may give; any other is rejected as unknown. One query."""

    child = Words(max_length=150)

    def run_validation(self, data: Any = serializers.empty) -> list[Group]:
        names: list[str] = super().run_validation(data)
        groups = {group.name: group for group in self.context["given"].filter(name__in=names)}
        if missing := {
            str(index): ["There is no such group for you to give."]
            for index, name in enumerate(names)
            if name not in groups
        }:
            raise serializers.ValidationError(missing)
        return list(groups.values())


@extend_schema_field({"type": "string", "maxLength": 150, "pattern": r"^[\p{L}\p{N}_.@+-]+$"})
class Username(OnlyText):
    """A user name in the characters that Django accepts."""


class AccountChanges(Strict):
    """The fields to change; fields left out keep their values."""

    first_name = Words(required=False, max_length=150)
    last_name = Words(required=False, max_length=150)
    email = serializers.EmailField(required=False, allow_blank=True, max_length=254)
    is_active = YesNo(
        required=False, help_text="An inactive account can't sign in, and its tokens don't work."
    )
    groups = Groups(required=False, max_length=MAX_GROUPS)


class AccountRequest(AccountChanges):
    username = Username(max_length=150, validators=[USERNAME])


class AccountResponse(serializers.ModelSerializer[User]):
    username = serializers.CharField(read_only=True)
    email = serializers.CharField(read_only=True)
    groups = serializers.SlugRelatedField[Group](slug_field="name", many=True, read_only=True)

    class Meta:
        model = User
        fields = (
            "id", "username", "first_name", "last_name", "email", "is_active", "is_staff",
            "is_superuser", "groups", "date_joined", "last_login",
        )  # fmt: skip


class NameTaken(APIException):
    status_code = HTTPStatus.CONFLICT
    default_detail = "An account with this name exists already. Nothing was changed."


class OfAccounts(Guarded):
    scope_to_read = scope_to_write = str(Scope.USERS)


class AccountsView(OfAccounts, Listed):
    serializer_class = AccountResponse
    pagination_class = Joined

    @extend_schema(
        operation_id="users",
        summary="List the accounts",
        description="The latest first, for users who may view accounts in the administration.",
        parameters=[PageRequest],
        responses={200: AccountResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=examples.of("ACCOUNTS", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        accounts = accounts_visible(user_of(request))
        self.asked()
        return self.paged(accounts, "users")

    @extend_schema(
        operation_id="user_create",
        summary="Create an account",
        description="With groups that you may give. Nobody can sign in with the account until "
        "it gets a password in the administration; a token works at once.",
        request=AccountRequest,
        responses={201: AccountResponse, **problems(*BODY, HTTPStatus.CONFLICT)},
        examples=examples.of("ACCOUNT_CREATE", "FORBIDDEN", "PROBLEMS"),
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        accounts_visible(user)  # before a name is said to be taken
        fields = valid(AccountRequest(data=request.data, context={"given": groups_given(user)}))
        if User.objects.filter(username=fields["username"]).exists():
            raise NameTaken
        made = account_create(user, **{"groups": ()} | fields)
        return Response(AccountResponse(made).data, HTTPStatus.CREATED)


class AccountView(OfAccounts):
    @extend_schema(
        operation_id="user",
        summary="Read an account",
        responses={200: AccountResponse, **problems(*NOT_FOUND)},
        examples=examples.of("ACCOUNT", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        account = access_account(user, pk=pk)
        record_read(user, "user", subject=f"user:{account.pk}")
        return Response(AccountResponse(account).data)

    @extend_schema(
        operation_id="user_edit",
        summary="Deactivate an account, or change its groups",
        description="Only superusers may change superusers. Groups that you may not give stay "
        "unchanged.",
        request=AccountChanges,
        responses={200: AccountResponse, **problems(*BODY, *NOT_FOUND)},
        examples=examples.of("ACCOUNT_EDIT", "FORBIDDEN", "PROBLEMS"),
    )
    def patch(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        account = access_account(user, pk=pk, to_change=True)
        fields = valid(AccountChanges(data=request.data, context={"given": groups_given(user)}))
        groups = fields.pop("groups", None)
        account_edit(account, by=user, changes=fields, groups=groups)
        return Response(AccountResponse(User.objects.get(pk=account.pk)).data)


RIGHTS = [
    ("ask", "Ask, and search"),
    ("upload", "Add documents to a collection"),
    ("publish", "Publish, supersede and withdraw documents of a collection"),
    ("audit", "Read everybody's turns with their traces"),
]


class OpenCollection(serializers.Serializer[Any]):
    slug = serializers.SlugField()
    name = serializers.CharField()
    in_force = serializers.IntegerField(
        min_value=0, help_text="Number of documents that are searched."
    )


class TokenResponse(serializers.Serializer[Any]):
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices),
        help_text="What the token may be used for.",
    )
    expires = serializers.DateTimeField(
        allow_null=True, help_text="When the token expires; null if never."
    )


class MeResponse(serializers.Serializer[Any]):
    username = serializers.CharField()
    groups = serializers.ListField(child=serializers.CharField())
    may = serializers.ListField(
        child=serializers.ChoiceField(choices=RIGHTS),
        help_text="Rights that you have in at least one collection.",
    )
    collections = OpenCollection(many=True, help_text="Collections that your questions search.")
    token = TokenResponse(help_text="The token of this request.")


class MeView(Guarded):
    scope_to_read = ""

    @extend_schema(
        operation_id="me",
        summary="Read your account and your rights",
        responses={200: MeResponse, **problems()},
        examples=examples.of("ME", "PROBLEMS"),
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
    """Return the user's name, groups, rights and collections. At most eight queries."""
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
            {"slug": each.slug, "name": each.name, "in_force": getattr(each, "in_force", 0)}
            for each in collections_in_force(timezone.localdate(), user=user)
        ],
    }
