"""Templates of Wikipedia that stand for text of a sentence: measures, figures, symbols, emphasis.

A template that is not known here is left out and marked, since a dose may have stood in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from corpus.parsing.layout.runs import raise_mark, raise_text

UNKNOWN = "\ue001"  # where a template was left out that may have held text
# Of the reader's way about, of sources and of housekeeping: no text of the article.
_SILENT = re.compile(
    r"^(?:cite\b|citation|cn$|fact$|sfn|efn|refn?$|r$|rp$|ref|notelist|harv|main( article)?$|see|"
    r"further|about$|for$|for |distinguish|redirect|other uses|hatnote|short description|use |"
    r"engvar|infobox|drugbox|chembox|speciesbox|automatic taxobox|medical|portal|commons|wik|"
    r"sister|authority|reflist|clear|toc|good article|featured|pp$|pp-|protection|webarchive|isbn|"
    r"pmid|pmc|doi|when$|who\?*$|which$|clarify|vague|update|expand|more (?:citations|sources)|"
    r"unreferenced|refimprove|better|"
    r"page needed|dead link|permanent dead|multiple image|image|tall image|navbox|anchor|ipa|"
    r"respell|audio|listen|stack|col-|div col|columns|quote box|side box|sidebar|failed|verify|"
    r"original research|primary|medref|cleanup|missing|globalize|dubious|"
    r"disputed|contradict|tone|stub|"
    r"defaultsort|coord)",
    re.IGNORECASE,
)
_SYMBOLS = {
    **dict.fromkeys(["ndash", "en dash", "–"], "–"),
    **dict.fromkeys(["mdash", "em dash", "—"], "—"),
    **dict.fromkeys(["snd", "spnd", "spaced ndash"], " – "),
    **dict.fromkeys(["nbsp", "space", "thinsp", "hsp"], " "),
    **dict.fromkeys(["±", "plusmn"], "±"),
    **dict.fromkeys(["degree", "deg"], "°"),
    **dict.fromkeys(["shy", "wbr", "zwsp"], ""),
    "minus": "−",
    "times": "×",
    "dot": "·",
    "=": "=",
    "!": "|",
    "'": "'",
    "mu": "µ",
    "alpha": "α",
    "beta": "β",
}
_JOINERS = {"to", "-", "–", "and", "or", "by", "x", "×", "to(-)", "+/-", "±"}

Named = Mapping[str, str]


def template_text(name: str, values: Sequence[str], named: Named) -> str:
    """Return what a template says; empty for what says nothing, `UNKNOWN` for what is not known."""
    key = name.strip().lower().replace("_", " ")
    if key in _SYMBOLS:
        return _SYMBOLS[key]
    if key in _SPOKEN:
        return _SPOKEN[key](values, named) or UNKNOWN
    if _SILENT.match(key) or key.endswith(("-stub", "sidebar", "navbox")):
        return ""
    return UNKNOWN


def _first(values: Sequence[str], named: Named) -> str:
    return values[0] if values else named.get("1", "")


def _convert(values: Sequence[str], named: Named) -> str:
    """`{{convert|5|to|10|mg|…}}`: the figures and the unit as given, nothing converted."""
    said: list[str] = []
    for value in values:
        if said and not said[-1][:1].isdigit() and said[-1] not in _JOINERS:
            break
        said.append(value.strip())
        if (
            value.strip() not in _JOINERS
            and not value.strip()[:1].isdigit()
            and value[:1] not in "-−"
        ):
            return " ".join(said)
    return ""


def _value(values: Sequence[str], named: Named) -> str:
    """`{{val|1.5|0.2|e=3|u=mg}}`."""
    if not values:
        return ""
    said = values[0] + (f" ± {values[1]}" if len(values) > 1 else "")
    power = named.get("e", "")
    said += f"×10{raise_text(power) or '^' + power}" if power else ""
    unit = named.get("u") or named.get("ul") or ""
    per = named.get("up") or named.get("upl") or ""
    return f"{said} {unit}{'/' + per if per else ''}".strip()


def _fraction(values: Sequence[str], named: Named) -> str:
    if len(values) == 1:
        return f"1/{values[0]}"
    return "/".join(values) if len(values) == 2 else f"{values[0]} {values[1]}/{values[2]}"


def _power(values: Sequence[str], named: Named) -> str:
    power = _first(values, named)
    return f"×10{raise_text(power) or '^' + power}" if power else ""


def _raised(values: Sequence[str], named: Named) -> str:
    text = _first(values, named)
    return (raise_mark(text) if text else None) or text


def _bullets(values: Sequence[str]) -> str:
    """A list as it was typed, or of the values."""
    return "".join(f"\n{v}" if v[:1] in "*#" else f"\n* {v}" for v in values if v) + "\n"


_SPOKEN: dict[str, Callable[[Sequence[str], Named], str]] = {
    **dict.fromkeys(
        "nowrap nobr nobold small smaller big em strong b i bold italic italics math mvar "
        "abbr tooltip sub smallsub linktext linkify chem name notatypo sic not a typo "
        "avoid wrap ill interlanguage link quote cquote blockquote".split(),
        _first,
    ),
    **dict.fromkeys(["avoid wrap", "not a typo", "interlanguage link", "block quote"], _first),
    **dict.fromkeys(
        ["lang", "transliteration", "color", "colour", "font color"],
        lambda v, n: v[1] if len(v) > 1 else n.get("2", ""),
    ),
    **dict.fromkeys(["transl", "angbr"], lambda v, n: v[-1] if v else ""),
    **dict.fromkeys(["chem", "chem2", "gene"], lambda v, n: "".join(v)),
    **dict.fromkeys(["convert", "cvt"], _convert),
    **dict.fromkeys(["frac", "sfrac", "fraction"], _fraction),
    **dict.fromkeys(["e", "10^", "x10^"], _power),
    **dict.fromkeys(["circa", "c.", "ca"], lambda v, n: f"c. {_first(v, n)}".strip()),
    **dict.fromkeys(
        ["plainlist", "unbulleted list", "ubl", "bulleted list", "blist"], lambda v, n: _bullets(v)
    ),
    "val": _value,
    "sup": _raised,
}
