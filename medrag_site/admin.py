"""Administer accounts, groups, API tokens and lockouts.

Nobody can give away a right that they do not hold; otherwise whoever may change accounts could give
themselves any right.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

# These apps register tokens and devices, which are unregistered below.
import allauth.account.admin
import allauth.socialaccount.admin  # noqa: F401
import django_otp.plugins.otp_static.admin
import django_otp.plugins.otp_totp.admin  # noqa: F401
import knox.admin  # noqa: F401
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import admin as auth_admin
from django.contrib.auth import forms as auth_forms
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import ManyToManyField, Q, QuerySet
from django.forms import ModelForm, ModelMultipleChoiceField
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from knox.models import AuthToken

import medrag_site.queue_admin  # noqa: F401  importing registers
from chat.admin.read_only import ModelAdmin, ReadOnly, user_of
from chat.models import Scope, TokenGrant
from chat.sign_in.accounts import groups_given, may_touch
from chat.sign_in.lockouts import unlock, waits_until
from chat.sign_in.second_factor import second_factor_remove
from chat.sign_in.tokens import BY_DEFAULT, token_create, token_revoke
from medrag_site.groups import CLINICIANS, INTEGRATORS

if TYPE_CHECKING:
    UserAdmin = auth_admin.UserAdmin[User]
    UserChangeForm = auth_forms.UserChangeForm[User]
    TokenModelForm = ModelForm[TokenGrant]
    ModelAdminBase = admin.ModelAdmin[Any]
else:
    UserAdmin, TokenModelForm = auth_admin.UserAdmin, ModelForm
    UserChangeForm = auth_forms.UserChangeForm
    ModelAdminBase = object

OF_ALLAUTH = (EmailAddress, SocialAccount, SocialApp, SocialToken)
GIVEN = ("groups", "user_permissions")


class EachLogged(ModelAdminBase):
    """Logs deletions one by one: Django sends no signal for several at once."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        alone: list[Any] = [[row] for row in queryset]  # in the form of a single deletion
        return [super(EachLogged, self).log_deletions(request, single) for single in alone]


class AccountForm(UserChangeForm):
    """Django's, but a name that the hospital gave, with characters of its own, may stay."""

    def _get_validation_exclusions(self) -> set[str]:
        kept = {"username"} - set(self.changed_data)
        return super()._get_validation_exclusions() | kept  # type: ignore[misc, no-any-return]


class AccountAdmin(EachLogged, UserAdmin):
    """Django's, but only superusers change superusers and other people's passwords.

    Others can give and take only the groups that they are in and the permissions that they hold;
    all else that an account has stays.
    """

    form = AccountForm
    filter_horizontal = ()  # screen readers can't read the names of its two boxes
    readonly_fields = ("last_login", "date_joined")
    actions = ("take_second_factor_away",)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and may_touch(request.user, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and may_touch(request.user, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        if _is_superuser(request):
            return fields
        return (*fields, "is_superuser", "password_hint")

    @admin.display(description="password")
    def password_hint(self, account: User) -> str:
        return "Only a superuser sets another person's."

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Return the fieldsets, with a note in place of the password unless for a superuser."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or _is_superuser(request):
            return fieldsets
        instead: dict[Any, Any] = {"password": "password_hint"}
        return [
            (name, options | {"fields": [instead.get(field, field) for field in options["fields"]]})
            for name, options in fieldsets
        ]

    def formfield_for_manytomany(
        self, db_field: ManyToManyField[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelMultipleChoiceField[Any] | None:
        if db_field.name in GIVEN and not _is_superuser(request):
            kwargs["queryset"] = _held(request)[db_field.name]
            kwargs["help_text"] = "Only what you have yourself; what else there is stays."
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_related(
        self, request: HttpRequest, form: ModelForm[User], formsets: Any, change: bool
    ) -> None:
        kept = {} if _is_superuser(request) else _beyond(form.instance, request)
        super().save_related(request, form, formsets, change)
        for name, rows in kept.items():
            getattr(form.instance, name).add(*rows)
        self._warn_of_missing_staff_status(request, form.instance)

    def _warn_of_missing_staff_status(self, request: HttpRequest, account: User) -> None:
        """Warn if an account joins a group of the administration without staff status."""
        inside = account.groups.exclude(name__in=(CLINICIANS, INTEGRATORS)).order_by("name")
        if not account.is_staff and (names := ", ".join(group.name for group in inside)):
            text = f"“{account}” is in {names}, and can't enter the administration before "
            self.message_user(request, f"{text}Staff status is ticked.", messages.WARNING)

    def has_superuser_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    @admin.action(description="Take the second factor away", permissions=["superuser"])
    def take_second_factor_away(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """As their password, it keeps others from being them: superusers' alone."""
        count = sum(second_factor_remove(account, by=user_of(request)) for account in queryset)
        self.message_user(request, f"Taken away from {count}.", messages.SUCCESS)

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        if not _is_superuser(request):
            raise PermissionDenied
        return super().user_change_password(request, id, form_url)


class OfSuperusers(ModelAdminBase):
    """Lets only superusers add, change and delete, whatever permissions others have."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request)


class RoleAdmin(OfSuperusers, EachLogged, auth_admin.GroupAdmin):
    """Groups, for superusers only: rights apply to all members, and groups limit collections."""


class TokenForm(TokenModelForm):
    """The purpose of a new token. A token can't be changed: it is revoked, and another created."""

    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, widget=forms.CheckboxSelectMultiple, initial=list(BY_DEFAULT)
    )
    days = forms.IntegerField(min_value=1, max_value=3650, initial=settings.API_TOKEN_DAYS)
    rate = forms.RegexField(
        r"^[1-9][0-9]{0,6}/(s|sec|min|hour|day)$",
        required=False,
        help_text="Such as 600/min. Empty: as set for the site.",
    )

    class Meta:
        model = TokenGrant
        fields = ("user", "name")


class TokenAdmin(OfSuperusers, ModelAdmin[TokenGrant]):
    """API tokens, for superusers only: a token acts in its account's name."""

    form = TokenForm
    list_display = ("__str__", "user", "granted", "rate", "made_at", "made_by", "ends")
    list_select_related = ("user", "made_by", "token")
    search_fields = ("name", "user__username")
    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: TokenGrant | None = None) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: TokenGrant | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: TokenGrant | None = None) -> Any:
        if obj is None:
            return ("user", "name", "scopes", "days", "rate")
        return ("user", "name", "granted", "rate", "made_at", "made_by", "ends")

    def get_readonly_fields(self, request: HttpRequest, obj: TokenGrant | None = None) -> Any:
        return () if obj is None else self.get_fields(request, obj)

    def save_model(
        self, request: HttpRequest, obj: TokenGrant, form: TokenModelForm, change: bool
    ) -> None:
        """Create the token, and show it this once."""
        fields = {name: form.cleaned_data[name] for name in ("name", "scopes", "days", "rate")}
        token = token_create(obj.user, by=user_of(request), **fields)
        made = TokenGrant.objects.filter(user=obj.user).latest("pk")
        obj.pk, obj.token = made.pk, made.token
        text = format_html("The token, which is not shown again: <code>{}</code>", token)
        self.message_user(request, text, messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: TokenGrant) -> None:
        token_revoke(obj, by=user_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[TokenGrant]) -> None:
        for grant in queryset.select_related("token"):
            self.delete_model(request, grant)

    @admin.display(description="scopes")
    def granted(self, grant: TokenGrant) -> str:
        return ", ".join(grant.scopes)

    @admin.display(description="ends")
    def ends(self, grant: TokenGrant) -> datetime.datetime | None:
        ends: datetime.datetime | None = grant.token.expiry
        return ends


class LockoutAdmin(ReadOnly, ModelAdmin[AccessAttempt]):
    """Failed sign-ins that still count. Unlocking an account deletes them."""

    list_display = ("attempt_time", "username", "ip_address", "failures_since_start", "waits")
    list_display_links = None
    search_fields = ("username", "ip_address")
    show_full_result_count = False
    actions = ("unlock",)

    @admin.display(description="must wait")
    def waits(self, attempt: AccessAttempt) -> str:
        ends = waits_until(attempt)
        return f"until {date_format(timezone.localtime(ends), 'H:i')}" if ends else "no"

    def has_unlock_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("axes.delete_accessattempt")

    @admin.action(description="Unlock: forget these attempts", permissions=["unlock"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[AccessAttempt]) -> None:
        count = unlock(queryset, by=request.user)
        self.message_user(request, f"{count} forgotten; they can sign in again.", messages.SUCCESS)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def _held(request: HttpRequest) -> dict[str, QuerySet[Any]]:
    """Return what an account that is no superuser may give and take, by field name."""
    held = Q(user=request.user.pk) | Q(group__user=request.user.pk)
    permissions = Permission.objects.filter(pk__in=Permission.objects.filter(held).values("pk"))
    return {"groups": groups_given(request.user), "user_permissions": permissions}


def _beyond(account: User, request: HttpRequest) -> dict[str, list[Any]]:
    """Return what the account has and the requesting user may not remove."""
    held = _held(request)
    return {
        name: list(getattr(account, name).exclude(pk__in=held[name].values("pk"))) for name in GIVEN
    }


for model in (User, Group, AuthToken, TOTPDevice, StaticDevice, *OF_ALLAUTH):
    admin.site.unregister(model)
# Replaced by TokenAdmin: Knox's own page logs nothing and makes tokens without an expiry.
admin.site.register(TokenGrant, TokenAdmin)
admin.site.register(User, AccountAdmin)
admin.site.register(Group, RoleAdmin)
AccessAttempt._meta.verbose_name = "failed sign-in"
AccessAttempt._meta.verbose_name_plural = "failed sign-ins"
admin.site.register(AccessAttempt, LockoutAdmin)
