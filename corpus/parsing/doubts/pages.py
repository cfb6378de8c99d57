"""Grade the doubts of a page by the words that they are about. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.doubts.grades import WITHOUT_VALUE, Grade, grade_where, is_measure
from corpus.parsing.layout.panels import CHART_BOX, FLOW_CHART
from corpus.parsing.types import Doubt, Page


def graded(page: Page) -> Page:
    """Return the page with its doubts graded, and one doubt for its flow charts, at the first box.

    The other boxes have a note each, by which they are found. What two parts of the reader doubt
    alike at one place is one doubt.
    """
    return replace(page, doubts=tuple(dict.fromkeys(_graded(page)))) if page.doubts else page


def _graded(page: Page) -> Iterator[Doubt]:
    has_chart = False
    for doubt in page.doubts:
        if doubt.code == FLOW_CHART.code and has_chart:
            yield replace(CHART_BOX, start=doubt.start, end=doubt.end)
            continue
        has_chart = has_chart or doubt.code == FLOW_CHART.code
        yield replace(doubt, grade=_grade(doubt, page.text[doubt.start : doubt.end]))


def _grade(doubt: Doubt, words: str) -> Grade:
    """Return the grade; an unreadable sign counts by what stands beside it."""
    if UNREADABLE in words and doubt.code == "sign_unreadable":
        is_value = any(map(is_measure, _beside_unreadable(words)))
        return grade_where(doubt.code, words) if is_value else WITHOUT_VALUE[doubt.code]
    return grade_where(doubt.code, words)


def _beside_unreadable(text: str) -> Iterator[str]:
    """Yield the words with an unreadable sign, each with its neighbours."""
    for line in text.splitlines():  # of a table: its rows
        words = line.split()
        for at, word in enumerate(words):
            if UNREADABLE in word:
                yield " ".join(words[max(0, at - 1) : at + 2])
