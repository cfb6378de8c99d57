"""Choose the site's verifier by its settings."""

from __future__ import annotations

from django.conf import settings

from chat.verification.entailment import checker, cross_encoder, judge
from chat.verification.entailment.types import Verifier

VERIFIERS = ("checker", "nli", "llm")  # as MEDRAG_VERIFIER names them
NLI_BAR = 0.5  # probability for `nli` to support, unless set


def site_verifier() -> Verifier:
    """Return the verifier of MEDRAG_VERIFIER; `nli` loads its model at the first call in a process.

    Raises ImproperlyConfigured with the setting's name.
    """
    return verifier_named(settings.VERIFIER)


def verifier_named(name: str) -> Verifier:
    """Return the verifier of this name, one of `VERIFIERS`. Raises ValueError for another name.

    Raises ImproperlyConfigured as `site_verifier` does.
    """
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
    """Return why this verifier can't work, as a sentence; empty where it can.

    Loads no weights and sends no request.
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


def warm_up() -> None:
    """Load the verifier if the first free-text answer would wait for it.

    Raises ImproperlyConfigured, EncoderUnusable.
    """
    if settings.VERIFIER == "nli" or settings.GENERATOR == "llm":
        verifier = site_verifier()
        if isinstance(verifier, checker.TrainedChecker):
            verifier.load()
