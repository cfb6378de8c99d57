"""Decide which claims are supported.

In order: citation and quote, verbatim, language, exact checks, the configured verifier.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from chat.checks.claims import STOPPED
from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Finding, Judgement, Label, Pair
from chat.evidence.texts import normalised, tokens
from chat.types import DraftClaim, Quote
from chat.verification.entailment.types import Verifier
from chat.verification.verbatim import is_verbatim
from core.language.configurations import ENGLISH
from core.language.detection import DEFAULT, language
from core.language.en.quantities.levelling import levelled
from core.language.en.sentences import sentence_spans
from corpus.models import Page
from retrieval.types import Hit

# Checks that a verifier with graded scores may overrule by being surer than usual: alone, they stop
# true claims and no false one that it would pass (`docs/decisions.md`).
OVERRULED = frozenset(("groups",))
SURE = 0.9  # of the verifier's score
FOREIGN = Finding(
    "language", Label.NOT_FOUND, "its guideline is not in English: only its own words can be shown"
)
_Citations = tuple[tuple[Evidence, Finding | None], ...]  # each with the objection to be overruled
PageTexts = Mapping[tuple[int, int], str]  # by document and page number


@dataclass(frozen=True)
class Verdict:
    """Whether a claim is supported, and if not, the first check that it failed."""

    claim: DraftClaim
    label: Label
    failed: str = ""  # name of the check; empty: supported
    detail: str = ""  # for the trace and the page, never for a log
    judgement: Judgement | None = None  # of the verifier; None where it was not asked
    found: bool = False  # whether its citation was found here, in place of what its writer cited

    @property
    def supported(self) -> bool:
        return self.label is Label.SUPPORTED and not self.failed


def verify(
    claims: Sequence[DraftClaim],
    *,
    question: str = "",
    verifier: Verifier | None = None,
    timeout_s: float = 30.0,
    checked: Callable[[int], object] = lambda done: None,
) -> tuple[Verdict, ...]:
    """Return one verdict per claim, in order. Runs one query, for the text of the cited pages.

    A claim that repeats its quotes word for word is supported. Any other must cite English text and
    be supported by one of its citations alone: by the exact checks, which can only reject, and by
    the verifier, which gets all remaining claims in one batch; without a verifier they fail.
    `checked` is called with the number of claims that have a verdict, before the verifier is asked
    and at the end. Raises `VerifierUnavailable`.
    """
    texts = _page_texts(claims)
    overruled = OVERRULED if getattr(verifier, "is_graded", False) else frozenset[str]()
    settled = [_settled(claim, texts, question, overruled) for claim in claims]
    unsettled = [
        (claim, result)
        for claim, result in zip(claims, settled, strict=True)
        if not isinstance(result, Verdict)
    ]
    if unsettled and len(unsettled) < len(claims):
        checked(len(claims) - len(unsettled))
    judged = _judged(unsettled, verifier, timeout_s)
    verdicts = tuple(result if isinstance(result, Verdict) else next(judged) for result in settled)
    checked(len(claims))
    return verdicts


def evidence_of(claim: DraftClaim, question: str = "") -> Evidence:
    """Return a claim's evidence: its cited statements as they read alone, and their context.

    The first quote of each citation is the statement. The others are what it depends on, such as a
    lead-in, column heads or footnotes, and become context; so does the caption of a row's table.
    """
    first = {quote.citation: quote for quote in reversed(claim.quotes)}.values()
    own = claim.read_as or tuple(quote.text for quote in sorted(first, key=lambda q: q.citation))
    shown = " ".join(tokens(" ".join(own)))
    further = [q.text for q in claim.quotes if " ".join(tokens(q.text)) not in shown]
    further += [claim.caption] * bool(claim.caption)
    contexts = [quote.hit.context for quote in claim.quotes]
    return Evidence(
        tuple(dict.fromkeys(own)),
        "\n".join(dict.fromkeys((*contexts, *further))),
        question,
    )


def _evidence_of_each(claim: DraftClaim, question: str) -> list[Evidence]:
    """Return the evidence of each citation alone.

    Read together, statements about two medicines support what is true of neither.
    """
    numbers = sorted({quote.citation for quote in claim.quotes})
    alone = [
        replace(
            claim,
            quotes=tuple(quote for quote in claim.quotes if quote.citation == number),
            read_as=claim.read_as[place : place + 1],
        )
        for place, number in enumerate(numbers)
    ]
    return [evidence_of(citation, question) for citation in alone]


def _page_texts(claims: Sequence[DraftClaim]) -> PageTexts:
    quotes = [quote for claim in claims for quote in claim.quotes]
    rows = Page.objects.filter(
        document__in={quote.hit.document_id for quote in quotes},
        number__in={quote.page for quote in quotes},
    ).values_list("document_id", "number", "text")
    return {(document, number): text for document, number, text in rows}


def _settled(
    claim: DraftClaim, texts: PageTexts, question: str, overruled: frozenset[str]
) -> Verdict | _Citations:
    """Return the verdict on a claim, or the evidence by which the verifier must decide."""
    if finding := _fault(claim, texts):
        return _failed(claim, finding)
    is_english = all(
        map(_is_english, {quote.hit.key: quote.hit for quote in claim.quotes}.values())
    )
    if _is_verbatim(claim, is_english=is_english):
        return Verdict(claim, Label.SUPPORTED)
    if not is_english:
        return _failed(claim, FOREIGN)
    checked = [(each, _objections(claim.text, each)) for each in _evidence_of_each(claim, question)]
    passed = tuple(
        (evidence, next(iter(objections), None))
        for evidence, objections in checked
        if all(finding.check in overruled for finding in objections)
    )
    return passed or _failed(claim, checked[0][1][0])


def _objections(claim: str, evidence: Evidence) -> list[Finding]:
    """Return the objections of the exact checks, in their order."""
    return [finding for check in STOPPED if (finding := check(claim, evidence))]


def _is_english(hit: Hit) -> bool:
    """Tell whether a passage is English by its document and by its own words.

    The exact checks know English numbers and negations only: elsewhere `1.000 mg` is a gram.
    """
    return hit.search_configuration == ENGLISH and language(hit.text) == DEFAULT


def _is_verbatim(claim: DraftClaim, *, is_english: bool = True) -> bool:
    """Tell whether a claim repeats one citation, or two joined, with what the quotes depend on.

    In English numbers and signs may be written in another way: `five days` for `5 days`.
    """
    words = tokens(claim.text)
    if any(tokens(whole) == words for whole in claim.read_as):
        return True
    cited = _by_citation(claim)
    joined = [[f"{a[0]} {b[0]}", *a[1:], *b[1:]] for a, b in permutations(cited, 2)]
    level = levelled(claim.text)
    return any(
        is_verbatim(claim.text, quotes)
        or (is_english and is_verbatim(level, [levelled(q) for q in quotes]))
        for quotes in (*cited, *joined)
    )


def _by_citation(claim: DraftClaim) -> list[list[str]]:
    """Group the texts of a claim's quotes by citation."""
    texts: dict[int, list[str]] = {}
    for quote in claim.quotes:
        texts.setdefault(quote.citation, []).append(quote.text)
    return list(texts.values())


def _failed(claim: DraftClaim, finding: Finding) -> Verdict:
    return Verdict(claim, finding.label, finding.check, finding.detail)


def _fault(claim: DraftClaim, texts: PageTexts) -> Finding | None:
    if claim.unplaced:
        return Finding("citation", Label.NOT_FOUND, claim.unplaced[0].why)
    if not claim.quotes:
        return Finding("citation", Label.NOT_FOUND, "no citation")
    if not set(tokens(claim.text)) - {"yes", "no"}:
        return Finding("citation", Label.NOT_FOUND, "a claim that says nothing")
    if any(not _stands_on_page(quote, texts) for quote in claim.quotes):
        return Finding("quote", Label.NOT_FOUND, "quote not on the page")
    first = {quote.citation: quote for quote in reversed(claim.quotes)}.values()
    if not all(map(_is_of_passage, first)):
        return Finding("quote", Label.NOT_FOUND, "quote not in the passage")
    return None


def _stands_on_page(quote: Quote, texts: PageTexts) -> bool:
    page = texts.get((quote.hit.document_id, quote.page), "")
    return bool(quote.text.strip()) and page[quote.start : quote.end] == quote.text


def _is_of_passage(quote: Quote) -> bool:
    """Tell whether a quote, which stands on its page, stands in its passage, or a part of it does.

    A long row of a table is cut into several passages, and quoted whole.
    """
    passage = normalised(quote.hit.text)
    parts = [quote.text] + [
        quote.text[max(span.start - quote.start, 0) : max(span.end - quote.start, 0)]
        for span in quote.hit.spans
        if span.page == quote.page
    ]
    return any(tokens(part) and normalised(part) in passage for part in parts)


def _judged(
    unsettled: Sequence[tuple[DraftClaim, _Citations]],
    verifier: Verifier | None,
    timeout_s: float,
) -> Iterator[Verdict]:
    """Return the verifier's verdicts on claims that passed the exact checks, in order."""
    if verifier is None:
        nobody = Finding("entailment", Label.NOT_FOUND, "nothing here can judge free wording")
        return (_failed(claim, nobody) for claim, _ in unsettled)
    parts = [_parts(claim) for claim, _ in unsettled]
    pairs = [
        Pair(part, evidence)
        for (_, cited), texts in zip(unsettled, parts, strict=True)
        for part in texts
        for evidence, _ in cited
    ]
    judgements = iter(judged_pairs(verifier, pairs, timeout_s=timeout_s))
    return (
        _verdict(
            claim,
            [_best([_over(objection, next(judgements)) for _, objection in cited]) for _ in texts],
        )
        for (claim, cited), texts in zip(unsettled, parts, strict=True)
    )


def _over(objection: Finding | None, judgement: Judgement) -> Judgement:
    """Return the judgement, or the objection where the verifier is not sure enough of it."""
    if objection is None or judgement.label is not Label.SUPPORTED or judgement.score >= SURE:
        return judgement
    return replace(judgement, label=objection.label, detail=objection.detail)


def _best(judgements: Sequence[Judgement]) -> Judgement:
    """Return the judgement by the citation that supports a sentence most; the first of equals."""
    return max(judgements, key=lambda each: (each.label is Label.SUPPORTED, each.score))


def _parts(claim: DraftClaim) -> list[str]:
    """Return a claim's sentences that don't repeat a citation: the verifier judges each.

    The whole claim where it is one sentence, or where every sentence repeats a citation.
    """
    sentences = [claim.text[start:end] for start, end in sentence_spans(claim.text)]
    free = [each for each in sentences if not _is_verbatim(replace(claim, text=each))]
    return free if len(sentences) > 1 and free else [claim.text]


def judged_pairs(
    verifier: Verifier, pairs: Sequence[Pair], *, timeout_s: float
) -> Sequence[Judgement]:
    """Return one judgement per pair, in order.

    Raises `VerifierUnavailable`, also for a wrong number of judgements, an unknown label or a
    figure outside [0, 1].
    """
    judgements = verifier.judge(pairs, timeout_s=timeout_s) if pairs else []
    if len(judgements) != len(pairs) or not all(map(_is_usable, judgements)):
        raise VerifierUnavailable(
            "The verifier's judgements can't be used, so no claim was shown.",
            hint="Check MEDRAG_VERIFIER.",
        )
    return judgements


def _is_usable(judgement: Judgement) -> bool:
    figures = (judgement.score, judgement.contradiction)
    return judgement.label in tuple(Label) and all(
        math.isfinite(f) and 0 <= f <= 1 for f in figures
    )


def _verdict(claim: DraftClaim, judgements: Sequence[Judgement]) -> Verdict:
    """Return the verdict of the least supported sentence."""
    worst = min(judgements, key=lambda each: (each.label is Label.SUPPORTED, each.score))
    failed = "" if worst.label is Label.SUPPORTED else "entailment"
    return Verdict(claim, worst.label, failed, worst.detail, worst)
