"""Convert between British and American spellings by rule. Pure.

`oedema` and `edema` are one word to a reader and two to an index. A table of all such words would
be long and never complete, so rules cover roots (`haem`, `oesophag`, `paediatr`) and endings
(`-our`, `-re`, `-ise`), each with the places where it applies. A rule applied to a word without
another spelling makes a non-word, which no index holds. Words that mean something else in the other
spelling are left out: rigour and rigor, metre and meter, grey and gray, practice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from core.language.words import MAX_CHARS
from retrieval.types import Expansion

REVISION = 1  # of the rules: a part of the lexicon's fingerprint
MAX_SPELLINGS = 24  # of one text, the first ones
MAX_WORDS = 1000  # of one text that are looked at, each once
MIN_LETTERS, MAX_LETTERS = 4, 40

Rules = tuple[tuple[re.Pattern[str], str], ...]

# Whole words, British and American.
_WORDS = """
ageing aging, aluminium aluminum, artefact artifact, artefacts artifacts, caesium cesium,
defence defense, disc disk, discs disks, distil distill, enrol enroll, enrolment enrollment,
enrols enrolls, fulfil fulfill, fulfilment fulfillment, haem heme, instil instill, instils instills,
judgement judgment, licence license, manoeuvre maneuver, manoeuvres maneuvers, mould mold,
moulds molds, neurone neuron, neurones neurons, offence offense, practised practiced,
practising practicing, programme program, programmes programs, skilful skillful,
tranquilliser tranquilizer, tranquillisers tranquilizers, yoghurt yogurt,
angiooedema angioedema, centred centered
"""
# Roots that are the same wherever they stand in a word.
_ROOTS = """
aetiolog etiolog, anaesth anesth, caesare cesare, caesari cesari, coeliac celiac, defaecat defecat,
faecal fecal, faeces feces, gynaec gynec, haemorrh hemorrh, ischaem ischem, leukaem leukem,
orthopaed orthoped, paediatr pediatr, paraesthes paresthes, praevia previa,
sulph sulf
"""
# Where a root or an ending holds in some places only: the British form with what stands around it,
# and the American one. A group is kept.
_COLOURS = r"(\b(?:bi|de|dis|mal|mis|multi|re|tri|un)?(?:{}))".format(
    "arm|clam|col|endeav|fav|flav|harb|hon|hum|lab|neighb|od|rum|sav|vap|vig"
)
_COLOUR_END = r"(?=(?:s|ed|ing|able|ably|ers?|ful|hood|is[mt]s?|ites?|less)?\b)"
_FIBRES = (
    r"(\b(?:bi|centi|deci|epi|femto|kilo|micro|milli|multi|nano|pico)?(?:calib|cent|fib|goit|lit"
    r"|theat|tit)|\b(?:centi|deci|kilo|milli|nano)met)"
)
_FIBRE_END = r"(?=s?\b|optic|scop)"
_MODELS = r"(\b(?:mis|over|pre|re|un)?(?:{}))".format(
    "cancel|channel|counsel|dial|equal|fuel|funnel|label|level|model|panel|signal|swivel|total"
    "|travel|tunnel"
)
_MODEL_END = r"(?=(?:ed|ing|ers?|ors?)\b)"
_BLOOD = r"(?=i(?:as?|cs?|cally)\b)"
# Epidemic, endemic, academic, systemic, bohemian: no blood in them.
_NO_BLOOD = "".join(
    rf"(?<!{before}em)" for before in r"a epid pand \bend acad syst pol tot boh och \bch".split(" ")
)


def _after(letters: str, *before: str) -> str:
    """Return a pattern for the letters at a word's start or after one of the prefixes.

    The letters come first in the pattern: a leading lookbehind would be tried at every position.
    """
    places = "|".join(rf"(?<={place}{letters})" for place in ("\\b", *before))
    return f"{letters}(?:{places})"


_PLACED = (
    (r"oesophag", r"esophag(?<!\boesophag)(?<!ooesophag)", "oesophag", "esophag"),
    (r"oedem(?<!angioedem)", r"edem(?<![or]edem)(?=as?\b|at)", "oedem", "edem"),
    (r"oestr", _after("estr", r"\banti", r"\bphyto") + "(?=o|adi|io|us)", "oestr", "estr"),
    (r"rrhoe", r"rrhe(?=a|i)", "rrhoe", "rrhe"),
    (r"pnoe", r"pne(?=as?\b|al\b|ic)", "pnoe", "pne"),
    (r"foet", _after("fet", r"\balpha", r"\bmaterno") + r"(?=al|us|o|id\b)", "foet", "fet"),
    (r"caec(?=um|al|ost|op|it)", r"cec(?=um\b|al\b|ostom|opex|itis)", "caec", "cec"),
    (r"\bnaev(?=us|i\b|oid)", r"\bnev(?=us|i\b|oid)", "naev", "nev"),
    (r"\bamoeb", r"\bameb", "amoeb", "ameb"),
    (r"\bhomoeo", r"\bhomeo", "homoeo", "homeo"),
    (r"leuco(?!vorin)", r"leuko", "leuco", "leuko"),
    (r"aesthes", _after("esthes", "dys", "kin", "syn", "hyper", "hypo"), "aesthes", "esthes"),
    (rf"aem{_BLOOD}", rf"em{_NO_BLOOD}{_BLOOD}", "aem", "em"),
    (
        r"haem",
        _after("hem", r"\bmet", "oxy", r"\banti", r"\bnon", r"\bauto", r"\bmicro", "pneumo")
        + "(?=o|at|angi|arthr|aggl|idros)",
        "haem",
        "hem",
    ),
    (r"(?:(?<=behavi)|(?<=tum))our", r"(?:(?<=behavi)|(?<=tum))or", "our", "or"),
    (rf"{_COLOURS}our{_COLOUR_END}", rf"{_COLOURS}or{_COLOUR_END}", r"\1our", r"\1or"),
    (rf"{_FIBRES}re{_FIBRE_END}", rf"{_FIBRES}er{_FIBRE_END}", r"\1re", r"\1er"),
    (rf"{_MODELS}l{_MODEL_END}", rf"{_MODELS}{_MODEL_END}", r"\1l", r"\1"),
    (r"((?:ana|cata|dia)log)ue(?=s?\b)", r"((?:ana|cata|dia)log)(?=s?\b)", r"\1ue", r"\1"),
    (r"(\b(?:kilo|milli|micro|nano)?gram)me(?=s?\b)", r"(?!)", "", r"\1"),
)
# Words in -ise that never have a z, and in -ize that always have it.
_NEVER_Z = (
    "adv|advert|an|appr|appra|ar|bra|bru|cer|ch|chem|circumc|compr|comprom|conc|cr|cru|dem|den|desp"
    "|dev|disgu|enterpr|exc|exerc|exorc|expert|franch|gu|imprec|improv|inc|lia|lou|mala|marqu"
    "|mayonna|merchand|parad|perv|porpo|pra|prec|prem|prom|repr|rev|sunr|superv|surm|surpr|telev"
    r"|torto|treat|turquo|upra|val|\w*w"
)
_NEVER_S = "ass|caps|downs|outs|overs|res|unders|ups"
_VERB_END = r"(?=(?:e|ed|ers?|es|ing|able|ations?|ational)\b)"
_SPLIT_END = r"(?=(?:e|ed|ers?|ing|able)\b)"  # dialyses are two things already
_VERBS = (
    (
        rf"\b(?!(?:{_NEVER_Z})is{_VERB_END})(\w{{3,}})is{_VERB_END}",
        rf"\b(?!(?:{_NEVER_S})iz{_VERB_END})(\w{{3,}})iz{_VERB_END}",
        r"\1is",
        r"\1iz",
    ),
    (rf"(?<=[ao]l)ys{_SPLIT_END}", rf"(?<=[ao]l)yz{_SPLIT_END}", "ys", "yz"),
)


def _pairs(listed: str) -> list[tuple[str, str]]:
    return [(british, american) for british, american in map(str.split, listed.split(","))]


def _rules(places: Iterable[tuple[str, str, str, str]]) -> tuple[Rules, Rules]:
    """Compile the rules towards American and those towards British."""
    listed = list(places)
    return (
        tuple((re.compile(british), american) for british, _, _, american in listed),
        tuple((re.compile(american), british) for _, american, british, _ in listed),
    )


def _root(british: str, american: str) -> tuple[str, str, str, str]:
    """Return a rule that doesn't match `esophag` in `oesophag`, which is British already."""
    before = british.removesuffix(american) if british.endswith(american) else ""
    return british, (f"(?<!{before})" if before else "") + american, british, american


_TO_AMERICAN, _TO_BRITISH = _rules([*(_root(*pair) for pair in _pairs(_ROOTS)), *_PLACED])
_TO_Z, _TO_S = _rules(_VERBS)
_WHOLE = dict(_pairs(_WORDS)) | {american: british for british, american in _pairs(_WORDS)}
_TYPED = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_HYPHEN = re.compile(r"[-\u2010\u2011]")


def other_spellings(word: str) -> tuple[str, ...]:
    """Return the other spellings of a lower-case word, sorted; empty where no rule applies.

    They are British with -ise, British with -ize (Oxford), and American.
    """
    ((_, others),) = _every([word])
    return others


def respelled(text: str) -> tuple[Expansion, ...]:
    """Return the words of a text with their other spellings, in order, at most `MAX_SPELLINGS`.

    Hyphenated words are also tried joined, as the index stores them.
    """
    spellings = (
        Expansion(word, other, same=True)
        for word, others in _every(list(_words(text[:MAX_CHARS])))
        for other in others
    )
    return tuple(islice(spellings, MAX_SPELLINGS))


def _every(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each word with its other spellings; the rules run once over all words, one a line."""
    if not words:
        return
    lines = "\n".join(words)
    american, british = _by(_TO_AMERICAN, lines), _by(_TO_BRITISH, lines)
    forms = (_by(_TO_Z, american), _by(_TO_S, british), _by(_TO_Z, british))
    for word, *others in zip(words, *(form.split("\n") for form in forms), strict=True):
        whole = _WHOLE.get(word)
        yield word, (whole,) if whole else tuple(sorted(set(others) - {word}))


def _words(text: str) -> Iterator[str]:
    """Yield each word once, in order; a compound before its parts."""
    typed = (_HYPHEN.split(match.group()) for match in _TYPED.finditer(text.casefold()))
    forms = (form for parts in typed for form in dict.fromkeys(["".join(parts), *parts]))
    fitting = (form for form in forms if MIN_LETTERS <= len(form) <= MAX_LETTERS)
    return islice(iter(dict.fromkeys(fitting)), MAX_WORDS)


def _by(rules: Rules, lines: str) -> str:
    for pattern, instead in rules:
        lines = pattern.sub(instead, lines)
    return lines
