"""In which arm of the experiment that runs a conversation is, and what answers it there."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, replace

from django.utils import timezone

from chat.config import AnswerConfig, modes_here
from chat.models import Arm, Conversation, Experiment, Mode


@dataclass(frozen=True)
class Assignment:
    """What a question is answered with, and why; without an experiment it is the site's."""

    config: AnswerConfig
    experiment: Experiment | None = None
    arm: str = ""


def assignment_of(site: AnswerConfig, conversation: Conversation | None) -> Assignment:
    """Return the arm of a conversation, also of one that begins and is not stored yet.

    It is in none if it began before the experiment, or if that rests. The same for the same
    conversation as long as the experiment runs. One query; none without a conversation.
    """
    experiment = Experiment.objects.filter(stopped_at=None).first() if conversation else None
    if conversation is None or experiment is None or why_resting(experiment, site):
        return Assignment(site)
    if (conversation.created_at or timezone.now()) < experiment.started_at:
        return Assignment(site)
    arm = arm_of(experiment.pk, conversation.pk, share=experiment.share)
    config = candidate_config(experiment, site) if arm is Arm.CANDIDATE else site
    return Assignment(config, experiment, arm)


def arm_of(key: int, conversation: uuid.UUID, *, share: float) -> Arm:
    """Return the candidate for about this share of conversations, in (0, 0.5], else the baseline.

    SHA-256 of both keys as a fraction of 2^256: conversations fall otherwise in each experiment.
    """
    digest = hashlib.sha256(f"{key}:{conversation}".encode()).digest()
    return Arm.CANDIDATE if int.from_bytes(digest) / 2**256 < share else Arm.BASELINE


def candidate_config(experiment: Experiment, site: AnswerConfig) -> AnswerConfig:
    """Return the site's, but for what is tried."""
    threshold = experiment.confidence_threshold
    return replace(
        site,
        mode=Mode(experiment.mode) if experiment.mode else site.mode,
        confidence_threshold=site.confidence_threshold if threshold is None else threshold,
    )


def why_resting(experiment: Experiment, site: AnswerConfig) -> str:
    """Say why nobody is put in an arm though it runs; empty where people are.

    Answers of before and after a change of settings are no one arm; and a part that is gone must
    refuse nobody who did not ask for it.
    """
    if site.as_dict() != experiment.baseline:
        return "The site's settings are no longer those that it was started with."
    if candidate_config(experiment, site).mode not in modes_here():
        return "The site has no language model any more that judges, as the candidate needs."
    return ""
