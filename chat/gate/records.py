"""Store calibrations, as the only writer of their records, and return the gate in use."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max

from chat.audit import log as audit
from chat.gate.calibration import CalibrationError, Fitted
from chat.gate.decision import Gate
from chat.gate.plot import plot_png
from chat.gate.scorers import Scale
from chat.models import CalibrationRecord
from chat.reader.answerable import answerable
from chat.reader.likeness import anchors, is_bundled
from chat.reader.weights import weights
from corpus.encoders.folders import same_weights
from corpus.encoders.registry import encoder_facts, get_embedder

BUILT_IN = Scale(weights().version, weights().threshold, weights().encoder)
OTHER_SEARCH = (
    "The gate was calibrated with another configuration of the search, so its risk is not known: "
    "run manage.py calibrate again."
)
OTHER_COMPUTATION = (
    "The gate was calibrated with the same encoder computed in another way: run manage.py "
    "calibrate again to know its risk."
)
OTHER_ENCODER = (
    "The gate was learned with another encoder, whose scale the cosines are put on, so its risk is "
    "not known: run manage.py calibrate."
)
OTHER_GATE = (
    "was made for another gate (of another release or generator) and is not used: run manage.py "
    "calibrate again."
)
_LOCK_CLASS = 7_302  # PostgreSQL's advisory lock for changes of calibrations
NO_GUARANTEE = (
    "The threshold is set by hand (`gate` of MEDRAG_THRESHOLDS), so its risk is not known."
)


@dataclass(frozen=True)
class Provenance:
    """The test set, encoder and search configuration of a calibration."""

    testset: str
    testset_digest: str
    encoder: str
    retrieval: str


def judges_list() -> bool:
    """Tell whether the gate judges all passages together, as for a language model."""
    return bool(settings.GENERATOR == "llm")


def odds_in_use() -> str:
    """Return the version of the learned log-odds that this site's gate reads."""
    known = answerable() if judges_list() else weights()
    return f"{known.version}:{known.digest}"


def gate_in_use() -> Gate:
    """Return the gate as calibrated for the primary encoder, else as learned. One query.

    A calibration of other log-odds than those in use is left out, with a note. Raises
    `GateUnavailable` where another encoder than the bundled one can't be put on its scale.
    """
    encoder = encoder_facts().fingerprint
    if not is_bundled(encoder):
        anchors(get_embedder())
    of_list = odds_in_use() if judges_list() else ""
    record = _active(encoder)
    if record is not None and is_of_odds_in_use(record):
        notes = () if record.encoder == encoder else (OTHER_COMPUTATION,)
        return _with_threshold(
            Gate(_scale_of(record), record.threshold, record.retrieval, notes, of_list)
        )
    unused = () if record is None else (f"{record.version} {OTHER_GATE}",)
    unknown = () if is_bundled(encoder) else (OTHER_ENCODER,)
    threshold = answerable().threshold if of_list else BUILT_IN.threshold
    return _with_threshold(Gate(BUILT_IN, threshold, notes=(*unused, *unknown), of_list=of_list))


def misfit(gate: Gate, searched: str) -> tuple[str, ...]:
    """Return the notes on using a gate with a search of the fingerprint `searched`."""
    is_other = bool(gate.retrieval) and gate.retrieval != searched
    return (*gate.notes, *([OTHER_SEARCH] if is_other else []))


def calibration_store(
    fitted: Fitted, provenance: Provenance, *, by: User | None
) -> CalibrationRecord:
    """Store a calibration under the next number, with its plot, and put it in use. Audited."""
    with transaction.atomic():
        _one_at_a_time()
        number = (CalibrationRecord.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        record = CalibrationRecord.objects.create(
            number=number,
            created_by=by,
            method="platt",
            odds=odds_in_use(),
            slope=fitted.scale.slope,
            intercept=fitted.scale.intercept,
            threshold=fitted.scale.threshold,
            risk=fitted.risk,
            guarantee="conformal",
            counts=dict(fitted.counts),
            metrics=dict(fitted.metrics),
            encoder=provenance.encoder,
            retrieval=provenance.retrieval,
            testset=provenance.testset[:200],
            testset_digest=provenance.testset_digest,
            plot=plot_png(fitted, title=f"Gate site-{number}, {provenance.testset}"),
        )
        calibration_use(record, by=by)
    return record


def calibration_use(record: CalibrationRecord, *, by: User | None) -> None:
    """Use this calibration from the next question on, wherever its encoder is in use. Audited.

    Deactivates all other records for the same weights, however these are computed, in the same
    transaction. Raises `CalibrationError` for a record of other log-odds than those in use.
    """
    if not is_of_odds_in_use(record):
        raise CalibrationError(f"{record.version} {OTHER_GATE}", hint="Nothing was changed.")
    with transaction.atomic():
        _one_at_a_time()
        _deactivate(record.encoder)
        CalibrationRecord.objects.filter(pk=record.pk).update(is_active=True)
        record.refresh_from_db(fields=["is_active"])
        audit.record(
            "calibration.used",
            actor=by,
            subject=f"calibration:{record.version}",
            payload={
                "encoder": record.encoder,
                "guarantee": record.guarantee,
                "method": record.method,
                "odds": record.odds,
                "retrieval": record.retrieval,
                "risk": record.risk,
                "testset_digest": record.testset_digest,
                "threshold": record.threshold,
                "weights": [record.intercept, record.slope],
            },
        )


def built_in_use(*, by: User | None) -> None:
    """Use the gate as it was learned again. Audited."""
    encoder = encoder_facts().fingerprint
    with transaction.atomic():
        _one_at_a_time()
        _deactivate(encoder)
        audit.record(
            "calibration.used",
            actor=by,
            subject=f"calibration:{BUILT_IN.version}",
            payload={"encoder": encoder, "odds": odds_in_use()},
        )


def record_of(version: str) -> CalibrationRecord:
    """Return the calibration of a version `site-N`.

    Raises `CalibrationError`, which names the existing versions, for any other.
    """
    kind, _, number = version.partition("-")
    if kind == "site" and number.isdecimal() and len(number) < 9:
        match = CalibrationRecord.objects.filter(number=int(number)).first()
        if match is not None:
            return match
    known = [record.version for record in CalibrationRecord.objects.defer("plot")[:20]]
    raise CalibrationError(
        f"There is no calibration {version}.",
        hint=f"Nothing was changed. Calibrations: {', '.join([*known, BUILT_IN.version])}.",
    )


def is_of_odds_in_use(record: CalibrationRecord) -> bool:
    return record.odds == odds_in_use()


def is_for_encoder_in_use(record: CalibrationRecord) -> bool:
    return same_weights(record.encoder, encoder_facts().fingerprint)


def _active(encoder: str) -> CalibrationRecord | None:
    """Return the active record of this encoder's weights."""
    active = CalibrationRecord.objects.defer("plot").filter(is_active=True).order_by("-number")
    return next((record for record in active if same_weights(record.encoder, encoder)), None)


def _deactivate(encoder: str) -> None:
    """Deactivate the records for the same weights."""
    active = CalibrationRecord.objects.filter(is_active=True).values_list("pk", "encoder")
    same = [pk for pk, other in active if same_weights(other, encoder)]
    CalibrationRecord.objects.filter(pk__in=same).update(is_active=False)


def _scale_of(record: CalibrationRecord) -> Scale:
    return Scale(record.version, record.threshold, record.encoder, record.slope, record.intercept)


def _with_threshold(gate: Gate) -> Gate:
    """Return the gate with the threshold of MEDRAG_THRESHOLDS, if one is set."""
    if settings.GATE_THRESHOLD is None:
        return gate
    notes = (*gate.notes, NO_GUARANTEE) if gate.retrieval else gate.notes
    return replace(gate, threshold=settings.GATE_THRESHOLD, notes=notes)


def _one_at_a_time() -> None:
    """Lock the calibrations until the transaction ends, so that changes wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK_CLASS])
