"""Find two guidelines in force that disagree on what an answer says.

False alarms make people stop reading alarms, so two statements are compared only if everything but
the value is the same: medicine, people, stage, severity, strength, conditions and subject. Neither
statement is preferred: both are shown, with authority and date.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from chat.caveats.applicability import hit_people
from chat.evidence.quotable import quotable_units
from chat.evidence.texts import normalised
from chat.models import ClaimKind
from chat.types import DraftClaim, Quote, Unit
from core.language.en.medicines.names import drugs
from core.language.en.patients.people import People, apart, first_named, people_of
from core.language.en.sentences import sentence_spans
from core.language.en.statements.comparable import (
    AMOUNT,
    FIRST_CHOICE,
    FREQUENCY,
    POLARITY,
    ROUTE,
    THRESHOLD,
    Fact,
    Statement,
    bound_differs,
    read_statement,
)
from core.language.en.statements.topics import topic_words
from core.language.gloss import gloss, question_in_english
from core.language.words import CELLS
from core.rounding import COSINE_DIGITS
from corpus.encoders.registry import get_embedder
from retrieval.types import Hit

MAX_PASSAGES = 8  # to compare with, as many as the extractive generator reads
MAX_CONFLICTS = 3
MAX_PAIRS = 12  # to encode, two texts each
# Cosine that a pair found by the rules must have too. Of the invented pairs of
# tests/chat/caveats/conflict_cases.py those that disagree have 0.90 or more; cosine alone can't
# decide, as pairs that don't disagree reach 0.98.
SAME_THING = 0.8
SAME_THING_FORBIDDEN = (
    0.65  # a sentence and its denial differ in words; the rules compare them more strictly
)
_OVERLAP = 0.5  # share of the shorter statement's words that the other has
_OWN_WORDS = 3  # number of words that only one of the two has
_FORBIDDEN_OVERLAP = 0.75


@dataclass(frozen=True)
class Conflict:
    """A claim, and a statement of another document in force that disagrees with it."""

    ours: DraftClaim
    theirs: DraftClaim  # verbatim, with its quotes
    kind: str  # what differs, in words: `the dose`, `the route`, `whether it is done at all` ...
    our_value: str = ""  # in the statement's words: `15 minutes`
    their_value: str = ""


def conflicts(
    claims: Sequence[DraftClaim], passages: Sequence[Hit], question: str
) -> tuple[Conflict, ...]:
    """Return up to `MAX_CONFLICTS`, in the order of the claims and then of the passages.

    `passages` are those that passed the gate, best first. A pair of statements is reported once.
    Runs one query, for the pages. At most 24 short texts are encoded, and none where the rules find
    no pair.
    """
    answers = [c for c in claims if c.kind is ClaimKind.ANSWER and c.quotes]
    read = tuple(passages[:MAX_PASSAGES])
    if not answers or len({hit.document_id for hit in (*read, *_hits(answers))}) < 2:
        return ()
    units = quotable_units(read, question)
    pairs = list(
        islice(_pairs(answers, units, people_of(question_in_english(question))), MAX_PAIRS)
    )
    return tuple(_reported_once(_same(pairs)))[:MAX_CONFLICTS]


def _hits(claims: Sequence[DraftClaim]) -> list[Hit]:
    return [claim.quotes[0].hit for claim in claims]


@dataclass(frozen=True)
class _Sentence:
    """One sentence or row of a passage, parsed on first use."""

    text: str
    read: str  # the same in English
    drug_before: str
    hit: Hit
    rough: frozenset[str]  # its words, medicines among them

    @cached_property
    def statement(self) -> Statement:
        return read_statement(self.read, drug_before=self.drug_before)

    @cached_property
    def people(self) -> People:
        return first_named([self.statement.people, hit_people(self.hit)])

    @cached_property
    def topic(self) -> frozenset[str]:
        """Words of the title and headings, without the medicines of the statement."""
        hit = self.hit.in_english
        headings = topic_words(" ".join([hit.title, *hit.section_path]))
        return headings - topic_words(" ".join(self.statement.drugs))

    @property
    def words(self) -> frozenset[str]:
        return self.statement.words

    def may_say(self, other: _Sentence) -> bool:
        """Tell whether two statements share enough words to be worth parsing."""
        fewest = min(len(self.rough), len(other.rough))
        return bool(fewest) and len(self.rough & other.rough) >= _OVERLAP * fewest


@dataclass(frozen=True)
class _Pair:
    claim: DraftClaim
    unit: Unit
    ours: _Sentence
    theirs: _Sentence
    kind: str


def _pairs(claims: Sequence[DraftClaim], units: Sequence[Unit], patient: People) -> Iterator[_Pair]:
    """Yield pairs of statements that differ in one value according to the rules."""
    read = [(unit, list(_said(unit.text, unit.quotes[0]))) for unit in units]
    for claim in claims:
        own = list(_said(claim.text, claim.quotes[0]))
        for unit, theirs in read:
            if unit.hit.document_id == claim.quotes[0].hit.document_id:
                continue
            for first, second in product(own, theirs):
                kind = _difference(first, second) if first.may_say(second) else ""
                if kind and apart(patient, second.people) is None:
                    yield _Pair(claim, unit, first, second, kind)


def _said(text: str, quote: Quote) -> Iterator[_Sentence]:
    """Yield the sentences of a text; one that names no medicine gets that of the one before."""
    spans = [(0, len(text))] if CELLS in quote.text else sentence_spans(text)
    drug = ""
    for start, end in spans:
        sentence = text[start:end]
        read = gloss(sentence, quote.hit.language)
        yield _Sentence(sentence, read, drug, quote.hit, topic_words(read))
        if len(spans) > 1:
            drug = next(iter(drugs(read)), drug)


def _difference(first: _Sentence, second: _Sentence) -> str:
    """Return the one value in which two statements differ; empty for none or several."""
    ours, theirs = first.statement, second.statement
    if normalised(ours.text).lower() == normalised(theirs.text).lower():
        return ""
    if not _same_subject(first, second) or not _same_people(first, second):
        return ""
    if ours.forbids != theirs.forbids:
        return _polarity(first, second)
    if ours.qualifiers != theirs.qualifiers or ours.strengths != theirs.strengths:
        return ""
    if ours.label != theirs.label or not _same_condition_words(first, second):
        return ""
    return _value(ours, theirs)


def _same_subject(first: _Sentence, second: _Sentence) -> bool:
    ours, theirs = first.statement, second.statement
    if set(ours.drugs) != set(theirs.drugs):
        return False
    shared = first.words & second.words
    fewest = min(len(first.words), len(second.words))
    if (fewest and len(shared) < _OVERLAP * fewest) or _speak_of_others(first, second):
        return False
    if not ours.drugs and len(shared) >= 2 and len(shared) >= 0.75 * fewest:
        return True
    if not ours.drugs and len(shared) < 2 and first.words != second.words:
        return False
    return bool(_topics_shared(first, second)) or not (first.topic and second.topic)


def _speak_of_others(first: _Sentence, second: _Sentence) -> bool:
    """Tell whether each has words that the other and its headings lack: other circumstances."""
    ours, theirs = (
        first.words - second.words - second.topic,
        second.words - first.words - first.topic,
    )
    return bool(ours) and bool(theirs) and len(ours) + len(theirs) >= _OWN_WORDS


def _topics_shared(first: _Sentence, second: _Sentence) -> frozenset[str]:
    """Return the topic words that the headings share, or headings of one and words of the other."""
    return (
        (first.topic & second.topic) | (first.words & second.topic) | (first.topic & second.words)
    )


def _same_people(first: _Sentence, second: _Sentence) -> bool:
    ours, theirs = first.people, second.people
    if apart(ours, theirs) or apart(theirs, ours) or ours.special != theirs.special:
        return False
    if set(ours.denied) & set(theirs.groups) or set(theirs.denied) & set(ours.groups):
        return False
    bounds = (
        (ours.ages, theirs.ages),
        (ours.kidney, theirs.kidney),
        (ours.weights, theirs.weights),
    )
    return all(set(mine) == set(yours) for mine, yours in bounds)


def _same_condition_words(first: _Sentence, second: _Sentence) -> bool:
    """Tell whether each statement or its headings mention every condition of the other."""
    ours, theirs = first.statement.condition_words, second.statement.condition_words
    missing = (ours - second.words - second.topic) | (theirs - first.words - first.topic)
    return not missing


def _polarity(first: _Sentence, second: _Sentence) -> str:
    advised, forbidden = (first, second) if second.statement.forbids else (second, first)
    if not advised.statement.tells:
        return ""
    if advised.statement.conditions != forbidden.statement.conditions:
        return ""
    if advised.statement.qualifiers - {FIRST_CHOICE} != forbidden.statement.qualifiers:
        return ""
    if advised.statement.routes and forbidden.statement.routes - advised.statement.routes:
        return ""
    words = forbidden.words
    held = words & (advised.words | advised.topic)
    if words and len(held) < _FORBIDDEN_OVERLAP * len(words):
        return ""
    if not (advised.statement.condition_words <= forbidden.words | forbidden.topic):
        return ""
    return POLARITY


def _value(ours: Statement, theirs: Statement) -> str:
    """Return what differs under otherwise equal conditions; empty for nothing.

    The first role of which no two values agree, else the route, else the threshold.
    """
    kinds = dict.fromkeys((fact.role, fact.interval.unit) for fact in ours.facts)
    differing = [
        role
        for role, unit in kinds
        if _differs(_of(ours.facts, role, unit), _of(theirs.facts, role, unit))
    ]
    if differing:
        if not _same_conditions(ours.conditions, theirs.conditions):
            return ""
        if ours.routes and theirs.routes and not ours.routes & theirs.routes:
            return ""  # another route has another dose
        return "" if _same_total(ours, theirs, differing) else differing[0]
    if ours.routes and theirs.routes and not ours.routes & theirs.routes:
        same = _same_conditions(ours.conditions, theirs.conditions)
        return ROUTE if same and _same_words(ours, theirs) else ""
    return THRESHOLD if _threshold_differs(ours, theirs) else ""


def _of(facts: Sequence[Fact], role: str, unit: str = "") -> list[Fact]:
    return [fact for fact in facts if fact.role == role and unit in ("", fact.interval.unit)]


def _differs(ours: Sequence[Fact], theirs: Sequence[Fact]) -> bool:
    """Tell whether both give values that can be compared, and all of these pairs differ."""
    compared = [(a, b) for a in ours for b in theirs if _comparable(a, b)]
    return bool(compared) and all(bound_differs(a.interval, b.interval) for a, b in compared)


def _comparable(first: Fact, second: Fact) -> bool:
    if first.interval.unit != second.interval.unit or first.drug != second.drug:
        return False
    return not (first.names and second.names) or bool(first.names & second.names)


def _same_conditions(ours: Sequence[Fact], theirs: Sequence[Fact]) -> bool:
    return {fact.interval for fact in ours} == {fact.interval for fact in theirs}


def _same_total(ours: Statement, theirs: Statement, differing: Sequence[str]) -> bool:
    """Tell whether only the division of a daily total differs: 500 mg twice and 1 g once a day."""
    if set(differing) != {AMOUNT, FREQUENCY}:
        return False
    return _totals(ours) == _totals(theirs) != set()


def _totals(statement: Statement) -> set[float]:
    amounts, often = _of(statement.facts, AMOUNT), _of(statement.facts, FREQUENCY)
    if len(amounts) != 1 or len(often) != 1:
        return set()
    return {round(amounts[0].interval.high * often[0].interval.high, 4)}


def _same_words(ours: Statement, theirs: Statement) -> bool:
    return bool(ours.words or ours.condition_words) and ours.words == theirs.words


def _threshold_differs(ours: Statement, theirs: Statement) -> bool:
    """Tell whether two one-sided bounds on the same thing, from the same side, are different."""
    if len(ours.conditions) != 1 or len(theirs.conditions) != 1:
        return False
    first, second = ours.conditions[0], theirs.conditions[0]
    if not _comparable(first, second) or first.interval.unit in ("kg", "ml/min"):
        return False
    return bound_differs(first.interval, second.interval) and first.interval.meets(second.interval)


def _same(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Keep the pairs whose statements are similar enough by the encoder. No query."""
    if not pairs:
        return []
    texts = list(dict.fromkeys(s.text for pair in pairs for s in (pair.ours, pair.theirs)))
    vectors = dict(zip(texts, get_embedder().encode(texts), strict=True))
    return [
        pair
        for pair in pairs
        # Rounded, so that the last bits of a float never decide.
        if round(float(vectors[pair.ours.text] @ vectors[pair.theirs.text]), COSINE_DIGITS)
        >= (SAME_THING_FORBIDDEN if pair.kind == POLARITY else SAME_THING)
    ]


def _reported_once(pairs: Sequence[_Pair]) -> Iterator[Conflict]:
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        ours, theirs = pair.claim.quotes[0].hit, pair.unit.hit
        both = frozenset(
            (f"{ours.document_id} {pair.ours.text}", f"{theirs.document_id} {pair.theirs.text}")
        )
        if both in seen:
            continue
        seen.add(both)
        draft = DraftClaim(pair.unit.text, pair.unit.quotes, kind=ClaimKind.CAUTION)
        values = (_value_said(side.statement, pair.kind) for side in (pair.ours, pair.theirs))
        yield Conflict(pair.claim, draft, pair.kind, *values)


def _value_said(statement: Statement, kind: str) -> str:
    """Return the differing value of a statement, in its own words."""
    if kind == POLARITY:
        return "not to" if statement.forbids else "to do it"
    if kind == ROUTE:
        return " or ".join(sorted(statement.routes))
    facts = statement.conditions if kind == THRESHOLD else _of(statement.facts, kind)
    return " or ".join(dict.fromkeys(_as_written(fact.said, statement.text) for fact in facts))


def _as_written(part: str, text: str) -> str:
    """Return part of a normalised text in the spelling of the original text, if found there."""
    start = text.lower().find(part)
    return text[start : start + len(part)] if start >= 0 else part
