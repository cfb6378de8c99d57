"""Forms for corpus staff."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet

from corpus.models import Collection, Document, SourceType
from corpus.review.front_matter import POPULATIONS
from corpus.staff_selectors import pages_to_look_at

AT_ONCE = ("uploads", "collection")


def population_choices(now: str = "") -> list[tuple[str, str]]:
    """Return the choices, plus the document's current value if it is none of them."""
    named = [*POPULATIONS, *([now] if now and now not in POPULATIONS else [])]
    return [("", "Not said"), *((name, name) for name in named)]


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Accepts several files; a single one becomes a list too."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:
        files = data if isinstance(data, list | tuple) else [data]
        if not any(files):
            raise forms.ValidationError(self.error_messages["required"], code="required")
        return list(files)


class DateInput(forms.DateInput):
    input_type = "date"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(format="%Y-%m-%d", **kwargs)


class UploadForm(forms.Form):
    """Files, and the metadata that they share."""

    uploads = ManyFilesField(
        label="Files",
        help_text="PDF, Office, OpenDocument, EPUB, e-mail (EML), HTML, Markdown or text. Choose "
        "many at once, or drop them here.",
        error_messages={"required": "Choose at least one file."},
    )
    collection = forms.ModelChoiceField(Collection.objects.none(), empty_label=None)
    source_type = forms.ChoiceField(
        choices=SourceType, initial=SourceType.GUIDELINE, required=False
    )
    issuer = forms.CharField(max_length=200, required=False)
    version = forms.CharField(max_length=50, required=False)
    population = forms.ChoiceField(
        choices=population_choices, required=False, help_text="Patients that it applies to"
    )
    effective_from = forms.DateField(
        required=False, widget=DateInput, help_text="If empty, in force from the day of publication"
    )
    review_by = forms.DateField(required=False, widget=DateInput)

    def __init__(self, *args: Any, collections: QuerySet[Collection], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].queryset = collections  # type: ignore[attr-defined]

    @property
    def at_once(self) -> list[forms.BoundField]:
        return [self[name] for name in AT_ONCE]

    @property
    def more(self) -> list[forms.BoundField]:
        """The folded fields, which no upload needs."""
        return [self[name] for name in self.fields if name not in AT_ONCE]

    @property
    def has_errors_in_more(self) -> bool:
        return any(field.errors for field in self.more)

    def clean_source_type(self) -> str:
        return str(self.cleaned_data["source_type"] or SourceType.GUIDELINE)

    def document(self) -> Document:
        """Return a new, unsaved document with the entered metadata."""
        return Document(**{k: v for k, v in self.cleaned_data.items() if k != "uploads"})


class DecisionForm(forms.Form):
    """Confirms a step for one document or for those chosen in the list."""

    def __init__(self, *args: Any, documents: list[Document], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.documents = documents


class PublishForm(DecisionForm):
    """Asks for confirmation that doubtful pages were looked at."""

    looked = forms.BooleanField(
        label="I looked at the pages that the parser was unsure of",
        error_messages={"required": "Look at these pages first, then tick the box."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count = sum(pages_to_look_at(self.documents).values())
        self.fields["looked"].help_text = f"{count} in all."
        if not count:
            del self.fields["looked"]


def _reason(help_text: str) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": 3, "cols": 60})
    return forms.CharField(widget=widget, max_length=1000, help_text=help_text)


class ReasonForm(DecisionForm):
    reason = _reason("What has to change before it can be published.")


class WithdrawForm(DecisionForm):
    reason = _reason("Shown to clinicians beside each answer that cited the document.")


class ReinstateForm(DecisionForm):
    reason = _reason("Why it is in force again.")


class ReviewDateForm(DecisionForm):
    review_by = forms.DateField(
        widget=DateInput, help_text="After this date, answers from it show a banner."
    )


class ReplaceForm(forms.Form):
    """Chooses the published document that supersedes, or is superseded by, another."""

    other = forms.ModelChoiceField(Document.objects.none(), required=False)

    def __init__(
        self, *args: Any, choices: QuerySet[Document], required: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].queryset = choices  # type: ignore[attr-defined]
        self.fields["other"].required = required
        self.fields["other"].error_messages["required"] = "Choose the document."


class ApproveForm(ReplaceForm):
    """Approves a document: `looked` are the pages checked, `compared` the corrections (ids)."""

    looked = forms.TypedMultipleChoiceField(coerce=int, required=False)
    compared = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(
        self, *args: Any, to_look_at: list[int], to_compare: list[int], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.to_look_at, self.to_compare = to_look_at, to_compare
        self.fields["compared"].choices = [(n, n) for n in to_compare]  # type: ignore[attr-defined]
        self.fields["looked"].choices = [(n, n) for n in to_look_at]  # type: ignore[attr-defined]

    def clean_looked(self) -> list[int]:
        looked: list[int] = self.cleaned_data["looked"]
        missing = [str(number) for number in self.to_look_at if number not in looked]
        if missing:
            pages = ", ".join(missing[:20]) + (" and more" if len(missing) > 20 else "")
            text = f"Compare page {pages} with its picture or the original, then tick it."
            raise forms.ValidationError(text, code="not_looked_at")
        return looked

    def clean_compared(self) -> list[int]:
        compared: list[int] = self.cleaned_data["compared"]
        if set(self.to_compare) - set(compared):
            text = "Compare each correction with the page, then tick it."
            raise forms.ValidationError(text, code="not_compared")
        return compared


class CorrectionForm(forms.Form):
    """Corrects text; `as_read` is what the person saw, so that nothing else is replaced unseen."""

    as_read = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 4}), max_length=20_000)
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), max_length=1000)


class RepairForm(forms.Form):
    """Asks why a table is repaired; its cells are fields of `corpus.review.grid`."""

    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), max_length=1000)


class DisableForm(forms.Form):
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2, "cols": 40}), max_length=1000, label="Reason"
    )
