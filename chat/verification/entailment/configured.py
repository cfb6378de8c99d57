"""The verifier of this site."""

from __future__ import annotations

from django.conf import settings

from chat.verification.entailment import checker, cross_encoder, judge
from chat.verification.entailment.types import Verifier

VERIFIERS = ("checker", "nli", "llm")  # as MEDRAG_VERIFIER names them
NLI_BAR = 0.5  # probability from which a model of a folder supports, unless it is set


def site_verifier() -> Verifier:
    """Return what MEDRAG_VERIFIER names; a model is loaded with the first call in a process.

    Raises ImproperlyConfigured with the setting's name.
    """
    return verifier_named(settings.VERIFIER)


def verifier_named(name: str) -> Verifier:
    """As `site_verifier`, of `VERIFIERS`. Raises ValueError for another name."""
    bar = settings.VERIFIER_THRESHOLD
    match name:
        case "checker":
            return checker.site_checker(bar)
        case "nli":
            return cross_encoder.load(settings.MODELS.verifier.model, bar=bar or NLI_BAR)
        case "llm":
            return judge.LanguageModelJudge(settings.MODELS.judge)
    raise ValueError(name)


def verifier_fault(name: str) -> str:
    """Return what keeps that verifier from working, as a sentence; empty where nothing does.

    Loads no weights and calls nobody.
    """
    if name == "checker":
        return checker.folder_fault()
    if name == "nli":
        verifier = settings.MODELS.verifier
        if not verifier.model:
            return f"MEDRAG_VERIFIER=nli needs {verifier.place('model')}."
        fault = cross_encoder.folder_fault(verifier.model)
        return f"{verifier.place('model')}: {fault}" if fault else ""
    if name == "llm":
        if not settings.MODELS.judge:
            return "MEDRAG_VERIFIER=llm needs [judge] of MEDRAG_MODELS."
        fault = judge.PROMPT.fault()
        return f"The prompt {fault}" if fault else ""
    return ""


def verifiers_configured() -> list[str]:
    """Return those that this site's settings let work, the bundled one first."""
    models = settings.MODELS
    nli, llm = ["nli"] * bool(models.verifier.model), ["llm"] * bool(models.judge)
    return ["checker", *nli, *llm]


def warm_up() -> None:
    """Load what the first answer in free words would wait for. Raises ImproperlyConfigured."""
    if settings.VERIFIER == "nli" or settings.GENERATOR == "llm":
        site_verifier()
