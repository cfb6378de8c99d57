"""Word, PowerPoint and Excel files, through docling's backends for them."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from corpus.parsing.office.archives import check_archive
from corpus.parsing.office.blocks import pages_of
from corpus.parsing.office.workbooks import check_workbook
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import Doubt, ParsedDocument, ParseError, too_deep

_SYMBOLS_LEFT_OUT = Doubt(
    "symbols_left_out",
    "Signs from a symbol font, such as ≥ or µ, are not in the text; compare it with the file.",
)
# By docling's name of the format: module and class, imported late because docling is heavy.
_BACKENDS = {
    "docx": ("docling.backend.msword_backend", "MsWordDocumentBackend"),
    "pptx": ("docling.backend.mspowerpoint_backend", "MsPowerpointDocumentBackend"),
    "xlsx": ("docling.backend.msexcel_backend", "MsExcelDocumentBackend"),
    "html": ("docling.backend.html_backend", "HTMLDocumentBackend"),
    "md": ("docling.backend.md_backend", "MarkdownDocumentBackend"),
}


def parse_docx(request: Request) -> ParsedDocument:
    """Return one page: a Word file has none until it is printed. Running headers are left out."""
    return _with_symbols_doubted(_parse_office(request, "docx"), request.path)


def _with_symbols_doubted(document: ParsedDocument, path: Path) -> ParsedDocument:
    """Tell of signs that Word keeps as places in a symbol font: docling leaves them out."""
    with ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("word/")]
        if not any(b"<w:sym " in archive.read(name) for name in names if name.endswith(".xml")):
            return document
    first, *others = document.pages
    doubted = replace(first, doubts=(*first.doubts, _SYMBOLS_LEFT_OUT))
    return replace(document, pages=(doubted, *others))


def parse_pptx(request: Request) -> ParsedDocument:
    """Return a page for each slide."""
    return _parse_office(request, "pptx")


def parse_xlsx(request: Request) -> ParsedDocument:
    """Return a page for each sheet."""
    check_workbook(request.path)
    return _parse_office(request, "xlsx")


def _parse_office(request: Request, kind: str) -> ParsedDocument:
    check_archive(request.path, request.media_type)
    request.on_page(0, 1)
    document, count = convert(request.path, kind)
    return finish(request, document, page_count=1 if kind == "docx" else max(1, count))


def finish(request: Request, document: Any, *, page_count: int = 1) -> ParsedDocument:
    """Return what docling made of a file, as pages and blocks."""
    if page_count > request.max_pages:
        raise ParseError(
            f"The file has {page_count} pages; {request.max_pages} are allowed.",
            code="too_many_pages",
            hint="Split it, or ask for a higher limit.",
        )
    pages, title = pages_of(document, page_count=page_count)
    request.on_page(len(pages), len(pages))
    return ParsedDocument(pages, engine_name(request.media_type), title=title)


def convert(source: Path | BytesIO, kind: str, name: str = "file") -> tuple[Any, int]:
    """Return docling's document of a file and its number of pages. Nothing is fetched or rendered.

    Raises ParseError (`file_corrupt`) for all that docling can't read.
    """
    from docling.datamodel.base_models import InputFormat  # heavy, so late
    from docling.datamodel.document import InputDocument

    options: dict[str, Any] = {}
    if kind == "html":  # else all above the first heading is left out
        module_of_options: Any = import_module("docling.datamodel.backend_options")
        options["backend_options"] = module_of_options.HTMLBackendOptions(infer_furniture=False)
    module, backend_name = _BACKENDS[kind]
    backend: Any = getattr(import_module(module), backend_name)
    try:
        source_document = InputDocument(
            path_or_stream=source,
            format=InputFormat(kind),
            backend=backend,
            filename=f"{name}.{kind}",
            **options,
        )
        if not source_document.valid:
            raise ValueError("docling refused the file")
        reader: Any = source_document._backend
        return reader.convert(), int(source_document.page_count)
    except MemoryError:
        raise
    except RecursionError as error:
        raise too_deep() from error
    except Exception as error:  # docling's backends raise whatever their libraries do
        raise ParseError(
            "The file is damaged and can't be read.",
            code="file_corrupt",
            hint="Open it in the program that made it, save it again, and upload that.",
        ) from error
