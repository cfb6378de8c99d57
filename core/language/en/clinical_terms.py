"""Find conditions, routes and dates in a text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from core.language.words import distinct

REVISION = 1  # of the rules for adjectives: a part of the lexicon's fingerprint
_DEGREES = (
    "acute|severe|lower|upper|chronic|mild|moderate|uncomplicated|complicated|suspected|recurrent"
    "|major|massive|septic|community-acquired|hospital-acquired|bacterial|viral|high-risk|low-risk"
    "|life-threatening|ischaemic|diabetic"
)
_DEGREE = rf"(?:(?:{_DEGREES})\s+)*"
CONDITION = re.compile(
    rf"(?i:\b{_DEGREE}(?:[a-z]{{3,}}(?:itis|iasis|aemia|(?<!an)emia|opathy|uria|oedema|rrhagia|rrhoea"
    r"|plegia|phrenia)"
    r"|(?:[a-z]+\s+)?(?:infections?|syndrome|abscess)|sepsis|septic shock|shock|asthma|stroke"
    r"|pneumonia|anaphylaxis|epilepsy|seizures?|status epilepticus|diabetes|gout|delirium"
    r"|hypertension|hypotension|heart failure|atrial fibrillation|myocardial infarction|migraine"
    r"|psoriasis|scabies|malaria|measles|tuberculosis|eczema|depression|obesity|thrombosis"
    r"|(?:pulmonary )?embolism|(?:h(?:a)?emorrhage|bleeding|bleed)|fever|pain|cough|(?:leg )?cramps"
    r"|thrush|burns?|ketoacidosis|alcohol withdrawal|[a-z]{4,}[- ]na[iï]ve"
    r"|cancer|lymphoma|leuk(?:a)?emia)\b)"
    rf"|\b(?i:{_DEGREE}(?:UTIs?|DKA|VTE|DVT|ACS|COPD|HIV))\b"
    rf"|\b(?i:{_DEGREE})(?:PE|MI|CAP|HAP|AF|TB)\b"
)
# What a patient is called who has a condition, by the condition; `-aemic` and the like by rule.
ADJECTIVES = {
    "anaphylactic": "anaphylaxis", "asthmatic": "asthma", "cancerous": "cancer",
    "delirious": "delirium", "depressed": "depression", "diabetic": "diabetes",
    "eczematous": "eczema", "epileptic": "epilepsy", "febrile": "fever", "feverish": "fever",
    "gouty": "gout", "hypertensive": "hypertension", "hypotensive": "hypotension",
    "migraineur": "migraine", "obese": "obesity", "psoriatic": "psoriasis", "septic": "sepsis",
    "shocked": "shock", "tuberculous": "tuberculosis",
}  # fmt: skip
_ENDINGS = {
    "aemic": "aemia", "emic": "emia", "itic": "itis", "plegic": "plegia", "phrenic": "phrenia",
    "uric": "uria",
}  # fmt: skip
# Before `patient`, and where the adjective stands for one; not `septic arthritis`.
_WHO = (
    r"(?=s?\b\s*(?:$|[^\w\s-]|(?:(?:in)?patients?|pts?|persons?|people|wom[ae]n|m[ae]n|lady|child(?:ren)?"
    r"|adults?|mothers?|girls?|boys?|teenagers?|and|or|in|with|who|on|is|has|had|at|after|now|what|how"
    r"|can|which|when|needs?|taking|despite)\b))"
)
_SUFFERER = re.compile(
    rf"\b(?:(?P<listed>{'|'.join(ADJECTIVES)})"
    rf"|(?P<stem>[a-z]{{2,}}?)(?P<ending>{'|'.join(_ENDINGS)})){_WHO}",
    re.IGNORECASE,
)
_NO_SUFFERER = frozenset("academic endemic epidemic pandemic polemic politic systemic".split())
_LIMIT = re.compile(rf"(?:{_DEGREES})(?=\s)", re.IGNORECASE)


def conditions(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each condition, in lower case, with the qualifiers before it.

    `severe pneumonia` gives `pneumonia` with `severe`, and `asthmatic patient` gives `asthma`.
    """
    for match in CONDITION.finditer(text):
        named = " ".join(match.group().lower().split())
        limits = frozenset(_LIMIT.findall(named))
        yield " ".join(word for word in named.split() if word not in limits), limits
    for _, condition in sufferers(text):
        yield condition, frozenset()


def sufferers(text: str) -> Iterator[tuple[str, str]]:
    """Yield each adjective for a patient, as typed, with the condition: `septic`, `sepsis`."""
    for match in _SUFFERER.finditer(text):
        word = match.group()
        if match["listed"]:
            yield word, ADJECTIVES[word.lower()]
        elif word.lower() not in _NO_SUFFERER:
            yield word, f"{match['stem'].lower()}{_ENDINGS[match['ending'].lower()]}"


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
    "inhaler": r"(?:turbo|accu|evo|handi|easy|disk|auto)?halers?|inhalers?|respimat|MDI|puffs?",
    "inhaled": r"inhal(?:ed|ation)|by inhalation",
    "transdermal": r"transdermal(?:ly)?|patch(?:es)?(?! test)",
    "topical": r"topical(?:ly)?|to the skin|on the skin|cream|ointment",
    "ophthalmic": r"eye ?drops?|into the eyes?|ophthalmic(?:ally)?|intra-?ocular",
    "otic": r"ear ?drops?|into the ears?",
    "enteral": r"nasogastric(?:ally)?|enteral(?:ly)?|(?-i:\bN\.?G\b)"
    r"|through (?:a|the) (?:feeding|nasogastric) tube",
    "oral": r"oral(?:ly)?(?! (?:cavity|mucosa|thrush|hygiene|contraceptive|candidiasis|ulcer))"
    r"|by mouth|per os|(?-i:\bP\.?O\b)|\bp\.?o\b",
}
# A route of the second kind says no more than the first.
_WIDER = {"nebulised": "inhaled", "inhaler": "inhaled"}
_PATTERN = re.compile(
    "|".join(f"(?P<{name.replace('-', '_')}>\\b(?:{form}))" for name, form in _ROUTES.items()),
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def routes(text: str) -> frozenset[str]:
    """Return the routes of administration in a text, each with the broader route it belongs to."""
    named = {str(match.lastgroup).replace("_", "-") for match in _PATTERN.finditer(text)}
    return frozenset(named | {_WIDER[name] for name in named if name in _WIDER})


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_UNIT = r"(?:m[gl]|µg|mcg|ug|g|kg|units?|iu|u|kcal|cal\w*|patients?|ml|l|mmol|mol|mm|cm|%|\d)"
_DATE = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:19|20)\d{{2}}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\s+(?:19|20)\d{{2}}\b"
    rf"|\b{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?(?:19|20)\d{{2}}\b"
    rf"|(?<![\d.,/-])\b(?:19|20)\d{{2}}\b(?![\d,./-]*\d)(?!\s*{_UNIT}\b)",
    re.IGNORECASE,
)


def dates(text: str) -> tuple[str, ...]:
    """Return days, months with a year, and years from 1900 to 2099, as typed, each once, in order.

    A number with a unit, such as 2000 mg, is no date.
    """
    return distinct(_DATE.findall(text))
