"""Measure HTML before anything builds a tree of it: how deep it goes and how wide its tables are.

Trees are walked by functions that call themselves, and tables are filled cell by cell, so that a
small file can keep a parser busy for hours.
"""

from __future__ import annotations

from html.parser import HTMLParser

from corpus.parsing.types import ParseError, too_deep

MAX_DEPTH = 200  # real pages stay below 60
MAX_COLUMNS = 1_000
# Elements without an end, and those whose end may be left out: they close each other.
_OPEN_ENDED = frozenset(
    """
    area base br col embed hr img input link meta param source track wbr
    p li dt dd option optgroup tr td th thead tbody tfoot colgroup rp rt html head body
    """.split()
)
_CELLS = frozenset({"td", "th"})


def check_nesting(text: str) -> None:
    """Raise ParseError (`too_deep`, `table_too_wide`) for HTML that no parser should be given."""
    measure = _Measure()
    measure.feed(text)
    measure.close()


class _Measure(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._depth = self._columns = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._columns = 0
        if tag in _CELLS:
            self._columns += 1
        if tag not in _OPEN_ENDED and tag.isalnum():  # in Markdown, an address may stand in < >
            self._depth += 1
        if self._depth > MAX_DEPTH:
            raise too_deep()
        if self._columns > MAX_COLUMNS:
            raise ParseError(
                f"A table in the file has more than {MAX_COLUMNS} columns.",
                code="table_too_wide",
                hint="Leave out the table, or divide it, and upload the file again.",
            )

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        return  # closed at once

    def handle_endtag(self, tag: str) -> None:
        if tag not in _OPEN_ENDED:
            self._depth = max(0, self._depth - 1)
