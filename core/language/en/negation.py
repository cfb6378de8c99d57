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


def negations(text: str) -> tuple[str, ...]:
    """Return the negating words as typed, each once, in order."""
    return distinct(NEGATION.findall(_NO_NEGATION.sub(" ", text)))


def asks_for_exception(text: str) -> bool:
    """Tell whether a question asks for the exception: EXCEPT, LEAST likely, which is not ..."""
    return bool(_EXCEPTION.search(text) or _SHOUTED.search(text))
