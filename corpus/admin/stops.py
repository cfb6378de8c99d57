"""Stop answering, from a document, a collection or at all, and resume it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.forms import BooleanField, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from corpus.admin.decisions import signed_in_user
from corpus.models import AnsweringStop
from corpus.services.stops import NotStopped, resume_answering, stop_answering

if TYPE_CHECKING:
    StopModelAdmin = admin.ModelAdmin[AnsweringStop]
    StopModelForm = ModelForm[AnsweringStop]
else:
    StopModelAdmin = admin.ModelAdmin
    StopModelForm = ModelForm


class StopForm(StopModelForm):
    """What is stopped, said outright: an empty choice doesn't stop everything."""

    everything = BooleanField(
        label="all answering",
        required=False,
        help_text="Instead of a document or a collection: nothing is answered from any guideline.",
    )

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        if sum(bool(fields.get(name)) for name in ("document", "collection", "everything")) != 1:
            raise ValidationError(
                "Nothing was stopped. Choose one: a document, a collection, or all answering."
            )
        return fields


@admin.register(AnsweringStop)
class StopAdmin(StopModelAdmin):
    list_display = ("what", "reason", "contact", "started_at", "started_by", "ended_at")
    list_select_related = ("document", "collection", "started_by")
    autocomplete_fields = ("document", "collection")
    form = StopForm
    fields = ("document", "collection", "reason", "contact", "hides")
    change_form_template = "admin/corpus/stop.html"

    def get_readonly_fields(
        self, request: HttpRequest, obj: AnsweringStop | None = None
    ) -> tuple[str, ...]:
        if obj is None:
            return ()
        ended = ("ended_at", "ended_by", "end_reason") if obj.ended_at else ()
        return (*self.fields, "started_at", "started_by", *ended)

    def get_fields(self, request: HttpRequest, obj: AnsweringStop | None = None) -> tuple[str, ...]:
        of_new = ("document", "collection", "everything", "reason", "contact", "hides")
        return self.get_readonly_fields(request, obj) or of_new

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: AnsweringStop,
        form: StopModelForm,
        change: bool,
    ) -> None:
        if not change:
            stop_answering(obj, by=signed_in_user(request))

    def response_add(
        self, request: HttpRequest, obj: AnsweringStop, post_url_continue: str | None = None
    ) -> HttpResponse:
        messages.success(request, f"{obj}. It holds until somebody resumes it on its page.")
        return HttpResponseRedirect(reverse("admin:corpus_answeringstop_changelist"))

    def get_urls(self) -> list[URLPattern]:
        end = path("<int:pk>/end/", self.admin_site.admin_view(self.end), name="corpus_stop_end")
        return [end, *super().get_urls()]

    def end(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Resume answering, for a reason."""
        if request.method != "POST" or not request.user.has_perm("corpus.change_answeringstop"):
            raise PermissionDenied
        stop = get_object_or_404(AnsweringStop, pk=pk)
        try:
            resume_answering(
                stop, by=signed_in_user(request), reason=request.POST.get("reason", "")
            )
        except NotStopped as error:
            messages.error(request, error.sentence)
        else:
            messages.success(request, f"Answering from {stop.what} has been resumed.")
        return HttpResponseRedirect(reverse("admin:corpus_answeringstop_change", args=[pk]))
