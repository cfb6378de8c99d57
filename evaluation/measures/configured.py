"""Build the judges of evaluations from the site's settings."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from chat.verification.entailment.configured import site_verifier
from chat.verification.entailment.judge import LanguageModelJudge
from core.llm.breaker import PAUSE_S
from core.llm.client import Endpoint
from corpus.encoders.registry import get_embedder
from evaluation.measures.entailment import EntailmentJudge
from evaluation.measures.measure import Judges
from evaluation.measures.ragas_judge import NO_JUDGE, RagasJudge
from retrieval.lexicon.concepts import Concepts, ConceptsUnreadable
from retrieval.prepared.site_concepts import site_concepts

# An endpoint that failed three times is skipped for `PAUSE_S`, when every item would fail.
WAIT_S = PAUSE_S + 1
CALL_TIMEOUT_S = 120.0  # for a dozen pairs: a call that hangs must not use up the time of its item


def site_judges() -> Judges:
    """Return the judges of a run, to be called once, before its first item.

    Runs one or two queries. Raises ImproperlyConfigured if the judge would score its own answers,
    or can't be loaded.
    """
    if fault := judge_fault():
        raise ImproperlyConfigured(fault)
    return Judges(entailment_judge(), ragas_judge(), known_concepts())


def known_concepts() -> Concepts | str:
    """Return the concepts that answers are measured by, or why there are none.

    Runs one or two queries.
    """
    try:
        return site_concepts()
    except ConceptsUnreadable as error:
        return error.sentence


def judging_endpoint() -> Endpoint | None:
    """Return the first endpoint of [judge] in MEDRAG_MODELS, or None.

    Never another one as a substitute: scores by two models can't be compared.
    """
    return next(iter(settings.MODELS.judge), None)


def judge_fault() -> str:
    """Return why the configured judge may not judge; empty if it may, or if there is none.

    `may_generate` makes no difference here: `site_judges` never lets a model score its own answers.
    """
    judging = judging_endpoint()
    for writing in settings.MODELS.generate:
        if judging and _address(judging) == _address(writing):
            return (
                f"{judging.place('url and model')} name the model that writes answers by "
                "[generate]: no model scores its own answers. Name another judge."
            )
    return ""


def entailment_judge() -> EntailmentJudge:
    """Return the configured judge, else the site's verifier.

    Raises ImproperlyConfigured with the setting's name.
    """
    judging = judging_endpoint()
    if judging is None:
        return EntailmentJudge(site_verifier())
    judge = LanguageModelJudge((judging,), call_timeout_s=CALL_TIMEOUT_S)
    return EntailmentJudge(judge, waits_s=(WAIT_S,))


def ragas_judge() -> RagasJudge | str:
    """Return RAGAS with the configured judge, or why there is none.

    Raises ImproperlyConfigured if the site's encoder can't be loaded.
    """
    judging = judging_endpoint()
    if judging is None:
        return NO_JUDGE
    return RagasJudge(judging, get_embedder())


def _address(endpoint: Endpoint) -> tuple[str, str]:
    return endpoint.url.rstrip("/"), endpoint.model
