"""Upload many files in the administration, each with a row of its own.

With JavaScript each file is a request, so that one rejection stops none; without, one form sends
them all and the resulting page has the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from core.errors import MedragError
from corpus.access import collections_uploadable
from corpus.admin.forms import UploadForm
from corpus.admin.pages import StaffRequest, address, page
from corpus.admin.progress import JobCell, job_cells
from corpus.filenames import clean_filename
from corpus.models import Collection, Document
from corpus.selectors import worker_is_alive
from corpus.services.documents import (
    DuplicateDocument,
    collection_default,
    document_ingest,
    withdrawal_of,
)
from corpus.services.history import history_begin
from corpus.staff_selectors import access_document_of_staff, documents_uploaded_by

SHOWN = 100  # rows of earlier uploads
REFUSED = 422


@dataclass(frozen=True)
class Received:
    """The result for one file: a new document, the existing one, or a sentence."""

    filename: str
    document: Document | None = None
    existing: Document | None = None
    withdrawal: str = ""  # when and why the existing one was withdrawn
    refusal: str = ""


def upload(request: StaffRequest) -> HttpResponse:
    """Show the form and the last day's uploads, or store the files and show them there."""
    _refuse_others(request)
    form = _form(request)
    if request.method == "POST" and form.is_valid():
        for file in form.cleaned_data["uploads"]:
            _tell(request, _receive(request, form.document(), file))
        return HttpResponseRedirect(address("add"))
    cells = job_cells(documents_uploaded_by(request.user, limit=SHOWN), with_offers=True)
    return page(
        request,
        "upload.html",
        title="Upload guidelines",
        form=form,
        cells=cells,
        is_active=any(cell.is_active for cell in cells),
        with_offers=True,
        worker_is_alive=worker_is_alive(),
    )


@require_POST
def upload_one(request: StaffRequest) -> HttpResponse:
    """Store one file of a batch and return its row; 422 if it is rejected."""
    _refuse_others(request)
    form = _form(request)
    if not form.is_valid():
        sentences = [str(error) for errors in form.errors.values() for error in errors]
        files = request.FILES.getlist("uploads")
        name = clean_filename(files[0].name or "") if files else "This file"
        return _row(request, Received(name, refusal=" ".join(sentences)))
    return _row(request, _receive(request, form.document(), form.cleaned_data["uploads"][0]))


def _form(request: StaffRequest) -> UploadForm:
    if not Collection.objects.exists():
        collection_default()
    collections = collections_uploadable(request.user).order_by("name")
    return UploadForm(request.POST or None, request.FILES or None, collections=collections)


def _refuse_others(request: StaffRequest) -> None:
    if not request.user.has_perm("corpus.add_document"):
        raise PermissionDenied


def _receive(request: StaffRequest, document: Document, file: UploadedFile[bytes]) -> Received:
    name = clean_filename(file.name or "")
    try:
        document_ingest(document, upload=file, uploaded_by=request.user)
    except DuplicateDocument as error:
        if error.may_be_named:
            return Received(name, existing=error.existing, withdrawal=withdrawal_of(error.existing))
        return Received(name, refusal=error.sentence)  # not that the bytes are here
    except MedragError as error:
        return Received(name, refusal=error.sentence)
    history_begin(document, by=request.user)
    return Received(name, document=document)


def _row(request: StaffRequest, received: Received) -> HttpResponse:
    cell = None
    if received.document is not None:
        cell = JobCell.of(access_document_of_staff(request.user, pk=received.document.pk))
    context = {"received": received, "cell": cell}
    status = 200 if cell else REFUSED
    return render(request, "admin/corpus/document/upload/_upload_row.html", context, status=status)


def _tell(request: StaffRequest, received: Received) -> None:
    if received.document is not None:
        link = _link(received.document)
        text = format_html("{}: stored as {}, and queued to be read.", received.filename, link)
        messages.success(request, text)
    elif received.existing is not None:
        link = _link(received.existing)
        text = format_html(
            "{}: this file was uploaded before, as {}. {} Nothing was stored.",
            received.filename,
            link,
            received.withdrawal and f"{received.withdrawal} It can be put back in force there.",
        )
        messages.warning(request, text)
    else:
        messages.error(request, f"{received.filename}: {received.refusal}")


def _link(document: Document) -> str:
    return format_html('<a href="{}">{}</a>', address("change", document.pk), document)
