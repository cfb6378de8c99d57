"""One form for words that two readers read, in which only what was read otherwise differs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from corpus.parsing.clean import UNREADABLE, clean_text, mend_accents

DIVIDED = "\x02\ufffe"  # how PDFium marks a hyphen that divides a word over two lines
_DIVIDED = dict.fromkeys(map(ord, f"{DIVIDED}\u00ad"), "-")
_ALIKE = (
    dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
    | dict.fromkeys(map(ord, "\u2018\u2019\u02bc`\u00b4"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d"), '"')
    | {ord("\N{FRACTION SLASH}"): "/", ord("\u03bc"): "\u00b5"}
)
_BREAK = "\n"
_LEADERS = re.compile(r"[._\u00b7]{4,}")
_HYPHEN = re.compile(r"-(?!\d)")
_HYPHEN_INSIDE = re.compile(r"-(?!\d|$)")


def plain_texts(texts: Sequence[str]) -> list[str]:
    """Return texts in the one form: plain letters, dashes and quotation marks, single blanks.

    Ligatures and accents set apart are resolved; leaders and signs that only their own font can
    show are left out. As many as came in; some may be empty.
    """
    if not texts:
        return []
    whole = _BREAK.join(" ".join(text.split()) for text in texts)
    whole = clean_text(whole.translate(_DIVIDED)).replace(UNREADABLE, "")
    whole = unicodedata.normalize("NFKC", mend_accents(whole)).translate(_ALIKE)
    return _LEADERS.sub("", whole).split(_BREAK)


def without_hyphens(texts: Sequence[str]) -> list[str]:
    """Return words without their hyphens, but before a figure: there it may be a minus or a range.

    Whether a hyphen at the end of a line stays in the word is not for this comparison to judge.
    """
    if not texts:
        return []
    after = [*(text[:1].isdigit() for text in texts[1:]), False]
    return [
        _HYPHEN.sub("", text) if not before_figure else _HYPHEN_INSIDE.sub("", text)
        for text, before_figure in zip(texts, after, strict=True)
    ]
