"""Upload a question set as a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile

from evaluation.models import QuestionSet
from evaluation.question_set_services import SetFacts, question_set_upload
from evaluation.question_sets import FORMS


class QuestionSetForm(forms.Form):
    """A file, its form, and facts that the file does not state."""

    upload = forms.FileField(
        label="File",
        help_text="A file as it was published, also compressed by gzip; MedQuAD as a tar.",
        error_messages={"required": "Choose a file."},
    )
    form = forms.ChoiceField(
        choices=[(name, name) for name in FORMS],
        initial="plain",
        help_text="plain: a JSON list of question and expected_answer. guidelines: also with "
        "the document and page that hold the answer. The others are published sets",
    )
    name = forms.CharField(
        max_length=200, required=False, help_text="If empty, the name of the file"
    )
    version = forms.CharField(max_length=50, required=False)
    source = forms.CharField(
        max_length=500, required=False, help_text="Where the set is from, such as an address"
    )
    licence = forms.CharField(max_length=200, required=False)
    split = forms.CharField(
        max_length=50,
        required=False,
        help_text="Split of all questions, such as dev or test; if empty, as the file says",
    )

    def clean_upload(self) -> UploadedFile[bytes]:
        upload: UploadedFile[bytes] = self.cleaned_data["upload"]
        if (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            most = settings.UPLOAD_MAX_BYTES // 1024**2
            raise forms.ValidationError(
                f"Nothing was stored: the file is larger than {most} MB. "
                "Import it with manage.py evaluate import.",
                code="too_large",
            )
        return upload


def question_set_uploaded(form: QuestionSetForm, by: User) -> QuestionSet:
    """Store the question set of a valid form. Raises DatasetError, DuplicateQuestionSet."""
    given: dict[str, Any] = form.cleaned_data
    facts = SetFacts(given["name"], given["version"], given["source"], given["licence"])
    return question_set_upload(
        given["upload"], facts, form=given["form"], split=given["split"], by=by
    )
