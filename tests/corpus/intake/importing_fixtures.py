"""Small invented corpora in the forms in which real ones are published."""

from pathlib import Path

from corpus.intake.published_formats import FORMATS, records_of
from corpus.intake.splitting import Record
from corpus.parsing.registry import Request, parse_file
from corpus.parsing.sniff import media_type_of
from corpus.parsing.types import Page, ParsedDocument
from tests.corpus.parsing.parsing_fixtures import assert_contract

FOLDER = Path(__file__).parent / "importing"
FILES = {
    "medquad": "medquad.xml",
    "pubmed": "pubmed.xml",
    "jats": "article.nxml",
    "statpearls": "chapter.nxml",
    "medlineplus": "medlineplus.xml",
    "wikipedia": "wikipedia.xml",
    "jsonl": "records.jsonl",
}
MAX_BYTES = 2**20


def corpus(name: str) -> Path:
    return FOLDER / FILES[name]


def records(name: str, path: Path | None = None, *, max_bytes: int = MAX_BYTES) -> list[Record]:
    return list(records_of(path or corpus(name), form=FORMATS[name], max_bytes=max_bytes))


def parse(content: bytes, filename: str, folder: Path) -> ParsedDocument:
    """Parse bytes in this process, as an upload of this name would be."""
    path = folder / "upload"
    path.write_bytes(content)
    request = Request(path, media_type_of(path, filename), folder, 10, lambda done, total: None)
    document = parse_file(request)
    assert_contract(document)
    return document


def outline(page: Page) -> list[str]:
    """List the blocks as `kind: text`, or `h1: text` to `h9: text` for a heading."""
    return [
        f"{f'h{block.level}' if block.kind == 'heading' else block.kind.value}: "
        f"{page.text[block.start : block.end]}"
        for block in page.blocks
    ]


def doubts(document: ParsedDocument) -> list[tuple[str, str]]:
    (page,) = document.pages
    return [(doubt.code, page.text[doubt.start : doubt.end]) for doubt in page.doubts]
