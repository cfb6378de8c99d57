"""The way by which a medicine is given is the one that is quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.places import Place, is_misplaced, places
from chat.verification.wording.statements import Statement, is_covered, sources, statements
from chat.verification.wording.verbatim import word_for_word

NAME = "routes"
# In the order in which they are looked for; abbreviations only as they are written.
_ROUTES = {
    "intraosseous": r"intra-?osseous(?:ly)?|(?-i:\bIO\b)",
    "intrathecal": r"intra-?thecal(?:ly)?|into the (?:cerebrospinal fluid|CSF)",
    "epidural": r"epidural(?:ly)?",
    "intraperitoneal": r"intra-?peritoneal(?:ly)?",
    "intra-articular": r"intra-?articular(?:ly)?|into the joint",
    "intradermal": r"intra-?dermal(?:ly)?",
    "intramuscular": r"intra-?muscular(?:ly)?|(?-i:\bI\.?M\.?\b)|\bi\.m\.|into (?:the|a) muscle",
    "intravenous": r"intra-?venous(?:ly)?|(?-i:\bI\.?V\b)|\bi\.v\b|(?:into|through|by|via) (?:a "
    r"|the )?"
    r"(?:\w+ )?(?:vein|drip|cannula)|parenteral(?:ly)?",
    "subcutaneous": r"sub-?cutaneous(?:ly)?|(?-i:\bS\.?C\b)|\bs\.c\b|\bsub-?cut\b|under the skin",
    "sublingual": r"sub-?lingual(?:ly)?|under the tongue|(?-i:\bSL\b)",
    "buccal": r"buccal(?:ly)?|inside the cheek|oromucosal(?:ly)?",
    "rectal": r"rectal(?:ly)?|(?-i:\bP\.?R\b)|\bp\.r\b|per rectum|suppositor(?:y|ies)|enemas?",
    "vaginal": r"(?<!per )vaginal(?:ly)?|(?-i:\bP\.?V\b)|pessar(?:y|ies)|intra-?vaginal(?:ly)?",
    "intranasal": r"intra-?nasal(?:ly)?|nasal(?:ly)?(?= spray| drop)|into (?:the|each) nos(?:e"
    r"|tril)"
    r"|by nose",
    "nebulised": r"nebuli[sz](?:ed|er|ers|ation)",
    "inhaled": r"inhal(?:ed|er|ers|ation)|by inhalation",
    "transdermal": r"transdermal(?:ly)?|skin patch(?:es)?",
    "topical": r"topical(?:ly)?|to the skin|on the skin|cream|ointment",
    "ophthalmic": r"eye ?drops?|into the eyes?|ophthalmic(?:ally)?|intra-?ocular",
    "otic": r"ear ?drops?|into the ears?",
    "enteral": r"nasogastric(?:ally)?|enteral(?:ly)?|(?-i:\bN\.?G\b)|through (?:a"
    r"|the) (?:feeding|nasogastric)"
    r" tube",
    "oral": r"oral(?:ly)?(?! (?:cavity|mucosa|thrush|hygiene|contraceptive|candidiasis|ulcer))"
    r"|by mouth|per os|(?-i:\bP\.?O\b)|\bp\.o\b|swallowed|to swallow",
}
# A route of the second kind says no more than the first.
_WIDER = {"nebulised": "inhaled"}
_PATTERN = re.compile(
    "|".join(f"(?P<{name.replace('-', '_')}>\\b(?:{form}))" for name, form in _ROUTES.items()),
    re.IGNORECASE,
)
_DOSE = re.compile(
    r"\d\s*(?:mg|g|mcg|µg|ng|micrograms?|milligrams?|grams?|mmol|units?|iu|puffs?|tablets?|ml)\b",
    re.IGNORECASE,
)
_NOT_A_DOSE = re.compile(r"\b(?:maximum|at most|up to|more than|exceed)", re.IGNORECASE)


def check(claim: str, cited: Cited) -> Finding | None:
    """A route that the quotes and their context don't name, or a route that a dose has lost.

    A dose without its route is read as a dose by mouth, or by the usual way, and may be ten times
    too much (adrenaline by muscle and by vein): so a claim that names a dose keeps the route of
    the statement that it is from, unless the title or section names it.
    """
    if word_for_word(claim, cited):
        return None
    said = routes(claim)
    own = [routes(each.text) for each in sources(claim, cited)]
    quoted = frozenset[str]().union(*own)
    everything = routes(cited.text) | routes(cited.context)
    if added := {
        each for each in said - _widened(quoted) if not _is_named(each, quoted, everything)
    }:
        label = Label.CONTRADICTED if quoted or routes(cited.text) else Label.NOT_FOUND
        return Finding(NAME, label, f"route not in the quote: {min(added)}")
    if len(quoted) > 1 and is_misplaced(_places(statements(claim)), _places(sources(claim, cited))):
        return Finding(NAME, Label.CONTRADICTED, "the quote's routes are exchanged")
    if not said and _lost(claim, cited):
        return Finding(NAME, Label.NOT_FOUND, "the quote's route is left out")
    return None


@lru_cache(maxsize=4096)
def routes(text: str) -> frozenset[str]:
    """Ways of giving that a text names."""
    found = _PATTERN.finditer(normalised(text))
    return frozenset(str(match.lastgroup).replace("_", "-") for match in found)


def _places(listed: Sequence[Statement]) -> list[Place]:
    return [
        place
        for each in listed
        for place in places(
            each, ((str(m.lastgroup), *m.span()) for m in _PATTERN.finditer(each.text))
        )
    ]


def route_spans(text: str) -> list[tuple[int, int]]:
    """Where a normalised text names a route."""
    return [match.span() for match in _PATTERN.finditer(text)]


def _widened(quoted: frozenset[str]) -> frozenset[str]:
    return quoted | {_WIDER[each] for each in quoted if each in _WIDER}


def _is_named(route: str, quoted: frozenset[str], everything: frozenset[str]) -> bool:
    """By another statement or the context, where the statement itself names no other way."""
    return route in _widened(everything) and not quoted


def _lost(claim: str, cited: Cited) -> bool:
    """Whether the clause that a dose of the claim is from names a route."""
    if not _DOSE.search(claim) or _NOT_A_DOSE.search(claim):
        return False
    keys = frozenset[str]().union(*(each.keys for each in statements(claim)))
    context = routes(cited.context)
    for statement in sources(claim, cited)[:1]:
        for clause in statement.clauses:
            text = statement.text[clause.start : clause.end]
            doses = {term.key for term in clause.terms if term.is_number}
            if _DOSE.search(text) and doses & keys and is_covered(clause.keys, keys, share=0.5):
                return bool(routes(text) - context)
    return False
