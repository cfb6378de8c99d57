"""What corpus staff can send in the administration."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from corpus.models import Collection, Document, Lifecycle


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """A list of files; a lone one is a list, too."""

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
    """Files and what is the same for all of them."""

    uploads = ManyFilesField(
        label="Files",
        help_text="PDF, Word, HTML or Markdown. Choose many at once, or drop them here.",
        error_messages={"required": "Choose at least one file."},
    )
    collection = forms.ModelChoiceField(Collection.objects.all(), empty_label=None)
    issuer = forms.CharField(max_length=200, required=False)
    version = forms.CharField(max_length=50, required=False)
    population = forms.CharField(
        max_length=100, required=False, help_text="Whom it applies to, for example: adult"
    )
    effective_from = forms.DateField(
        required=False, widget=DateInput, help_text="Empty: in force from the day of publication"
    )
    review_by = forms.DateField(required=False, widget=DateInput)

    def document(self) -> Document:
        """A new document with what was filled in, not saved."""
        return Document(**{k: v for k, v in self.cleaned_data.items() if k != "uploads"})


class DecisionForm(forms.Form):
    """Confirms a step for the documents that were chosen in the list."""

    def __init__(self, *args: Any, documents: list[Document], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.documents = documents


class PublishForm(DecisionForm):
    """For one document, also which published one it takes the place of."""

    replaces = forms.ModelChoiceField(
        Document.objects.filter(lifecycle=Lifecycle.PUBLISHED),
        required=False,
        empty_label="None: it is new",
        help_text="That document is superseded in the same moment.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if len(self.documents) != 1:
            del self.fields["replaces"]


class SupersedeForm(DecisionForm):
    successor = forms.ModelChoiceField(Document.objects.none(), label="Superseded by")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)
        choice = self.fields["successor"]
        choice.queryset = others.exclude(pk__in=[d.pk for d in self.documents])  # type: ignore[attr-defined]


class WithdrawForm(DecisionForm):
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        max_length=1000,
        help_text="Clinicians read it beside each answer that cited the document.",
    )
