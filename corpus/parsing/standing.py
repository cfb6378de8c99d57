"""Doubt a document whose headers, properties or stamps say that it is not in force. Pure.

A passage is quoted without them, so nobody who asks would see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from corpus.parsing.types import Doubt, ParsedDocument

NOT_IN_FORCE = Doubt(
    "standing_unsure",
    "A header, a property or a stamp of the file says that it is superseded, withdrawn or a draft. "
    "Make sure that it is in force before you publish it.",
)
_SAID = re.compile(
    r"\b(?:superseded(?! (?:documents?|versions?|polic))|withdrawn|obsolete|deprecated|archived"
    r"|rescinded|expired|draft|out[- ]of[- ]date|no longer (?:in (?:force|use)|valid|current)"
    r"|do not use|not (?:for|in) (?:clinical )?use|for (?:comment|consultation|review) only)\b",
    re.IGNORECASE,
)
_STAMP = re.compile(r"[\W_]*(?:[A-Z]+\W+){0,4}(?:SUPERSEDED|WITHDRAWN|OBSOLETE|DEPRECATED|DRAFT)\b")
_LONGEST = 80  # characters of a stamp among the words of a page


def is_said(texts: Iterable[str]) -> bool:
    """Tell whether one of the texts says that a document is not, or not yet, in force."""
    return any(map(_SAID.search, texts))


def doubt_standing(document: ParsedDocument) -> ParsedDocument:
    """Return the document with a doubt on each page that has such a header, or such a stamp.

    What the file's title or properties say counts for its first page.
    """
    of_file = (document.title, *document.metadata.values())
    pages = []
    for at, page in enumerate(document.pages):
        blocks = (page.text[b.start : b.end] for b in page.blocks if b.end - b.start <= _LONGEST)
        said = is_said((*page.running_lines, *(of_file if not at else ())))
        if (said or any(map(_STAMP.match, blocks))) and NOT_IN_FORCE not in page.doubts:
            page = replace(page, doubts=(*page.doubts, NOT_IN_FORCE))
        pages.append(page)
    return replace(document, pages=tuple(pages))
