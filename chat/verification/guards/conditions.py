"""What limits a statement is claimed with it: `if`, `when`, `in severe asthma`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.statements import (
    OPENING_VERBS,
    Clause,
    Statement,
    is_covered,
    sources,
    statements,
)
from chat.verification.wording.verbatim import word_for_word
from chat.verification.wording.vocabulary import GIVE, meaning

NAME = "conditions"
_PATIENT = frozenset({meaning("patient"), meaning("known")})  # and what says as little
_REASONS = frozenset({"because", "since", "so", "although", "though"})
_KEPT_SHARE = 0.6  # of what a condition speaks of, that the claim has to say
# `in acute severe asthma`, `for patients with cirrhosis`: states, not places or volumes.
_STATE = re.compile(
    r"\b(?:in|for|during|(?:with|to)(?=\s+(?:\w+\s+){0,2}(?:patients?|people|persons?|adults?"
    r"|child(?:ren)?|those)\b))\s+(?!addition|combination|order|particular|general|practice"
    r"|contrast|total|hospital|the (?:first|last|next|same|morning|evening))"
    r"(?P<whom>(?:(?:a|an|the|any|every|all|most|those|some)\s+)?"
    r"(?:\w+\s+)?(?:patients?|people|persons?|adults?|children|women|men|infants?|those"
    r"|individuals)"
    r"\s+(?:(?:with|on|aged|taking|receiving|having|under|over|who have|who are|who)\b))?"
    r"(?P<state>(?:[^,;:.()]|\.(?=\d)){3,80}?)(?=[,;:.()]|\s+(?:and (?:give|in|is|are|the)|is"
    r"|are|should|may|must"
    r"|can|by|at|after|before|over|because|when|if|unless|who|that|which|to|from|give|use"
    r"|every)\b|$)",
    re.IGNORECASE,
)
# `For an operation that cannot wait, give ...`, whatever it names.
_LEADING = re.compile(
    r"^\W*(?:for|in|during|with|on)\s+(?!example|instance|addition|general|practice|particular"
    r"|short|summary|contrast|total|all\b|any case|most cases|these|this|that|patients?,|people,)"
    r"(?P<state>[^,;:.()]{3,80}),\s+(?:then\s+|always\s+|also\s+|do not\s+|\w+ly\s+)?"
    rf"(?:{OPENING_VERBS})\b",
    re.IGNORECASE,
)
# Whose word it takes: `after discussion with the hepatologist`, `on the advice of ...`.
_ADVICE = re.compile(
    r"\b(?:after (?:\w+ )?(?:discussion|consultation|agreement|consulting|discussing)"
    r"(?: (?:it|this))?(?: with)?"
    r"|(?:on|with|at) (?:the )?(?:advice|instruction|recommendation|direction|request|agreement"
    r"|approval|consent) (?:of|from)|in (?:discussion|consultation|agreement|liaison) with"
    r"|under (?:the )?(?:supervision|guidance|direction) of"
    r"|(?:discuss|agree|liaise|consult)(?:ed|es|s)?(?: (?!and\b|or\b)\w+){0,4}? with"
    r"|(?:approved|authorised|authorized|supervised|advised|agreed|prescribed) by)\s+"
    r"(?P<state>(?:[\w-]+\s*){1,6}?)(?=[,.;:()]|\s+(?:and|or|if|when|before|after|because|who|that"
    r"|about|to|is|are|may|should|must)\b|$)",
    re.IGNORECASE,
)
# `A seizure that lasts ...` and no other; not `show that`, `so that`.
_WHICH_ONE = re.compile(
    r"\b(?:an?|any|every|each|those|no|only)\s+(?:[\w-]+\s+){1,3}$", re.IGNORECASE
)
_OR = re.compile(r"[,\s]*or\b", re.IGNORECASE)
_ILL = re.compile(
    r"\b(?:severe|mild|moderate|acute|chronic|life-threatening|refractory|suspected|confirmed"
    r"|renal|hepatic|cardiac|recurrent|active|persistent|uncomplicated|complicated"
    r"|\w+(?:aemia|emia|itis|osis|oses|pathy|algia|oma|penia|pnoea|uria|rrhage|rrhoea)"
    r"|asthma|sepsis|septic|shock|stroke|failure|impairment|disease|infection|injury|pregnancy"
    r"|epilepsy|seizures?|arrest|arrhythmia|tachyarrhythmia|overdose|anaphylaxis|allergy|bleeding"
    r"|cancer|diabetes|hypertension|hypotension|migraine|angina|insufficiency|syndrome)\b",
    re.IGNORECASE,
)


def check(claim: str, cited: Cited) -> Finding | None:
    """A condition of a statement whose main clause the claim says without it."""
    if word_for_word(claim, cited):
        return None
    said = frozenset[str]().union(*(each.keys for each in statements(claim)))
    for statement in sources(claim, cited):
        for limit in _limits(statement, said):
            if not limit or is_covered(limit, said, share=_KEPT_SHARE):
                continue
            if _main_is_said(statement, limit, said):
                return Finding(NAME, Label.NOT_FOUND, "a condition of the quote is left out")
    return None


def _limits(statement: Statement, said: frozenset[str]) -> Iterator[frozenset[str]]:
    """What each condition of a statement speaks of; what stands in a reason is none.

    Nor is `or when ...` where the claim says the alternative in front of it.
    """
    openers = ((clause.start, clause.opener) for clause in statement.clauses[1:])
    reason = next((start for start, opener in openers if opener in _REASONS), len(statement.text))
    for before, clause in itertools.pairwise([statement.clauses[0], *statement.clauses]):
        is_other = before.is_limit and _OR.match(statement.text, clause.start)
        if is_other and is_covered(before.keys, said, share=0.8):
            continue
        is_limit = clause.is_limit and clause.opener not in {"whether", "until", "till", "where"}
        is_limit |= clause.opener == "that" and bool(
            _WHICH_ONE.search(statement.text[: clause.start])
        )
        if is_limit and clause.start < reason:
            yield _of_whom(clause) if clause.opener == "who" else clause.keys - _PATIENT
    for match in _STATE.finditer(statement.text):
        if match.start() < reason and (match["whom"] or _ILL.search(match["state"])):
            yield _spoken_of(statement, *match.span("state"))
    for pattern in (_LEADING, _ADVICE):
        for match in pattern.finditer(statement.text):
            if match.start() < reason:
                yield _spoken_of(statement, *match.span("state"))


def _of_whom(clause: Clause) -> frozenset[str]:
    """What `who` says of somebody: the first thing, since the main verb may follow."""
    listed = [term.key for term in clause.terms if term.is_content and term.key != GIVE]
    return frozenset(listed[:1]) - _PATIENT


def _spoken_of(statement: Statement, start: int, end: int) -> frozenset[str]:
    inside = [
        term for clause in statement.clauses for term in clause.terms if start <= term.start < end
    ]
    return frozenset(term.key for term in inside if term.is_content) - _PATIENT - {GIVE}


def _main_is_said(statement: Statement, limit: frozenset[str], said: frozenset[str]) -> bool:
    """Whether the claim says a clause that stands under the condition."""
    return any(
        is_covered(_without(clause, limit), said)
        for clause in statement.clauses
        if clause.opener in {"", "who", "which", "that", "where"}
    )


def _without(clause: Clause, limit: frozenset[str]) -> frozenset[str]:
    return clause.keys - limit - _PATIENT
