"""Which parser reads which media type, and the engine name that is stored with the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from operator import attrgetter
from pathlib import Path

from corpus.parsing import sniff
from corpus.parsing.broken import doubt_breaks
from corpus.parsing.doubts.pages import graded
from corpus.parsing.misread import doubt_signs
from corpus.parsing.office.archives import check_archive
from corpus.parsing.standing import doubt_standing
from corpus.parsing.tables.contents import mark_contents
from corpus.parsing.tables.notes import doubt_notes
from corpus.parsing.types import ParsedDocument, ParseError

OnPage = Callable[[int, int], None]

LAYOUT_REVISION = 24  # raised by every change that gives other pages or blocks for the same bytes
MODELS_ENGINE = "docling-models"


@dataclass(frozen=True)
class Request:
    """One file to parse, the folder for its output, and a function to report progress to."""

    path: Path
    media_type: str
    output_dir: Path
    max_pages: int
    on_page: OnPage
    docling_artifacts: Path | None = None


@dataclass(frozen=True)
class _Format:
    """How a media type is read.

    `module` and `function` are the parser, imported when needed, since a child reads one file;
    `engine` names our own code, with a number raised when it gives other blocks; `package` is one
    whose version may change the blocks; `imports` are libraries that the parser needs.
    """

    module: str
    function: str
    engine: str = ""
    package: str = ""
    imports: tuple[str, ...] = ()


_DOCLING = "corpus.parsing.office.docling."
_OPEN = "corpus.parsing.opendocument.documents"
_MARKUP = "corpus.parsing.office.markup"


def _published(name: str, engine: str, package: str = "") -> _Format:
    return _Format(f"corpus.parsing.published.{name}", "READER.parse", engine, package)


_FORMATS = {
    # not OpenVINO, which starts threads
    sniff.PDF: _Format(
        "corpus.parsing.pdf.document", "parse_pdf", imports=("cv2", "PIL.ImageDraw")
    ),
    sniff.DOCX: _Format(f"{_DOCLING}word", "parse_docx", "word/9", "docling-slim"),
    sniff.PPTX: _Format(f"{_DOCLING}slides", "parse_pptx", "slides/8", "docling-slim"),
    sniff.XLSX: _Format(f"{_DOCLING}sheets", "parse_xlsx", "sheets/8", "docling-slim"),
    sniff.ODT: _Format(_OPEN, "parse_odt", "odt/1"),
    sniff.ODS: _Format(_OPEN, "parse_ods", "ods/1"),
    sniff.ODP: _Format(_OPEN, "parse_odp", "odp/1"),
    sniff.EPUB: _Format("corpus.parsing.published.epub", "parse_epub", "epub/1"),
    sniff.EMAIL: _Format("corpus.parsing.mail", "parse_mail", "mail/1"),
    sniff.HTML: _Format(_MARKUP, "parse_html", "html/8"),
    sniff.MARKDOWN: _Format(f"{_DOCLING}markdown", "parse_markdown", "markdown/8", "docling-slim"),
    sniff.TEXT: _Format(_MARKUP, "parse_text", "plain-text/6"),
    sniff.XML: _published("medquad", "medquad-xml/2"),
    sniff.PUBMED: _published("pubmed", "pubmed-xml/2"),
    sniff.JATS: _published("jats", "jats-xml/4"),
    sniff.BITS: _published("bits", "bits-xml/4"),
    sniff.MEDLINEPLUS: _published("medlineplus", "medlineplus-xml/4"),
    sniff.WIKIPEDIA: _published("wikipedia", "mediawiki-xml/4", "mwparserfromhell"),
    sniff.RECORD: _published("records", "record-json/2"),
}
MEDIA_TYPES = frozenset(_FORMATS)  # all that can be read
# Modules loaded before the first file's type is known; together they take a fifth of a second.
ALWAYS_LOADED = (
    *("corpus.parsing.pdf.document", _MARKUP, "pypdfium2.raw"),
    "tokenizers",  # to cut passages
)


def libraries_for(*, media_type: str) -> tuple[str, ...]:
    """Return the names of modules to import for a media type; empty for an unknown one."""
    form = _FORMATS.get(media_type)
    return (form.module, *form.imports) if form else ()


def parse_file(request: Request) -> ParsedDocument:
    """Parse a file in this process. Raises ParseError; may also crash, so call it in a child."""
    form = _FORMATS.get(request.media_type)
    if form is None:
        raise ParseError(
            "Files of this type can't be read.", code="unsupported_type", hint="Convert it to PDF."
        )
    if request.media_type in sniff.ZIPPED:
        check_archive(request.path, request.media_type)
    parse: Callable[[Request], ParsedDocument] = attrgetter(form.function)(
        import_module(form.module)
    )
    document = parse(request)
    if not any(page.text for page in document.pages):
        raise ParseError(
            "The file holds no text.",
            code="no_text",
            hint="Check that it opens and shows text in the program that made it.",
        )
    document = replace(
        document, pages=doubt_notes(doubt_breaks(list(map(doubt_signs, document.pages))))
    )
    document = doubt_standing(replace(document, pages=mark_contents(document.pages)))
    return replace(document, pages=tuple(map(graded, document.pages)))


def engine_name(media_type: str, *, with_models: bool = False) -> str:
    """Return the name of the engine that reads a media type, with versions, for the fingerprint.

    `with_models`: docling's own layout models read PDFs, see `docling_models`.
    """
    form = _FORMATS.get(media_type)
    if form and form.engine:
        package = form.package
        return f"{form.engine} {package}/{_version(package)}" if package else form.engine
    if with_models:
        return f"{MODELS_ENGINE}/{_version('docling-slim')} blocks/1"
    return (
        f"geometry/{LAYOUT_REVISION} "
        f"pypdfium2/{_version('pypdfium2')} rapidocr/{_version('rapidocr')} "
        f"openvino/{_version('openvino')}"
    )


def reader_name(engine: str, media_type: str) -> str:
    """Say which of the two readers of PDFs read a document; other types have one, its engine."""
    if media_type != sniff.PDF or not engine:
        return engine
    name = "docling" if engine.startswith(MODELS_ENGINE) else "the standard reader"
    return f"{name} ({engine})"


def _version(package: str) -> str:
    from importlib import metadata  # late: a quarter of the start of the child for XML

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # it is of an extra
        return "absent"
