"""PDFs through docling's own pipeline, with its layout and table models read from a folder.

Needs the extra `layout` and the folder that `docling-tools models download` fills.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from corpus.parsing.docling_blocks import pages_of
from corpus.parsing.types import ParsedDocument, ParseError

if TYPE_CHECKING:
    from corpus.parsing.registry import Request
    from corpus.parsing.render import Renderer


def parse_with_models(request: Request, renderer: Renderer) -> ParsedDocument:
    """Return docling's own reading of a PDF. Blocks have no boxes of lines."""
    from docling.datamodel.base_models import InputFormat  # heavy, so late
    from docling.datamodel.pipeline_options import PdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption

    options = PdfPipelineOptions(artifacts_path=request.docling_artifacts)
    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)},
    )
    result = converter.convert(request.path, raises_on_error=True)
    total = renderer.page_count
    if result.status.value != "success" or len(result.document.pages) != total:
        raise ParseError(
            f"Only {len(result.document.pages)} of {total} pages could be read.",
            code="pages_missing",
            hint="Save the PDF again and upload it; nothing of it is used as it is.",
        )
    for number in range(1, total + 1):
        renderer.save_view(number, request.output_dir / "pages")
        request.on_page(number, total)
    pages, title = pages_of(result.document, page_count=total)
    return ParsedDocument(pages, f"docling-models/{version('docling-slim')}", title=title)
