"""What the pages of the evaluation share: lists to read, pages of their own, forms that add."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from chat.admin.read_only import ReadOnly, only_post, user_of
from core.errors import MedragError

M = TypeVar("M", bound=Model)

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin
else:

    class ModelAdmin(admin.ModelAdmin):
        def __class_getitem__(cls, model: Any) -> type:
            return cls


class EvaluationAdmin(ReadOnly, ModelAdmin[M]):
    """Read only, and counted once a page."""

    list_per_page = 50
    show_full_result_count = False

    def page(self, request: HttpRequest, name: str, **context: Any) -> HttpResponse:
        """Return a page of the model's own, by the name of its template."""
        opts = self.model._meta
        shared = {**self.admin_site.each_context(request), "opts": opts}
        template = f"admin/{opts.app_label}/{opts.model_name}/{name}.html"
        return TemplateResponse(request, template, shared | context)

    def to_page_of(self, request: HttpRequest, changed: M) -> HttpResponse:
        """Go to the page of one, or to the start for whoever may not view it."""
        if self.has_view_permission(request):
            opts = self.model._meta
            return redirect(f"admin:{opts.app_label}_{opts.model_name}_change", changed.pk)
        return redirect("admin:index")

    def steered(
        self, request: HttpRequest, pk: int, right: str, service: Callable[[M], object], said: str
    ) -> HttpResponse:
        """Let a service change one for who has the right; `said` may name it as `{}`."""
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
            self.log_change(request, steered, said.format(steered))
            messages.success(request, said.format(steered))
        return self.to_page_of(request, steered)


class AddedByForm(EvaluationAdmin[M]):
    """Whoever may add one does so by a form of its own."""

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
        """Return the form, with what is wrong beside it, or beside the field; show what is added.

        `add` is called with a valid form.
        """
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
        """Tell who added it what came of it."""
        raise NotImplementedError
