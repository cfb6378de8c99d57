"""Send the log's events to a collector: a syslog server over TLS, or an address that takes a POST.

Each event is sent at least once and in order. How far the log was sent is a row of the database
(`LogForward`), written after the collector has the events, so an outage or a kill leads to events
that are sent again and never to a gap. An event holds no question and no text of a document; its
payload, which may hold names of documents, is sent only if the site says so.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from chat.audit.syslog import SyslogError, send_syslog
from chat.models import AuditEvent, AuditHead, LogForward
from core.leases import Lease, ends_in
from core.llm.transport import BoundedTransport, CallFailed, posted

BATCH = 200  # events of one message or connection
ROUND_S = 20.0  # then the worker's other tasks have their turn
SEND_S = 10.0  # for one batch
_LEASE_S = 3 * SEND_S
AGAIN = "Nothing is lost: it is sent again every minute from where it stopped."

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Backlog:
    """How many events the collector lacks, since when, and what kept the last attempt."""

    events: int
    oldest: datetime | None
    fault: str


def forward_log() -> str:
    """Send what the collector lacks, for at most `ROUND_S`; return what went wrong, or "".

    Does nothing without a collector, or while another process is at it.
    """
    if not settings.AUDIT_FORWARD_TO:
        return ""
    LogForward.objects.get_or_create(to=settings.AUDIT_FORWARD_TO)
    with transaction.atomic():
        free = LogForward.objects.free().filter(to=settings.AUDIT_FORWARD_TO)
        lease = Lease.claim(free, lambda row: {"lease_until": ends_in(_LEASE_S)})
    if lease is None:
        return ""
    seq, fault = lease.row.seq, ""
    ends = time.monotonic() + ROUND_S
    while time.monotonic() < ends and (events := _after(seq)):
        if fault := _sent(events):
            logger.error("The audit log could not be sent: %s %s", fault, AGAIN)
            break
        seq = events[-1].seq
        if not (lease.extend(_LEASE_S) and lease.held().update(seq=seq)):
            return ""  # another process goes on
    lease.end(fault=fault)
    return fault


def backlog() -> Backlog | None:
    """Return what the collector lacks; None without a collector. Runs at most three queries."""
    if not settings.AUDIT_FORWARD_TO:
        return None
    row = LogForward.objects.filter(to=settings.AUDIT_FORWARD_TO).first()
    seq = row.seq if row else 0
    head = AuditHead.objects.values_list("seq", flat=True).first() or 0
    oldest = AuditEvent.objects.filter(seq=seq + 1).values_list("at", flat=True).first()
    return Backlog(max(head - seq, 0), oldest, row.fault if row else "")


def _after(seq: int) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(seq__gt=seq).order_by("seq")[:BATCH])


def _sent(events: Sequence[AuditEvent]) -> str:
    lines = [line_of(event) for event in events]
    try:
        if settings.AUDIT_FORWARD_TO.startswith("https://"):
            _post(lines)
        else:
            stamped = [(event.at, line) for event, line in zip(events, lines, strict=True)]
            send_syslog(settings.AUDIT_FORWARD_TO, stamped, timeout_s=SEND_S)
    except TimeoutError:
        return f"no answer within {SEND_S:g} s."
    except CallFailed as error:
        return f"the collector {error.what}."
    except SyslogError as error:
        return f"{error}"
    return ""


def _post(lines: Sequence[str]) -> None:
    kind = "application/x-ndjson" if settings.AUDIT_FORWARD_FORMAT == "json" else "text/plain"
    headers = {"Content-Type": f"{kind}; charset=utf-8"}
    if settings.AUDIT_FORWARD_KEY:
        headers["Authorization"] = f"Bearer {settings.AUDIT_FORWARD_KEY}"
    body = ("\n".join(lines) + "\n").encode()
    posted(settings.AUDIT_FORWARD_TO, body, headers, timeout_s=SEND_S, transport=BoundedTransport())


def line_of(event: AuditEvent) -> str:
    """Return an event as one line, in the format of the settings."""
    fields: dict[str, Any] = {
        "seq": event.seq,
        "at": f"{event.at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z",
        "actor": event.actor,
        "action": event.action,
        "subject": event.subject,
        "prev_hash": bytes(event.prev_hash).hex(),
        "hash": bytes(event.hash).hex(),
    }
    if settings.AUDIT_FORWARD_PAYLOAD:
        fields["payload"] = event.payload
    if settings.AUDIT_FORWARD_FORMAT == "cef":
        return _cef(fields)
    return json.dumps(fields, ensure_ascii=False)


# ArcSight's Common Event Format, revision 25: a header of seven fields, then keys with values.
_HEADER = "CEF:0|MedRAG|MedRAG|1|{action}|{action}|{severity}|"
_WARNED = ("user.sign_in_failed", "user.locked_out", "answering.stopped")
_KEYS = {"seq": "externalId", "at": "rt", "actor": "suser", "subject": "cs1", "hash": "cs2"}
_LABELS = {"cs1Label": "subject", "cs2Label": "hash"}


def _cef(fields: Mapping[str, Any]) -> str:
    action = str(fields["action"]).replace("\\", "\\\\").replace("|", "\\|")
    severity = 6 if fields["action"] in _WARNED else 3
    known = {_KEYS[name]: value for name, value in fields.items() if name in _KEYS} | _LABELS
    if "payload" in fields:
        known["msg"] = fields["payload"]
    parts = (f"{key}={_escaped(value)}" for key, value in known.items())
    return _HEADER.format(action=action, severity=severity) + " ".join(parts)


def _escaped(value: object) -> str:
    text = str(value).replace("\\", "\\\\").replace("=", "\\=")
    return text.replace("\r", "\\r").replace("\n", "\\n")
