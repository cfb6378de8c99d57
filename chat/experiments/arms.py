"""Assign conversations to the arms of the running experiment."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, replace

from django.utils import timezone

from chat.config import AnswerConfig, modes_here
from chat.models import Arm, Conversation, Experiment, Mode


@dataclass(frozen=True)
class Assignment:
    """The configuration for a question, with its experiment and arm if it is in one."""

    config: AnswerConfig
    experiment: Experiment | None = None
    arm: str = ""


def assignment_of(site: AnswerConfig, conversation: Conversation | None) -> Assignment:
    """Return the assignment of a conversation, which may be new and not stored yet.

    It is in no arm if it began before the experiment, or if the experiment is suspended. Constant
    for a conversation as long as the experiment runs. One query; none without a conversation.
    """
    experiment = Experiment.objects.filter(stopped_at=None).first() if conversation else None
    if conversation is None or experiment is None or inactive_reason(experiment, site):
        return Assignment(site)
    if (conversation.created_at or timezone.now()) < experiment.started_at:
        return Assignment(site)
    arm = arm_of(experiment.pk, conversation.pk, share=experiment.share)
    config = candidate_config(experiment, site) if arm is Arm.CANDIDATE else site
    return Assignment(config, experiment, arm)


def arm_of(key: int, conversation: uuid.UUID, *, share: float) -> Arm:
    """Return the candidate for about this share of conversations, in (0, 0.5], else the baseline.

    By SHA-256 of both keys as a fraction of 2^256, so that each experiment divides conversations
    differently.
    """
    digest = hashlib.sha256(f"{key}:{conversation}".encode()).digest()
    return Arm.CANDIDATE if int.from_bytes(digest) / 2**256 < share else Arm.BASELINE


def candidate_config(experiment: Experiment, site: AnswerConfig) -> AnswerConfig:
    """Return the site's configuration with the candidate's changes."""
    threshold = experiment.confidence_threshold
    return replace(
        site,
        mode=Mode(experiment.mode) if experiment.mode else site.mode,
        confidence_threshold=site.confidence_threshold if threshold is None else threshold,
    )


def inactive_reason(experiment: Experiment, site: AnswerConfig) -> str:
    """Return why a running experiment is suspended; empty if it is not.

    Answers before and after a change of settings don't belong in one arm, and a missing part must
    not cause refusals for users who did not choose the candidate.
    """
    if site.as_dict() != experiment.baseline:
        return "The site's settings are no longer those that it was started with."
    if candidate_config(experiment, site).mode not in modes_here():
        return "The site has no language model any more that judges, as the candidate needs."
    return ""
