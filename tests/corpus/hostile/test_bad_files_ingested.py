"""Test uploads of bad files: each ends with a sentence, and no job is stuck."""

from io import BytesIO

import pytest
from pytest_django import Settings

from core.errors import MedragError
from corpus.models import Document, Job, JobState
from corpus.services.documents import collection_default, document_ingest
from corpus.services.indexing import document_index
from tests.corpus.hostile import bad_files, bad_markup, bad_office, bad_pdfs

pytestmark = pytest.mark.django_db

NAMES = """
    pdf-empty.pdf pdf-header-only.pdf pdf-header-and-noise.pdf pdf-no-pages.pdf pdf-no-page-tree.pdf
    pdf-many-pages.pdf pdf-tree-cycle.pdf pdf-catalog-cycle.pdf
    pdf-content-cycle.pdf pdf-bad-xref.pdf pdf-form-draws-itself.pdf pdf-user-password.pdf
    pdf-owner-password.pdf pdf-broken-encryption.pdf pdf-claims-some-pages.pdf
    pdf-picture-masks-itself.pdf pdf-bad-text-strings.pdf pdf-script-and-launch.pdf
    docx-empty-zip.docx docx-old-format.docx docx-bomb.docx docx-nested-zips.docx
    docx-lying-size.docx docx-password.docx docx-points-outside.docx docx-no-document.docx
    docx-not-xml.docx docx-no-text.docx docx-laughs.docx docx-external.docx
    xlsx-million-cells.xlsx xlsx-corner-cells.xlsx xlsx-laughs.xlsx xlsx-no-workbook.xlsx
    pptx-huge-picture.pptx
    xml-laughs.xml xml-external.xml xml-deep.xml xml-unknown.xml xml-bad-utf8.xml
    html-deep.html html-wide-row.html html-only-script.html html-charset-undefined.html
    md-quotes.md md-html-inside.md txt-invisible.txt txt-bad-utf8.txt txt-nulls-late.txt
""".split()
CRAFTS = {craft[0]: craft for craft in bad_pdfs.CRAFTED + bad_office.CRAFTED + bad_markup.CRAFTED}


@pytest.mark.parametrize("name", bad_files.share(NAMES, str))
def test_an_upload_ends_refused_failed_or_done(name: str, settings: Settings) -> None:
    settings.PARSE_MAX_PAGES, settings.PARSE_MEMORY_MB = 50, bad_files.LIMITS.memory_mb
    (file,) = bad_files.crafted([CRAFTS[name]])
    document = Document(collection=collection_default())
    try:
        document_ingest(
            document, upload=BytesIO(file.content), uploaded_by=None, filename=file.name
        )
    except MedragError as error:
        assert str(error).endswith(".") and error.hint.endswith(".")
        assert not Document.objects.exists() and not Job.objects.exists()
        return
    for _ in range(settings.JOB_MAX_ATTEMPTS):
        document_index(document.pk)
    job = Job.objects.get()
    assert job.lease_token is None and job.lease_until is None
    if job.state == JobState.DONE:
        assert bad_files.PARSED in file.outcomes
        return
    assert job.state == JobState.FAILED
    assert job.error_code in file.outcomes
    assert job.last_error.endswith(".") and len(job.last_error.split(". ")) >= 2
    assert not document.chunks.exists()
