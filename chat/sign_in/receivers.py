"""Who signed in, out or in vain, and whose rights were changed in the administration, in the log.

Wired by `ChatConfig.ready`. A receiver that fails undoes what was announced to it.
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
    """Listen to every signal that is audited; safe to call again."""
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


def record_administration(
    sender: object, *, instance: LogEntry, created: bool, **extra: Any
) -> None:
    """Record an account or a group as it is from now on, or last was, with the fields changed."""
    kind = instance.content_type.model_class() if instance.content_type else None
    if not created or not instance.object_id or not (kind is User or kind is Group):
        return
    what = {ADDITION: "created", CHANGE: "changed", DELETION: "deleted"}[instance.action_flag]
    thing = kind._default_manager.filter(pk=instance.object_id).first()
    if thing is None:  # gone meanwhile: nobody has rights by it
        return
    payload = rights_of(thing) | {"fields": _fields_changed(instance.change_message)}
    action, subject = (f"{kind._meta.model_name}{end}" for end in (f".{what}", f":{thing.pk}"))
    with transaction.atomic():
        audit.record(action, actor=instance.user, subject=subject, payload=payload)


def _fields_changed(message: str) -> list[str]:
    """Of `[{"changed": {"fields": [...]}}, ...]`, as Django's administration writes it."""
    parts = json.loads(message) if message.startswith("[") else []
    return sorted({name for part in parts for name in part.get("changed", {}).get("fields", [])})


def _record_session(action: str, user: User) -> None:
    with transaction.atomic():
        audit.record(action, actor=user, subject=f"user:{user.pk}", payload={})
