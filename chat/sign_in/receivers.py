"""Who signed in, out or in vain, in the audit log.

Wired by `ChatConfig.ready`. A receiver that fails undoes what was announced to it.
"""

from __future__ import annotations

from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import transaction
from django.http import HttpRequest

from chat.audit import log as audit
from chat.audit.chain import storable
from chat.sign_in import lockouts


def connect() -> None:
    """Listen to every signal that is audited; safe to call again."""
    user_logged_in.connect(record_sign_in, dispatch_uid="audit.signed_in")
    user_logged_out.connect(record_sign_out, dispatch_uid="audit.signed_out")
    user_login_failed.connect(record_failed_sign_in, dispatch_uid="audit.sign_in_failed")
    user_locked_out.connect(lockouts.record_lockout, dispatch_uid="audit.locked_out")


def record_sign_in(sender: object, *, user: User, **extra: Any) -> None:
    _record_session("user.signed_in", user)


def record_sign_out(sender: object, *, user: User | None, **extra: Any) -> None:
    if user is not None:  # None: the session was not signed in
        _record_session("user.signed_out", user)


def record_failed_sign_in(
    sender: object,
    *,
    credentials: dict[str, Any],
    request: HttpRequest | None = None,
    **extra: Any,
) -> None:
    """Record the account that was tried, else a keyed hash of the name; never the name itself.

    Not so while it is locked: nothing was compared, and anybody could fill the log.

    People type their password into the wrong box, and the chain keeps what it gets for ever. The
    hash still tells an auditor which attempts were for one name.
    """
    if lockouts.was_refused_unseen(request):
        return
    name = str(credentials.get("username") or "").strip()
    known = User.objects.filter(username=storable(name)).first()
    subject = f"user:{known.pk}" if known else ""
    with transaction.atomic():
        payload = {"name_hmac": lockouts.name_hmac(name)}
        audit.record("user.sign_in_failed", actor=None, subject=subject, payload=payload)


def _record_session(action: str, user: User) -> None:
    with transaction.atomic():
        audit.record(action, actor=user, subject=f"user:{user.pk}", payload={})
