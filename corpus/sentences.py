"""Where sentences of clinical text end. Pure.

A full stop ends a sentence only before white space and something that can begin one, and never
after an abbreviation (`e.g.`, `i.v.`, `Fig.`, `approx.`), an initial, or inside a number.
"""

import re

_ABBREVIATIONS = frozenset(
    "e.g i.e etc vs cf al approx nos fig figs tab tabs ref refs sec sect ch vol eds pp "
    "dr mr mrs ms prof st inc ltd dept viz ca n.b nb sp spp subsp var u.s u.k "
    "i.v i.m s.c p.o p.r p.v s.l t.d.s b.d q.d.s o.d o.m o.n p.r.n".split(" ")
)
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)")
_LAST_WORD = re.compile(r"([A-Za-z](?:[A-Za-z.]*[A-Za-z])?)$")
_STARTS = re.compile(r"\s+(?:[\"'“‘(\[•\-–*†‡§]\s?)*[A-Z0-9]")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open `(start, end)` of each sentence without the white space around it, in order."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match.end() > start and _is_end(text, match):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    return [trimmed for span in spans if (trimmed := _trim(text, *span))]


def _is_end(text: str, match: re.Match[str]) -> bool:
    if not _STARTS.match(text, match.end()):
        return False
    if text[match.start()] != ".":
        return True
    word = _LAST_WORD.search(text, max(0, match.start() - 20), match.start())
    if word is None:
        return not _is_list_number(text, match.start())
    letters = word.group(1)
    return letters.lower() not in _ABBREVIATIONS and not (len(letters) == 1 and letters.isupper())


def _is_list_number(text: str, stop: int) -> bool:
    """`1.` or `2.3.` at the start of the text or of a line numbers an item; it ends nothing."""
    line_start = text.rfind("\n", 0, stop) + 1
    return re.fullmatch(r"\s*\d+(\.\d+)*", text[line_start:stop]) is not None


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return (start + left, start + right) if right > left else None
