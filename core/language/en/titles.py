"""Tell what a title names: a subject, the one who issued it, or only what kind of paper it is."""

from __future__ import annotations

import re
import unicodedata

# Words that say what kind of document it is, of which series or issue, or made by which program.
_KIND = frozenset(
    """
    a an the and or of on in for to by with at from this our your
    adopted algorithm approved article authorised based best book booklet brief bulletin care chart
    checklist chapter clinical collection committee confidential consensus contents controlled copy
    cover default document draft edition editorial emergency evidence executive factsheet final flow
    flowchart form format full good guidance guide guideline guidelines handbook health healthcare
    index information interim internal issue issued journal latest leaflet local management manual
    medical memo module national new nhs no notice number official online operating original page
    pages paper part pathway pathways pocket policies policy position practice presentation print
    printed procedure procedures programme protocol protocols publication published quality quick
    recognition recommendation recommendations reference regional report research review revised
    revision sample section series service set sheet short slide slides special standard standards
    statement study suppl supplement summary table template text title toolkit treatment trust
    uncontrolled unnamed untitled update updated version vol volume
    dokument empfehlung empfehlungen folie klinische kurzfassung langfassung leitlinie leitlinien
    präsentation tabelle titel unbenannt vorlage der die das für und von zur
    layout powerpoint word microsoft office adobe indesign acrobat publisher excel quark
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)
_SERIES = _KIND - {"of", "for", "trust", "service", "committee", "collection", "health", "care"}
_SECTION = re.compile(
    r"^[\dA-Z.]{0,4}\s*(?:table of |list of |brief |general |executive )?(?:abbreviations|abstract"
    r"|acknowledge?ments?|aims?|annex|appendi\w+|assessment|authors?|background|contents|definitions?"
    r"|foreword|glossary|history|index|indications?|inhalt|inhaltsverzeichnis|introduction"
    r"|key (?:points?|messages?|recommendations?)|objectives?|overview|preface|purpose|references?"
    r"|scope|summary|tables|figures)(?: (?:and|&) \w+)?\W*$",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]+")
_SHORT_CODE = re.compile(r":[a-z][a-z0-9]*(?:[_+-][a-z0-9]+)+:|(?:^|(?<=\s)):[a-z]{2,30}:(?=\s|$)")
_BRACED = re.compile(r"\{[#.:][^{}]*\}\s*$")  # attributes behind a heading in Markdown
_KEPT = "®™©°"
# A number at the end that counts footnotes or references: `(adults) 1`, `practice¹,²`.
_RAISED = re.compile(r"(?<=\w\))\s?\d{1,2}$|(?<=[^\W\d_])[\u00b9\u00b2\u00b3\u2070-\u2079,*†‡§]+$")
_JOINTS = re.compile(r"\s+[|:»·–—-]\s+")
_BODY = (
    "(?i:societ(?:y|ies)|colleges?|associations?|trust|hospitals?|ministry|departments?(?= of)"
    "|university|institutes?|network|foundation|board|alliance|federation|agency|committee|council"
    "|centers?|centres?|academy|organi[sz]ation|services?|authority)"
)
# Words that the name of a body doesn't have.
_OTHER = "(?i:guid|manag|treat|protocol|polic|pathway|(?:at|by|from|in|on|to|with)\\b)"
_NAME = rf"(?:(?i:and|of|for|the|&)|(?!{_OTHER})[A-Z][\w'’.-]*),?"
_ORGANISATION = re.compile(rf"^(?:{_NAME}\s+){{0,8}}{_BODY}(?:\s+{_NAME}){{0,8}}\W*$")


def clean_title(text: str) -> str:
    """Return a title without icons, short codes (`:warning:`) and the marks of its footnotes."""
    plain = _BRACED.sub("", _SHORT_CODE.sub(" ", text))
    shown = "".join(" " if _is_icon(sign) else sign for sign in plain)
    return _RAISED.sub("", " ".join(shown.split())).strip(" |·•")


def _is_icon(sign: str) -> bool:
    kind = unicodedata.category(sign)
    # Symbols, signs of a font's own, and what only changes the look of the sign before it.
    return (kind in ("So", "Sk", "Co") and sign not in _KEPT) or sign in "\ufe0f\ufe0e\u200d\u20e3"


def names_subject(text: str) -> bool:
    """Tell whether a text names more than a kind of document, an issue of a series or a program.

    `Sepsis` does; `Clinical practice guidelines`, `October 2011 Volume 66 Supplement 2`,
    `PowerPoint Presentation` and `Guidance on Recognition and Management` don't.
    """
    words = _WORD.findall(clean_title(text).casefold())
    return any(len(word) > 1 and word not in _KIND for word in words)


def is_organisation(text: str) -> bool:
    """Tell whether a text names only a body, or that and a series: `Northfield Trust Guideline`."""
    words = clean_title(text).split()
    while len(words) > 1 and words[-1].casefold().strip(".,:") in _SERIES:
        words.pop()
    return bool(_ORGANISATION.match(" ".join(words)))


def is_section(text: str) -> bool:
    """Tell whether a text is a heading that any document may have: `Introduction`, `1 Scope`."""
    return bool(_SECTION.match(clean_title(text)))


def may_name(text: str) -> bool:
    """Tell whether a text can stand alone as the title of a document."""
    return names_subject(text) and not is_organisation(text) and not is_section(text)


def subject_of(text: str) -> str:
    """Return a title said by a file without the parts that name its series, program or issuer.

    `Clinical Practice Guidelines : Croup | Northfield Hospital` is `Croup`. Empty if no part is
    left.
    """
    parts = _JOINTS.split(clean_title(text))
    kept = [part for part in parts if may_name(part)]
    return clean_title(text) if len(kept) == len(parts) else " – ".join(kept)
