"""Claims to verdicts: citation and quote, then the guards, then entailment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chat.types import DraftClaim, Quote
from chat.verification.entailment.guards_alone import GuardsAlone
from chat.verification.entailment.types import Verifier
from chat.verification.guards import first_finding
from chat.verification.statements import judged_pairs
from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Judgement, Label, Pair
from corpus.models import Page
from retrieval.rerank.extracts import nearest_text
from retrieval.types import Hit

# Of a passage, beside a claim: some 220 tokens, which a model reads at once. Ten whole passages
# beside each of three claims take a model of 100 million weights longer than an answer may take.
PASSAGE_CHARS = 1000

PageTexts = Mapping[tuple[int, int], str]  # by document and page number


@dataclass(frozen=True)
class PairScore:
    """A claim beside one passage."""

    chunk: str  # its key
    is_cited: bool
    judgement: Judgement


@dataclass(frozen=True)
class Verdict:
    """Whether a claim stands, and if not, what it failed first."""

    claim: DraftClaim
    label: Label
    failed: str = ""  # name of the check; empty: supported
    detail: str = ""  # for the trace and the page, never for a log
    judgement: Judgement | None = None  # on its quotes together; None where a check came first
    pairs: tuple[PairScore, ...] = ()  # beside each cited passage, then the other retrieved ones
    # Keys of the passages, cited or not, that contradict it by a verifier that weighs meaning.
    # It may stand all the same: two guidelines may disagree.
    contradicted_by: tuple[str, ...] = ()

    @property
    def supported(self) -> bool:
        return self.label is Label.SUPPORTED and not self.failed


def verify(
    claims: Sequence[DraftClaim],
    *,
    passages: Sequence[Hit] = (),
    verifier: Verifier | None = None,
    timeout_s: float = 30.0,
) -> tuple[Verdict, ...]:
    """One verdict per claim, in order. One query for the text of the cited pages.

    What the first checks let through is judged against each cited passage and against all of
    `passages`, of long ones by the sentences nearest to it, in one batch, each of its statements by
    itself where the verifier wants that. It is supported where its quotes together support every
    one. Raises `VerifierUnavailable`.
    """
    verifier = verifier or GuardsAlone()
    texts = _page_texts(claims)
    findings = [_first_failure(claim, texts) for claim in claims]
    standing = [claim for claim, finding in zip(claims, findings, strict=True) if finding is None]
    judged = iter(_judged(standing, passages, verifier, timeout_s))
    return tuple(
        Verdict(claim, finding.label, finding.guard, finding.detail) if finding else next(judged)
        for claim, finding in zip(claims, findings, strict=True)
    )


def cited_by(claim: DraftClaim) -> Cited:
    """The quotes of a claim and what their passages are about, together and by citation."""
    numbers = dict.fromkeys(quote.citation for quote in claim.quotes)
    if len(numbers) < 2:
        return _cited(claim.quotes)
    each = [[quote for quote in claim.quotes if quote.citation == n] for n in numbers]
    return replace(_cited(claim.quotes), citations=tuple(_cited(quotes) for quotes in each))


def _cited(quotes: Sequence[Quote]) -> Cited:
    contexts = dict.fromkeys(quote.hit.context for quote in quotes)
    return Cited(tuple(dict.fromkeys(quote.text for quote in quotes)), "\n".join(contexts))


def _page_texts(claims: Sequence[DraftClaim]) -> PageTexts:
    quotes = [quote for claim in claims for quote in claim.quotes]
    rows = Page.objects.filter(
        document__in={quote.hit.document_id for quote in quotes},
        number__in={quote.page for quote in quotes},
    ).values_list("document_id", "number", "text")
    return {(document, number): text for document, number, text in rows}


def _first_failure(claim: DraftClaim, texts: PageTexts) -> Finding | None:
    if claim.unplaced:
        return Finding("citation", Label.NOT_FOUND, claim.unplaced[0].why)
    if not claim.quotes:
        return Finding("citation", Label.NOT_FOUND, "no citation")
    if any(not _stands_on_page(quote, texts) for quote in claim.quotes):
        return Finding("quote", Label.NOT_FOUND, "quote not on the page")
    first = {quote.citation: quote for quote in reversed(claim.quotes)}.values()
    if any(normalised(quote.text) not in normalised(quote.hit.text) for quote in first):
        return Finding("quote", Label.NOT_FOUND, "quote not in the passage")
    return first_finding(claim.text, cited_by(claim))


def _stands_on_page(quote: Quote, texts: PageTexts) -> bool:
    page = texts.get((quote.hit.document_id, quote.page), "")
    return bool(quote.text.strip()) and page[quote.start : quote.end] == quote.text


def _judged(
    claims: Sequence[DraftClaim], passages: Sequence[Hit], verifier: Verifier, timeout_s: float
) -> Iterator[Verdict]:
    """Verdicts on claims that no guard has anything against."""
    asked = [list(_pairs(claim, passages)) for claim in claims]
    flat = [pair for pairs in asked for _, _, pair in pairs]
    judgements = iter(judged_pairs(verifier, flat, timeout_s=timeout_s))
    for claim, pairs in zip(claims, asked, strict=True):
        scores = [PairScore(chunk, is_cited, next(judgements)) for chunk, is_cited, _ in pairs]
        yield _verdict(claim, scores, weighs_meaning=verifier.wants_atoms)


def _pairs(claim: DraftClaim, passages: Sequence[Hit]) -> Iterator[tuple[str, bool, Pair]]:
    """First the quotes together, then each passage: those that it cites, then the others."""
    yield "", True, Pair(claim.text, cited_by(claim))
    own = dict.fromkeys(quote.hit for quote in claim.quotes)
    keys = {hit.key for hit in own}
    for hit in own:
        yield hit.key, True, _beside(claim, hit)
    for hit in passages:
        if hit.key not in keys:
            yield hit.key, False, _beside(claim, hit)


def _beside(claim: DraftClaim, hit: Hit) -> Pair:
    """A claim and what a passage says that is nearest to it."""
    return Pair(claim.text, Cited((_nearest(hit.text, claim.text),), hit.context))


def _nearest(text: str, claim: str) -> str:
    if len(text) <= PASSAGE_CHARS:
        return text
    return nearest_text(text, claim, PASSAGE_CHARS, lambda texts: [len(each) for each in texts])


def _verdict(claim: DraftClaim, scores: Sequence[PairScore], *, weighs_meaning: bool) -> Verdict:
    whole, *pairs = scores
    against = tuple(
        pair.chunk
        for pair in pairs
        if weighs_meaning and pair.judgement.label is Label.CONTRADICTED
    )
    verdict = Verdict(
        claim,
        whole.judgement.label,
        judgement=whole.judgement,
        pairs=tuple(pairs),
        contradicted_by=against,
    )
    if verdict.label is not Label.SUPPORTED:
        return replace(verdict, failed="entailment", detail=whole.judgement.detail)
    if any(pair.is_cited and pair.chunk in against for pair in pairs):
        detail = "the cited passage contradicts it"
        return replace(verdict, label=Label.CONTRADICTED, failed="entailment", detail=detail)
    return verdict
