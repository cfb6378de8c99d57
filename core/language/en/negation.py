"""Find negating words, and questions that ask for the exception. Pure.

Semantic search hardly sees a "not": an encoder puts "safe in pregnancy" and "not safe in pregnancy"
close together. So negation is detected here and never left to a ranking.
"""

from __future__ import annotations

import re

from core.language.words import distinct

NEGATION = re.compile(
    r"\b(?:not(?!\s+only\b)|never|none|nor|neither|without|cannot|\w+n['’]t"
    r"|no(?!\.?\s*\d)(?!\.\s)|avoid(?:s|ed|ing|ance|able)?|except(?:ing|ion|ions)?|unless"
    r"|contra-?indicat(?:ed|es|ion|ions|ing)|least(?=\s+(?:likely|common|\w+ate|\w+ful|\w+ive))"
    r"|unsafe|inappropriate|incorrect|false|withh(?:old|olding|eld)|absence|lack(?:s|ing)?)\b",
    re.IGNORECASE,
)
# `whether or not` asks, it does not deny; nor does `at least`.
_NO_NEGATION = re.compile(r"\bwhether or not\b|\bor not\s*\?|\bat least\b", re.IGNORECASE)

# The frames in which an examiner, or a careful clinician, asks for what does not belong.
_EXCEPTION = re.compile(
    r"\b(?:all|any|each|every)\b[^.?!]{0,200}\bexcept\b|\bexcept\s*[:?.]?\s*\Z"
    r"|\bexcept (?:which|what|for which)\b"
    r"|\b(?:which|what)\b[^.?!]{0,200}\bleast (?:likely|common|appropriate|useful"
    r"|effective|suitable|important|helpful|consistent|associated)\b"
    r"|\bwhich (?:one )?of (?:the following|these)\b[^.?!]{0,200}"
    r"\b(?:not|never|n['’]t|incorrect|false|untrue|inappropriate|unlikely)\b"
    r"|\b(?:which|what)\b[^.?!]{0,60}\b(?:is|are) (?:not|incorrect|false|untrue)\b"
    r"|\bnot (?:true|correct|a (?:cause|feature|sign|symptom|risk factor|complication"
    r"|contra-?indication|side effect))\b",
    re.IGNORECASE,
)
# In capitals, the examiner's; where all is in capitals they say no more.
_SHOUTED = re.compile(r"\bEXCEPT\b|\b(?:[Ww]hich|[Ww]hat|[Ww]ho)\b[^.?!]{0,200}\b(?:NOT|LEAST)\b")

# What a note says that its patient doesn't have: `no bleeding or fever, platelets 140`, `denies
# asthma`. Not `not improving`, `can I not give`, which deny no condition, nor `no better`.
_DENIES = re.compile(
    r"(?<!or )(?<!why )\b(?:no|not|without|den(?:ies|ied|ying)|nil|never(?: had| been)?"
    r"|negative for|free (?:of|from)|(?:has|have|had|is|was|does|do|did)n['’]t(?: have)?)\b"
    r"(?!\s+(?:be|give[ns]?|giving|used?|using|start\w*|sure|clear|certain|know|respon\w+"
    r"|improv\w+|toler\w+|work\w*|better|longer|only|yet|able|recommended|safe|suitable|ok|okay"
    r"|contra-?indicated|prescribe\w*|offer\w*|avoid\w*)\b)",
    re.IGNORECASE,
)
# A mark, an affirmed fact, a number with its name, or what is asked.
_NO_FURTHER = re.compile(
    r"[.,;:?!–—]|\s-+\s|\b(?:but|except|unless|apart|with|who|which|that|what|when|how|can|could|may|should|is|are|has|have"
    r"|had|does|do|on|takes?|taking|ok|okay|safe|dose|give|use|start|treat)\b|\S+\s+[<>=]?\s*\d|\d"
    r"|\band\s+(?:is|has|on|with|takes?|taking|pregnant)\b",
    re.IGNORECASE,
)
_BEFORE_DENIED = re.compile(
    r"(?:\s+(?:an?|any|known|have|having|had|been|be|being|on|taking|of|to|with|currently|current|past"
    r"|previous|history|hx|evidence|signs?|allergic|acute|chronic|major|severe|significant))*\b",
    re.IGNORECASE,
)
# What a note says of its patient without a mark before it: `no fever pregnant UTI`.
_OF_PATIENT = re.compile(
    r"(?<!or)(?<!nor)(?<!and)\s+(?:pregnan\w+|breast-?feeding|(?:[\w-]+\s+)?(?:allerg|anaphyla"
    r"|intoleran)\w+|immuno\w+|CKD|AKI|dialysis|renal|kidney|liver|hepatic|elderly|child|baby|neonate)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\S+")


def denied_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of what a note on a patient says that they don't have or take.

    A place ends before another fact on the patient: a note may have no mark between the two.
    """
    spans: list[tuple[int, int]] = []
    for match in _DENIES.finditer(text):
        if spans and match.start() < spans[-1][1]:
            continue
        begun = _BEFORE_DENIED.match(text, match.end())
        after = begun.end() if begun else match.end()
        first = _FIRST.search(text, after)
        stops = (
            _NO_FURTHER.search(text, after),
            _OF_PATIENT.search(text, first.end()) if first else None,
        )
        spans.append((match.start(), min((s.start() for s in stops if s), default=len(text))))
    return spans


def affirmed(text: str) -> str:
    """Return a note on a patient without what it denies, in blanks: places stay the same."""
    for start, end in denied_spans(text):
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def negations(text: str) -> tuple[str, ...]:
    """Return the negating words as typed, each once, in order."""
    return distinct(NEGATION.findall(_NO_NEGATION.sub(" ", text)))


def asks_for_exception(text: str) -> bool:
    """Tell whether a question asks for the exception: EXCEPT, LEAST likely, which is not ..."""
    return bool(_EXCEPTION.search(text) or _SHOUTED.search(text))
