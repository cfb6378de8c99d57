"""Build refusals: with the nearest passages, with an explanation where possible, after failures."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from unicodedata import numeric

from chat.caveats.cautions import (
    Caution,
    missing_evidence_cautions,
    other_form_caution,
    prohibition_cautions,
    unknown_word_cautions,
)
from chat.caveats.prohibitions import is_named_in, limit_on
from chat.checks.medicines import is_named
from chat.errors import BudgetExceeded, GateUnavailable, GeneratorUnavailable
from chat.gate.decision import Decision, Gate
from chat.gate.scorers import logistic
from chat.generation.types import Generation
from chat.models import Reason
from chat.pipeline.check_table import PROHIBITIONS
from chat.pipeline.excerpts import excerpts
from chat.pipeline.run import AnswerRun
from chat.pipeline.search import EXPLAINING, find, search_and_gate
from chat.types import Abstained, DraftClaim
from core.language.en.medicines.names import drug_classes, drug_places, drugs
from core.language.en.medicines.varieties import differs, in_words, is_of_other_brand
from core.language.en.quantities.levelling import levelled
from core.language.en.questions.asked import asked_medicines, asked_routes, routes_or_swallowed
from core.language.en.statements.wording import gives_dose, share_a_name
from core.language.gloss import question_in_english
from core.language.words import CELLS
from corpus.staff_selectors import collections_closed
from retrieval.analysis import by_every_name
from retrieval.asked.things import tells_of, things_named
from retrieval.types import NO_FILTERS, Hit, Query, Rights, Scope

logger = logging.getLogger(__name__)

NEAREST = 3  # passages shown with a refusal
# Probability that the passages hold the answer at all, from which some are shown though none has a
# word of the question. Set on the very questions that it was then counted on: 99 % of those that
# guidelines answer are above it, and 18 % of those off every topic.
NEAR_ENOUGH = 0.1
_NONE: Mapping[str, DraftClaim] = {}
_COUNTING = frozenset("once twice thrice half double triple single".split())
CLEARLY = 1.0  # log-odds by which what is out of date must be likelier than all in force
NEARLY_THE_SAME = 0.85  # cosine of two statements with their headings: versions of one guideline


def refusal(run: AnswerRun, reason: Reason, *, first: Sequence[DraftClaim] = ()) -> Abstained:
    """Refuse with the nearest passages; those of the statements `first` come first.

    `first` are statements that are the reason for the refusal; without any, those that forbid what
    is asked for its patient, which are told. After them, passages that name a
    medicine asked about come before others; those on other medicines are left out: their doses are
    not to be read as its own.
    """
    decision = run.decided
    contraindicated: Sequence[Hit] = ()
    if not first:
        first, contraindicated = _forbidding(run)
        run.cautions += prohibition_cautions(first)
    about = dict.fromkeys(quote.hit.key for claim in first for quote in claim.quotes[:1])
    hits = {quote.hit.key: quote.hit for claim in first for quote in claim.quotes}
    nearest = [hits[key] for key in about]
    question = _by_every_name(run)
    # A dose of what nothing knows is nobody else's, whatever the patient takes.
    medicines = frozenset() if decision.is_unknown_medicine else asked_medicines(question)
    others = [hit for hit in decision.passages if hit.key not in about]
    if medicines or decision.is_unknown_medicine:
        others = [
            hit
            for hit in others
            if _names(question, medicines, hit) or not _is_on_others(question, hit)
        ]
    nearest += sorted(others, key=lambda hit: not _names(question, medicines, hit))
    leading = {claim.quotes[0].hit.key: claim for claim in reversed(first) if claim.quotes}
    if not leading and (limit := limit_on(run.query.text, [*nearest, *contraindicated])):
        hit = limit.quotes[0].hit
        leading, nearest = {hit.key: limit}, [hit, *(each for each in nearest if each != hit)]
    return _shown(run, reason, nearest, decision, leading=leading)


def _forbidding(run: AnswerRun) -> tuple[Sequence[DraftClaim], Sequence[Hit]]:
    """Return what was found that forbids what is asked for its patient, and what was found for it.

    Where none of the passages does, the documents that name the medicine are searched for when it
    is contraindicated: a list of that may have no word of the question.
    """
    asked = (run.query.text, run.query.plain or "")
    passages = run.decided.passages
    medicines = asked_medicines(_by_every_name(run))
    found = PROHIBITIONS(*asked, passages, is_refused=True)
    naming = dict.fromkeys(hit.sha256 for hit in passages if is_named_in(medicines, hit))
    if found or not naming or not run.left_s:
        return found, ()
    limits = replace(
        run.query,
        text=f"When is {' or '.join(sorted(medicines))} contraindicated?",
        plain="",
        documents=tuple(naming),
    )
    try:
        evidence = find(limits, run.searches, kind=EXPLAINING)
        return PROHIBITIONS(*asked, evidence.hits, is_refused=True), evidence.hits
    except Exception as error:  # noqa: BLE001 - only what it would have found is lost
        logger.error("What forbids it could not be searched for: %s", type(error).__name__)
        run.searches.note(f"What forbids it could not be searched for: {type(error).__name__}.")
        return found, ()


def _by_every_name(run: AnswerRun) -> str:
    return by_every_name(question_in_english(run.query.text))


def _are_unnamed(question: str, medicines: frozenset[str], passages: Sequence[Hit]) -> bool:
    """Tell whether the question is about medicines of which no passage names any."""
    return bool(medicines) and not any(_names(question, medicines, hit) for hit in passages)


def _is_on_others(question: str, hit: Hit) -> bool:
    """Tell whether a passage is on other medicines than those asked about, which none names.

    One that names what the patient takes, or a class of medicines, is so only if it gives a dose.
    """
    text = _read(hit)
    is_near = drug_classes(text) or _names(question, frozenset(drugs(question)), hit)
    return bool(drugs(text)) and (not is_near or gives_dose(text) or CELLS in text)


def _names(question: str, medicines: frozenset[str], hit: Hit) -> bool:
    """Tell whether a passage or its headings name one of the medicines, by any of its names.

    One whose lines name another salt, form, brand or route of it alone doesn't.
    """
    text = _read(hit)
    named = medicines & frozenset(drugs(text))
    if not named:
        return share_a_name(medicines, frozenset(drugs(text))) or any(
            is_named(name, text) for name in medicines
        )
    above = [hit.in_english.section, hit.in_english.title]
    lines = [line for line in hit.in_english.text.splitlines() if named & set(drugs(line))]
    return any(not _is_otherwise(question, [line, *above], named) for line in lines or [text])


def _is_otherwise(question: str, texts: Sequence[str], medicines: frozenset[str]) -> bool:
    """Tell whether a text is on another salt, form, brand or route of medicines that it names.

    Above it stand the other texts.
    """
    if differs(question, texts, medicines) or is_of_other_brand(question, texts, medicines):
        return True
    asked, given = asked_routes(question), routes_or_swallowed(texts[0])
    return bool(asked and given and gives_dose(texts[0]) and asked.isdisjoint(given))


def _read(hit: Hit) -> str:
    hit = hit.in_english
    return f"{hit.title} {hit.section} {hit.text}"


def failed(run: AnswerRun, reason: Reason, error: Exception) -> Abstained:
    """Refuse for a step that failed or ran out of time. Never raises."""
    run.failure = type(error).__name__
    if isinstance(error, GateUnavailable):
        reason = Reason.GATE_UNAVAILABLE
    if isinstance(error, GeneratorUnavailable):
        raw = "\n".join(error.raw)
        written = Generation((), raw=raw, notes=error.notes, usage=error.usage)
        run.generation = run.stored or written
    if run.decision is not None and not run.left_s:
        reason = Reason.BUDGET_EXCEEDED
    logger.error("%s: %s", reason.value, type(error).__name__)
    try:
        return refusal(run, reason) if run.decision else Abstained(reason)
    except Exception as again:  # noqa: BLE001 - fail closed: only the passages are lost
        logger.error("A refusal has no passages: %s", type(again).__name__)
        return Abstained(reason)


def explained(run: AnswerRun) -> Abstained:
    """Refuse with an explanation if one can be found, without one otherwise."""
    try:
        if not run.left_s:
            raise BudgetExceeded("The question took longer than is allowed.")
        outcome = _answered_elsewhere(run)
    except Exception as error:  # noqa: BLE001 - only the explanation is lost
        logger.error("A refusal could not be explained: %s", type(error).__name__)
        run.searches.note(f"The refusal could not be explained: {type(error).__name__}.")
        outcome = None
    if outcome is None:
        outcome = refusal(run, run.decided.reason or Reason.WEAK_EVIDENCE)
        run.cautions += missing_evidence_cautions(run.query.text, outcome.nearest)
        run.cautions += _cautions_on_medicines(run)
    return outcome


def _cautions_on_medicines(run: AnswerRun) -> Sequence[Caution]:
    """Tell of medicines asked about of which no passage names any, or only other forms."""
    question, passages = _by_every_name(run), run.decided.passages
    medicines = asked_medicines(question)
    if run.decided.not_found or not _are_unnamed(question, medicines, passages):
        return ()  # the words that were not found are told already
    missing = _as_asked(run, question, medicines)
    if any(medicines & set(drugs(_read(hit))) for hit in passages):
        return [other_form_caution(missing)]
    return list(unknown_word_cautions(missing, is_known=True))


def _as_asked(run: AnswerRun, question: str, medicines: frozenset[str]) -> Sequence[str]:
    """Return medicines as they were asked for, a brand with its ingredient."""
    typed = question_in_english(run.query.text)
    said = [
        in_words(question, name)
        if name in typed[start:end].casefold()
        else f"{typed[start:end]} ({in_words(question, name)})"
        for start, end, name in drug_places(typed)
        if name in medicines
    ]
    return list(dict.fromkeys(said)) or sorted(medicines)


def _answered_elsewhere(run: AnswerRun) -> Abstained | None:
    """Refuse differently where closed or ended documents would have answered; else None.

    Of closed documents only their existence is revealed, to those who may know their collection: no
    passage, title or owner.
    """
    gate, decision = run.searches.gate, run.decided
    if gate is None:
        return None
    closed = _on_topic_in_closed(run)
    if closed and search_and_gate(closed, gate, run.searches, kind=EXPLAINING).reason is None:
        return refusal(run, Reason.NOT_PERMITTED_EVIDENCE)
    ended = replace(run.query, scope=Scope.OUT_OF_DATE)
    old = search_and_gate(ended, gate, run.searches, kind=EXPLAINING)
    if old.reason is None and not _answered_in_force(run, old, gate):
        shown = _shown(run, Reason.ONLY_OUT_OF_DATE, old.passages, old)
        return replace(shown, confidence=decision.probability)
    return None


def _answered_in_force(run: AnswerRun, old: Decision, gate: Gate) -> bool:
    """Tell whether what is in force may answer as well as what is out of date, by the same gate.

    A narrowed search is asked again of all that the reader may see.
    """
    query, current = run.query, [run.decided]
    if query.collections or query.filters != NO_FILTERS:
        everywhere = replace(query, collections=(), filters=NO_FILTERS)
        current.append(search_and_gate(everywhere, gate, run.searches, kind=EXPLAINING))
    return any(
        decision.reason is None
        or _is_said_again(old, decision)
        or _odds(old) - _odds(decision) < CLEARLY
        or _likeliest(old, gate) <= _likeliest(decision, gate)
        for decision in current
    )


def _is_said_again(old: Decision, current: Decision) -> bool:
    """Tell whether what is in force has nearly the statement that answers from what is not."""
    return any(
        float(statement.vector @ best.vector) >= NEARLY_THE_SAME
        for best in old.reading.statements[:1]
        for statement in current.reading.statements
        if statement.vector.shape == best.vector.shape
    )


def _on_topic_in_closed(run: AnswerRun) -> Query | None:
    """Return the search of what is closed to the asker; None where it may not be spoken of.

    The question is asked without its numbers: otherwise a closed value could be found out by
    trying which number is answered by "not open to you".
    """
    topic = topic_of(run.query.text)
    if run.config.closed == "off" or not topic:
        return None
    known = collections_closed(run.query.reader)
    collections = run.query.collections
    named = tuple(slug for slug in known if not collections or slug in collections)
    if not named:
        return None
    plain = topic_of(run.query.plain or "")
    return replace(run.query, text=topic, plain=plain, collections=named, rights=Rights.HIDDEN)


def topic_of(question: str) -> str:
    """Return a question without the words that hold a number, in digits or written out."""
    kept = (word for word in levelled(question).split() if word.strip("?.,;:") not in _COUNTING)
    return " ".join(word for word in kept if all(numeric(each, None) is None for each in word))


def _shown(
    run: AnswerRun,
    reason: Reason,
    nearest: Sequence[Hit],
    decision: Decision,
    *,
    leading: Mapping[str, DraftClaim] = _NONE,
) -> Abstained:
    """Return a refusal with its passages, in the order of their best statements.

    Those of `leading` (statements by chunk key) come first, each led by its statement, then those
    that have the name of a thing in question. The others have a word of the question; if none has,
    they have a scored statement and probably hold the answer.
    """
    reading = decision.reading
    places: dict[str, int] = {}  # of the best statement, by passage
    for place, statement in enumerate(reading.statements):
        places.setdefault(statement.unit.hit.key, place)
    near = [hit for hit in nearest if hit.coverage > 0]
    if not near and logistic(reading.answerable) >= NEAR_ENOUGH:
        near = [hit for hit in nearest if hit.key in places]
    things = things_named(run.query.text, [hit.text for hit in near])
    last = len(reading.statements)
    near.sort(key=lambda hit: (not tells_of(things, hit.text), places.get(hit.key, last)))
    first = [hit for hit in nearest if hit.key in leading]
    kept = [*first, *(hit for hit in near if hit.key not in leading)][:NEAREST]
    shown = excerpts(kept, reading, run.query.text, leading)
    return Abstained(reason, tuple(kept), decision.probability, shown)


def _likeliest(decision: Decision, gate: Gate) -> float:
    """Return the score of the likeliest passage; the gate may judge all passages together."""
    return max((gate.scale.score(hit.odds) for hit in decision.passages), default=-math.inf)


def _odds(decision: Decision) -> float:
    """Return the log-odds of the decision's probability, clipped to stay finite."""
    bounded = min(max(decision.probability, 1e-9), 1 - 1e-9)
    return math.log(bounded / (1 - bounded))
