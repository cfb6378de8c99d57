"""Copy signed heads to a second place, out of reach of anyone who can change this machine's files.

`settings.AUDIT_HEADS_COPY` is another file, which gets every line; `settings.AUDIT_HEADS_URL` an
address that the last line is sent to by POST, as JSON. `audit verify --head FILE` compares the
chain with a copy. No question waits for this: a worker sends the heads.
"""

from __future__ import annotations

import logging
from pathlib import Path

from django.conf import settings

from chat.audit.heads import append_heads, last_head, locked_file, read_heads
from core.errors import MedragError
from core.llm.transport import BoundedTransport, CallFailed, posted, within

SEND_S = 5.0  # longest wait of the worker, which manages its jobs in the same thread
AGAIN = "Nothing is lost: it is tried again every minute."

logger = logging.getLogger(__name__)


def send_heads() -> list[str]:
    """Send heads that were not sent yet; return an error sentence for each place that failed.

    May be called again: the file gets each head once, the address the last head every time.
    """
    faults = [*_copied(), *_posted()]
    for fault in faults:
        logger.error("%s", fault)
    return faults


def check_copy() -> None:
    """Raise MedragError if the folder of the copy is not there. Changes nothing."""
    path = Path(settings.AUDIT_HEADS_COPY)
    try:
        if settings.AUDIT_HEADS_COPY:
            within(SEND_S, path.parent.stat)
    except OSError as error:
        raise MedragError(_fault(f"copied to {path} (MEDRAG_AUDIT_HEADS)", error)) from error


def _copied() -> list[str]:
    if not settings.AUDIT_HEADS_COPY:
        return []
    path = Path(settings.AUDIT_HEADS_COPY)
    try:
        within(SEND_S, lambda: _copy(path))  # a network disk may never answer
    except OSError as error:  # TimeoutError is one
        return [_fault(f"copied to {path}", error)]
    return []


def _copy(path: Path) -> None:
    heads, _ = read_heads()
    if not heads:
        return
    with locked_file(path) as file:
        there = last_head(file)
        missing = [head for head in heads if there is None or head.seq > there.seq]
        if missing:
            append_heads(file, missing)


def _posted() -> list[str]:
    if not settings.AUDIT_HEADS_URL:
        return []
    heads, _ = read_heads()
    if not heads:
        return []
    json = {"Content-Type": "application/json"}
    try:
        posted(
            settings.AUDIT_HEADS_URL,
            heads[-1].line,
            json,
            timeout_s=SEND_S,
            transport=BoundedTransport(),
        )
    except (TimeoutError, CallFailed) as error:
        return [_fault("sent to the url of MEDRAG_AUDIT_HEADS", error)]
    return []


def _fault(what: str, error: Exception) -> str:
    cause = type(error).__name__
    if isinstance(error, CallFailed):
        cause = error.kind or f"status {error.status}"
    return f"The audit log's signed head could not be {what} ({cause}). {AGAIN}"
