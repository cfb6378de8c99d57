"""Pages that only say where something stands: no passage is made of them.

A table of contents names every subject of its document in few words, so it is found for many
questions and answers none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.parsing.types import Page

_ENTRY = re.compile(r"(?:\.{4}|(?:\. ){4}|…{2}).*\d\s*$")  # dots that lead to a page number
_LEAST_ENTRIES = 3
_SHARE = 0.5  # of a page's lines; the rest are its heading and entries printed on two lines


def is_contents_page(page: Page) -> bool:
    """Tell whether most lines of a page are dots that lead to a page number."""
    lines = [line for line in page.text.splitlines() if line.strip()]
    entries = sum(1 for line in lines if _ENTRY.search(line))
    return entries >= max(_LEAST_ENTRIES, _SHARE * len(lines))


def without_contents(pages: Sequence[Page]) -> Sequence[Page]:
    """Return the pages that say something; all of them where each is a table of contents."""
    return [page for page in pages if not is_contents_page(page)] or pages
