"""Many files at once in the administration, each with a message of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html

from corpus.admin_decisions import signed_in_user
from corpus.errors import MedragError
from corpus.filenames import clean_filename
from corpus.forms import UploadForm
from corpus.models import Collection, Document
from corpus.services.documents import DuplicateDocument, collection_default, document_ingest

if TYPE_CHECKING:
    DocumentModelAdmin = admin.ModelAdmin[Document]
else:
    DocumentModelAdmin = admin.ModelAdmin


def upload(model_admin: DocumentModelAdmin, request: HttpRequest) -> HttpResponse:
    """Show the form, or store the files and go to the list, where their progress is seen."""
    if not Collection.objects.exists():
        collection_default()
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        for file in form.cleaned_data["uploads"]:
            _store(model_admin, request, form.document(), file)
        return HttpResponseRedirect(reverse("admin:corpus_document_changelist"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Upload guidelines",
        "form": form,
        "opts": model_admin.opts,
    }
    return TemplateResponse(request, "admin/corpus/document/upload.html", context)


def _store(
    model_admin: DocumentModelAdmin,
    request: HttpRequest,
    document: Document,
    file: UploadedFile[bytes],
) -> None:
    name = clean_filename(file.name or "")
    try:
        document_ingest(document, upload=file, uploaded_by=signed_in_user(request))
    except DuplicateDocument as error:
        link = _link(error.existing)
        text = format_html("{}: this very file is here already, as {}.", name, link)
        model_admin.message_user(request, text, messages.WARNING)
    except MedragError as error:
        model_admin.message_user(request, f"{name}: {error.sentence}", messages.ERROR)
    else:
        model_admin.log_addition(request, document, [{"added": {}}])
        text = format_html("{}: stored as {}; it is being read.", name, _link(document))
        model_admin.message_user(request, text, messages.SUCCESS)


def _link(document: Document) -> str:
    address = reverse("admin:corpus_document_change", args=[document.pk])
    return format_html('<a href="{}">{}</a>', address, document)
