"""Find limits that an answer leaves out, near the text that it quotes, in the same document.

A wrong answer may consist of true sentences: the dose without its contraindication. An added limit
is quoted verbatim and passes verification as any claim does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chat.caveats.applicability import hit_people
from chat.caveats.footnotes import footnotes
from chat.caveats.limits import binds, said_under
from chat.caveats.neighbours import (
    REACH,
    adjacent_limits,
    adjacent_passages,
    forbids_by_name,
    hits_of,
    is_limiting,
)
from chat.evidence.quotable import quotable_units
from chat.evidence.texts import normalised
from chat.models import ClaimKind
from chat.reader.lists import with_whole_lists
from chat.types import DraftClaim, Quote, Unit
from core.language.en.medicines.names import drugs
from core.language.en.patients.people import apart, first_named, people_of
from core.language.en.sentences import sentence_spans
from core.language.en.statements.limits import Limit, goes_on, is_limiting_heading, limit_of
from core.language.en.statements.topics import topic_words
from core.language.gloss import gloss, question_in_english
from core.language.words import CELLS
from retrieval.types import Hit

MAX_SHOWN = 3  # limits shown with an answer; of further ones only the places are given
_SALTS = frozenset("sodium chloride sulfate sulphate gluconate acid".split())
_SHARED = {Limit.CONTRAINDICATION: 2, Limit.EXCEPTION: 2, Limit.POPULATION: 2, Limit.MONITORING: 3}

Place = tuple[int, int, int, int]  # document, page, start, end


def omitted(
    claims: Sequence[DraftClaim], passages: Sequence[Hit], *, question: str
) -> tuple[DraftClaim, ...]:
    """Return limits on the claims that no claim quotes, as cautions.

    First limits that apply to the patient of the question (`binds`), then the most binding
    (`Limit`), then those directly after a claim, then in the order of claims and of reading.
    Searched are the section of each claim, adjacent sections whose heading limits
    (`Contraindications`), nearby passages that forbid something by the name of the claim's section
    and, for a claim that gives a dose, the only section on contraindications next to it at any
    distance.

    Left out are limits on another medicine, or on people who can't be those of the question. A list
    under a limiting heading is one limit and kept whole, except that an item that applies to the
    patient is a limit of its own. Runs two queries, one more for a list, and one or two for a dose
    without contraindications near it; none for no claims.
    """
    answers = [claim for claim in claims if claim.kind is ClaimKind.ANSWER and claim.quotes]
    if not answers:
        return ()
    scene = _Scene(question, quotable_units(adjacent_passages(answers, passages), ""), claims)
    around = said_under(answers)
    candidates = sorted(
        (candidate for claim in enumerate(answers) for candidate in scene.limits_of(*claim)),
        key=lambda each: (not binds(each.draft, question, around), each.order),
    )
    own = [each for each in candidates if binds(each.draft, question, around)]
    rest = _with_whole_lists([each for each in candidates if each not in own])
    by_text: dict[str, DraftClaim] = {}
    for draft in (*(each.draft for each in own), *rest):
        by_text.setdefault(normalised(draft.text).lower(), draft)
    return tuple(by_text.values())


def _with_whole_lists(candidates: Sequence[_Candidate]) -> list[DraftClaim]:
    """Return the drafts in order; several items of a limiting list become the whole list."""
    units = [each.unit for each in candidates if each.unit and _is_listed(each.unit)]
    listed = list({_place(unit.quotes[0]): unit for unit in units}.values())
    whole = with_whole_lists(listed) if len(listed) > 1 else listed
    drafts = []
    for each in candidates:
        unit = each.unit
        if unit is None or not _is_listed(unit):
            drafts.append(each.draft)
            continue
        holds = (item for item in whole if _touches(unit.quotes[0], item.quotes))
        drafts += [DraftClaim(item.text, item.quotes, kind=ClaimKind.CAUTION) for item in holds]
    return drafts


@dataclass(frozen=True)
class _Candidate:
    draft: DraftClaim
    limit: Limit
    is_next: bool
    claim: int  # its place among the answers
    unit: Unit | None = None  # None for a footnote

    @property
    def order(self) -> tuple[int, bool, int, Place]:
        return int(self.limit), not self.is_next, self.claim, _place(self.draft.quotes[0])


class _Scene:
    """The text around the claims, and the people of the question."""

    def __init__(self, question: str, units: Sequence[Unit], claims: Sequence[DraftClaim]) -> None:
        self.question = question
        self.patient = people_of(question_in_english(question))
        self.units = units
        self.quotes = [quote for claim in claims for quote in claim.quotes]
        self.quoted = {normalised(quote.text) for quote in self.quotes}
        rows = [unit for unit in units if _is_row(unit)]
        self.notes = {_place(quote) for row in rows for quote in footnotes(row.quotes)}

    def limits_of(self, number: int, claim: DraftClaim) -> Iterator[_Candidate]:
        """Yield the limits on one claim."""
        yield from self._of_its_row(number, claim)
        for hit in hits_of(claim):
            yield from self._around(number, claim, hit)

    def _around(self, number: int, claim: DraftClaim, hit: Hit) -> Iterator[_Candidate]:
        """Yield the limits on a claim near one of the passages that it cites."""
        places = [
            at for at, unit in enumerate(self.units) if _touches(unit.quotes[0], claim.quotes)
        ]
        subject = _Subject.of(claim, self.question, hit)
        for at, unit in enumerate(self.units):
            if _is_row(unit) or _place(unit.quotes[0]) in self.notes or not _near(unit, hit):
                continue
            rest = self._rest(unit)
            is_part = bool(rest) and rest != " ".join(unit.quotes[0].text.split())
            is_next = is_part or (at - 1 in places and _is_same_section(unit.hit, hit))
            limits = [
                limit
                for sentence in _sentences(gloss(rest, unit.hit.language))
                if (limit := limit_of(_with_lead(unit.in_english, sentence)))
                and not self._is_for_others(sentence, unit.hit, claim)
                and subject.is_limited(
                    sentence, unit.in_english, limit, is_next=is_next, is_part=is_part
                )
            ]
            if limits:
                draft = DraftClaim(unit.text, unit.quotes, kind=ClaimKind.CAUTION)
                yield _Candidate(draft, min(limits), is_next, number, unit)

    def _of_its_row(self, number: int, claim: DraftClaim) -> Iterator[_Candidate]:
        """Yield the footnotes of the table rows that a claim quotes."""
        for row in self.units:
            if not _is_row(row) or not _touches(row.quotes[0], claim.quotes):
                continue
            for note in footnotes(row.quotes):
                if self._is_said(note):
                    continue
                if normalised(note.text) not in normalised(row.hit.text):
                    continue
                text = note.in_english.text
                limit = limit_of(text) or Limit.EXCEPTION
                if not self._is_for_others(text, row.hit, claim):
                    draft = DraftClaim(note.text, (note,), kind=ClaimKind.CAUTION)
                    yield _Candidate(draft, limit, True, number)

    def _is_said(self, quote: Quote) -> bool:
        return normalised(quote.text) in self.quoted or not _uncovered(quote, self.quotes)

    def _rest(self, unit: Unit) -> str:
        """Return the part of a unit that no claim quotes yet."""
        first = unit.quotes[0]
        return "" if normalised(first.text) in self.quoted else _uncovered(first, self.quotes)

    def _is_for_others(self, text: str, hit: Hit, claim: DraftClaim) -> bool:
        about = people_of(text)
        if apart(self.patient, first_named([about, hit_people(hit)])):
            return True
        return apart(people_of(claim.in_english.text), about) is not None


@dataclass(frozen=True)
class _Subject:
    """What a claim is about."""

    hit: Hit
    drugs: frozenset[str]  # the medicines asked for, else the first named; all of a row
    named: str  # text that may name a medicine which `drugs` does not know
    words: frozenset[str]
    asked: frozenset[str]  # medicines of the question, including those that the patient takes

    @classmethod
    def of(cls, claim: DraftClaim, question: str, hit: Hit) -> _Subject:
        claim, hit = claim.in_english, hit.in_english
        question = question_in_english(question)
        own, medicines = drugs(claim.text), drugs(question)
        chosen = (
            set(medicines) & set(own) or (own if _is_row_quote(claim) else own[:1]) or medicines
        )
        named = f"{question} {claim.text} {hit.title} {hit.section}".lower()
        words = topic_words(claim.text)
        return cls(hit, frozenset(chosen), named, words, frozenset(medicines))

    def is_limited(
        self, sentence: str, unit: Unit, limit: Limit, *, is_next: bool, is_part: bool
    ) -> bool:
        """Tell whether a limit is on the same medicine or, if it names none, shares topic words.

        A limit that is part of the quoted statement applies by its place. One that names a medicine
        of the question under a heading that names the claim's medicine applies by that heading.
        """
        if forbids_by_name(sentence, self.hit):
            return True
        theirs = set(drugs(sentence))
        if self.drugs and theirs:
            is_of_list = self.asked & theirs and _is_listed(unit) and self.drugs & _headed(unit)
            return bool(self.drugs & theirs or is_of_list)
        is_here = _is_same_section(unit.hit, self.hit)
        # A medicine that no list knows, whose contraindication is another one.
        if theirs and _is_listed(unit) and self.words & topic_words(sentence):
            return True
        if theirs:
            is_named = any(word in self.named for name in theirs for word in _names(name))
            return is_named and is_here and limit is not Limit.MONITORING
        if is_part or (is_next and goes_on(sentence)):
            return True
        if _is_listed(unit):
            return not self.drugs or not is_here or bool(self.drugs & _headed(unit))
        shared = self.words & (topic_words(sentence) - topic_words(self.hit.title))
        if is_next and limit is not Limit.MONITORING:
            return len(shared) >= 1
        return is_here and len(shared) >= _SHARED[limit]


def _names(drug: str) -> list[str]:
    """Return the words of a medicine's name without its salt."""
    words = [word for word in drug.replace("-", " ").split() if word not in _SALTS]
    return words or [drug]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _is_row(unit: Unit) -> bool:
    return CELLS in unit.quotes[0].text


def _is_row_quote(claim: DraftClaim) -> bool:
    return CELLS in claim.quotes[0].text


def _is_listed(unit: Unit) -> bool:
    """Tell whether a unit is an item under a limiting heading, or in such a section."""
    read = unit.in_english
    headings = [quote.text for quote in read.quotes[1:]] + list(read.hit.section_path[-1:])
    return any(is_limiting_heading(heading) for heading in headings)


def _headed(unit: Unit) -> set[str]:
    """Return the medicines named in the title and headings above a unit."""
    return set(drugs(f"{unit.hit.title} {unit.hit.section}"))


def _with_lead(unit: Unit, rest: str) -> str:
    return " ".join([*(quote.text for quote in unit.quotes[1:]), rest])


def _near(unit: Unit, hit: Hit) -> bool:
    if unit.hit.document_id != hit.document_id:
        return False
    if abs(unit.hit.index - hit.index) > REACH:
        return adjacent_limits(unit.hit, hit)
    read = unit.in_english
    if _is_same_section(unit.hit, hit) or is_limiting(read.hit.section_path):
        return True
    return forbids_by_name(read.text, hit.in_english)


def _is_same_section(hit: Hit, other: Hit) -> bool:
    return hit.document_id == other.document_id and hit.section_path == other.section_path


def _place(quote: Quote) -> Place:
    return quote.hit.document_id, quote.page, quote.start, quote.end


def _overlap(quote: Quote, other: Quote) -> bool:
    same_page = (quote.hit.document_id, quote.page) == (other.hit.document_id, other.page)
    return same_page and quote.start < other.end and other.start < quote.end


def _touches(quote: Quote, others: Iterable[Quote]) -> bool:
    return any(_overlap(quote, other) for other in others)


def _uncovered(quote: Quote, others: Iterable[Quote]) -> str:
    """Return a quote's text without what the other quotes hold; empty if no word is left."""
    letters = list(quote.text)
    for other in others:
        if _overlap(quote, other):
            start = max(0, other.start - quote.start)
            end = min(len(letters), other.end - quote.start)
            letters[start:end] = "\0" * (end - start)
    rest = " ".join("".join(letters).replace("\0", "").split())
    return rest if any(letter.isalnum() for letter in rest) else ""
