"""Find a citation for a language model's claim that fails with its own.

A small model often says what a passage says, and cites it wrongly. What it cites is no proof of
anything: the claim is compared with the statements that were read for the question, and shown with
the nearest that supports it by all checks. The verifier must be surer than of a given citation,
and find no contradiction in any of the statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from chat.errors import VerifierUnavailable
from chat.generation.placing import Placed
from chat.generation.written import CLAIM_TOO_LONG, claim_citing
from chat.reader.types import Read
from chat.types import DraftClaim
from chat.verification.entailment.types import Verifier
from chat.verification.verify import Verdict, verify
from core.rounding import COSINE_DIGITS
from corpus.encoders.registry import get_embedder

NEAREST = 12  # statements at most that a claim is compared with
MOST = 24  # of all claims together, so that the verifier has an end
# Higher than for a given citation: of a dozen statements, one is sooner taken by mistake than the
# one that a writer points to. On 280 lies about real guidelines: `docs/evaluation.md`.
BAR = 0.9  # of the verifier's score
CONTRADICTED = 0.5  # probability from which a statement contradicts a claim


def with_found(
    verdicts: Sequence[Verdict],
    statements: Sequence[Read],
    *,
    question: str,
    verifier: Verifier,
    timeout_s: float,
) -> tuple[Verdict, ...]:
    """Return the verdicts, with that of the first supporting statement for claims that failed.

    Statements are tried by their cosine to the claim, ties in their order. A claim that none
    supports, or one contradicts, keeps its verdict. Runs one query, and asks the verifier for one
    batch. If that fails while other claims are supported, these stand; otherwise raises
    `VerifierUnavailable`.
    """
    failed = {place: each.claim for place, each in enumerate(verdicts) if _may_be_found(each)}
    tried = _candidates(list(failed.values()), statements)
    try:
        judged = iter(
            verify(
                [draft for drafts in tried for draft in drafts],
                question=question,
                verifier=verifier,
                timeout_s=timeout_s,
            )
        )
    except VerifierUnavailable:
        if any(verdict.supported for verdict in verdicts):
            return tuple(verdicts)
        raise
    settled = list(verdicts)
    for place, drafts in zip(failed, tried, strict=True):
        if first := _clear([verdicts[place], *islice(judged, len(drafts))]):
            settled[place] = replace(first, found=True)
    return tuple(settled)


def _may_be_found(verdict: Verdict) -> bool:
    """Tell whether a claim failed, and is there in full."""
    is_cut = any(lost.why == CLAIM_TOO_LONG for lost in verdict.claim.unplaced)
    return bool(verdict.failed and verdict.claim.text) and not is_cut


def _clear(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the first verdict that is clearly in favour, word for word before others.

    None where the verifier finds a contradiction in any statement, unless word for word.
    """
    exact = [each for each in verdicts if each.supported and each.judgement is None]
    judged = [(each, each.judgement) for each in verdicts if each.judgement]
    if not exact and any(judgement.contradiction >= CONTRADICTED for _, judgement in judged):
        return None
    sure = [each for each, judgement in judged if each.supported and judgement.score >= BAR]
    return next(iter([*exact, *sure]), None)


def _candidates(claims: Sequence[DraftClaim], statements: Sequence[Read]) -> list[list[DraftClaim]]:
    """Return each claim as citing each of its nearest statements, nearest first.

    Without statements that the claim repeats in part, such as an item without its lead-in, which
    alone may say the opposite.
    """
    if not claims or not statements:
        return [[] for _ in claims]
    vectors = get_embedder().encode([claim.text for claim in claims])
    likeness = (vectors @ np.stack([s.vector for s in statements]).T).round(COSINE_DIGITS)
    order = np.argsort(-likeness, axis=1, kind="stable")[:, : min(NEAREST, MOST // len(claims))]
    return [
        [
            draft
            for place in places
            if (draft := _citing(claim.text, statements[place])).text == claim.text
        ]
        for claim, places in zip(claims, order, strict=True)
    ]


def _citing(text: str, statement: Read) -> DraftClaim:
    unit = statement.unit
    return claim_citing(text, [Placed(unit.quotes, unit.text, unit.caption)])
