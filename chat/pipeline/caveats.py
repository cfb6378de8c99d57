"""Add caveats to an answer: omitted limits, applicability, conflicting guidelines."""

from __future__ import annotations

from dataclasses import replace

from chat.caveats.cautions import (
    allergy_caution,
    anaphylaxis_caution,
    applicability_cautions,
    barred_caution,
    conflict_caution,
    denied_caution,
    despite_caution,
    earlier_caution,
    further_caution,
    omission_caution,
    passed_caution,
)
from chat.caveats.charts import chart_cautions
from chat.caveats.languages import language_cautions
from chat.caveats.limits import binds, said_under
from chat.caveats.omissions import MAX_SHOWN
from chat.caveats.prohibitions import asked_bans, bands, forbidding
from chat.caveats.silent import silent_caution
from chat.caveats.tables import is_row
from chat.models import ClaimKind, Reason
from chat.pipeline.check_table import (
    ANAPHYLAXIS,
    APPLICABILITY,
    BANDS,
    BARRED,
    CONFLICTS,
    DESPITE,
    FORMS,
    LIKE_DENIED,
    OMISSIONS,
    OVERLAPPING,
    PROHIBITIONS,
    REFERRED,
    UNAWARE,
    UNSPOKEN,
    VALUES,
    WHOLE_TABLES,
)
from chat.pipeline.refusals import refusal
from chat.pipeline.run import AnswerRun
from chat.types import Abstained, DraftClaim
from chat.verification.verify import verify
from core.language.en.patients.allergies import allergies
from core.language.gloss import question_in_english
from retrieval.analysis import by_every_name


def add_caveats(run: AnswerRun) -> Abstained | None:
    """Set the shown claims with their caveats; refuse where the site's policy says so.

    What is forbidden for the patient of the question comes first, and so does what says that it is
    not for them, where it is asked whether it may be. Otherwise that comes last, and before it what
    is only for people whom the question doesn't name, and what doesn't mention an allergy that
    other statements mention. Rows keep the order of their table.
    """
    quoted = _with_referred(run, _with_overlapping(run, _with_whole_tables(run)))
    chosen = (*_bands(run), *_of_values(run), *quoted)
    limits = _limits(run)
    shown = _prohibitions_first(run, chosen, limits)
    against = BARRED(run.query.text, shown)
    allergic_to = allergies(question_in_english(run.query.text))
    silent = UNAWARE(allergic_to, shown)
    is_spoken_of = len(silent) < len(shown) and not any(map(is_row, shown))
    last = silent if is_spoken_of else frozenset()
    bans = asked_bans(run.query.text, [shown[place] for place in against])
    leading = {place for place in against if shown[place] in bans}
    others = _for_others(run, shown)
    order = sorted(
        range(len(shown)),
        key=lambda at: (at not in leading, at in against, at in others, at in last),
    )
    run.claims = tuple(shown[place] for place in order)
    run.cautions += language_cautions(run.claims)
    if run.forgotten:
        run.cautions.append(earlier_caution(run.forgotten))
    if against:
        words = {order.index(place) + 1: text for place, text in against.items()}
        run.cautions.append(barred_caution(words, run.claims))
    asked = (run.query.text, run.query.plain or "")
    barred_places = {order.index(place) for place in against}
    forbid, doses = DESPITE(*asked, run.claims, barred_places)
    if doses:
        run.cautions.append(despite_caution(forbid, doses, run.claims))
    if like := LIKE_DENIED(run.query.text, run.claims):
        words = {place + 1: text for place, text in like.items()}
        run.cautions.append(denied_caution(words, run.claims))
    if conditional := ANAPHYLAXIS(allergic_to, run.query.text, run.claims):
        run.cautions.append(anaphylaxis_caution(allergic_to, conditional, run.claims))
    if silent := UNAWARE(allergic_to, run.claims):
        run.cautions.append(allergy_caution(allergic_to, silent, run.claims))
    if not run.understood.options and (what := UNSPOKEN(run.query.text, (*run.claims, *limits))):
        run.cautions.append(silent_caution(what))
    refused = _add_omissions(run, limits) or _add_applicability(run) or _add_conflicts(run)
    run.cautions += () if refused else chart_cautions(run.claims)
    return refused


def _for_others(run: AnswerRun, claims: tuple[DraftClaim, ...]) -> frozenset[int]:
    """Return the places of sentences that are only for people whom the question doesn't name."""
    places = {number - 1 for number in APPLICABILITY(run.query.text, claims).only_for}
    return frozenset(place for place in places if not is_row(claims[place]))


def _with_overlapping(run: AnswerRun, claims: tuple[DraftClaim, ...]) -> tuple[DraftClaim, ...]:
    """Return the claims, each chosen row with the others of its table that hold the asked number.

    At 6 years both `6 months to 6 years` and `6 to 12 years` hold, and either alone looks certain.
    """
    quoted = {place_of(claim) for claim in claims}
    shown: list[DraftClaim] = []
    for claim in claims:
        shown.append(claim)
        if not (claim.holds_asked_number and is_row(claim)):
            continue
        beside = tuple(
            each
            for each in OVERLAPPING(claim, run.decided.reading.statements, run.query.text)
            if place_of(each) not in quoted
        )
        quoted |= {place_of(each) for each in beside}
        shown += _verified_quotes(beside)
    return tuple(shown)


def _with_referred(run: AnswerRun, claims: tuple[DraftClaim, ...]) -> tuple[DraftClaim, ...]:
    """Return the claims, behind each the rows of the table that it refers to."""
    rows = REFERRED(claims, run.query.text)
    return tuple(
        each
        for place, claim in enumerate(claims)
        for each in (claim, *_verified_quotes(rows.get(place, ())))
    )


def _limits(run: AnswerRun) -> tuple[DraftClaim, ...]:
    """Return the limits that stand near what is quoted, most binding first."""
    if run.config.omissions == "off":
        return ()
    return OMISSIONS(run.supported, run.decided.passages, question=run.query.text)


def _prohibitions_first(
    run: AnswerRun, claims: tuple[DraftClaim, ...], limits: tuple[DraftClaim, ...]
) -> tuple[DraftClaim, ...]:
    """Return the claims, before them what forbids the question for its patient.

    Of what is quoted already the claim itself moves up. Where the passages found forbid nothing,
    the first limit near an answer that does so leads, unless limits block.
    """
    if run.understood.options:
        return claims
    asked = (run.query.text, run.query.plain or "")
    found = PROHIBITIONS(*asked, run.decided.passages)
    if not found and run.config.omissions != "block":
        near = forbidding(*asked, limits)[:1]
        found = tuple(replace(each, kind=ClaimKind.ANSWER) for each in near)
    places = {place_of(each) for each in found}
    quoted = tuple(claim for claim in claims if place_of(claim) in places)
    known = {place_of(claim) for claim in quoted}
    added = _verified_quotes(tuple(each for each in found if place_of(each) not in known))
    return (*added, *quoted, *(claim for claim in claims if place_of(claim) not in places))


def _bands(run: AnswerRun) -> tuple[DraftClaim, ...]:
    """Return the rows of the patient's band where all else says when something is not given.

    Without such a row it is told that nothing says that it may be given.
    """
    if not BANDS(run.query.text, run.supported):
        return ()
    found = _verified_quotes(bands(run.query.text, run.decided.passages))
    if not found:
        run.cautions.append(passed_caution(run.supported))
    return found


def _of_values(run: AnswerRun) -> tuple[DraftClaim, ...]:
    """Return the rows of measured values that what is supported doesn't speak of."""
    if run.understood.options:
        return ()
    asked = (run.query.text, run.query.plain or "")
    return _verified_quotes(VALUES(*asked, run.decided.passages, run.supported))


def place_of(claim: DraftClaim) -> tuple[str, int, int]:
    """Return the document, page and beginning of a claim's own text."""
    quote = claim.quotes[0]
    return quote.hit.sha256, quote.page, quote.start


def _with_whole_tables(run: AnswerRun) -> tuple[DraftClaim, ...]:
    """Return the supported claims, with those other rows of their tables that pass the checks."""
    shown = WHOLE_TABLES(run.supported, run.query.text) or run.supported
    added = tuple(claim for claim in shown if claim.kind is ClaimKind.ROW)
    verified = frozenset(map(id, _verified_quotes(added)))
    return tuple(claim for claim in shown if claim not in added or id(claim) in verified)


def _add_omissions(run: AnswerRun, every: tuple[DraftClaim, ...]) -> Abstained | None:
    policy = run.config.omissions
    if policy != "block":  # one that leads already is told
        places = {place_of(claim) for claim in run.claims}
        every = tuple(limit for limit in every if place_of(limit) not in places)
    left_out, further = every[:MAX_SHOWN], every[MAX_SHOWN:]
    if further:
        run.cautions.append(further_caution(further))
    if policy in ("warn", "block"):
        run.cautions.extend(omission_caution(limit) for limit in left_out)
        is_refused = policy == "block" and left_out
        return refusal(run, Reason.LOW_CONFIDENCE, first=left_out) if is_refused else None
    standing = _verified_quotes(left_out)
    run.cautions.extend(omission_caution(claim) for claim in left_out if claim not in standing)
    around = said_under(run.supported)
    binding = tuple(claim for claim in standing if binds(claim, run.query.text, around))
    run.claims += binding + tuple(claim for claim in standing if claim not in binding)
    return None


def _add_applicability(run: AnswerRun) -> Abstained | None:
    about = APPLICABILITY(run.query.text, run.claims)
    run.cautions.extend(applicability_cautions(about))
    every_name = by_every_name(question_in_english(run.query.text))
    run.cautions.extend(FORMS(every_name, run.claims))
    if about.mismatch and run.config.applicability == "block":
        return refusal(run, Reason.OUT_OF_SCOPE, first=run.claims)
    return None


def _add_conflicts(run: AnswerRun) -> Abstained | None:
    for conflict in CONFLICTS(run.supported, run.decided.passages, question=run.query.text):
        if run.config.conflicts == "block":
            run.cautions.append(conflict_caution(conflict, ()))
            return refusal(run, Reason.CONFLICT, first=(conflict.ours, conflict.theirs))
        places = {
            (quote.hit.key, quote.start) for claim in run.claims for quote in claim.quotes[:1]
        }
        theirs = conflict.theirs.quotes[0]
        if (theirs.hit.key, theirs.start) not in places:
            run.claims += _verified_quotes((replace(conflict.theirs, kind=ClaimKind.OTHERWISE),))
        run.cautions.append(conflict_caution(conflict, run.claims))
    return None


def _verified_quotes(claims: tuple[DraftClaim, ...]) -> tuple[DraftClaim, ...]:
    """Return the added verbatim statements that pass the exact checks; they need no verifier."""
    return tuple(verdict.claim for verdict in verify(claims) if verdict.supported)
