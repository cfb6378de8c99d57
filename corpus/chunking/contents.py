"""Pages that only say where something stands: no passage is made of them.

A table of contents names every subject of its document in few words, so it is found for many
questions and answers none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.parsing.types import Page

_LEADERS = re.compile(r"\.{4}|(?:\. ){4}|…{2}")
_NUMBER = re.compile(r"\d{1,4}$")
_LEAST_ENTRIES = 3
_BEYOND = 20  # by which printed numbers may run ahead of the file's pages
_SHARE = 0.5  # of a page's lines; the rest are its heading and entries printed on two lines


def is_contents_page(page: Page, last: int) -> bool:
    """Tell whether most lines of a page are dots that lead to the number of a page.

    These never fall and end near the `last` page of the document: a list of telephones or doses
    that is set so stays.
    """
    lines = [line.rstrip() for line in page.text.splitlines() if line.strip()]
    entries = [found for line in lines if (found := _NUMBER.search(line)) and _LEADERS.search(line)]
    numbers = [int(found.group()) for found in entries]
    is_rising = numbers == sorted(numbers) and max(numbers, default=0) <= last + _BEYOND
    return is_rising and len(entries) >= max(_LEAST_ENTRIES, _SHARE * len(lines))


def without_contents(pages: Sequence[Page]) -> Sequence[Page]:
    """Return the pages that say something; all of them where each is a table of contents."""
    last = max((page.number for page in pages), default=0)
    return [page for page in pages if not is_contents_page(page, last)] or pages
