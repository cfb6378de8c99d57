"""Define the forms of reviewers."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.models import User

from chat.models import Claim, Flag, Review, SupportLabel, Verdict
from chat.reviews.selectors import RULES, Period, reviewers_of
from chat.reviews.services import MAX_NOTE_CHARS, Sample, verdicts_for
from chat.selectors import day_begins

MAX_SEED = 2**31 - 1


class DecideForm(forms.Form):
    """A verdict, out of those for an answer or a refusal, and a note."""

    verdict = forms.ChoiceField(widget=forms.RadioSelect)
    note = forms.CharField(
        required=False,
        max_length=MAX_NOTE_CHARS,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="What is wrong or missing, and where. Name no patient.",
    )

    def __init__(self, *arguments: Any, review: Review, **named: Any) -> None:
        super().__init__(*arguments, **named)
        offered = [(str(verdict), verdict.label) for verdict in verdicts_for(review.turn)]
        self.fields["verdict"].choices = offered  # type: ignore[attr-defined]

    @property
    def decided(self) -> tuple[Verdict, str]:
        return Verdict(self.cleaned_data["verdict"]), str(self.cleaned_data["note"])


class AssignForm(forms.Form):
    """The reviewer to assign; nobody if left empty."""

    assignee = forms.ChoiceField(required=False, label="Assigned to")

    def __init__(self, *arguments: Any, review: Review, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.people = {str(user.pk): user for user in reviewers_of(review.turn)}
        names = [(pk, user.get_username()) for pk, user in self.people.items()]
        self.fields["assignee"].choices = [("", "Nobody"), *names]  # type: ignore[attr-defined]

    @property
    def to(self) -> User | None:
        return self.people.get(self.cleaned_data["assignee"])


class LabelForm(forms.Form):
    """A label for each statement that is due."""

    def __init__(self, *arguments: Any, due: Iterable[Claim], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.due = {f"claim-{claim.pk}": claim.pk for claim in due}
        for name, claim in zip(self.due, due, strict=True):
            self.fields[name] = forms.ChoiceField(
                label=f"{claim.index}. {claim.text}",
                choices=SupportLabel.choices,
                widget=forms.RadioSelect,
            )

    @property
    def labels(self) -> dict[int, str]:
        return {pk: str(self.cleaned_data[name]) for name, pk in self.due.items()}


def _day() -> forms.DateInput:
    """Return a date field with the value format of HTML, whatever the site's language."""
    return forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class FillForm(forms.Form):
    """The turns of a period to review: those that match rules, a random share, or both."""

    first = forms.DateField(label="Asked from", widget=_day())
    last = forms.DateField(label="to", widget=_day())
    rules = forms.MultipleChoiceField(
        required=False,
        choices=[(str(rule), Flag(rule).label) for rule in RULES],
        widget=forms.CheckboxSelectMultiple,
    )
    below = forms.FloatField(label="Confidence is low below", min_value=0, max_value=1, initial=0.6)
    percent = forms.FloatField(
        label="Random share, in percent",
        min_value=0,
        max_value=100,
        initial=0,
        help_text="Share of all questions of the period; 0 for none",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        help_text="The same seed selects the same questions again",
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        first, last = given.get("first"), given.get("last")
        if first and last and first > last:
            self.add_error("last", "The last day is before the first day.")
        if not given.get("rules") and not given.get("percent"):
            self.add_error(None, "Choose a rule, or a share above 0.")
        for day in ("first", "last"):
            if given.get(day) and not 1900 < given[day].year < 9999:
                self.add_error(day, "There is no such day.")
        return given

    @property
    def period(self) -> Period:
        last = self.cleaned_data["last"] + datetime.timedelta(days=1)
        return Period(day_begins(self.cleaned_data["first"]), day_begins(last))

    @property
    def chosen_rules(self) -> list[Flag]:
        return [Flag(rule) for rule in self.cleaned_data["rules"]]

    @property
    def sample(self) -> Sample | None:
        percent = self.cleaned_data["percent"]
        return Sample(percent, self.cleaned_data["seed"]) if percent else None
