"""Log sign-ins, failures, sign-outs and changes of rights in the administration.

Connected by `ChatConfig.ready`. A receiver that fails rolls the change back.
"""

from __future__ import annotations

import json
from typing import Any

from axes.signals import user_locked_out
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import transaction
from django.db.models.signals import post_save
from django.http import HttpRequest

from chat.audit import log as audit
from chat.audit.chain import storable
from chat.sign_in import lockouts
from chat.sign_in.accounts import rights_of


def connect() -> None:
    """Connect a receiver to every audited signal; may be called again."""
    user_logged_in.connect(record_sign_in, dispatch_uid="audit.signed_in")
    user_logged_out.connect(record_sign_out, dispatch_uid="audit.signed_out")
    user_login_failed.connect(record_failed_sign_in, dispatch_uid="audit.sign_in_failed")
    post_save.connect(record_administration, sender=LogEntry, dispatch_uid="audit.administration")
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
    """Record a failed sign-in by account, or for an unknown name by keyed hash.

    Not during a lockout: nothing was compared, and anybody could fill the log.

    The name itself is never logged: people type their password into the wrong field, and nothing
    can be removed from the chain. By the hash an auditor recognises attempts with the same name.
    """
    if lockouts.was_refused_unseen(request):
        return
    name = str(credentials.get("username") or "").strip()
    known = User.objects.filter(username=storable(name)).first()
    subject = f"user:{known.pk}" if known else ""
    with transaction.atomic():
        payload = {"name_hmac": lockouts.name_hmac(name)}
        audit.record("user.sign_in_failed", actor=None, subject=subject, payload=payload)


def record_administration(
    sender: object, *, instance: LogEntry, created: bool, **extra: Any
) -> None:
    """Record an account or group after a change, with its rights and the changed fields."""
    kind = instance.content_type.model_class() if instance.content_type else None
    if not created or not instance.object_id or not (kind is User or kind is Group):
        return
    what = {ADDITION: "created", CHANGE: "changed", DELETION: "deleted"}[instance.action_flag]
    thing = kind._default_manager.filter(pk=instance.object_id).first()
    if thing is None:  # deleted meanwhile: it gives no rights any more
        return
    payload = rights_of(thing) | {"fields": _fields_changed(instance.change_message)}
    action, subject = (f"{kind._meta.model_name}{end}" for end in (f".{what}", f":{thing.pk}"))
    with transaction.atomic():
        audit.record(action, actor=instance.user, subject=subject, payload=payload)


def _fields_changed(message: str) -> list[str]:
    """Return the fields in a change message of Django: `[{"changed": {"fields": [...]}}, ...]`."""
    parts = json.loads(message) if message.startswith("[") else []
    return sorted({name for part in parts for name in part.get("changed", {}).get("fields", [])})


def _record_session(action: str, user: User) -> None:
    with transaction.atomic():
        audit.record(action, actor=user, subject=f"user:{user.pk}", payload={})
