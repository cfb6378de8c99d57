"""The verifier of this site."""

from __future__ import annotations

from django.conf import settings

from chat.endpoints import judging_endpoints
from chat.verification.entailment import cross_encoder, judge
from chat.verification.entailment.guards_alone import GuardsAlone
from chat.verification.entailment.types import Verifier
from chat.verification.guards import first_finding
from chat.verification.types import Cited

VERIFIERS = ("guards", "nli", "llm")  # as MEDRAG_VERIFIER names them


def site_verifier() -> Verifier:
    """What MEDRAG_VERIFIER names; a model is loaded with the first call in a process.

    Raises ImproperlyConfigured with the setting's name.
    """
    return verifier_named(settings.VERIFIER)


def verifier_named(name: str) -> Verifier:
    """As `site_verifier`, of `VERIFIERS`. Raises ValueError for another name."""
    match name:
        case "guards":
            return GuardsAlone()
        case "nli":
            return cross_encoder.load(settings.VERIFIER_MODEL, bar=settings.VERIFIER_THRESHOLD)
        case "llm":
            return judge.LanguageModelJudge(judging_endpoints(), settings.JUDGE_LLM_PRICE)
    raise ValueError(name)


def verifier_fault(name: str) -> str:
    """What keeps that verifier from working, as a sentence; empty where nothing does.

    Loads no weights and calls nobody.
    """
    if name == "nli":
        if not settings.VERIFIER_MODEL:
            return "MEDRAG_VERIFIER=nli needs MEDRAG_VERIFIER_MODEL."
        fault = cross_encoder.folder_fault(settings.VERIFIER_MODEL)
        return f"MEDRAG_VERIFIER_MODEL: {fault}" if fault else ""
    if name == "llm":
        if not settings.JUDGE_LLM_URLS or not settings.JUDGE_LLM_MODELS:
            return "MEDRAG_VERIFIER=llm needs MEDRAG_JUDGE_LLM_URL and MEDRAG_JUDGE_LLM_MODEL."
        fault = judge.PROMPT.fault()
        return f"The prompt {fault}" if fault else ""
    return ""


def verifiers_configured() -> list[str]:
    """Those that this site's settings let work, the guards first."""
    has_model = bool(settings.VERIFIER_MODEL)
    has_judge = bool(settings.JUDGE_LLM_URLS and settings.JUDGE_LLM_MODELS)
    return ["guards", *(["nli"] if has_model else []), *(["llm"] if has_judge else [])]


def warm_up() -> None:
    """Load what the first question would wait for: word lists and a local model.

    Raises ImproperlyConfigured.
    """
    first_finding("Give 5 mg daily.", Cited(("Take 5 mg once a day.",)))
    if settings.VERIFIER == "nli":
        site_verifier()
