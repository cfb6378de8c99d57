"""Start and stop experiments, which try two configurations side by side, and show their results."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from chat.admin.read_only import user_of
from chat.config import answer_config, modes_here
from chat.experiments.arms import inactive_reason
from chat.experiments.services import (
    MAX_REASON_CHARS,
    MAX_SHARE,
    ExperimentOrder,
    experiment_start,
    experiment_stop,
)
from chat.models import Experiment
from chat.templatetags.chat_text import percent
from evaluation.admin.frame import AddedByForm
from evaluation.monitoring.experiments import Held, experiment_reported

STOP = "chat.change_experiment"


class ExperimentForm(forms.Form):
    """How the candidate differs from the site, and which share of conversations gets it."""

    name = forms.CharField(max_length=200)
    mode = forms.ChoiceField(required=False)
    confidence_threshold = forms.FloatField(
        label="Confidence needed", required=False, help_text="From 0 to 1"
    )
    percent = forms.FloatField(
        label="Share of conversations, in %",
        initial=10,
        help_text=f"Above 0, at most {MAX_SHARE:.0%}".replace("%", " %"),
    )

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        site = answer_config()
        here = [(mode.value, mode.label) for mode in modes_here()]
        self.fields["mode"].choices = [("", f"As the site: {site.mode.label}"), *here]  # type: ignore[attr-defined]
        threshold = self.fields["confidence_threshold"]
        threshold.help_text += f". If empty, that of the site, {site.confidence_threshold:g}"

    def order(self) -> ExperimentOrder:
        given: dict[str, Any] = self.cleaned_data
        return ExperimentOrder(
            name=given["name"],
            share=given["percent"] / 100,
            mode=given["mode"],
            confidence_threshold=given["confidence_threshold"],
        )


@admin.register(Experiment)
class ExperimentAdmin(AddedByForm[Experiment]):
    list_display = ("name", "difference", "conversations", "started_at", "started_by", "stopped_at")
    list_select_related = ("started_by",)
    fields = ("name",)  # the page of one is a report, not a form

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
        """Show the form, with its errors, or the experiment that it started."""
        form = ExperimentForm(request.POST or None)
        return self.by_form(
            request,
            "start",
            "Start an experiment",
            form,
            lambda by: experiment_start(form.order(), by=by),
        )

    def announce(self, request: HttpRequest, added: Experiment) -> None:
        messages.success(request, f"{added} runs.")

    def stop(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Stop an experiment, from the next question on."""
        reason = request.POST.get("reason", "")

        def stopped(experiment: Experiment) -> None:
            experiment_stop(experiment, reason=reason, by=user_of(request))

        return self.steered(request, pk, STOP, stopped, "{} is stopped.")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **named: Any
    ) -> HttpResponse:
        """Show both arms side by side."""
        experiment: Experiment = context["original"]
        reported = experiment_reported(experiment)
        is_running = experiment.is_running
        context |= {
            "experiment": experiment,
            "found": reported,
            "arms": (("Baseline", reported.baseline), ("Candidate", reported.candidate)),
            "shares": [(held, _difference_text(held)) for held in reported.shares],
            "resting": inactive_reason(experiment, answer_config()) if is_running else "",
            "may_stop": is_running and request.user.has_perm(STOP),
            "max_reason_chars": MAX_REASON_CHARS,
        }
        return super().render_change_form(request, context, *arguments, **named)


def _difference_text(held: Held) -> tuple[str, str]:
    """Return a difference and its 95 % interval, in percentage points."""
    if held.difference is None:
        return "–", ""
    difference, low, high = (f"{each * 100:+.1f}" for each in held.difference)
    return difference, f"{low} to {high}"
