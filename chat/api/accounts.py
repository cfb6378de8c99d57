"""Accounts: make one, list them, deactivate one, give and take groups."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.auth.validators import UnicodeUsernameValidator
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.fields import Strict, Words, YesNo
from chat.api.guarded import BODY, NOT_FOUND, Guarded, problems, record_read, user_of, valid
from chat.api.pages import Joined, PageRequest
from chat.models import Scope
from chat.sign_in.accounts import (
    access_account,
    account_create,
    account_edit,
    accounts_visible,
    groups_given,
)

MAX_GROUPS = 100
USERNAME = UnicodeUsernameValidator()


class Groups(serializers.ListField):
    """Names of groups that the caller may give; another is as one that is missing. A query."""

    child = Words(max_length=150)

    def run_validation(self, data: Any = serializers.empty) -> list[Group]:
        names: list[str] = super().run_validation(data)
        found = {group.name: group for group in self.context["given"].filter(name__in=names)}
        if missing := {
            str(index): ["There is no such group for you to give."]
            for index, name in enumerate(names)
            if name not in found
        }:
            raise serializers.ValidationError(missing)
        return list(found.values())


@extend_schema_field({"type": "string", "maxLength": 150, "pattern": r"^[\p{L}\p{N}_.@+-]+$"})
class Username(serializers.CharField):
    """In the characters that Django takes."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class AccountChanges(Strict):
    """What is to change; what is left out stays."""

    first_name = Words(required=False, max_length=150)
    last_name = Words(required=False, max_length=150)
    email = serializers.EmailField(required=False, allow_blank=True, max_length=254)
    is_active = YesNo(required=False, help_text="One that is not can do nothing; its tokens, too.")
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
    default_detail = "There is an account of this name."


class OfAccounts(Guarded):
    scope_to_read = scope_to_write = str(Scope.USERS)


class AccountsView(OfAccounts, GenericAPIView[User]):
    serializer_class = AccountResponse
    pagination_class = Joined

    @extend_schema(
        operation_id="users",
        summary="List the accounts",
        description="The latest first, for who may view them in the administration.",
        parameters=[PageRequest],
        responses={200: AccountResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=[*examples.ACCOUNTS, *examples.FORBIDDEN, *examples.PROBLEMS],
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        accounts = accounts_visible(user)
        valid(PageRequest(data=request.query_params.dict()))
        page = self.paginate_queryset(accounts)
        record_read(user, "users", subject=f"user:{user.pk}")
        return self.get_paginated_response(AccountResponse(page or [], many=True).data)

    @extend_schema(
        operation_id="user_create",
        summary="Make an account",
        description="With the groups that one may give. Nobody signs in with it before it is given "
        "a password in the administration; a token works at once.",
        request=AccountRequest,
        responses={201: AccountResponse, **problems(*BODY, HTTPStatus.CONFLICT)},
        examples=[*examples.ACCOUNT_CREATE, *examples.FORBIDDEN, *examples.PROBLEMS],
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        accounts_visible(user)  # before a name is said to be taken
        told = valid(AccountRequest(data=request.data, context={"given": groups_given(user)}))
        if User.objects.filter(username=told["username"]).exists():
            raise NameTaken
        made = account_create(user, **{"groups": ()} | told)
        return Response(AccountResponse(made).data, HTTPStatus.CREATED)


class AccountView(OfAccounts):
    @extend_schema(
        operation_id="user",
        summary="Read an account",
        responses={200: AccountResponse, **problems(*NOT_FOUND)},
        examples=[*examples.ACCOUNT, *examples.FORBIDDEN, *examples.PROBLEMS],
    )
    def get(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        account = access_account(user, pk=pk)
        record_read(user, "user", subject=f"user:{account.pk}")
        return Response(AccountResponse(account).data)

    @extend_schema(
        operation_id="user_edit",
        summary="Deactivate an account, or give and take groups",
        description="Only superusers touch superusers. Groups that one may not give stay.",
        request=AccountChanges,
        responses={200: AccountResponse, **problems(*BODY, *NOT_FOUND)},
        examples=[*examples.ACCOUNT_EDIT, *examples.FORBIDDEN, *examples.PROBLEMS],
    )
    def patch(self, request: Request, pk: int) -> Response:
        user = user_of(request)
        account = access_account(user, pk=pk, to_change=True)
        told = valid(AccountChanges(data=request.data, context={"given": groups_given(user)}))
        groups = told.pop("groups", None)
        account_edit(account, by=user, changes=told, groups=groups)
        return Response(AccountResponse(User.objects.get(pk=account.pk)).data)
