"""Stop and resume answering: the only writer of stops."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from core.errors import MedragError
from corpus.models import AnsweringStop
from corpus.signals import answering_resumed, answering_stopped
from corpus.stops import stops_wait


class NotStopped(MedragError):
    """The stop can't be ended, or lacks something. Nothing was changed."""


@transaction.atomic
def stop_answering(stop: AnsweringStop, *, by: User) -> AnsweringStop:
    """Store a stop with its audit event; it holds for every answer that is not stored yet."""
    stop.reason, stop.contact = stop.reason.strip(), stop.contact.strip()
    if not stop.reason or not stop.contact:
        raise NotStopped("A stop needs a reason and whom to call. Nothing was stopped.")
    stops_wait()
    stop.started_at, stop.started_by = timezone.now(), by
    stop.save(force_insert=True)
    answering_stopped.send(AnsweringStop, stop=stop, actor=by, reason=stop.reason)
    return stop


@transaction.atomic
def resume_answering(stop: AnsweringStop, *, by: User, reason: str) -> None:
    """End a stop, with its audit event. Raises NotStopped."""
    if not reason.strip():
        raise NotStopped("Say why it may be answered again. Nothing was changed.")
    current = AnsweringStop.objects.select_for_update(of=("self",)).get(pk=stop.pk)
    if current.ended_at is not None:
        raise NotStopped("This stop has ended already. Nothing was changed.")
    current.ended_at, current.ended_by = timezone.now(), by
    current.end_reason = reason.strip()
    current.save(update_fields=["ended_at", "ended_by", "end_reason"])
    answering_resumed.send(AnsweringStop, stop=current, actor=by, reason=current.end_reason)
