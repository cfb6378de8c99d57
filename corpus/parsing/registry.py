"""Which parser reads which media type, and under which name the result is recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from corpus.parsing import sniff
from corpus.parsing.types import ParsedDocument, ParseError

OnPage = Callable[[int, int], None]

LAYOUT_REVISION = 5  # raised by every change that gives other pages or blocks for the same bytes
MODELS_ENGINE = "docling-models"


@dataclass(frozen=True)
class Request:
    """One file to read, where to put what belongs beside it, and whom to tell about progress."""

    path: Path
    media_type: str
    output_dir: Path
    max_pages: int
    on_page: OnPage
    docling_artifacts: Path | None = None


# Module and function, imported when needed: a child reads one file, and waits for no other library.
_PARSERS = {
    sniff.PDF: ("corpus.parsing.pdf.document", "parse_pdf"),
    sniff.DOCX: ("corpus.parsing.office.word", "parse_docx"),
    sniff.PPTX: ("corpus.parsing.office.slides", "parse_pptx"),
    sniff.XLSX: ("corpus.parsing.office.sheets", "parse_xlsx"),
    sniff.HTML: ("corpus.parsing.office.markup", "parse_html"),
    sniff.MARKDOWN: ("corpus.parsing.office.markup", "parse_markdown"),
    sniff.TEXT: ("corpus.parsing.office.markup", "parse_text"),
    sniff.XML: ("corpus.parsing.published.medquad", "parse_medquad"),
    sniff.PUBMED: ("corpus.parsing.published.pubmed", "parse_pubmed"),
    sniff.JATS: ("corpus.parsing.published.jats", "parse_jats"),
    sniff.BITS: ("corpus.parsing.published.bits", "parse_bits"),
    sniff.MEDLINEPLUS: ("corpus.parsing.published.medlineplus", "parse_medlineplus"),
    sniff.WIKIPEDIA: ("corpus.parsing.published.wikipedia", "parse_wikipedia"),
    sniff.RECORD: ("corpus.parsing.published.records", "parse_record"),
    sniff.PASSAGES: ("corpus.parsing.published.exchanged", "parse_passages"),
}


# What our own code reads, each raised by itself when it gives other blocks, and the library below
# it whose version may change them.
_ENGINES = {
    sniff.DOCX: ("word-xml/1", ""),
    sniff.PPTX: ("slides/1", "python-pptx"),
    sniff.XLSX: ("sheets/1", "openpyxl"),
    sniff.HTML: ("html/1", ""),
    sniff.MARKDOWN: ("markdown/1", "markdown-it-py"),
    sniff.TEXT: ("plain-text/3", ""),
    sniff.XML: ("medquad-xml/1", ""),
    sniff.PUBMED: ("pubmed-xml/1", ""),
    sniff.JATS: ("jats-xml/2", ""),
    sniff.BITS: ("bits-xml/2", ""),
    sniff.MEDLINEPLUS: ("medlineplus-xml/2", ""),
    sniff.WIKIPEDIA: ("mediawiki-xml/2", "mwparserfromhell"),
    sniff.RECORD: ("record-json/1", ""),
    sniff.PASSAGES: ("chunks-jsonl/1", ""),
}


# What a child imports beside our own modules: a process that many are forked from has it already.
_LIBRARIES = {
    sniff.PDF: ("cv2", "PIL.ImageDraw"),  # not OpenVINO: it starts threads
    sniff.PPTX: ("pptx",),
    sniff.XLSX: ("openpyxl",),
    sniff.MARKDOWN: ("markdown_it",),
}
# What takes a fifth of a second for all of it, so that it need not be known what is read first.
ALWAYS_LOADED = (
    *("corpus.parsing.pdf.document", "corpus.parsing.office.markup", "pypdfium2.raw"),
    "tokenizers",  # for what is cut into passages
)


def libraries_for(*, media_type: str) -> tuple[str, ...]:
    """Return the names of the modules that reading this type needs; none for an unknown one."""
    ours = _PARSERS[media_type][:1] if media_type in _PARSERS else ()
    return (*ours, *_LIBRARIES.get(media_type, ()))


def parse_file(request: Request) -> ParsedDocument:
    """Parse a file in this process. Raises ParseError; may also crash, so run it in a child."""
    if request.media_type not in _PARSERS:
        raise ParseError(
            "Files of this type are not read.", code="unsupported_type", hint="Convert it to PDF."
        )
    module, name = _PARSERS[request.media_type]
    parse: Callable[[Request], ParsedDocument] = getattr(import_module(module), name)
    document = parse(request)
    if not any(page.text for page in document.pages):
        raise ParseError(
            "The file holds no text.",
            code="no_text",
            hint="Check that it opens and shows text in the program that made it.",
        )
    return document


def engine_name(media_type: str, *, with_models: bool = False) -> str:
    """Return the engine that reads this type here, with versions: part of the fingerprint.

    `with_models`: docling's own layout models read PDFs, see `docling_models`.
    """
    if media_type in _ENGINES:
        name, package = _ENGINES[media_type]
        return f"{name} {package}/{_version(package)}" if package else name
    if with_models:
        return f"{MODELS_ENGINE}/{_version('docling-slim')} html/2"
    return (
        f"geometry/{LAYOUT_REVISION} "
        f"pypdfium2/{_version('pypdfium2')} rapidocr/{_version('rapidocr')} "
        f"openvino/{_version('openvino')}"
    )


def _version(package: str) -> str:
    from importlib import metadata  # late: a quarter of the start of the child for XML

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # it is of an extra
        return "absent"
