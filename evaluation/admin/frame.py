"""The base of the evaluation's pages: read-only lists, pages of their own, forms that add a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from chat.admin.read_only import ModelAdmin, ReadOnly, only_post, user_of
from core.errors import MedragError

M = TypeVar("M", bound=Model)


class EvaluationAdmin(ReadOnly, ModelAdmin[M]):
    """Read-only lists, counted once per page."""

    list_per_page = 50
    show_full_result_count = False

    def page(self, request: HttpRequest, name: str, **context: Any) -> HttpResponse:
        """Render the model's template of this name."""
        opts = self.model._meta
        shared = {**self.admin_site.each_context(request), "opts": opts}
        template = f"admin/{opts.app_label}/{opts.model_name}/{name}.html"
        return TemplateResponse(request, template, shared | context)

    def row_viewed(self, request: HttpRequest, pk: int) -> M:
        """Return a row for a user who may view it. Raises PermissionDenied, Http404."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(self.model, pk=pk)

    def to_page_of(self, request: HttpRequest, changed: M) -> HttpResponse:
        """Redirect to the row's page, or to the start page for a user who may not view it."""
        if self.has_view_permission(request):
            opts = self.model._meta
            return redirect(f"admin:{opts.app_label}_{opts.model_name}_change", changed.pk)
        return redirect("admin:index")

    def steered(
        self, request: HttpRequest, pk: int, right: str, service: Callable[[M], object], done: str
    ) -> HttpResponse:
        """Call a service with a row, for a user who has the right, and redirect to the row's page.

        `done` is the message on success, in which `{}` stands for the row. An error of the service
        is shown as a message.
        """
        if request.method != "POST":
            return only_post()
        if not request.user.has_perm(right):
            raise PermissionDenied
        steered = get_object_or_404(self.model, pk=pk)
        try:
            service(steered)
        except MedragError as error:
            messages.error(request, error.sentence)
        else:
            self.log_change(request, steered, done.format(steered))
            messages.success(request, done.format(steered))
        return self.to_page_of(request, steered)


class AddedByForm(EvaluationAdmin[M]):
    """Rows are added by a form of the model's own, for users with the right."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def by_form(
        self,
        request: HttpRequest,
        name: str,
        title: str,
        form: forms.Form,
        add: Callable[[User], M],
        field: str | None = None,
    ) -> HttpResponse:
        """Show the form with its errors, or add a row with a valid form and redirect to its page.

        `add` stores the row of a valid form; its error is shown at `field`, or above the form.
        Raises PermissionDenied for a user who may add none.
        """
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.method == "POST" and form.is_valid():
            try:
                added = add(user_of(request))
            except MedragError as error:
                form.add_error(field, error.sentence)
            else:
                self.log_addition(request, added, [{"added": {}}])
                self.announce(request, added)
                return self.to_page_of(request, added)
        return self.page(request, name, title=title, form=form)

    def announce(self, request: HttpRequest, added: M) -> None:
        """Show a message about the row just added."""
        raise NotImplementedError
