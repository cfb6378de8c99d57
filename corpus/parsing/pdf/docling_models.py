"""Read PDFs by docling's own pipeline, with its layout and table models from a folder.

Needs the extra `layout` and the folder that `docling-tools models download` fills.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markup import first_heading, page_of
from corpus.parsing.registry import engine_name
from corpus.parsing.types import Page, ParsedDocument, ParseError

if TYPE_CHECKING:
    from corpus.parsing.pdf.render import Renderer
    from corpus.parsing.registry import Request


def parse_with_models(request: Request, renderer: Renderer) -> ParsedDocument:
    """Return docling's own reading of a PDF. Blocks have no boxes of lines.

    Raises ParseError: `models_unusable` where the models can't be loaded, `pages_missing`.
    """
    try:
        converter = _loaded(request)
    except MemoryError:
        raise
    except Exception as error:  # docling, torch and their extensions each raise their own
        raise ParseError(
            f"Docling's layout models can't be loaded ({type(error).__name__}).",
            code="models_unusable",
            hint="Check DOCLING_ARTIFACTS_PATH and the extra `layout`, then press Read again.",
        ) from error
    result = converter.convert(request.path, raises_on_error=True)
    total = renderer.page_count
    if result.status.value != "success" or len(result.document.pages) != total:
        raise ParseError(
            f"Only {len(result.document.pages)} of {total} pages could be read.",
            code="pages_missing",
            hint="None of it is used. Save the PDF again and upload it.",
        )
    request.on_page(total, total)
    pages = pages_of(result.document, total)
    seen = tuple(replace(x, ocr_confidence=_confidence(result, x.number)) for x in pages)
    engine = engine_name(request.media_type, with_models=True)
    return ParsedDocument(seen, engine, title=first_heading(seen))


def pages_of(document: Any, count: int) -> tuple[Page, ...]:
    """Return the pages of a `DoclingDocument`, from the HTML that docling writes for each."""
    written = (document.export_to_html(page_no=number) for number in range(1, count + 1))
    return tuple(page_of(html_tree(html), number) for number, html in enumerate(written, start=1))


def _loaded(request: Request) -> Any:
    """Return docling's converter with its models loaded.

    OCR uses the models in RapidOCR's package, so that none are downloaded.
    """
    import rapidocr  # heavy, as all of these, so late
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import PdfPipelineOptions, RapidOcrOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption

    (folder,) = (Path(place) / "models" for place in rapidocr.__path__)
    ocr_options = RapidOcrOptions(
        backend="onnxruntime",
        det_model_path=str(folder / "PP-OCRv6_det_small.onnx"),
        cls_model_path=str(folder / "ch_ppocr_mobile_v2.0_cls_mobile.onnx"),
        rec_model_path=str(folder / "PP-OCRv6_rec_small.onnx"),
    )
    options = PdfPipelineOptions(artifacts_path=request.docling_artifacts, ocr_options=ocr_options)
    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)},
    )
    converter.initialize_pipeline(InputFormat.PDF)
    return converter


def _confidence(result: Any, number: int) -> float | None:
    """Return the confidence of docling's OCR for a page; None if the page was not read by OCR."""
    scores = result.confidence.pages.get(number)
    score = math.nan if scores is None else float(scores.ocr_score)
    return None if math.isnan(score) else round(score, 4)
