"""Administer endpoints, and show the state of each message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.timezone import localtime

from chat.admin.read_only import ModelAdmin, ReadOnly, pretty, user_of
from core.errors import MedragError
from webhooks.models import Delivery, DeliveryState, Endpoint, Event
from webhooks.services import (
    deliveries_send_again,
    endpoint_renew_secret,
    endpoint_save,
    refuse_bad_address,
)

if TYPE_CHECKING:
    EndpointModelForm = ModelForm[Endpoint]
else:
    EndpointModelForm = ModelForm


class EndpointForm(EndpointModelForm):
    """An endpoint and the events that it is sent."""

    events = forms.MultipleChoiceField(
        choices=Event.choices, widget=forms.CheckboxSelectMultiple, initial=Event.values
    )

    class Meta:
        model = Endpoint
        fields = ("name", "url", "events", "is_active")

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        try:
            refuse_bad_address(url)
        except MedragError as error:
            raise forms.ValidationError(error.sentence) from error
        return url


@admin.register(Endpoint)
class EndpointAdmin(ModelAdmin[Endpoint]):
    """Endpoints, for superusers only: no group may decide what other systems are sent."""

    form = EndpointForm
    list_display = ("name", "url", "events", "is_active", "created_at")
    list_filter = ("is_active",)
    show_full_result_count = False
    actions = ("renew_secret",)

    def has_delete_permission(self, request: HttpRequest, obj: Endpoint | None = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Endpoint, form: EndpointModelForm, change: bool
    ) -> None:
        secret = endpoint_save(obj, by=user_of(request), fields=form.changed_data)
        if secret:
            self._show(request, obj, secret)

    @admin.action(description="Make a new secret", permissions=["change"])
    def renew_secret(self, request: HttpRequest, queryset: QuerySet[Endpoint]) -> None:
        for endpoint in queryset:
            self._show(request, endpoint, endpoint_renew_secret(endpoint, by=user_of(request)))

    def _show(self, request: HttpRequest, endpoint: Endpoint, secret: str) -> None:
        text = "The secret of {}, which is not shown again: <code>{}</code>"
        self.message_user(request, format_html(text, endpoint, secret), messages.WARNING)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly, ModelAdmin[Delivery]):
    list_display = ("created_at", "event", "endpoint", "state", "attempts", "last_error",
                    "next_attempt")  # fmt: skip
    list_filter = ("state", "event", "endpoint")
    list_select_related = ("endpoint",)
    list_per_page = 50
    show_full_result_count = False
    actions = ("send_again",)
    fields = ("__str__", "event", "endpoint", "state", "attempts", "next_attempt", "last_error",
              "created_at", "ended_at", "message")  # fmt: skip
    readonly_fields = fields

    @admin.display(description="next attempt")
    def next_attempt(self, delivery: Delivery) -> str | None:
        if delivery.state != DeliveryState.PENDING:
            return None
        return date_format(localtime(delivery.due_at), "DATETIME_FORMAT")

    @admin.display(description="message")
    def message(self, delivery: Delivery) -> str:
        return pretty(json.loads(delivery.body))

    def has_send_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("webhooks.change_delivery")

    @admin.action(description="Send again what was given up", permissions=["send"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        count = deliveries_send_again(queryset)
        text = f"{count} wait for the worker again. What was not given up stays as it is."
        self.message_user(request, text, messages.SUCCESS)
