"""Find the patient groups in a question. Pure."""

from __future__ import annotations

import re

# In the order in which they are named.
_MENTIONS = {
    "preterm": r"pre-?terms?|pre-?matur(?:e|ity)|low birth ?weight",
    "neonate": r"neonat(?:e|es|al)|new-?borns?",
    "infant": r"infants?|infancy|bab(?:y|ies)|toddlers?",
    "child": r"child(?:ren|hood)?|p(?:a|æ)?ediatrics?|pædiatrics?|pa?eds|kids?|boys?|girls?"
    r"|school-?aged?",
    "adolescent": r"adolescen(?:t|ts|ce)|teen(?:s|ager|agers|age)?|young (?:people|person|adults?)",
    "adult": r"adults?|grown-?ups?",
    "elderly": r"elderly|older (?:adults?|people|persons?|patients?|men|women)|geriatric"
    r"|frail(?:ty)?",
    "pregnant": r"pregnan(?:t|cy|cies)|gravid|gestation(?:al)?|trimester|antenatal|prenatal"
    r"|(?:[4-9]|[1-3]\d|4[0-2])(?:\+\d)?/40(?! ?(?:bab(?:y|ies)|prem|neonate|newborn|infant|twin))"
    r"|expecting|obstetric|in labou?r|teratogen\w*"
    r"|(?:pre-?\s?)?eclamp(?:sia|tic)",
    "postpartum": r"post-?partum|post-?natal|puerperal|puerperium",
    "breastfeeding": r"breast-?\s?feed(?:s|ing)?|lactat(?:ing|ion)|nursing mothers?"
    r"|(?<=pregnant, )nursing|breast ?milk",
    "dialysis": r"(?:haemo|hemo|peritoneal )?dialysis|renal replacement",
    "renal impairment": r"(?:renal|kidney) (?:impairment|failure|insufficiency|disease|dysfunction)"
    r"|CKD|AKI|ESRD|e?GFR|CrCl|creatinine clearance|nephropathy",
    "hepatic impairment": r"(?:hepatic|liver) (?:impairment|failure|insufficiency|disease"
    r"|dysfunction)|cirrho(?:sis|tic)|child-pugh",
    "immunocompromised": r"immun(?:o|e)-?\s?(?:compromised?|suppress(?:ed|ion)|deficien(?:t|cy))"
    r"|neutrop(?:a?enic|a?enia)|transplant(?:ed)? (?:patients?|recipients?)",
    "critically ill": r"critically ill|intensive care|ICU|ITU|ventilated",
}
_PATTERNS = {
    name: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for name, pattern in _MENTIONS.items()
}
_AGE = re.compile(
    r"\b(\d{1,3})\s*-?\s*(days?|weeks?|wks?|months?|mo|years?|yrs?|[dmwy](?=[\s-]?old|/o)|y(?=o\b))"
    r"(?:\s*-?\s*old|/?o)\b"
    r"|\baged?\s+(?:of\s+)?(\d{1,3})(?:\s*(days?|weeks?|months?|years?))?\b",
    re.IGNORECASE,
)
# What is no patient's age or state, though it holds such a word.
_NO_MENTION = re.compile(
    r"\b(?:child[- ]pugh|childbirth|new-?born screening|adult[- ]onset|infant formula"
    r"|(?:adult|childhood|juvenile) (?:vaccine|polyglucosan)\w*|baby aspirin"
    r"|(?:wants?|wanting|trying for|plans?|planning|hoping for) (?:a |another )?bab(?:y|ies))\b",
    re.IGNORECASE,
)
_BIRTH = re.compile(
    r"\b(?:intra-?partum|labou?r|chorioamnionitis|c(?:a?e)sarean|maternal|obstetrics?)\b"
    r"|\bfo?et(?:us|al)\b|\brupture of (?:the )?membranes\b",
    re.IGNORECASE,
)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}

# Upper limits in days, as paediatric guidance draws them: 28 days, 1, 12 and 18 years; from 65
# years the elderly.
_BY_AGE = ((28, "neonate"), (365, "infant"), (12 * 365, "child"), (18 * 365, "adolescent"))
_ELDERLY_DAYS = 65 * 365
_OLDEST = 120 * 365


def populations(text: str) -> tuple[str, ...]:
    """Return the patient groups that a question names or gives an age of, youngest first."""
    plain = _NO_MENTION.sub(" ", text)
    named = {name for name, pattern in _PATTERNS.items() if pattern.search(plain)}
    if _NO_MENTION.search(text) and "pugh" in text.lower():
        named.add("hepatic impairment")
    named |= {_of_age(*age) for age in _AGE.findall(text)}
    return tuple(name for name in _MENTIONS if name in named)


def tells_of_birth(text: str) -> bool:
    """Tell whether a text is on giving birth, and so for a pregnant woman, or for her baby."""
    return bool(_BIRTH.search(text))


def _of_age(number: str, unit: str, aged: str, aged_unit: str) -> str:
    days = int(number or aged) * _DAYS[(unit or aged_unit or "y")[0].lower()]
    for limit, name in _BY_AGE:
        if days < limit:
            return name
    return "adult" if days < _ELDERLY_DAYS else "elderly" if days < _OLDEST else ""
