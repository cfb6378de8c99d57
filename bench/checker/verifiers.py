"""The verifiers that can be measured: the site's, and its exact checks alone."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from chat.checks.claims import STOPPED
from chat.evidence.judgements import Judgement, Label, Pair
from chat.verification import verbatim
from chat.verification.entailment import checker
from chat.verification.entailment.configured import VERIFIERS, verifier_fault, verifier_named
from chat.verification.entailment.types import Verifier
from core.llm.usage import Usage

RULES = "rules"
NAMED = (*VERIFIERS, RULES)


def verifiers_configured() -> list[str]:
    """Return the names of the verifiers that this site's settings allow, the bundled one first."""
    models = settings.MODELS
    nli, llm = ["nli"] * bool(models.verifier.model), ["llm"] * bool(models.judge)
    return ["checker", *nli, *llm]


class Rules:
    """The exact checks without a model, as on a site without a verifier.

    A claim that is its evidence word for word is supported; otherwise the first check that objects
    decides the label, and a claim without objection is not found.
    """

    name = RULES
    usage = Usage()
    said = ()

    @property
    def fingerprint(self) -> str:
        """A hash over the source of each check's module, without what they import."""
        modules = [
            inspect.getmodule(each)
            for each in (*(check.compare for check in STOPPED), verbatim.is_verbatim)
        ]
        source = "".join(inspect.getsource(module) for module in modules if module)
        return f"rules-1:{hashlib.sha256(source.encode()).hexdigest()[:16]}"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        """Return one judgement for each pair, within milliseconds; ignores `timeout_s`."""
        return [_by_rules(pair) for pair in pairs]


def measured_verifier(name: str) -> Verifier:
    """Return a verifier of `NAMED`. Raises ImproperlyConfigured; ValueError for another name."""
    return Rules() if name == RULES else verifier_named(name)


def measured_fault(name: str) -> str:
    """Return why a verifier can't work, as a sentence; empty where it can. Calls no endpoint."""
    return "" if name == RULES else verifier_fault(name)


def megabytes(name: str) -> float | None:
    """Return the size of a verifier's own files: 0 if it has none, None behind an endpoint."""
    match name:
        case "rules":
            return 0.0
        case "checker":
            return _megabytes(checker.site_folder())
        case "nli" if Path(settings.MODELS.verifier.model).is_dir():
            return _megabytes(Path(settings.MODELS.verifier.model))
    return None


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _by_rules(pair: Pair) -> Judgement:
    if verbatim.is_verbatim(pair.claim, pair.evidence.quotes):
        return Judgement(Label.SUPPORTED, 1.0)
    for check in STOPPED:
        if finding := check(pair.claim, pair.evidence):
            opposite = float(finding.label is Label.CONTRADICTED)
            return Judgement(finding.label, 0.0, opposite, finding.detail)
    return Judgement(Label.NOT_FOUND, 0.0)
