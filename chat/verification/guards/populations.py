"""Whom a claim is about is whom its quotes are about: nobody dropped, changed or added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.places import Place, is_misplaced, places
from chat.verification.wording.statements import (
    Clause,
    Statement,
    clause_at,
    is_covered,
    sources,
    statements,
)
from chat.verification.wording.verbatim import word_for_word

NAME = "populations"
_GROUPS = {
    "preterm": r"pre-?term(?! (?:birth|delivery|labou?r))|pre-?mature (?:bab|infant|neonat)\w+"
    r"|low birth ?weight",
    "neonates": r"neonat(?:e|es|al)|new-?borns?",
    "infants": r"infants?|infancy|bab(?:y|ies)|toddlers?",
    "children": r"child(?:ren|hood)?(?!-?pugh|[- ]pugh|birth)|p(?:ae|e|æ)diatrics?|kids?|boys?"
    r"|girls?"
    r"|school-?aged?|minors?",
    "adolescents": r"adolescen(?:t|ts|ce)|teen(?:s|agers?|aged?)?|young (?:people|persons?)",
    "young adults": r"young adults?|younger (?:adults?|people|patients|individuals)",
    "elderly": r"elderly|older (?:adults?|people|persons?|patients?|individuals|men|women)"
    r"|geriatrics?"
    r"|frail(?:ty)?|over[- ]65s?|seniors?|(?:aged|over|above) 65(?: years)?(?: and over| or over)?",
    "adults": r"(?<!young )(?<!younger )(?<!older )adults?(?![- ]onset)|grown-?ups?|adulthood",
    "first trimester": r"(?:first|1st) trimester|early pregnancy",
    "second trimester": r"(?:second|2nd)(?: and third)? trimesters?",
    "third trimester": r"(?:third|3rd) trimesters?|late pregnancy|near term|at term",
    "pregnancy": r"(?<!early )(?<!late )(?<!non-)pregnan(?:t|cy|cies)|gravid|antenatal|prenatal"
    r"|gestation(?:al)?(?! diabetes)|expectant mothers?|maternity",
    "postpartum": r"post-?partum|post-?natal|puerper\w+",
    "breastfeeding": r"breast-?\s?feed(?:s|ing)?|lactat(?:ing|ion)|nursing mothers?",
    "women": r"wom[ae]n|females?|ladies",
    "men": r"\bm[ae]n|males?",
    "dialysis": r"(?:haemo|hemo|peritoneal )?-?dialysis|renal replacement",
    "renal impairment": r"(?:renal|kidney) (?:impairment|failure|insufficiency|disease|dysfunction)"
    r"|(?:impaired|reduced|poor) (?:renal|kidney) function|(?-i:\b(?:CKD|AKI|ESRD)\b)",
    "hepatic impairment": r"(?:hepatic|liver) (?:impairment|failure|insufficiency|disease"
    r"|dysfunction)|cirrho(?:sis|tics?)|child-pugh|(?:impaired|reduced) (?:liver|hepatic) function",
    "diabetes": r"diabet(?:es|ics?)(?! (?:insipidus|team|specialist|consultant|ketoacidosis"
    r"|nurse))",
    "immunocompromised": r"immun(?:o|e)-?\s?(?:compromised?|suppress(?:ed|ion)|deficien(?:t|cy))"
    r"|neutrop(?:a?enic|a?enia)|transplant (?:patients?|recipients?)",
    "critically ill": r"critically ill",
    "smokers": r"smokers?",
}
_PATTERN = re.compile(
    "|".join(
        f"(?P<g{index}>(?<!\\w)(?:{form})(?!\\w))" for index, form in enumerate(_GROUPS.values())
    ),
    re.IGNORECASE,
)
_ANYONE = re.compile(r"\b(?:patients?|people|persons?|individuals?|anyone|someone)\b", re.I)
_NAMES = tuple(_GROUPS)
# What a group says by itself of the others.
_IMPLIED = {
    "pregnancy": {"women"},
    "first trimester": {"women", "pregnancy"},
    "second trimester": {"women", "pregnancy"},
    "third trimester": {"women", "pregnancy"},
    "postpartum": {"women"},
    "breastfeeding": {"women"},
    "preterm": {"infants", "neonates"},
    "neonates": {"infants"},
}
# Between two groups that stand for choice: either may be named alone.
_CHOICE = re.compile(
    r"\W*(?:and|or|,|and/or|as well as|/)\W*"
    r"(?:(?:patients?|people|those|persons?) (?:with|on|taking|receiving) )?(?:\w+ (?:or|and) )?"
    r"(?:\w+\W+)?",
    re.IGNORECASE,
)


_JOINT = re.compile(r"\b(?:and|or|but)\b|,")
_STATES = frozenset(
    {"dialysis", "renal impairment", "hepatic impairment", "diabetes", "immunocompromised"}
    | {"critically ill", "smokers"}
)


@dataclass(frozen=True)
class Mention:
    """A group of patients where a text names it."""

    group: str
    start: int
    end: int


def check(claim: str, cited: Cited) -> Finding | None:
    """A group that the claim adds, changes or drops.

    What only title, section or population of the passage say may be left out: the page shows it
    beside the claim. A statement about adults or children may be claimed of one of them.
    """
    if word_for_word(claim, cited):
        return None
    said = groups(claim)
    dropped = sorted({group for each in sources(claim, cited) for group in _dropped(each, claim)})
    known = _with_implied(groups(cited.text) | groups(cited.context))
    if added := sorted(said - known):
        quoted = any(groups(each.text) for each in sources(claim, cited))
        label = Label.CONTRADICTED if dropped or quoted else Label.NOT_FOUND
        return Finding(NAME, label, f"not whom the quote is about: {added[0]}")
    if dropped:
        label = Label.CONTRADICTED if said - groups(cited.text) else Label.NOT_FOUND
        return Finding(NAME, label, f"left out whom it is about: {dropped[0]}")
    if is_misplaced(_places(statements(claim)), _places(sources(claim, cited))):
        return Finding(NAME, Label.NOT_FOUND, "left out whom a part of it is about")
    return None


def _places(listed: Sequence[Statement]) -> list[Place]:
    """Where statements name groups, and people of no group."""
    found: list[Place] = []
    for statement in listed:
        named = [(each.group, each.start, each.end) for each in mentions(statement.text)]
        ends = [end for _, _, end in named]
        anyone = [
            ("anyone", *match.span())
            for match in _ANYONE.finditer(statement.text)
            if not any(0 <= match.start() - end <= 1 for end in ends)
            and not any(start <= match.start() < end for _, start, end in named)
        ]
        found += places(statement, sorted([*named, *anyone], key=lambda each: each[1]))
    return found


def groups(text: str) -> frozenset[str]:
    """The groups of patients that a text names."""
    return frozenset(mention.group for mention in mentions(text))


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[Mention, ...]:
    """Where the normalised text names a group, in order."""
    found = _PATTERN.finditer(normalised(text))
    return tuple(Mention(_NAMES[int(str(m.lastgroup)[1:])], *m.span()) for m in found)


def _dropped(statement: Statement, claim: str) -> Iterator[str]:
    """Groups of the clauses that the claim says, which it does not name."""
    said = _with_implied(groups(claim))
    keys = frozenset[str]().union(*(each.keys for each in statements(claim)))
    for run in _choices(mentions(statement.text), statement.text):
        clauses = {clause_at(statement, mention.start) for mention in run}
        named = any(mention.group in said for mention in run)
        is_said = any(_is_said(clause, statement, keys) for clause in clauses)
        if not named and (is_said or _is_said_before(run[0], statement, keys)):
            yield run[0].group


def _is_said(clause: Clause, statement: Statement, keys: frozenset[str]) -> bool:
    """Whether the claim says a clause; one that names whom alone goes with its statement."""
    groups_in = frozenset(
        term.key for term in clause.terms if groups(term.text) or term.key == "~patient"
    )
    rest = clause.keys - groups_in
    if len(rest) >= 2 and not clause.is_limit:
        return is_covered(rest, keys, share=0.5)
    others = [each for each in statement.clauses if each is not clause]
    mains = [each for each in others if not each.is_limit] or others
    return is_covered(rest, keys) or any(is_covered(each.keys, keys) for each in mains)


def _is_said_before(mention: Mention, statement: Statement, keys: frozenset[str]) -> bool:
    """Whether the claim says most of what its clause says in front of a group, two words or more.

    What stands behind may tell more of the group: `is done in infants with recurrent infection`.
    """
    clause = clause_at(statement, mention.start)
    head = frozenset(
        term.key for term in clause.terms if term.end <= mention.start and term.is_content
    )
    return len(head) >= 2 and not clause.is_limit and is_covered(head, keys)


def _choices(found: Sequence[Mention], text: str) -> Iterator[list[Mention]]:
    """Groups that stand side by side as alternatives, together; every other one alone.

    `Women for 5 days and men for 7` are alternatives as well; a state, such as diabetes, is one
    only next to another.
    """
    run: list[Mention] = []
    for mention in found:
        between = text[run[-1].end : mention.start] if run else ""
        loose = run and not {run[-1].group, mention.group} & _STATES and _JOINT.search(between)
        if run and not loose and not _CHOICE.fullmatch(between):
            yield run
            run = []
        run.append(mention)
    if run:
        yield run


def _with_implied(found: frozenset[str]) -> frozenset[str]:
    return found.union(*(_IMPLIED.get(group, set()) for group in found))
