"""Store calibrations, as the only writer of their records, and return the gate in use."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max

from chat.audit import log as audit
from chat.gate.calibration import CalibrationError, Fitted
from chat.gate.decision import Gate, GateUnavailable
from chat.gate.plot import plot_png
from chat.gate.scorers import Calibration, Learned, same_weights
from chat.models import CalibrationRecord
from chat.reader.answerable import answerable
from chat.reader.weights import weights
from corpus.encoders.registry import searched_facts
from retrieval.config import RetrievalConfig
from retrieval.configured import site_config

BUILT_IN = Learned(weights().version, weights().threshold, weights().encoder)
OTHER_SEARCH = (
    "The gate was calibrated with another configuration of the search, so its risk is not known: "
    "run manage.py calibrate again."
)
OTHER_COMPUTATION = (
    "The gate was calibrated with the same encoder computed in another way: run manage.py "
    "calibrate again to know its risk."
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


def encoder_in_use(config: RetrievalConfig | None = None) -> str:
    """Return the fingerprint of the encoder whose cosines a search gives its hits.

    `config` defaults to the site's. One query. Raises `EncoderUnavailable` if the encoder is not in
    use.
    """
    return searched_facts((config or site_config()).encoders).fingerprint


def gate_in_use(config: RetrievalConfig | None = None) -> Gate:
    """Return the active calibration for the primary encoder of `config`, else the built-in one.

    `config` defaults to the site's. Two queries.

    A record made for another encoder is never used, since its cosines differ. The built-in
    calibration is for the bundled encoder alone; with the generator `llm` its threshold is the one
    for all passages together. Raises `GateUnavailable` where neither fits: then nothing can be
    answered.
    """
    encoder = encoder_in_use(config)
    record = _active(encoder)
    if record is not None:
        return _gate_of(record, encoder)
    if not same_weights(BUILT_IN.encoder, encoder):
        raise GateUnavailable(
            "The gate has no calibration for the encoder in use: run manage.py calibrate."
        )
    if settings.GENERATOR == "llm":
        known = answerable()
        of_list = f"{known.version}:{known.digest}"
        return _with_threshold(Gate(BUILT_IN, known.threshold, of_list=of_list))
    return _with_threshold(Gate(BUILT_IN, BUILT_IN.threshold))


def misfit(gate: Gate, searched: str) -> tuple[str, ...]:
    """Return the notes on using a gate with a search of the fingerprint `searched`."""
    is_other = bool(gate.retrieval) and gate.retrieval != searched
    return (*gate.notes, *([OTHER_SEARCH] if is_other else []))


def calibration_store(
    fitted: Fitted, provenance: Provenance, *, by: User | None
) -> CalibrationRecord:
    """Store a calibration under the next number, with its plot, and put it in use. Audited."""
    calibration = fitted.calibration
    with transaction.atomic():
        _one_at_a_time()
        number = (CalibrationRecord.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        picture = plot_png(fitted, title=f"Gate site-{number}, {provenance.testset}")
        record = CalibrationRecord.objects.create(
            number=number,
            created_by=by,
            method=fitted.method,
            intercept=calibration.intercept,
            cosine=calibration.cosine,
            coverage=calibration.coverage,
            knots=calibration.knots,
            threshold=calibration.threshold,
            risk=fitted.risk,
            guarantee=fitted.guarantee,
            counts=dict(fitted.counts),
            metrics=dict(fitted.metrics),
            encoder=provenance.encoder,
            retrieval=provenance.retrieval,
            testset=provenance.testset[:200],
            testset_digest=provenance.testset_digest,
            plot=picture,
        )
        calibration_use(record, by=by)
    return record


def calibration_use(record: CalibrationRecord, *, by: User | None) -> None:
    """Use this calibration from the next question on, wherever its encoder is in use. Audited.

    Deactivates all other records for the same weights, however these are computed, in the same
    transaction.
    """
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
                "retrieval": record.retrieval,
                "risk": record.risk,
                "testset_digest": record.testset_digest,
                "threshold": record.threshold,
                "weights": [record.intercept, record.cosine, record.coverage],
            },
        )


def built_in_use(*, by: User | None) -> None:
    """Use the built-in calibration again. Audited.

    Raises `CalibrationError` if another encoder is in use.
    """
    encoder = encoder_in_use()
    if not same_weights(BUILT_IN.encoder, encoder):
        raise CalibrationError(
            f"{BUILT_IN.version} was fitted for the bundled encoder, which is not in use.",
            hint="Nothing was changed.",
        )
    with transaction.atomic():
        _one_at_a_time()
        _deactivate(encoder)
        audit.record(
            "calibration.used",
            actor=by,
            subject=f"calibration:{BUILT_IN.version}",
            payload={"encoder": BUILT_IN.encoder, "threshold": BUILT_IN.threshold},
        )


def record_of(version: str) -> CalibrationRecord:
    """Return the calibration of a version `site-N`.

    Raises `CalibrationError`, which names the existing versions, for any other.
    """
    kind, _, number = version.partition("-")
    if kind == "site" and number.isdecimal() and len(number) < 9:
        found = CalibrationRecord.objects.filter(number=int(number)).first()
        if found is not None:
            return found
    known = [record.version for record in CalibrationRecord.objects.defer("plot")[:20]]
    raise CalibrationError(
        f"There is no calibration {version}.",
        hint=f"Nothing was changed. Calibrations: {', '.join([*known, BUILT_IN.version])}.",
    )


def is_for_encoder_in_use(record: CalibrationRecord) -> bool:
    return same_weights(record.encoder, encoder_in_use())


def _active(encoder: str) -> CalibrationRecord | None:
    """Return the active record of exactly this encoder, else the latest of the same weights."""
    active = CalibrationRecord.objects.defer("plot").filter(is_active=True).order_by("-number")
    fitting = [record for record in active if same_weights(record.encoder, encoder)]
    exact = [record for record in fitting if record.encoder == encoder]
    return next(iter(exact or fitting), None)


def _deactivate(encoder: str) -> None:
    """Deactivate the records for the same weights."""
    active = CalibrationRecord.objects.filter(is_active=True).values_list("pk", "encoder")
    found = [pk for pk, other in active if other == encoder or same_weights(other, encoder)]
    CalibrationRecord.objects.filter(pk__in=found).update(is_active=False)


def _gate_of(record: CalibrationRecord, encoder: str) -> Gate:
    scale = Calibration(
        intercept=record.intercept,
        cosine=record.cosine,
        coverage=record.coverage,
        version=record.version,
        threshold=record.threshold,
        encoder=record.encoder,
        knots=tuple((float(score), float(probability)) for score, probability in record.knots),
    )
    notes = () if record.encoder == encoder else (OTHER_COMPUTATION,)
    return _with_threshold(Gate(scale, record.threshold, record.retrieval, notes))


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
