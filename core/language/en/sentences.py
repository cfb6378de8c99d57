"""Split clinical text into sentences. Pure.

A full stop ends a sentence only before white space and something that can begin one; never after an
abbreviation (`e.g.`, `i.v.`, `Fig.`, `approx.`), an initial, the number of a list item, in an
ellipsis, or inside a number.
"""

import re

_ABBREVIATIONS = frozenset(
    "e.g i.e etc vs cf al viz ca n.b nb approx equiv incl excl esp resp figs tabs refs nos vols pp "
    "dr mr mrs ms prof st sr jr rev hon messrs inc ltd dept univ hosp ed eds sp spp subsp var conc "
    "ph.d m.d b.sc m.sc m.b d.phil u.s u.k u.s.a e.u a.m p.m w.r.t i.q c.f q.v loc op "
    "i.v i.m s.c p.o p.r p.v s.l i.t i.n i.o n.g p.e.g "
    "t.d.s b.d q.d.s o.d o.m o.n p.r.n b.i.d t.i.d q.i.d q.d q.h q.o.d a.c p.c h.s "
    "bzw evtl ggf inkl sog tgl vgl z.n z.b d.h u.a v.a".split(" ")
)
# These are abbreviations only in front of a number: else "no.", "30 min." and "the max." end.
_BEFORE_NUMBER = frozenset(
    "no fig tab ref sec sect ch vol p para app box art max min temp wt ht tel ext v ver ed "
    "abb kap mind nr jan feb mar apr jun jul aug sep sept oct nov dec".split(" ")
)
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)")
_LAST_WORD = re.compile(r"([A-Za-z](?:[A-Za-z.]*[A-Za-z])?)$")
_STARTS = re.compile(
    r"\s+(?:[\"'“‘(\[•\-–*†‡§≥≤<>~]\s?)*[A-Z0-9À-ÖØ-ÞΑ-Ω]"
    r"|\s*\n\s*(?:[a-z]|[ivx]{1,4})[.)]\s"  # a list item that is lettered
)
# German has ordinals with a full stop (`ab der 36. SSW`) and abbreviations with spaces (`i. v.`).
_GERMAN = re.compile(
    r"(?<![\d.,])\d{1,2}\.\s+(?:SSW|Schwangerschafts|Lebens|Trimen|Tag|Woche|Monat|Stunde|Wahl|Dosis"
    r"|Gabe|Zyklus|Grad)|(?<![\w.])z\.\sB\."
    r"|(?<![\w.])(?:i\.\s[vmo]|s\.\s[cl]|p\.\s[oi]|z\.\sB|d\.\sh|u\.\sa|[ZV]\.\s[na])\."
)
_NUMBER_NEXT = re.compile(r"\s+[<>≤≥~]?\s?\d")
_MEASURED = re.compile(r"[\d°]\s*$")
# What may stand before the full stop of a list item's number: at the start of a line, or inline
# after the end of a sentence or a colon.
_LINE_NUMBER = re.compile(
    r"\s*[•\-–*]?\s*(?:(?:step|stage|table|tab|figure|fig|box|section|chapter|part|appendix)\s+)?"
    r"(?:\d+(?:\.\d+)*|[a-z]|[ivx]{1,4}|[A-Z])",
    re.IGNORECASE,
)
_INLINE_NUMBER = re.compile(r"[.:;!?]\s+\d{1,2}$")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return `[start, end)` of each sentence, without surrounding white space, in order."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match.end() > start and _is_end(text, match):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    return [trimmed for span in spans if (trimmed := _trim(text, *span))]


def line_sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences within lines: table rows and list items are lines."""
    spans: list[tuple[int, int]] = []
    offset = 0
    for line in text.split("\n"):
        spans += [(offset + start, offset + end) for start, end in sentence_spans(line)]
        offset += len(line) + 1
    return spans


def _is_end(text: str, match: re.Match[str]) -> bool:
    if not _STARTS.match(text, match.end()):
        return False
    stop = match.start()
    if text[stop] != ".":
        return True
    if text[max(0, stop - 1) : stop] in (".", "…") or _is_list_number(text, stop):
        return False
    if any(m.start() < stop < m.end() for m in _GERMAN.finditer(text, max(0, stop - 6), stop + 20)):
        return False
    word = _LAST_WORD.search(text, max(0, stop - 20), stop)
    return word is None or not _is_abbreviation(text, word, match.end())


def _is_abbreviation(text: str, word: re.Match[str], after: int) -> bool:
    letters = word.group(1)
    is_unit = _MEASURED.search(text, max(0, word.start() - 8), word.start()) is not None
    if letters.lower() in _BEFORE_NUMBER:
        return not is_unit and _NUMBER_NEXT.match(text, after) is not None
    is_initial = len(letters) == 1 and letters.isupper() and not is_unit
    return is_initial or letters.lower() in _ABBREVIATIONS


def _is_list_number(text: str, stop: int) -> bool:
    """Tell whether a stop belongs to `1.`, `2.3.`, `b.` or `Step 2.` at the start of an item."""
    line_start = text.rfind("\n", max(0, stop - 31), stop) + 1  # 0 too where it is further away
    if stop - line_start <= 30 and _LINE_NUMBER.fullmatch(text, line_start, stop):
        return True
    return _INLINE_NUMBER.search(text, max(line_start, stop - 8), stop) is not None


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    leading = len(piece) - len(piece.lstrip())
    trailing = len(piece.rstrip())
    return (start + leading, start + trailing) if trailing > leading else None
