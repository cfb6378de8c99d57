"""Start and stop experiments, as their only writer. Each change is an event of the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from chat.audit import log as audit
from chat.config import answer_config, modes_here
from chat.experiments.arms import candidate_config
from chat.models import Experiment
from core.errors import MedragError
from corpus.parsing.clean import clean_line, clean_lines

MAX_SHARE = 0.5
MAX_REASON_CHARS = 1000


class ExperimentError(MedragError):
    """An experiment can't be started or stopped in this way. Nothing was changed."""


@dataclass(frozen=True)
class ExperimentOrder:
    """An experiment to start: empty and None are the site's own settings."""

    name: str
    share: float
    mode: str = ""
    confidence_threshold: float | None = None


def experiment_start(order: ExperimentOrder, *, by: User) -> Experiment:
    """Start an experiment: a share of new conversations is answered with the candidate.

    Raises `ExperimentError` if the candidate can't be served or changes nothing, and while another
    experiment runs.
    """
    site = answer_config()
    experiment = Experiment(
        name=clean_line(order.name),
        mode=order.mode,
        confidence_threshold=order.confidence_threshold,
        share=order.share,
        baseline=site.as_dict(),
        started_at=timezone.now(),
        started_by=by,
    )
    if wrong := _why_not(experiment):
        raise ExperimentError(wrong, hint="Nothing was started.")
    try:
        with transaction.atomic():
            experiment.save(force_insert=True)
            names = ("mode", "confidence_threshold", "share", "baseline")
            tried = {name: getattr(experiment, name) for name in names}
            _record("started", experiment, by, tried)
    except IntegrityError as error:  # by the constraint: two may start at the same moment
        raise ExperimentError(
            "Another experiment is running.", hint="Nothing was started. Stop that one first."
        ) from error
    return experiment


def experiment_stop(experiment: Experiment, *, reason: str, by: User) -> None:
    """Stop an experiment for good: all questions are answered with the site's settings again.

    Raises `ExperimentError` without a reason, and if it is stopped already.
    """
    reason = clean_lines(reason).strip()[:MAX_REASON_CHARS]
    if not reason:
        raise ExperimentError(
            "A reason is needed to stop it.", hint="Nothing was changed. Write why, in a few words."
        )
    running = Experiment.objects.filter(pk=experiment.pk, stopped_at=None)
    stopped = {"stopped_at": timezone.now(), "stopped_by": by, "stop_reason": reason}
    with transaction.atomic():
        if running.update(**stopped) != 1:
            raise ExperimentError(
                "The experiment was stopped already.", hint="Nothing was changed."
            )
        _record("stopped", experiment, by, audit.reason_details(reason))
    experiment.refresh_from_db()


def _why_not(experiment: Experiment) -> str:
    """Return why an experiment can't be started; empty if it can."""
    site = answer_config()
    candidate = candidate_config(experiment, site)
    threshold = experiment.confidence_threshold
    if not experiment.name:
        return "It has no name."
    if not 0 < experiment.share <= MAX_SHARE:
        return "The candidate gets more than none of the conversations, and half of them at most."
    if threshold is not None and not 0 <= threshold <= 1:
        return "The confidence needed is from 0 to 1."
    if candidate.mode not in modes_here():
        return f"The mode {candidate.mode} needs a language model that judges: this site has none."
    if threshold is not None and not candidate.is_confident:
        return f"In the mode {candidate.mode} no confidence is needed."
    if candidate == site:
        return "The candidate is what the site does already."
    return ""


def _record(what: str, experiment: Experiment, by: User, payload: dict[str, Any]) -> None:
    subject = f"experiment:{experiment.pk}"
    audit.record(f"experiment.{what}", actor=by, subject=subject, payload=payload)
