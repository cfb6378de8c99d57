"""Ways by which a medicine is given. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

# In the order in which they are looked for; abbreviations only as they are written.
_ROUTES = {
    "intraosseous": r"intra-?osseous(?:ly)?|(?-i:\bIO\b)",
    "intrathecal": r"intra-?thecal(?:ly)?|into the (?:cerebrospinal fluid|CSF)",
    "epidural": r"epidural(?:ly)?",
    "intraperitoneal": r"intra-?peritoneal(?:ly)?",
    "intra-articular": r"intra-?articular(?:ly)?|into the joint",
    "intradermal": r"intra-?dermal(?:ly)?",
    "intramuscular": r"intra-?muscular(?:ly)?|(?-i:\bI\.?M\.?\b)|\bi\.m\.|into (?:the|a) muscle",
    "intravenous": r"intra-?venous(?:ly)?|(?-i:\bI\.?V\b)|\bi\.v\b|parenteral(?:ly)?"
    r"|(?:into|through|by|via) (?:a |the )?(?:\w+ )?(?:vein|drip|cannula)",
    "subcutaneous": r"sub-?cutaneous(?:ly)?|(?-i:\bS\.?C\b)|\bs\.c\b|\bsub-?cut\b|under the skin",
    "sublingual": r"sub-?lingual(?:ly)?|under the tongue|(?-i:\bSL\b)",
    "buccal": r"buccal(?:ly)?|inside the cheek|oromucosal(?:ly)?",
    "rectal": r"rectal(?:ly)?|(?-i:\bP\.?R\b)|\bp\.r\b|per rectum|suppositor(?:y|ies)|enemas?",
    "vaginal": r"(?<!per )vaginal(?:ly)?|(?-i:\bP\.?V\b)|pessar(?:y|ies)|intra-?vaginal(?:ly)?",
    "intranasal": r"(?-i:\bIN\b)|intra-?nasal(?:ly)?|nasal(?:ly)?(?= spray| drop)|by nose"
    r"|into (?:the|each) nos(?:e|tril)",
    "nebulised": r"nebuli[sz](?:ed|er|ers|ation)",
    "inhaled": r"inhal(?:ed|er|ers|ation)|by inhalation",
    "transdermal": r"transdermal(?:ly)?|skin patch(?:es)?",
    "topical": r"topical(?:ly)?|to the skin|on the skin|cream|ointment",
    "ophthalmic": r"eye ?drops?|into the eyes?|ophthalmic(?:ally)?|intra-?ocular",
    "otic": r"ear ?drops?|into the ears?",
    "enteral": r"nasogastric(?:ally)?|enteral(?:ly)?|(?-i:\bN\.?G\b)"
    r"|through (?:a|the) (?:feeding|nasogastric) tube",
    "oral": r"oral(?:ly)?(?! (?:cavity|mucosa|thrush|hygiene|contraceptive|candidiasis|ulcer))"
    r"|by mouth|per os|(?-i:\bP\.?O\b)|\bp\.?o\b",
}
_WIDER = {"nebulised": "inhaled"}  # a route of the second kind says no more than the first
_PATTERN = re.compile(
    "|".join(f"(?P<{name.replace('-', '_')}>\\b(?:{form}))" for name, form in _ROUTES.items()),
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def routes(text: str) -> frozenset[str]:
    """Ways of giving that a text names, each with the wider one that it belongs to."""
    found = {str(match.lastgroup).replace("_", "-") for match in _PATTERN.finditer(text)}
    return frozenset(found | {_WIDER[name] for name in found if name in _WIDER})
