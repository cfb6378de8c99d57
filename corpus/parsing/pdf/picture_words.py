"""Words that were read from a picture on a page, put to those of the page's own text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpus.parsing.geometry import (
    PageCells,
    Word,
    contains,
    middle,
    shifted,
    typical_size,
    upright,
)
from corpus.parsing.types import Box, Doubt

_LONG = 3
_WORDS_SHARE = 0.45  # of words of three letters: algorithms have two thirds, charts a quarter


def letters_of(words: Sequence[Word]) -> int:
    return sum(c.isalnum() for word in words for c in word.text)


def holds_words(words: Sequence[Word]) -> bool:
    """Tell words from the numbers and letters along the axes of a chart."""
    long = sum(sum(c.isalpha() for c in word.text) >= _LONG for word in words)
    return long >= _WORDS_SHARE * len(words)


def known_boxes(layer: PageCells, region: Box) -> list[Box]:
    """Return where the words of a page stand in a part of the displayed page."""
    boxes = [layer.displayed(word.box) for word in layer.words]
    inside = [box for box in boxes if contains(region, middle(box))]
    return [shifted(box, -region[0], -region[1]) for box in inside]


def add_words(layer: PageCells, read: PageCells, region: Box) -> PageCells:
    """Return a page with the words that were read from a part of it, which lies as its text does.

    Print from a picture is given the size of the page's text: its own is a guess, and would make
    headings of labels. What is drawn there is no figure any more whose words are labels.
    """
    size = layer.displayed_size

    def placed(box: Box) -> Box:
        return upright(shifted(read.displayed(box), *region[:2]), size, layer.turn)

    font_size = typical_size(layer.words)
    words = [replace(word, box=placed(word.box), size=font_size) for word in read.words]
    drawn = [box for box in layer.drawn if not contains(region, middle(layer.displayed(box)))]
    confidences = [x.ocr_confidence for x in (layer, read) if x.ocr_confidence is not None]
    return replace(
        layer,
        words=(*layer.words, *words),
        ocr_confidence=min(confidences, default=None),
        doubts=(*layer.doubts, *read.doubts),
        unsure=(*layer.unsure, *((placed(box), score) for box, score in read.unsure)),
        drawn=tuple(drawn),
    )


def turned_doubt(read: PageCells) -> Doubt:
    """Return the doubt about a picture that can't be read in one direction with its page."""
    message = (
        f"A picture on this page holds text in another direction ({len(read.words)} words). "
        "It is not part of the text that is searched: check that nothing needed stands only there."
    )
    return Doubt("ocr_picture_turned", message)


def labels_doubt(read: PageCells) -> Doubt:
    """Return the doubt about a picture that holds labels, as a chart does."""
    message = (
        f"A picture on this page holds numbers and labels ({len(read.words)}). They are not "
        "part of the text that is searched: check that nothing needed stands only there."
    )
    return Doubt("ocr_picture_labels", message)


def added_doubt(read: PageCells) -> Doubt:
    """Return the doubt that says what of a page was read from a picture."""
    message = (
        f"{len(read.words)} words of this page stand in a picture, and were read from it. "
        "Check them and their order."
    )
    return Doubt("ocr_picture_read", message)
