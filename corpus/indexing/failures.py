"""Say why an attempt to index a document failed, never with a text that may quote it."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from core.errors import MedragError
from corpus.indexing import jobs
from corpus.indexing.leases import Lease

logger = logging.getLogger(__name__)

_OUR_CODE = str(Path(__file__).resolve().parents[2] / "corpus")


def failure_of(error: Exception, lease: Lease) -> dict[str, Any]:
    """Return code and sentence of an error, and whether a retry may help."""
    if isinstance(error, MedragError):
        code = str(getattr(error, "code", type(error).__name__))
        return {"code": code, "reason": error.sentence, "retryable": error.retryable}
    if isinstance(error, ImproperlyConfigured):
        return {"code": "configuration", "reason": str(error), "retryable": False}
    logger.error("document %s: %s", lease.document_id, describe(error))
    reason = (
        f"An unexpected error ({type(error).__name__}) stopped it while it was being "
        f"{jobs.STEP_NAMES[lease.stage]}. The worker's log says where."
    )
    return {"code": "unexpected", "reason": reason, "retryable": True}


def describe(error: BaseException) -> str:
    """Return an error's type, database code and place in our code, but not its text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(_OUR_CODE)] or list(frames)
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"
    code = getattr(error.__cause__, "sqlstate", None)
    return f"{type(error).__name__}{f' {code}' if code else ''} at {place}"
