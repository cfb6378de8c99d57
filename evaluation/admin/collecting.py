"""The form that collects a question set from questions that clinicians asked here."""

from __future__ import annotations

import datetime
from typing import Any

from django import forms
from django.utils import timezone

from evaluation.collecting import MAX_ITEMS, Collected, Which


def _month_ago() -> datetime.date:
    return timezone.localdate() - datetime.timedelta(days=30)


class CollectForm(forms.Form):
    """Which questions to collect, from which days."""

    name = forms.CharField(max_length=200)
    which = forms.ChoiceField(
        choices=[(each.value, each.value.capitalize()) for each in Which],
        help_text="Select questions by feedback or by outcome",
    )
    first = forms.DateField(
        label="From", initial=_month_ago, widget=forms.DateInput({"type": "date"})
    )
    last = forms.DateField(
        label="To", initial=timezone.localdate, widget=forms.DateInput({"type": "date"})
    )
    limit = forms.IntegerField(
        min_value=1, max_value=MAX_ITEMS, initial=100, help_text="Most questions, the latest first"
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if {"first", "last"} <= given.keys() and given["first"] > given["last"]:
            self.add_error("last", "The last day is before the first day.")
        return given

    def wanted(self) -> Collected:
        given: dict[str, Any] = self.cleaned_data
        return Collected(**given | {"which": Which(given["which"])})
