"""What a clinician can send."""

from typing import Any

from django import forms
from django.conf import settings

from corpus.models import Collection


class AskForm(forms.Form):
    """A question; the choice of a collection only where there is one to make."""

    question = forms.CharField(
        label="Your question",
        max_length=settings.QUESTION_MAX_CHARS,
        widget=forms.Textarea(
            attrs={
                "rows": 2,
                "autocomplete": "off",
                "enterkeyhint": "send",
                "placeholder": "For example: what is the first dose of gentamicin in adults?",
            }
        ),
        error_messages={"required": "Please write a question."},
    )
    collection = forms.ModelChoiceField(
        Collection.objects.none(),
        to_field_name="slug",
        required=False,
        label="Search in",
        empty_label="All guidelines",
        error_messages={"invalid_choice": "That collection is not here; choose another."},
    )

    def __init__(self, *args: Any, collections: list[Collection], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["question"].widget.attrs.pop("maxlength", None)  # the server's words are kinder
        if len(collections) < 2:
            del self.fields["collection"]
            return
        choice = self.fields["collection"]
        choice.queryset = Collection.objects.filter(pk__in=[c.pk for c in collections])  # type: ignore[attr-defined]
        choice.choices = [("", "All guidelines")] + [(c.slug, c.name) for c in collections]  # type: ignore[attr-defined]

    @property
    def slugs(self) -> tuple[str, ...]:
        chosen = self.cleaned_data.get("collection")
        return (chosen.slug,) if chosen else ()


class FeedbackForm(forms.Form):
    helpful = forms.TypedChoiceField(
        choices=[("yes", "Helpful"), ("no", "Not helpful")], coerce=lambda value: value == "yes"
    )
    comment = forms.CharField(required=False, max_length=2000, strip=True)
