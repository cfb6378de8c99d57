"""Define the forms that clinicians submit."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from chat.reviews.feedback import MAX_COMMENT_CHARS
from chat.web.narrowing import NARROWING
from chat.web.patients import LaunchedPatient, PatientFact
from corpus.models import Collection
from retrieval.filters import filters_from
from retrieval.types import Filters

# Of the fields of `NARROWING`
LABELS = {
    "specialty": gettext_lazy("Specialty"),
    "population": gettext_lazy("Population"),
    "issuer": gettext_lazy("Issuer"),
    "journal": gettext_lazy("Journal"),
    "source_type": gettext_lazy("Source type"),
}
Narrowing = Mapping[str, list[tuple[str, str]]]


class AskForm(forms.Form):
    """A question; with a choice of collection only if there are several."""

    question = forms.CharField(
        label=gettext_lazy("Your question"),
        max_length=settings.QUESTION_MAX_CHARS,
        widget=forms.Textarea(
            attrs={
                "rows": 2,
                "autocomplete": "off",
                "enterkeyhint": "send",
            }
        ),
        error_messages={
            "required": gettext_lazy("Please write a question."),
            "max_length": gettext_lazy(
                "Nothing was asked: the question has %(show_value)d characters, and at most "
                "%(limit_value)d can be. Shorten it and ask again."
            ),
        },
    )
    collection = forms.ModelChoiceField(
        Collection.objects.none(),
        to_field_name="slug",
        required=False,
        label=gettext_lazy("Search in"),
        empty_label=gettext_lazy("All guidelines"),
        error_messages={
            "invalid_choice": gettext_lazy("That collection is not here any more. Choose another.")
        },
    )

    whole = forms.BooleanField(required=False, widget=forms.HiddenInput)  # set: not a follow-up

    # Set: no spelling is corrected, no short form read.
    as_typed = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        collections: list[Collection],
        narrowing: Narrowing,
        patient: LaunchedPatient | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.patient = patient
        if patient:
            self.fields["fact"] = forms.MultipleChoiceField(
                choices=[(str(n), fact.text) for n, fact in enumerate(patient.facts)],
                required=False,
                initial=patient.counted,
            )
        self.fields["question"].widget.attrs.pop("maxlength", None)  # the server explains
        for name, choices in narrowing.items():
            self.fields[name] = forms.ChoiceField(
                label=LABELS[name],
                choices=[("", gettext("Any")), *choices],
                required=False,
                error_messages={
                    "invalid_choice": gettext(
                        "No guideline in force has that any more. Choose again."
                    )
                },
            )
        if len(collections) < 2:
            del self.fields["collection"]
        else:
            choice = self.fields["collection"]
            shown = [collection.pk for collection in collections]
            choice.queryset = Collection.objects.filter(pk__in=shown)  # type: ignore[attr-defined]
            every = ("", gettext("All guidelines"))
            choice.choices = [every] + [(c.slug, c.name) for c in collections]  # type: ignore[attr-defined]
        for name in ("collection", *NARROWING):  # drop choices that no longer exist
            field = self.fields.get(name)
            if field and self.initial.get(name) not in dict(field.choices):  # type: ignore[attr-defined]
                self.initial.pop(name, None)

    @property
    def facts(self) -> list[tuple[int, PatientFact, bool]]:
        """The facts of a launched patient, each with its number and whether it is ticked."""
        if not self.patient:
            return []
        ticked = set(self["fact"].value() or ())
        return [(n, fact, str(n) in ticked) for n, fact in enumerate(self.patient.facts)]

    @property
    def text(self) -> str:
        """The question of a valid form, with the facts that are ticked in its words."""
        question: str = self.cleaned_data["question"]
        whom = ", ".join(fact.text for _, fact, is_ticked in self.facts if is_ticked)
        return f"{question.rstrip(' ?')}, for: {whom}" if whom else question

    @property
    def slugs(self) -> tuple[str, ...]:
        chosen = self.cleaned_data.get("collection")
        return (chosen.slug,) if chosen else ()

    @property
    def narrowing(self) -> list[forms.BoundField]:
        """The fields that narrow a search, in order, without those that offer no choice."""
        return [self[name] for name in NARROWING if name in self.fields]

    @property
    def is_narrowed(self) -> bool:
        return any(field.value() for field in self.narrowing)

    @property
    def chosen(self) -> dict[str, str]:
        """What narrows the search, by field, of a valid form."""
        values = {name: self.cleaned_data.get(name) for name in NARROWING}
        values["collection"] = "".join(self.slugs)
        return {name: value for name, value in values.items() if value}

    @property
    def filters(self) -> Filters:
        chosen = {NARROWING[name]: self.cleaned_data.get(name) for name in NARROWING}
        return filters_from({name: [value] if value else [] for name, value in chosen.items()})


class FeedbackForm(forms.Form):
    helpful = forms.TypedChoiceField(
        choices=[("yes", gettext_lazy("Helpful")), ("no", gettext_lazy("Not helpful"))],
        coerce=lambda value: value == "yes",
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Please say whether it was helpful.")
        ),
    )
    comment = forms.CharField(
        required=False,
        max_length=MAX_COMMENT_CHARS,
        strip=True,
        error_messages={
            "max_length": gettext_lazy(
                "The comment was not saved, because it is longer than 2,000 characters. Shorten it "
                "and send it again."
            )
        },
    )
