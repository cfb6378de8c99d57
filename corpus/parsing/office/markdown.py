"""Read Markdown by docling: CommonMark with tables, strikethrough and HTML."""

from __future__ import annotations

import re
from io import BytesIO

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.office.docling_documents import Markdown, html_of, opened
from corpus.parsing.office.docling_losses import marked_markdown
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markup import decode, document_of
from corpus.parsing.published.xml_text import line_of
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument

# Metadata between two rules in front of Markdown, as in Jekyll.
_FRONT_MATTER = re.compile(
    r"\A---[^\S\n]*\n((?:\w[\w-]*:.*\n|[^\S\n]+.*\n|-.*\n|#.*\n|\n)*?)---\s*\n"
)
_FRONT_TITLE = re.compile(r"^title:[^\S\n]*[\"']?(.*?)[\"']?[^\S\n]*$", re.M)


def parse_markdown(request: Request) -> ParsedDocument:
    """Return one page."""
    text = clean_text(decode(request.path.read_bytes()))
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front.group(1)) if front else None
    body = text[front.end() :] if front else text
    reader = opened(Markdown, BytesIO(body.encode()))
    document = reader.convert_tree(marked_markdown(reader.markdown))
    tree = html_tree(html_of(document.body, document))
    for row in tree.iter("tr"):
        # A bold cell alone in its row spans the row, which Markdown can't express.
        first, *others = list(row) or [row]
        bold = [below for below in first if below.tag in ("strong", "b")]
        alone = len(bold) == 1 and line_of(bold[0]) == line_of(first) != ""
        if alone and others and not any(line_of(cell) for cell in others):
            first.set("colspan", str(1 + len(others)))
            row[:] = [first]
    return document_of(request, tree, clean_line(title.group(1)) if title else "")
