"""Two configurations tried beside each other: started, stopped, and how both answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from chat.admin import ReadOnly
from chat.admin.read_only import only_post, user_of
from chat.config import answer_config, modes_here
from chat.experiments.arms import why_resting
from chat.experiments.services import (
    MAX_REASON_CHARS,
    MAX_SHARE,
    ExperimentOrder,
    experiment_start,
    experiment_stop,
)
from chat.models import Experiment
from chat.templatetags.chat_text import percent
from core.errors import MedragError
from evaluation.monitoring.experiments import Held, experiment_reported

if TYPE_CHECKING:
    ExperimentModelAdmin = admin.ModelAdmin[Experiment]
else:
    ExperimentModelAdmin = admin.ModelAdmin

STOP = "chat.change_experiment"


class ExperimentForm(forms.Form):
    """What the candidate has otherwise than the site, and how many conversations get it."""

    name = forms.CharField(max_length=200)
    mode = forms.ChoiceField(required=False)
    confidence_threshold = forms.FloatField(
        label="Confidence needed", required=False, help_text="From 0 to 1"
    )
    percent = forms.FloatField(
        label="Share of conversations, in %",
        initial=10,
        help_text=f"More than 0, and {MAX_SHARE:.0%} at most".replace("%", " %"),
    )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        site = answer_config()
        here = [(mode.value, mode.label) for mode in modes_here()]
        self.fields["mode"].choices = [("", f"As the site: {site.mode.label}"), *here]  # type: ignore[attr-defined]
        threshold = self.fields["confidence_threshold"]
        threshold.help_text += f". Empty: as the site, {site.confidence_threshold:g}"

    def order(self) -> ExperimentOrder:
        """Return what a valid form asks for."""
        given: dict[str, Any] = self.cleaned_data
        return ExperimentOrder(
            name=given["name"],
            share=given["percent"] / 100,
            mode=given["mode"],
            confidence_threshold=given["confidence_threshold"],
        )


@admin.register(Experiment)
class ExperimentAdmin(ReadOnly, ExperimentModelAdmin):
    list_display = ("name", "difference", "conversations", "started_at", "started_by", "stopped_at")
    list_select_related = ("started_by",)
    list_per_page = 50
    show_full_result_count = False
    fields = ("name",)  # the page of one is a report, not a form

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    @admin.display(description="candidate")
    def difference(self, experiment: Experiment) -> str:
        return experiment.difference

    @admin.display(description="share of conversations", ordering="share")
    def conversations(self, experiment: Experiment) -> str:
        return percent(experiment.share)

    def get_urls(self) -> list[URLPattern]:
        stop = path(
            "<int:pk>/stop/", self.admin_site.admin_view(self.stop), name="chat_experiment_stop"
        )
        return [stop, *super().get_urls()]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the form, with what is wrong beside it; one that is started is shown."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = ExperimentForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                experiment = experiment_start(form.order(), by=user_of(request))
            except MedragError as error:
                form.add_error(None, error.sentence)
            else:
                self.log_addition(request, experiment, [{"added": {}}])
                messages.success(request, f"{experiment} runs.")
                return self._shown(request, experiment)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": "Start an experiment",
            "opts": Experiment._meta,
            "form": form,
        }
        return TemplateResponse(request, "admin/chat/experiment/start.html", context)

    def stop(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Stop it from the very next question on."""
        if request.method != "POST":
            return only_post()
        if not request.user.has_perm(STOP):
            raise PermissionDenied
        experiment = get_object_or_404(Experiment, pk=pk)
        reason = request.POST.get("reason", "")
        try:
            experiment_stop(experiment, reason=reason, by=user_of(request))
        except MedragError as error:
            messages.error(request, error.sentence)
        else:
            said = f"{experiment} is stopped."
            self.log_change(request, experiment, said)
            messages.success(request, said)
        return self._shown(request, experiment)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **named: Any
    ) -> HttpResponse:
        """Return both arms side by side."""
        experiment: Experiment = context["original"]
        found = experiment_reported(experiment)
        is_running = experiment.is_running
        context |= {
            "experiment": experiment,
            "found": found,
            "arms": (("Baseline", found.baseline), ("Candidate", found.candidate)),
            "shares": [(held, _difference_text(held)) for held in found.shares],
            "resting": why_resting(experiment, answer_config()) if is_running else "",
            "may_stop": is_running and request.user.has_perm(STOP),
            "max_reason_chars": MAX_REASON_CHARS,
        }
        return super().render_change_form(request, context, *arguments, **named)

    def _shown(self, request: HttpRequest, experiment: Experiment) -> HttpResponse:
        if self.has_view_permission(request):
            return redirect("admin:chat_experiment_change", experiment.pk)
        return redirect("admin:index")


def _difference_text(held: Held) -> tuple[str, str]:
    """Return the difference and its interval, in points of a percentage."""
    if held.difference is None:
        return "–", ""
    difference, low, high = (f"{each * 100:+.1f}" for each in held.difference)
    return difference, f"{low} to {high}"
