"""Make up calibrations, and store them as the command does."""

from dataclasses import replace
from typing import Any

import numpy as np
from django.contrib.auth.models import User

from chat.gate.calibration import Fitted
from chat.gate.records import Provenance, calibration_store
from chat.gate.scorers import Scale
from chat.models import CalibrationRecord
from corpus.encoders.registry import encoder_facts


def made_up_fit(**values: Any) -> Fitted:
    """Return an invented fit of two questions; `values` are those of its scale by name."""
    return Fitted(
        scale=replace(Scale("", 0.5, "", slope=0.8, intercept=0.5), **values),
        risk=0.05,
        probabilities=np.array([0.9, 0.2]),
        labels=np.array([True, False]),
        counts={"questions": 2, "answerable": 1},
        metrics={"auroc": 1.0, "brier": 0.025},
    )


def kept(
    *, encoder: str = "", retrieval: str = "f" * 16, by: User | None = None, **values: Any
) -> CalibrationRecord:
    """Store an invented calibration, for the encoder in use unless another is named."""
    provenance = Provenance(
        testset="ward.json",
        testset_digest="d" * 64,
        encoder=encoder or encoder_facts().fingerprint,
        retrieval=retrieval,
    )
    return calibration_store(made_up_fit(**values), provenance, by=by)
