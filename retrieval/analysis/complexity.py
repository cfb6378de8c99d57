"""How much a question asks for, and so how many passages it gets. Pure.

After adaptive retrieval (Jeong et al., Adaptive-RAG, NAACL 2024), by rules instead of a trained
classifier: each rule gives its reason, which stands in the trace. In doubt a question is medium,
and of two rules the one that gives more passages counts: too few passages hide an exception, too
many only cost time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.text.words import sentences, words
from retrieval.analysis.narrative import is_question
from retrieval.types import Complexity

PASSAGES = {Complexity.SIMPLE: 3, Complexity.MEDIUM: 5, Complexity.COMPLEX: 10}

LONG_WORDS = 40
SHORT_WORDS = 12
MANY_GROUPS, MANY_DRUGS = 2, 2

_COMPARES = re.compile(
    r"\b(?:versus|vs\.?|compare[ds]?|comparison|comparing|differences? between"
    r"|differ(?:s|ent)?\s+from|rather than|instead of|better than|superior to|preferred (?:over|to)"
    r"|alternatives? to|pros and cons|advantages?|distinguish\w*|differentiat\w+)\b",
    re.IGNORECASE,
)
_COURSE = re.compile(
    r"\b(?:manage[ds]?|managing|management|approach|algorithm|pathway|protocol|workup|work-up|steps?"
    r"|stepwise|strategy|care plan|overview|guidelines? (?:on|for|about)|differential diagnos[ie]s"
    r"|how (?:to|do (?:i|we|you)|should (?:i|we|you|one)) (?:treat|investigate|assess|diagnose)"
    r"|investigations?|complications?)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:list|name all|enumerate|what are (?:all |the )?(?:\w+ ){0,2}(?:options|criteria|causes"
    r"|indications|contra-?indications|symptoms|signs|complications|steps|types|side effects"
    r"|risk factors|interactions|treatments))\b",
    re.IGNORECASE,
)
_ON_CONDITION = re.compile(
    r"\b(?:if|when|who|with|despite|after|failed?|fails|already|unless|but|while|although)\b",
    re.IGNORECASE,
)
_ONE_FACT = re.compile(
    r"\A\W*(?:what(?:['’]s| is| was)?|how (?:much|many|often|long|soon|fast|old|high|low)|when"
    r"|where|who|is|are|can|does|do|should|define|maximum|minimum|max|target|normal|first|usual|starting"
    r"|loading)\b|\b(?:doses?|dosage|dosing|rate|target|threshold|range|frequency|half-life|level"
    r"|definition|duration|interval|cut-?off|maximum|route)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|or|plus|as well as)\b|[;/]", re.IGNORECASE)


def complexity(
    text: str, *, is_exception: bool, populations: Sequence[str], drugs: Sequence[str]
) -> tuple[Complexity, tuple[str, ...]]:
    """The class and the reasons for it, in words; none for a medium one."""
    if much := tuple(_much(text, is_exception, populations, drugs)):
        return Complexity.COMPLEX, much
    if little := _little(text):
        return Complexity.SIMPLE, (little,)
    return Complexity.MEDIUM, ()


def _much(
    text: str, is_exception: bool, populations: Sequence[str], drugs: Sequence[str]
) -> Iterator[str]:
    count = len(words(text))
    if is_exception:
        yield "asks for an exception"
    if _COMPARES.search(text):
        yield "compares"
    if sum(is_question(said) for said in sentences(text)[:100]) > 1:
        yield "asks more than once"
    if count > LONG_WORDS:
        yield f"has more than {LONG_WORDS} words"
    if len(populations) > MANY_GROUPS:
        yield "names several groups of patients"
    if len(drugs) > MANY_DRUGS:
        yield "names several medicines"
    if _COURSE.search(text) and len(_ON_CONDITION.findall(text)) + len(populations) > 1:
        yield "asks for a course of action under conditions"
    if _ALL.search(text) and _AND.search(text):
        yield "asks for more than one list"


def _little(text: str) -> str:
    """Why a question is simple; empty where it is not."""
    asked = words(text)
    if len(asked) > SHORT_WORDS or _COURSE.search(text) or _ALL.search(text):
        return ""
    if len(asked) <= 3:
        return "is a few words"
    return "" if _AND.search(text) or not _ONE_FACT.search(text) else "asks for one fact"
