"""Tell from its words whether a text limits, introduces or depends on another. Pure."""

from __future__ import annotations

import re

from core.language.words import CELLS

# Words that begin a sentence which must stay with the one before it, however long both are.
BOUND_TO_BEFORE = re.compile(
    r"(?:However|But|Unless|Except|Otherwise|Exceptions?|Only|Do not|Never|Not|Avoid|Caution"
    r"|Contraindicat\w+|Stop|Withhold|This does not|These do not)\b",
    re.IGNORECASE,
)
# Words by which a heading, a caption or a line above a list limits or negates the text below it.
CONDITION = re.compile(
    r"\b(?:not|no|never|cannot|\w+n['’]t|avoid\w*|stop\w*|withh\w+|exclu\w+|except\w*"
    r"|contra-?indicat\w*|caution\w*|unless|unsuitable|unsafe|forbidden|discontinu\w+|omit\w*)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|cannot|\w+n['’]t|avoid\w*|withh\w+|contra-?indicat\w*|unsuitable|unsafe"
    r"|forbidden)\b",
    re.IGNORECASE,
)
_ALSO_LIMITS = re.compile(r"\b(?:without|only|neither|nor|none|instead|harm\w*)\b", re.IGNORECASE)
# `the following`, `any of these`, `the doses below`: the text that they announce comes after.
_ANNOUNCES = re.compile(r"\b(?:following|these|below|as follows)\b", re.IGNORECASE)
# Of a whole sentence its last words: not `unless an exclusion below applies; then warfarin`.
_ANNOUNCES_LAST = re.compile(
    r"\b(?:following|these|below|as follows)(?:\s+[^\s.;:]+){0,2}\W*$", re.IGNORECASE
)
_STOPPED = re.compile(r"[.!?][\"'”’)\]]*[⁰¹²³⁴-⁹*†‡]*$")
_DANGLING = re.compile(
    r"\b(?:a|an|any|are|as|at|be|by|for|from|give|if|in|is|not|of|on|than|that|the|to|until"
    r"|unless|use|was|were|when|where|which|who|whose|with|without)$",
    re.IGNORECASE,
)
_REFERS = re.compile(r"(?:It|This|These|They|Those)\b")
# `With lower doses` than in the sentence before.
_COMPARES = re.compile(
    r"\b(?:lower|higher|smaller|larger|such) (?:initial |starting |maintenance )?dos(?:es?|ages?)\b"
    r"(?!.*\bthan\b)",
    re.IGNORECASE | re.DOTALL,
)
_LABEL = re.compile(r"contra|caution|exclu|except|unsuitable|not (?:for|suit)", re.IGNORECASE)
_LABEL_WORDS = 3  # words, at most, of an item such as `Contraindications` that heads others

# What joins the rows of one regimen: `PLUS amoxicillin`, `clarithromycin AND`, `+ rifampicin`.
_JOINS = r"(?:plus|and|or|then|followed by|together with|in combination with)"
_JOINS_BEFORE = re.compile(rf"\W*{_JOINS}\b|\s*[+&]", re.IGNORECASE)
_JOINS_AFTER = re.compile(rf"(?:\b{_JOINS}|[+&])\s*\Z", re.IGNORECASE)


def joins_before(cell: str) -> bool:
    """Tell whether a cell goes on with the row above: `PLUS metronidazole 400 mg`."""
    return bool(_JOINS_BEFORE.match(cell))


def joins_after(cell: str) -> bool:
    """Tell whether a cell goes on in the row below: `amoxicillin 1 g AND`."""
    return bool(_JOINS_AFTER.search(cell))


def is_stopped(text: str) -> bool:
    """Tell whether a text ends as a sentence does."""
    return bool(_STOPPED.search(text.rstrip()))


def is_cut_off(text: str) -> bool:
    """Tell whether a text ends on a word that can't be the last, such as `do not give`."""
    return bool(_DANGLING.search(text.rstrip()))


def announces(text: str) -> bool:
    """Tell whether a line introduces the text below it: no full stop, or `of the following`."""
    return not is_stopped(text) or bool(_ANNOUNCES.search(text))


def heads_items(item: str) -> bool:
    """Tell whether a list item heads the items below it, as `Never give in:` does."""
    text = item.rstrip()
    if text.endswith(":") or is_cut_off(text):
        return True
    if CONDITION.search(text) and _ANNOUNCES_LAST.search(text):
        return True
    return bool(_LABEL.match(text) and len(text.split()) <= _LABEL_WORDS and not is_stopped(text))


def leans_on_before(sentence: str) -> bool:
    """Tell whether a sentence may mean nothing, or something else, without the one before it."""
    return bool(BOUND_TO_BEFORE.match(sentence) or _REFERS.match(sentence))


def binds_to_before(sentence: str) -> bool:
    """Tell whether a sentence limits the one before it, or compares its doses with that one's.

    `Do not give it in renal failure.` and `With lower doses ...` do.
    """
    refers = _REFERS.match(sentence) and CONDITION.search(sentence)
    return bool(BOUND_TO_BEFORE.match(sentence) or refers or _COMPARES.search(sentence))


def is_negative_lead(quote: str) -> bool:
    """Tell whether a quote negates the text below it; a table row never does."""
    return CELLS not in quote and bool(_NEGATIVE.search(quote)) and announces(quote)


def limits(text: str) -> bool:
    """Tell whether a text has a word that forbids, excepts or narrows."""
    return bool(CONDITION.search(text) or _ALSO_LIMITS.search(text))
