"""Read PDFs by docling's own pipeline, with its layout and table models from a folder.

Needs the extra `layout` and the folder that `docling-tools models download` fills.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.parsing.clean import UNREADABLE, clean_line
from corpus.parsing.drafts import Draft, Drafted, DraftTable, LineText, write_page
from corpus.parsing.layout.doubts import SIGN_UNREADABLE
from corpus.parsing.layout.figures import LEFT_OUT
from corpus.parsing.mending import mended
from corpus.parsing.office.markup import annotate, title_of
from corpus.parsing.pdf.annotations import annotations_of, doubts_about
from corpus.parsing.pdf.cells import read_page
from corpus.parsing.pdf.drawings import Frame
from corpus.parsing.pdf.struck import struck_doubts
from corpus.parsing.registry import engine_name
from corpus.parsing.selfcheck.pages import LeftOut, check_pages
from corpus.parsing.tables.printed import header_rows, with_header
from corpus.parsing.types import BlockKind, Box, Cell, Doubt, Page, ParsedDocument, ParseError

if TYPE_CHECKING:
    from corpus.parsing.pdf.render import Renderer
    from corpus.parsing.registry import Request

Size = tuple[float, float]

_KINDS = {
    "title": BlockKind.HEADING,
    "section_header": BlockKind.HEADING,
    "list_item": BlockKind.LIST_ITEM,
    "caption": BlockKind.CAPTION,
    "footnote": BlockKind.FOOTNOTE,
}


def parse_with_models(request: Request, renderer: Renderer) -> ParsedDocument:
    """Return docling's own reading of a PDF, compared with the words of its pages.

    A line is a whole block: docling tells no smaller boxes. Raises ParseError: `models_unusable`
    where the models can't be loaded, `pages_missing`.
    """
    try:
        converter = _loaded(request)
    except MemoryError:
        raise
    except Exception as error:  # docling, torch and their extensions each raise their own
        raise ParseError(
            f"Docling's layout models can't be loaded ({type(error).__name__}).",
            code="models_unusable",
            hint="Nothing was lost: what was read of it before stays. Check DOCLING_ARTIFACTS_PATH "
            "and the extra `layout`, then press Read again; or Read again with the standard "
            "reader.",
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
    sizes = [renderer.size(number) for number in range(1, total + 1)]
    read, left_out = pages_of(result.document, sizes)
    seen = [replace(page, ocr_confidence=_confidence(result, page.number)) for page in read]
    pages = check_pages(request.path, [_noted(page, renderer) for page in seen], left_out)
    engine = engine_name(request.media_type, with_models=True)
    return ParsedDocument(pages, engine, title=title_of(pages))


def _noted(page: Page, renderer: Renderer) -> Page:
    """Return a page with doubts about struck words and annotations, of which docling knows none."""
    source = renderer.page(page.number)
    cells = read_page(source, page.number)
    lines = [line for block in page.blocks for line in block.lines]
    read = [(page.text[line.start : line.end], line.box) for line in lines]
    notes = tuple(doubts_about(annotations_of(source, Frame.of(source)), read))
    return replace(page, doubts=(*page.doubts, *struck_doubts(page, replace(cells, notes=notes))))


def pages_of(document: Any, sizes: Sequence[Size]) -> tuple[list[Page], list[LeftOut]]:
    """Return the pages of a `DoclingDocument`, and what each leaves out on purpose.

    `sizes` are those of the displayed pages in points; docling's boxes are scaled to them.
    """
    reading = _ReadDocument(document, sizes)
    drafts = [annotate(drafts) for drafts in reading.drafts]
    whole = iter(mended(chain.from_iterable(drafts)))
    pages = [
        write_page(
            Page(number, "", (), *size, doubts=tuple(doubts), running_lines=tuple(lines)),
            list(islice(whole, count)),
        )
        for number, (size, doubts, lines, count) in enumerate(
            zip(sizes, reading.doubts, reading.lines, map(len, drafts), strict=True), start=1
        )
    ]
    return pages, list(map(LeftOut, reading.running, reading.figures))


class _ReadDocument:
    """The blocks of each page of a `DoclingDocument`, in order, and the boxes left out."""

    def __init__(self, document: Any, sizes: Sequence[Size]) -> None:
        self._document, self._sizes = document, sizes
        self.drafts: list[list[Drafted]] = [[] for _ in sizes]
        self.doubts: list[list[Doubt]] = [[] for _ in sizes]
        self.running: list[list[Box]] = [[] for _ in sizes]
        self.lines: list[list[str]] = [[] for _ in sizes]
        self.figures: list[list[Box]] = [[] for _ in sizes]
        self._read: set[str] = set()
        for item in document.texts:
            if item.content_layer.value == "furniture":
                for prov in item.prov:
                    self.running[prov.page_no - 1].append(self._box(prov.bbox, prov.page_no))
                    self.lines[prov.page_no - 1].append(clean_line(item.text))
        for item, _ in document.iterate_items():
            self._add(item)

    def _add(self, item: Any) -> None:
        if item.self_ref in self._read or not item.prov:
            return
        self._read.add(item.self_ref)
        label = item.label.value
        if label in ("table", "document_index", "picture", "chart"):
            for caption in item.captions:
                self._add(caption.resolve(self._document))
            if label in ("picture", "chart"):
                self._leave_out(item)
            else:
                self._add_table(item)
            for note in item.footnotes:
                self._add(note.resolve(self._document))
        elif text := getattr(item, "text", "") or getattr(item, "orig", ""):
            self._add_text(item, _KINDS.get(label, BlockKind.PARAGRAPH), text)

    def _add_text(self, item: Any, kind: BlockKind, text: str) -> None:
        """Add a text to each page where docling found a part of it."""
        level = 0
        if kind is BlockKind.HEADING:
            level = getattr(item, "level", 0) + 1  # a title has none and is the highest
        elif kind is BlockKind.LIST_ITEM:
            level = self._depth(item)
            text = f"{item.marker} {text}" if item.enumerated and item.marker else text
        pieces: dict[int, list[LineText]] = {}
        for prov, part in zip(item.prov, _parts(text, item), strict=True):
            piece = LineText(clean_line(part), self._box(prov.bbox, prov.page_no))
            pieces.setdefault(prov.page_no, []).extend([piece] if piece.text else [])
        continues = False
        for number, own in pieces.items():
            if own:
                is_lost = any(UNREADABLE in piece.text for piece in own)
                doubts = (SIGN_UNREADABLE,) if is_lost else ()
                draft = Draft(kind, tuple(own), level, continues, doubts)
                self.drafts[number - 1].append(draft)
                continues = True

    def _add_table(self, item: Any) -> None:
        number = item.prov[0].page_no
        cells = [self._cell(cell, number) for cell in item.data.table_cells]
        if not any(cell.text for cell in cells):
            return
        caption = clean_line(item.caption_text(self._document))
        is_lost = any(UNREADABLE in cell.text for cell in cells)
        marked = with_header(cells, header_rows(cells))
        table = DraftTable(marked, caption, doubts=(SIGN_UNREADABLE,) if is_lost else ())
        self.drafts[number - 1].append(table)

    def _cell(self, cell: Any, number: int) -> Cell:
        return Cell(
            cell.start_row_offset_idx,
            cell.start_col_offset_idx,
            clean_line(cell.text),
            rows=cell.row_span,
            columns=cell.col_span,
            is_header=cell.column_header,
            box=None if cell.bbox is None else self._box(cell.bbox, number),
        )

    def _leave_out(self, item: Any) -> None:
        """Leave out the words inside a figure, with a doubt."""
        inside = (child.resolve(self._document) for child in item.children)
        captions = {caption.cref for caption in item.captions}
        if any(getattr(x, "text", "") for x in inside if x.self_ref not in captions):
            number = item.prov[0].page_no
            self.doubts[number - 1].append(LEFT_OUT)
            self.figures[number - 1].append(self._box(item.prov[0].bbox, number))

    def _depth(self, item: Any) -> int:
        """Return the number of lists around an item."""
        depth = 0
        while item.parent is not None:
            item = item.parent.resolve(self._document)
            depth += item.label.value == "list"
        return depth

    def _box(self, bbox: Any, number: int) -> Box:
        size = self._document.pages[number].size
        own = bbox.to_top_left_origin(size.height)
        across, down = (
            shown / stated if stated else 1.0
            for shown, stated in zip(
                self._sizes[number - 1], (size.width, size.height), strict=True
            )
        )
        return (own.l * across, own.t * down, own.r * across, own.b * down)


def _parts(text: str, item: Any) -> Iterator[str]:
    """Yield the part of a text in each place where docling found one of its parts.

    The places are where docling joined them, give or take a divided word, so a word is not cut.
    """
    starts = [prov.charspan[0] for prov in item.prov[1:]]
    shift = len(text) - len(item.text or item.orig)  # of a list item's marker
    cuts = [text.rfind(" ", 0, min(at + shift, len(text))) + 1 for at in starts]
    for start, end in pairwise([0, *cuts, len(text)]):
        yield text[start:end]


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
