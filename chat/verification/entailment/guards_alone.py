"""The guards' word and nothing more: the verifier that needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chat.verification.guards import first_finding
from chat.verification.types import Judgement, Label, Pair
from core.llm.usage import Usage


@dataclass(frozen=True)
class GuardsAlone:
    """Supported is what no guard has anything against. Scores are 0 and 1."""

    name = "guards"
    wants_atoms = False
    usage = Usage()
    said = ()

    @property
    def fingerprint(self) -> str:
        return "guards-4"

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        return [_judged(pair) for pair in pairs]


def _judged(pair: Pair) -> Judgement:
    finding = first_finding(pair.claim, pair.cited)
    if finding is None:
        return Judgement(Label.SUPPORTED, 1.0)
    contradiction = float(finding.label is Label.CONTRADICTED)
    return Judgement(finding.label, 0.0, contradiction, finding.detail)
